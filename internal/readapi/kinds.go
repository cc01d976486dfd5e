package readapi

import (
	"cmp"
	"reflect"
	"slices"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
)

// place orders rows within a kind, and is where a list goes on.
type place struct {
	Namespace, Name string
	Owner           string // tells adopted jobs of one name apart; "" for a PodGroup
}

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.Namespace, o.Namespace), cmp.Compare(p.Name, o.Name), cmp.Compare(p.Owner, o.Owner))
}

// kind is one kind of rows of the report: what lists and streams need to know of it.
type kind[T any] struct {
	name   string // of one, as in an event of a stream
	part   parts
	rows   func(*copied) []T
	at     func(*T) place
	seen   func(*view, place) bool
	hide   func(*Hidden, *T)
	show   func([]T) []any                 // as users see them
	render func(*copied, *view, []T) []any // the same, where it takes more than the rows; nil: show does
	same   func(a, b *T) bool
	// bare is a row without the names of queues but those that are named, and whether it has such; nil: no row has.
	bare    func(row *T, named func(queue string) bool) (T, bool)
	filters map[string]func(row *T, value string) bool
	// few reads the rows that filters let pass, where that costs much less than a copy of all; nil: it does not.
	few func(value func(string) string) func(*sched.Engine) sched.Report
}

var jobs = &kind[sched.JobReport]{name: "Job", part: ofJobs,
	rows: func(c *copied) []sched.JobReport { return c.Jobs },
	at: func(j *sched.JobReport) place {
		p := place{Namespace: j.Namespace, Name: j.Name}
		if j.Adopted {
			p.Owner = "adopted/" + j.Owner.Kind + "/" + j.Owner.UID
		}
		return p
	},
	seen: func(v *view, p place) bool { return v.namespace(p.Namespace) },
	hide: (*Hidden).job,
	show: func(rows []sched.JobReport) []any {
		return each(explain.New(sched.Report{Jobs: rows}, explain.Summary{}, nil).Jobs)
	},
	same: sameJob,
	bare: func(j *sched.JobReport, named func(string) bool) (sched.JobReport, bool) {
		out := *j
		out.Reason = j.Reason.Clone() // all clients share the copy
		return out, explain.HideQueues(&out.Reason, j.Queue, named)
	},
	filters: map[string]func(*sched.JobReport, string) bool{
		"namespace": func(j *sched.JobReport, value string) bool { return j.Namespace == value },
		"queue":     func(j *sched.JobReport, value string) bool { return j.Queue == value },
		"waiting": func(j *sched.JobReport, value string) bool {
			return j.Reason.Waits() == (value == "true")
		},
	},
}

var pods = &kind[sched.PodReport]{name: "Pod", part: ofPods,
	rows: func(c *copied) []sched.PodReport { return c.Pods },
	at:   func(p *sched.PodReport) place { return place{Namespace: p.Namespace, Name: p.Name} },
	seen: func(v *view, p place) bool { return v.namespace(p.Namespace) },
	hide: (*Hidden).pod,
	show: func(rows []sched.PodReport) []any {
		return each(explain.New(sched.Report{Pods: rows}, explain.Summary{}, nil).Pods)
	},
	same: func(a, b *sched.PodReport) bool { return *a == *b },
	filters: map[string]func(*sched.PodReport, string) bool{
		"namespace": func(p *sched.PodReport, value string) bool { return p.Namespace == value },
		"job":       func(p *sched.PodReport, value string) bool { return p.Job == value },
		"node":      func(p *sched.PodReport, value string) bool { return p.Node == value },
	},
	few: fewPods,
}

// fewPods reads the pods of one job, or those on one node: a page that shows one asks for them all the time.
func fewPods(value func(string) string) func(*sched.Engine) sched.Report {
	namespace, job, node := value("namespace"), value("job"), value("node")
	switch {
	case namespace != "" && job != "":
		return func(e *sched.Engine) sched.Report {
			return sched.Report{Pods: e.Questions().PodsOf(namespace, job)}
		}
	case node != "":
		return func(e *sched.Engine) sched.Report { return sched.Report{Pods: e.Questions().PodsOn(node)} }
	}
	return nil
}

var queues = &kind[sched.QueueReport]{name: "Queue", part: ofQueues,
	rows: func(c *copied) []sched.QueueReport { return c.Queues },
	at:   func(q *sched.QueueReport) place { return place{Name: q.Name} },
	seen: func(v *view, p place) bool { return v.queue(p.Name) },
	hide: (*Hidden).queue,
	show: func(rows []sched.QueueReport) []any {
		return each(explain.NewQueues(sched.Report{Queues: rows}, explain.Summary{}).Queues)
	},
	same: func(a, b *sched.QueueReport) bool { return reflect.DeepEqual(a, b) },
	bare: func(q *sched.QueueReport, named func(string) bool) (out sched.QueueReport, hid bool) {
		out = *q
		for _, above := range []*string{&out.Parent, &out.ClosedBy} {
			if *above != "" && !named(*above) {
				*above, hid = another, true
			}
		}
		return out, hid
	},
}

var nodes = &kind[sched.NodeReport]{name: "Node", part: ofNodes | ofDevices,
	rows: func(c *copied) []sched.NodeReport { return c.Nodes },
	at:   func(n *sched.NodeReport) place { return place{Name: n.Name} },
	seen: func(v *view, _ place) bool { return v.nodes() },
	hide: (*Hidden).node,
	show: func(rows []sched.NodeReport) []any {
		return each(explain.New(sched.Report{Nodes: rows}, explain.Summary{}, nil).Nodes)
	},
	same: sameNode,
}

func each[T any](list []T) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// sameJob says that two rows tell the same, whenever the start was estimated.
func sameJob(a, b *sched.JobReport) bool {
	x, y := a.Start, b.Start
	x.Made = y.Made
	return a.Namespace == b.Namespace && a.Name == b.Name && a.Shown == b.Shown && a.Adopted == b.Adopted &&
		a.Owner == b.Owner && a.Queue == b.Queue && a.Phase == b.Phase && a.MinMember == b.MinMember &&
		a.Priority == b.Priority && a.Created == b.Created && a.Tasks == b.Tasks && a.RunTime == b.RunTime &&
		a.HyperNode == b.HyperNode && slices.Equal(a.SubJobs, b.SubJobs) &&
		a.Reason.Is() == b.Reason.Is() && (!a.Reason.Is() || reflect.DeepEqual(&a.Reason, &b.Reason)) &&
		x.Is() == y.Is() && (!x.Is() || reflect.DeepEqual(&x, &y))
}

func sameNode(a, b *sched.NodeReport) bool {
	return a.Name == b.Name && slices.Equal(a.Allocatable, b.Allocatable) && slices.Equal(a.Used, b.Used) &&
		slices.Equal(a.Idle, b.Idle) && slices.Equal(a.Releasing, b.Releasing) &&
		slices.Equal(a.Pipelined, b.Pipelined) && slices.Equal(a.FutureIdle, b.FutureIdle) &&
		slices.Equal(a.RoomKept, b.RoomKept) && slices.Equal(a.HyperNodes, b.HyperNodes) &&
		a.Cordoned == b.Cordoned && slices.Equal(a.Taints, b.Taints) &&
		slices.Equal(a.Devices, b.Devices)
}
