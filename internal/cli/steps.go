//go:build !simulator

package cli

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// stepView is one cycle of a recording as people read it: what came in, what was decided, and why.
type stepView struct {
	Cycle    uint64     `json:"cycle"`
	Time     string     `json:"time"`
	Came     []cameView `json:"came,omitempty"`
	Answered []string   `json:"answered,omitempty"`
	Decided  []string   `json:"decided,omitempty"`
	Waits    []waitView `json:"waits,omitempty"`
	Log      []string   `json:"log,omitempty"`
	Panic    string     `json:"panic,omitempty"`
	Remade   bool       `json:"configurationChanged,omitempty"`
}

// cameView is an object that came, changed or went.
type cameView explain.ObjectChange

// waitView is a job of which the reason changed.
type waitView struct {
	Job  string `json:"job"`
	Code string `json:"code,omitempty"` // "": it does not wait any more
	Why  string `json:"why,omitempty"`
}

func (v *stepView) empty() bool {
	return len(v.Came)+len(v.Answered)+len(v.Decided)+len(v.Waits) == 0 && v.Panic == "" && !v.Remade
}

// stepper makes a stepView of each cycle of a recording that is played.
type stepper struct {
	job         string // namespace/name: what concerns it alone; "": everything
	first, last uint64 // cycles; 0: no bound
	show        func(*stepView) error

	now     *stepView
	reasons map[ledger.JobKey]string // what was told last
	asked   map[uint64]sched.Item    // by ID, of which the answer has not come: an answer does not repeat all of it
}

// before notes what comes in.
func (s *stepper) before(step *recording.Step, e *sched.Engine) {
	if s.now == nil {
		s.now = &stepView{}
	}
	v := s.now
	for _, f := range step.Facts {
		was, _ := e.Ledger().Fact(f.Ref)
		if s.concerns(f) || s.concerns(was) {
			v.came(f, was)
		}
	}
	for _, r := range step.Receipts {
		if !s.about(e, r.Item) || r.Outcome == sched.Done && s.job == "" && r.Item.Kind == sched.SetPhase {
			continue
		}
		item, known := s.asked[r.Item.ID]
		if delete(s.asked, r.Item.ID); !known {
			item = r.Item
		}
		text := explain.Decision(item) + ": " + recording.OutcomeName(r.Outcome)
		if r.Refused != "" {
			text += ": " + r.Refused
		}
		v.Answered = append(v.Answered, text)
	}
	v.Remade = v.Remade || step.Remade != nil
}

// concerns says that a fact is about what is looked at.
func (s *stepper) concerns(f model.Fact) bool {
	if s.job == "" {
		return true
	}
	switch o := f.Object.(type) {
	case *model.PodGroup:
		return o.Namespace+"/"+o.Name == s.job
	case *model.Pod:
		return o.Ours && ledger.KeyOf(o).String() == s.job
	}
	return f.Ref.Kind == model.KindBackoff && f.Ref.Namespace+"/"+f.Ref.Name == s.job
}

// about says that an item is about what is looked at: as what it is done to, or as what it is done for.
func (s *stepper) about(e *sched.Engine, i sched.Item) bool {
	if s.job == "" {
		return true
	}
	of := func(pod ledger.Key) bool {
		t, ok := e.Ledger().Tasks.Find(pod)
		return ok && e.Ledger().Task(t).Job != ledger.NoJob &&
			e.Ledger().Job(e.Ledger().Task(t).Job).Key.String() == s.job
	}
	return i.Group.Namespace+"/"+i.Group.Name == s.job || of(i.Pod) || of(i.Preemptor) ||
		i.Record != nil && (i.Record.Job == s.job || i.Record.PreemptorJob == s.job)
}

// after shows a cycle.
func (s *stepper) after(p *recording.Played) error {
	v, c := s.now, p.Step.Cycle
	s.now = nil
	v.Cycle, v.Time = c.Number, moment(c.Now)
	if p.Panic != nil {
		v.Panic = fmt.Sprint(p.Panic)
	}
	if s.asked == nil {
		s.asked = map[uint64]sched.Item{}
	}
	for _, i := range p.Plan.Items {
		s.asked[i.ID] = i
		if s.about(p.Engine, i) {
			v.Decided = append(v.Decided, explain.Decision(i))
		}
	}
	if p.Panic == nil {
		s.reason(v, p.Engine)
	}
	for _, e := range p.Events {
		if _, line := explain.Log(e); line != "" && (s.job == "" || strings.Contains(line, "<"+s.job)) {
			v.Log = append(v.Log, strings.Split(line, "\n")...)
		}
	}
	if c.Number < s.first || s.last != 0 && c.Number > s.last {
		return nil
	}
	return s.show(v)
}

// reason tells of each job that waits for another reason than before.
func (s *stepper) reason(v *stepView, e *sched.Engine) {
	led, still := e.Ledger(), map[ledger.JobKey]string{}
	led.Jobs.Each(func(id ledger.JobID) bool {
		k := led.Job(id).Key
		if s.job != "" && k.String() != s.job {
			return true
		}
		r := e.JobReason(id)
		if !r.Is() {
			return true
		}
		why := explain.Sentence(r)
		if still[k] = why; s.reasons[k] != why {
			v.Waits = append(v.Waits, waitView{Job: k.String(), Code: string(r.Code), Why: why})
		}
		return true
	})
	for k := range s.reasons {
		if _, waits := still[k]; !waits {
			v.Waits = append(v.Waits, waitView{Job: k.String()})
		}
	}
	slices.SortStableFunc(v.Waits, func(a, b waitView) int { return strings.Compare(a.Job, b.Job) })
	s.reasons = still
}

// came adds an object.
func (v *stepView) came(f, was model.Fact) {
	if c, known := explain.ChangeOf(f, was); known {
		v.Came = append(v.Came, cameView(c))
	}
}

func moment(ns int64) string { return explain.Stamp(ns) }
