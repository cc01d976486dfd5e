package sched

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/fraction"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// A view is a structure that is derived from the ledger and follows its changes. follow makes one that has read
// nothing yet, and returns the function that brings it up to date and says all that it answers, by names.
type view struct {
	name   string
	follow func(e *Engine) (answers func() string)
}

// views are the structures that can be made over a ledger at any time: one that has followed every change answers
// as one that is made now. Plugins and their PluginStates are compared by policyAnswers and Audit.
var views = []view{
	{"topology.Map", func(e *Engine) func() string {
		m := topology.New(e.l)
		return func() string { return domainAnswers(e.l, m.Fresh()) }
	}},
	{"fraction.Table", func(e *Engine) func() string {
		tables := map[resource.Dim]*fraction.Table{}
		return func() string { return tableAnswers(e.l, tables) }
	}},
	{"class.Index", func(e *Engine) func() string {
		x := class.New(e.l, e.policy)
		return func() string { return nodeAnswers(e.l, x) }
	}},
	{"evict.Search", func(e *Engine) func() string {
		search := evict.NewSearch(&session.Session{L: e.l, NodeIndex: class.New(e.l, e.policy), Policy: e.policy,
			Pending: e.session.Pending})
		return func() string { return victimAnswers(e.l, search) }
	}},
	{"session.Ends", func(e *Engine) func() string {
		s := &session.Session{L: e.l, Now: e.session.Now}
		return func() string {
			s.Now = e.session.Now
			ends, out := s.Ends(), []string{}
			e.l.Nodes.Present(func(n ledger.NodeID) bool {
				on := ends.On(n)
				for i := range on {
					out = append(out, fmt.Sprint(e.l.Node(n).Name, e.l.Task(on[i].Task).Key, ends.Expected(&on[i])))
				}
				return true
			})
			slices.Sort(out)
			return strings.Join(out, "\n")
		}
	}},
	{"session.Rotation", func(e *Engine) func() string {
		s := &session.Session{L: e.l, NodeIndex: e.session.NodeIndex, Policy: e.policy, Profile: &e.profile,
			Trace: &trace.Recorder{}}
		return func() string { return rotationAnswers(s) }
	}},
}

// TestViewsFollowTheLedger compares every view that has followed a random history with one that is built anew over
// the same ledger, and at the end of the history the plugins too: then fresh ones take the place of those that
// followed.
func TestViewsFollowTheLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		profile := w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...)
		for _, tier := range profile.Tiers {
			for i := range tier {
				if tier[i].Plugin == "drf" {
					tier[i].Hierarchy = w.yes() || tier[i].Arguments != nil
				}
			}
		}
		e := engine(t, profile, somePace(t))
		var followed []func() string
		var rows ReportRows
		for _, v := range views {
			followed = append(followed, v.follow(e))
		}
		w.begin()
		for range rapid.IntRange(2, 12).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			e.Receive(receipts...)
			if w.yes() {
				sameRows(t, &rows, e)
			}
			plan, _, _ := e.Decide(w.now)
			w.learn(plan)
			for _, finding := range e.l.Audit() {
				t.Fatalf("audit: %s", finding)
			}
			for i, v := range views {
				if w.n(2) > 0 {
					same(t, v.name+" that followed the ledger differs from one that is made anew", v.follow(e)(), followed[i]())
				}
			}
			if w.yes() {
				sameRows(t, &rows, e)
			}
			same(t, "pending.Index differs from a look at every job", everyJob(e), pendingAnswers(e))
			checkParked(t, e)
		}
		facts, _ := w.deal()
		e.Apply(facts...)
		was := policyAnswers(e, e.policy, w.now)
		fresh, err := build(e.profile, plugins.All(), e.l)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "plugins that followed the ledger answer otherwise than those that are made anew",
			policyAnswers(e, fresh, w.now), was)
	})
}

// sameRows compares rows that followed an engine with those of a report, and what was returned before with what it was.
func sameRows(t *rapid.T, rows *ReportRows, e *Engine) {
	jobs, nodes := rows.jobList, rows.nodeList
	was := values(jobs)
	want := e.Report()
	if got := values(rows.Jobs(e, func() bool { return false })); len(got)+len(want.Jobs) > 0 &&
		!reflect.DeepEqual(got, want.Jobs) {
		t.Fatalf("jobs that followed the ledger differ from those of a report:\n%+v\nwant\n%+v", got, want.Jobs)
	}
	if got := values(rows.Nodes(e)); len(got)+len(want.Nodes) > 0 && !reflect.DeepEqual(got, want.Nodes) {
		t.Fatalf("nodes that followed the ledger differ from those of a report:\n%+v\nwant\n%+v", got, want.Nodes)
	}
	if !reflect.DeepEqual(values(jobs), was) || len(nodes) > 0 && nodes[0] == nil {
		t.Fatal("rows that were returned have changed")
	}
}

func values[T any](rows []*T) (out []T) {
	for _, row := range rows {
		out = append(out, *row)
	}
	return out
}

// report is a list of answers, a line for each.
type report struct{ strings.Builder }

