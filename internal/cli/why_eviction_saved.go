//go:build !simulator

package cli

import (
	"cmp"
	"fmt"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// inDump looks into a recording, or into the state of one moment.
func (p evictionQuestions) inDump(a asked) (*explain.Answer, error) {
	a.namespace = cmp.Or(a.namespace, "default")
	r, err := recording.Open(a.dump)
	if err != nil {
		return nil, badInput("error: " + err.Error())
	}
	defer func() { _ = r.Close() }() // it was only read
	if !r.IsRecording() {
		return p.inState(a)
	}
	if a.config != "" {
		return nil, errAsRecorded
	}
	found := &podEvictions{pod: ledger.Key{Namespace: a.namespace, Name: a.name}}
	s := &situation{source: a.source}
	player := playing(p.questions).player(a.dump, 0)
	player.After = func(c *recording.Played) error {
		s.engine, s.asking.Now = c.Engine, c.Step.Cycle.Now
		found.cycle(int(c.Step.Cycle.Number), moment(c.Step.Cycle.Now), c.Plan, c.Engine)
		return nil
	}
	out, err := playing(p.questions).play(r, a.dump, player)
	if err != nil {
		return nil, err
	}
	s.asking.Basis = explain.Basis{Source: "recording", Time: time.Unix(0, s.asking.Now).UTC().Format(time.RFC3339),
		Configuration: "that of the recording"}
	if !out.Same {
		s.asking.Basis.Unknown = append(s.asking.Basis.Unknown, "what came after "+out.To+
			": the recording is decided otherwise than it was, by another version of ashlar")
	}
	if out.Cut {
		s.asking.Basis.Unknown = append(s.asking.Basis.Unknown, "what came after "+out.To+": the end of the file is missing")
	}
	p.warnEach(s.asking.Basis.Unknown)
	if s.engine == nil {
		return nil, badInput(fmt.Sprintf("error: %s: it has no cycle", a.dump))
	}
	return s.evictionAnswer(found, fmt.Sprintf("nothing was evicted from %s to %s", out.From, out.To))
}

// inState looks at one cycle, and at the evictions that were under way before it.
func (p evictionQuestions) inState(a asked) (*explain.Answer, error) {
	s, state, plan, err := p.decidedDump(a.source)
	if err != nil {
		return nil, err
	}
	found := &podEvictions{pod: ledger.Key{Namespace: a.namespace, Name: a.name}}
	for _, t := range state.Commitments.Tasks {
		if t.Kind == ledger.CommitEvict {
			found.underWay(t)
		}
	}
	found.cycle(0, moment(state.Now), plan, s.engine)
	return s.evictionAnswer(found, "no eviction was under way or due at that moment; a recording has those of the last "+
		"minutes")
}

// underWay notes an eviction that was decided before: its record is not among what a dump has.
func (e *podEvictions) underWay(t sched.TaskCommitment) {
	e.names = append(e.names, named{t.Pod.Namespace, t.Pod.Name})
	if t.Pod != e.pod {
		return
	}
	text := "its eviction was under way"
	switch t.EvictedFor {
	case ledger.ForItsQueue:
		text += ", for a pod of its own queue"
	case ledger.ForOtherQueue:
		text += ", for a pod of another queue"
	}
	e.found = append(e.found, &explain.EvictionWhy{Namespace: t.Pod.Namespace, Name: t.Pod.Name,
		Message: text, Notes: []string{"which rule decided it is in a recording, and not in the state of one moment: " +
			"--dump ashlar-recording-PID" + recording.Ending}})
}
