package ledger

import (
	"fmt"
	"maps"

	"ashlar.sh/sched/model"
)

// recorder is a PluginState that keeps which task is on which node, and its facts. A task's choice is part of what
// it keeps. It has a finding for a task that is taken twice, or given back and was never taken.
type recorder struct {
	places   map[Key]placed
	facts    map[model.Ref]model.Fact
	findings []string
}

type placed struct {
	row  TaskID
	pod  *model.Pod
	node NodeID
	how  Hold
	with string // what the recorder chose
}

func newRecorder() *recorder {
	return &recorder{places: map[Key]placed{}, facts: map[model.Ref]model.Fact{}}
}

func (r *recorder) Name() string { return "recorder" }

func (r *recorder) Take(t TaskID, task *Task, n NodeID, how Hold) {
	if s, sits := r.places[task.Key]; sits {
		r.findings = append(r.findings, fmt.Sprintf("%v took node %d, sits at %+v", task.Key, n, s))
	}
	r.places[task.Key] = placed{t, task.Pod, n, how, task.Chosen.Of(r.Name())}
}

func (r *recorder) Give(t TaskID, task *Task, n NodeID, how Hold) {
	if s := r.places[task.Key]; s != (placed{t, task.Pod, n, how, task.Chosen.Of(r.Name())}) {
		r.findings = append(r.findings, fmt.Sprintf("%v gave node %d (%v) back, sits at %+v", task.Key, n, how, s))
	}
	delete(r.places, task.Key)
}

// Choose gives every task something that depends on when it was asked.
func (r *recorder) Choose(_ TaskID, task *Task, n NodeID) string {
	return fmt.Sprint(task.Key.Name, "-", n, "-", len(r.places))
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
	if !maps.Equal(r.places, want.places) {
		out = append(out, fmt.Sprintf("places are %v, recounted %v", r.places, want.places))
	}
	return out
}