func (r *report) say(format string, args ...any) { fmt.Fprintf(&r.Builder, format+"\n", args...) }

func domainAnswers(l *ledger.Ledger, m *topology.Map) string {
	var r report
	for d := range topology.ID(m.Len()) {
		domain := m.Domain(d)
		r.say("domain %q tier %d up %d: nodes %v, own %v", domain.Name, domain.Tier, domain.Up, nodeNames(l, domain.Nodes),
			nodeNames(l, domain.Own))
	}
	for n := range l.Nodes.Present {
		r.say("node %s: leaf %q", l.Node(n).Name, m.Domain(m.Leaf(n)).Name)
	}
	r.say("levels %v, faults %v, unready %d", m.Levels(), m.Faults(), m.Unready())
	return r.String()
}

func tableAnswers(l *ledger.Ledger, tables map[resource.Dim]*fraction.Table) string {
	var r report
	l.ExtendDims()
	left := make([]int64, l.Nodes.Len())
	for d := range resource.Dim(l.Dims.Len()) {
		if tables[d] == nil {
			tables[d] = fraction.NewTable(l, d)
		}
		tables[d].Run(0, 7, left)
		for n := range l.Nodes.Present {
			r.say("%s of node %s: %d left, inexact %t", l.Dims.Name(d), l.Node(n).Name, left[n], tables[d].InexactAt(n))
		}
		r.say("%s: some node inexact %t", l.Dims.Name(d), tables[d].Inexact())
	}
	return r.String()
}

// nodeAnswers are what an index says for every task that waits.
func nodeAnswers(l *ledger.Ledger, x *class.Index) string {
	var r report
	l.ExtendDims()
	for _, t := range waitingTasks(l) {
		key, c := l.Task(t).Key, l.Task(t).Class
		now := x.Best(class.Query{Task: t})
		r.say("%v: best %s %d, refused %v", key, nodeName(l, now.Node), now.Score, now.Refused)
		later := x.Best(class.Query{Task: t, Future: true})
		r.say("%v: best later %s %d", key, nodeName(l, later.Node), later.Score)
		r.say("%v: capacity %d, prospect %d, whole %d, feasible %d", key, x.Capacity(c, 9, class.Now),
			x.Capacity(c, 9, class.InFuture), x.Whole(c, 9), x.Feasible(c))
		for _, future := range []bool{false, true} {
			fits := x.Fits(c, class.When(future))
			for n := range l.Nodes.Present {
				r.say("%v: on node %s fit %d, one is taken %t", key, l.Node(n).Name, fits[n], x.Takes(t, n, class.When(future)))
			}
		}
		r.say("%v: why %s", key, written(x.Why(t)))
	}
	return r.String()
}

// victimAnswers are, for every job with tasks that wait, whether pods would be evicted for it, and why not.
func victimAnswers(l *ledger.Ledger, search *evict.Search) string {
	var r report
	l.ExtendDims()
	for _, scope := range []evict.Scope{evict.SameQueue, evict.OtherQueues} {
		rule := evict.Options{Scope: scope, WholeGangs: true}
		for _, j := range waitingJobs(l) {
			tasks := slices.DeleteFunc(waitingTasks(l), func(t ledger.TaskID) bool { return l.Task(t).Job != j })
			r.say("job %v, scope %d: %t, why %s", l.Job(j).Key, scope, search.Would(rule, j, tasks),
				written(search.Why(rule, j, tasks)))
		}
	}
	return r.String()
}

func rotationAnswers(s *session.Session) string {
	var r report
	var jobs []ledger.JobID
	for j := range s.L.Jobs.Each {
		if s.L.Job(j).Queue != ledger.NoQueue {
			jobs = append(jobs, j)
		}
	}
	for rotation := s.Rotate(jobs); ; {
		q, j, ok := rotation.Next()
		if !ok {
			return r.String()
		}
		r.say("queue %s: %v", s.L.Queue(q).Name, s.L.Job(j).Key)
	}
}

// pendingAnswers are the lists of jobs that the index of an engine keeps. everyJob are the same lists, by a look at
// every job.
func pendingAnswers(e *Engine) string {
	any := func(ledger.JobID) bool { return true }
	x := e.session.Pending
	return jobNames(e.l, x.AwaitingAdmission(any)) + jobNames(e.l, x.BestEffort(any)) + jobNames(e.l, x.Unparked(any))
}

func everyJob(e *Engine) string {
	var lists [3][]ledger.JobID
	for j := range e.l.Jobs.Each {
		job := e.l.Job(j)
		unparked := !e.session.Pending.Parked(j)
		for i, in := range [...]bool{job.AwaitsAdmission(), job.BestEffort > 0 && job.Admitted(), unparked} {
			if in && e.l.Jobs.Wants(j) {
				lists[i] = append(lists[i], j)
			}
		}
	}
	return jobNames(e.l, lists[0]) + jobNames(e.l, lists[1]) + jobNames(e.l, lists[2])
}

