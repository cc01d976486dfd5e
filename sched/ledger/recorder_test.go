package ledger

import (
	"fmt"
	"maps"

	"ashlar.sh/sched/model"
)

// recorder is a book whose whole state is who sits where, and the facts it was
// handed. What it chooses it counts as part of a seat. It complains when it is told of a seat twice or given back what it has not.
type recorder struct {
	seats    map[Key]sitting
	facts    map[model.Ref]model.Fact
	findings []string
}

type sitting struct {
	row  TaskID
	pod  *model.Pod
	node NodeID
	how  Hold
	with string // what the recorder chose
}

func newRecorder() *recorder {
	return &recorder{seats: map[Key]sitting{}, facts: map[model.Ref]model.Fact{}}
}

func (r *recorder) Name() string { return "recorder" }

func (r *recorder) Take(t TaskID, task *Task, n NodeID, how Hold) {
	if s, sits := r.seats[task.Key]; sits {
		r.findings = append(r.findings, fmt.Sprintf("%v took node %d, sits at %+v", task.Key, n, s))
	}
	r.seats[task.Key] = sitting{t, task.Pod, n, how, task.Chosen.Of(r.Name())}
}

func (r *recorder) Give(t TaskID, task *Task, n NodeID, how Hold) {
	if s := r.seats[task.Key]; s != (sitting{t, task.Pod, n, how, task.Chosen.Of(r.Name())}) {
		r.findings = append(r.findings, fmt.Sprintf("%v gave node %d (%v) back, sits at %+v", task.Key, n, how, s))
	}
	delete(r.seats, task.Key)
}

// Choose gives every task something that depends on when it was asked.
func (r *recorder) Choose(_ TaskID, task *Task, n NodeID) string {
	return fmt.Sprint(task.Key.Name, "-", n, "-", len(r.seats))
}

func (r *recorder) Reads(k model.Kind) bool { return k != "Lamp" }

func (r *recorder) Fact(f model.Fact) { r.facts[f.Ref] = f }

func (r *recorder) Audit(sits func(yield func(t TaskID, task *Task, n NodeID, how Hold) bool)) []string {
	want := newRecorder()
	sits(func(t TaskID, task *Task, n NodeID, how Hold) bool {
		want.Take(t, task, n, how)
		return true
	})
	out := r.findings
	if !maps.Equal(r.seats, want.seats) {
		out = append(out, fmt.Sprintf("seats are %v, recounted %v", r.seats, want.seats))
	}
	return out
}
