package ledger

import (
	"container/heap"
	"math"

	"ashlar.sh/sched/model"
)

// Lingering judges the terminating tasks of which it is known until when they may take to leave. Those that linger
// (model.Pod.Lingers) hold their room as tasks do that stay: no other task waits for it. That follows from facts and
// time alone, so it is judged when a fact comes and when a cycle begins, at the time of the cycle. It costs nothing for
// tasks of which the time has not come.
type Lingering struct {
	l *Ledger

	begun bool  // a cycle has begun
	now   int64 // when the last one did
	of    map[TaskID]*lingerCheck
	next  lingerChecks
}

// lingerCheck is when a task is to be judged anew.
type lingerCheck struct {
	at   int64 // model.Never: its answer stays
	task TaskID
	pos  int // in lingerChecks
}

// Lingers says that a task is terminating and cannot be counted on to leave soon: its room is not among what is
// Releasing.
func (t *Task) Lingers() bool { return t.lingers && t.Status == model.Releasing }

// releases says that a task holds room that it will leave.
func (t *Task) releases() bool { return t.Status == model.Releasing && !t.lingers }

// note judges a task that has a new fact, before its figures are added. Before the first cycle no time is known: it
// is judged when that begins.
func (lg *Lingering) note(t TaskID) {
	row := &lg.l.Tasks.rows[t]
	row.lingers = false
	lingers, until := row.Pod.Lingers(lg.now)
	if row.Status != model.Releasing || row.Node == NoNode || !lingers && until == model.Never {
		lg.forget(t)
		return
	}
	if row.lingers = lingers && lg.begun; !lg.begun {
		until = math.MinInt64
	}
	if x := lg.of[t]; x != nil {
		x.at = until
		heap.Fix(&lg.next, x.pos)
		return
	}
	if lg.of == nil {
		lg.of = map[TaskID]*lingerCheck{}
	}
	lg.of[t] = &lingerCheck{at: until, task: t}
	heap.Push(&lg.next, lg.of[t])
}

// forget notes that a task is gone, or does not terminate.
func (lg *Lingering) forget(t TaskID) {
	if x := lg.of[t]; x != nil {
		heap.Remove(&lg.next, x.pos)
		delete(lg.of, t)
	}
}

// Begin judges the tasks of which the time has come, and says whether a task lingers that did not, or does no more.
func (lg *Lingering) Begin(now int64) (changed bool) {
	if lg.begun && now < lg.now { // by another clock
		for _, x := range lg.next {
			x.at = math.MinInt64
		}
		heap.Init(&lg.next)
	}
	lg.begun, lg.now = true, now
	for len(lg.next) > 0 && lg.next[0].at <= now && lg.next[0].at != model.Never {
		x := lg.next[0]
		lingers, until := lg.l.Tasks.rows[x.task].Pod.Lingers(now)
		x.at = until
		heap.Fix(&lg.next, 0)
		if lg.l.Tasks.rows[x.task].lingers != lingers {
			lg.l.accounts.lingers(x.task, lingers)
			changed = true
		}
	}
	return changed
}

// Next is when the first task is to be judged anew, 0 for never.
func (lg *Lingering) Next() int64 {
	if len(lg.next) == 0 || lg.next[0].at == model.Never {
		return 0
	}
	return lg.next[0].at
}

// lingerChecks is a heap, the earliest first.
type lingerChecks []*lingerCheck

// Len implements heap.Interface.
func (js lingerChecks) Len() int { return len(js) }

// Less implements heap.Interface.
func (js lingerChecks) Less(i, j int) bool { return js[i].at < js[j].at }

// Swap implements heap.Interface.
func (js lingerChecks) Swap(i, j int) {
	js[i], js[j] = js[j], js[i]
	js[i].pos, js[j].pos = i, j
}

// Push implements heap.Interface.
func (js *lingerChecks) Push(x any) {
	x.(*lingerCheck).pos = len(*js)
	*js = append(*js, x.(*lingerCheck))
}

// Pop implements heap.Interface.
func (js *lingerChecks) Pop() any {
	last := (*js)[len(*js)-1]
	(*js)[len(*js)-1] = nil
	*js = (*js)[:len(*js)-1]
	return last
}