func jobNames(l *ledger.Ledger, jobs []ledger.JobID) string {
	var r report
	slices.SortFunc(jobs, func(a, b ledger.JobID) int { return l.Job(a).Key.Compare(l.Job(b).Key) })
	for _, j := range jobs {
		r.say("%v", l.Job(j).Key)
	}
	return r.String() + "--\n"
}

// checkParked fails the test where a job that is parked would find a place if it were tried: an index that remembers
// nothing tries every job. A job in a queue that is served no more, or behind another, is not tried.
func checkParked(t *rapid.T, e *Engine) {
	for j := range e.l.Jobs.Each {
		if !e.l.Jobs.Wants(j) || !e.session.Pending.Parked(j) || e.session.Blocked(j).Is() || !e.l.Job(j).Admitted() {
			continue
		}
		if e.policy.ValidateJob(j).Is() || search.Behind(&e.session, j, false).Is() {
			continue
		}
		if _, over := e.policy.Overused(e.l.Job(j).Queue); !over && search.Would(&e.session, j) {
			t.Fatalf("job %v is parked, and would find a place", e.l.Job(j).Key)
		}
	}
}

// policyAnswers are what a profile's plugins say of queues, jobs and nodes when a cycle begins.
func policyAnswers(e *Engine, set *policy.Set, now int64) string {
	var r report
	l := e.l
	l.ExtendDims()
	set.At(now)
	set.Open(&trace.Recorder{}, policy.NoStopwatch{})
	set.Explain(true)
	queues := slices.SortedFunc(l.Queues.Each, func(a, b ledger.QueueID) int {
		return cmp.Compare(l.Queue(a).Name, l.Queue(b).Name)
	})
	jobs := slices.SortedFunc(l.Jobs.Each, func(a, b ledger.JobID) int { return l.Job(a).Key.Compare(l.Job(b).Key) })
	for _, q := range queues {
		name := l.Queue(q).Name
		figures, known := set.QueueFigures(q)
		arithmetic, _ := set.QueueArithmetic(q)
		over, is := set.Overused(q)
		for d := len(figures.Deserved); d > 0 && figures.Deserved[d-1] == 0; d-- { // as good as none
			figures.Deserved = figures.Deserved[:d-1]
		}
		r.say("queue %s: %+v %t %+v, overused %t %+v", name, figures, known, arithmetic, is, over)
		for _, o := range queues {
			if l.Queue(q).Fact != nil && l.Queue(o).Fact != nil {
				r.say("queue %s before %s: %d, by place %d", name, l.Queue(o).Name, sign(set.CompareQueues(q, o)),
					sign(set.Eviction.CompareLevels(q, o, q)))
				r.say("queue %s gives to %s: %t", name, l.Queue(o).Name, set.Eviction.MayBeVictim(q, o))
			}
		}
		for _, t := range waitingTasks(l) {
			c := l.Task(t).Class
			r.say("queue %s: %d more of %v, else %+v", name, set.Allocatable(q, c, 50), l.Task(t).Key,
				set.WhyNotAllocatable(q, c))
		}
	}
	for _, j := range jobs {
		reason, may := set.Enqueueable(j)
		r.say("job %v: valid %+v, let in %t %+v, ready %t %t, starving %t", l.Job(j).Key, set.ValidateJob(j), may, reason,
			set.Ready(j), set.Pipelined(j), set.Eviction.Starving(j))
		for _, o := range jobs {
			r.say("job %v before %v: %d", l.Job(j).Key, l.Job(o).Key, sign(set.CompareJobs(j, o)))
		}
	}
	if m := set.HyperNodes(); m != nil {
		r.WriteString(domainAnswers(l, m))
	}
	r.say("problems %v", set.Problems())
	r.WriteString(nodeAnswers(l, class.New(l, set)))
	return r.String()
}

// written is a reason with its causes.
func written(r trace.Reason) []byte {
	text, _ := json.Marshal(r)
	return text
}

// waitingTasks are the tasks that may be placed, by key.
func waitingTasks(l *ledger.Ledger) (out []ledger.TaskID) {
	for t := range l.Tasks.Each {
		if l.Task(t).Placeable() && l.Task(t).Status == model.Pending {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b ledger.TaskID) int { return l.Task(a).Key.Compare(l.Task(b).Key) })
	return out
}

// waitingJobs are the jobs of waitingTasks, by key.
func waitingJobs(l *ledger.Ledger) (out []ledger.JobID) {
	for _, t := range waitingTasks(l) {
		out = append(out, l.Task(t).Job)
	}
	slices.SortFunc(out, func(a, b ledger.JobID) int { return l.Job(a).Key.Compare(l.Job(b).Key) })
	return slices.Compact(out)
}

func nodeName(l *ledger.Ledger, n ledger.NodeID) string {
	if n == ledger.NoNode {
		return "none"
	}
	return l.Node(n).Name
}

func nodeNames(l *ledger.Ledger, nodes []ledger.NodeID) (out []string) {
	for _, n := range nodes {
		out = append(out, l.Node(n).Name)
	}
	return out
}

func sign(x int) int { return cmp.Compare(x, 0) }
