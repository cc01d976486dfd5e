package ledger

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// byName writes every figure of a ledger under the names of things, sorted: equal for
// two ledgers that know the same, however they came to know it.
func byName(l *Ledger) string {
	l.ExtendDims()
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for n := range l.Nodes.rows {
		if row := &l.Nodes.rows[n]; !row.free {
			say("node %s: fact %p present %t tasks %d going %d %s", row.Name, row.Fact, row.Present(), row.Tasks, row.going,
				columnsByName(l, NodeID(n)))
		}
	}
	say("total %s, nodes with releasing tasks %d", sums(l, l.Nodes.total), l.Nodes.ReleasingNodes())
	for c := range l.Classes.rows {
		if row := &l.Classes.rows[c]; row.Live() {
			say("class %q: hash %x refs %d best effort %t invalid %t request %v", row.Key, row.Hash, row.refs,
				row.BestEffort, row.Invalid, l.Dims.List(row.Request))
		}
	}
	for t := range l.Tasks.rows {
		if row := &l.Tasks.rows[t]; !row.free {
			say("task %v: pod %p %s", row.Key, row.Pod, taskByName(l, row))
		}
	}
	for j := range l.Jobs.rows {
		if row := &l.Jobs.rows[j]; !row.marks.free {
			say("job %v adopted %t: %s", row.Key, row.Key.Adopted, jobByName(l, JobID(j)))
		}
	}
	for q := range l.Queues.rows {
		if row := &l.Queues.rows[q]; !row.free {
			say("queue %s: %s", row.Name, queueByName(l, row))
		}
	}
	say("priorities %v default %p", l.Priorities.classes, l.Priorities.global)
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func columnsByName(l *Ledger, n NodeID) string {
	var cells []string
	for d := range l.Dims.Len() {
		dim := resource.Dim(d)
		if f := [5]int64{l.Nodes.Allocatable(dim)[n], l.Nodes.Idle(dim)[n], l.Nodes.Releasing(dim)[n],
			l.Nodes.Pipelined(dim)[n], l.Nodes.Room(dim)[n]}; f != [5]int64{} {
			cells = append(cells, fmt.Sprint(l.Dims.Name(dim), f))
		}
	}
	slices.Sort(cells)
	return fmt.Sprint(cells)
}

func nodeName(l *Ledger, n NodeID) string {
	if n == NoNode {
		return "-"
	}
	return l.Nodes.rows[n].Name
}

func taskByName(l *Ledger, row *Task) string {
	job, role := "-", "-"
	if row.Job != NoJob {
		job, role = fmt.Sprint(l.Jobs.rows[row.Job].Key), l.Jobs.rows[row.Job].Roles[row.Role].Name
	}
	held := "nothing"
	switch h := row.Commitment; h.Kind {
	case NoCommit:
	case CommitEvict:
		held = fmt.Sprint("eviction ", h.Item)
	default:
		held = fmt.Sprint(h.Kind, " on ", nodeName(l, h.Node), " for ", h.Item, " until ", h.Until,
			fmt.Sprintf(" with %q", h.Chosen))
	}
	return fmt.Sprintf("charged %t job %s role %q class %q node %s status %v priority %d chosen %q held %s", row.charged,
		job, role,
		l.Classes.rows[row.Class].Key, nodeName(l, row.Node), row.Status, row.Priority, row.Chosen, held)
}

func jobByName(l *Ledger, j JobID) string {
	row := l.Job(j)
	var roles []string
	for _, r := range row.Roles {
		if r.Min != 0 || r.Count != (Count{}) {
			roles = append(roles, fmt.Sprint(r))
		}
	}
	slices.Sort(roles)
	definer := "-"
	if row.definer != NoTask {
		definer = l.Tasks.rows[row.definer].Key.String()
	}
	return fmt.Sprint("group ", fmt.Sprintf("%p", row.Group), " queue ", queueOf(l, row), " min ", row.MinMember,
		" roles ", roles, " count ", row.Count, " tasks ", row.Tasks, " gated ", row.Gated, " invalid ", row.Invalid,
		" priority ", row.Priority, " created ", row.Created, " phase ", row.Phase, row.decided.open,
		" mute ", row.marks.asksNothing,
		" minimum ", l.Dims.List(row.MinResources), row.HasMin,
		" allocated ", sums(l, row.Allocated), " request ", sums(l, row.Request), " total ", sums(l, row.Total),
		" gated ", sums(l, row.gatedNeed), " done ", sums(l,
			row.doneNeed), " unfinished ", row.unfinished, " defined by ", definer,
		" elastic ", l.Dims.List(row.elastic), " inqueue ", l.Dims.List(row.inqueue), row.inqueueCounts,
		" keeps ", row.RetainedMin(), " active ", l.Jobs.Wants(j))
}

// queueOf names the queue in which a job counts.
func queueOf(l *Ledger, row *Job) string {
	if row.Queue == NoQueue {
		return "-"
	}
	return l.Queues.rows[row.Queue].Name
}

func queueByName(l *Ledger, row *Queue) string {
	var bounds []string
	for d := range row.Capability.Dims() {
		if x, ok := row.Capability.Bound(resource.Dim(d)); ok {
			bounds = append(bounds, fmt.Sprint(l.Dims.Name(resource.Dim(d)), x))
		}
	}
	slices.Sort(bounds)
	parent := "-"
	if row.up != NoQueue {
		parent = l.Queues.rows[row.up].Name
	}
	return fmt.Sprint("fact ", fmt.Sprintf("%p", row.Fact), " place ", row.Place, " broken ", row.Broken, " depth ",
		row.Depth,
		" kids ", row.Children, " jobs ", row.Jobs, " under ", parent, " capability ", bounds,
		" deserved ", l.Dims.List(row.Deserved), " guarantee ", l.Dims.List(row.Guarantee),
		" allocated ", sums(l, row.Allocated), " request ", sums(l, row.Request),
		" inqueue ", sums(l, row.Inqueue), " elastic ", sums(l, row.Elastic))
}

func sums(l *Ledger, s resource.Sums) string {
	var cells []string
	for d, x := range s {
		if x != (resource.Sum{}) {
			cells = append(cells, fmt.Sprint(l.Dims.Name(resource.Dim(d)), x))
		}
	}
	slices.Sort(cells)
	return fmt.Sprint(cells)
}

// again is a new ledger that is told what l knows, in the given order, and to which
// l's commitments and decided phases are restored.
func again(l *Ledger, facts []model.Fact) *Ledger {
	l2 := New()
	for _, f := range facts {
		l2.Apply(f)
	}
	l.Tasks.Each(func(t TaskID) bool {
		if row := l.Task(t); row.Commitment.Kind != NoCommit {
			c := *row.Commitment
			if c.Kind != CommitEvict {
				c.Node = l2.Nodes.Named(nodeName(l, c.Node))
			}
			t2, _ := l2.Tasks.Find(row.Key)
			l2.Restore(t2, c)
		}
		return true
	})
	l2.Charges.Restore(l.Charges.All(), true)
	l.Jobs.Each(func(j JobID) bool {
		if item, held := l.Jobs.DecidedPhase(j); held {
			if j2, ok := l2.Jobs.Find(l.Job(j).Key); ok { // its last member may be back in the job it names
				l2.Jobs.SetPhase(j2, l.Job(j).Phase, item)
			}
		}
		return true
	})
	return l2
}
