package story

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Stated is what a story has said so far, by object: what a check that does not trust
// the engine starts from.
type Stated map[model.Ref]model.Object

// stage is a story while it runs.
type stage struct {
	opt     Options
	profile policy.Profile
	world   *sim.World
	twin    *twin
	stated  Stated
	gone    map[model.Ref]bool          // pods that were deleted: their names are free
	acts    []act                       // of the present stretch, in the order written
	later   map[model.Ref]time.Duration // what was submitted with at=
	line    int
	events  []trace.Event // of the last cycle
	// verbosity is the highest level that a line of the story asks the log for.
	verbosity int
	cycles    int // ran
	wrong     []string
}

// act is one change to the world, handed over before the next cycle: an item that
// appears, or something that is done to an object.
type act struct {
	about   model.Ref
	appears *sim.Item
	do      func(*sim.World)
}

func newStage(o Options) *stage {
	return &stage{opt: o, profile: defaultProfile(), stated: Stated{}, gone: map[model.Ref]bool{},
		later: map[model.Ref]time.Duration{}}
}

// began says that the world exists: its configuration stands.
func (s *stage) began() bool { return s.world != nil }

// begin makes the world at the first line that needs one.
func (s *stage) begin() error {
	if s.began() {
		return nil
	}
	profile, o := s.profile, sim.Options{Audit: true, Verbosity: s.verbosity}
	if s.opt.Twin {
		s.twin = &twin{profile: s.profile}
		profile, o.Engine = s.twin.joins(profile)
	}
	w, err := sim.New(profile, nil, o)
	if err != nil {
		return fmt.Errorf("conf: %w", err)
	}
	s.world = w
	if s.twin != nil {
		s.twin.of = w.Engine()
	}
	return nil
}

// appear lets an object come into the world, or come again with another content. The
// world gives uids and times of creation.
func (s *stage) appear(kind model.Kind, item sim.Item) {
	m := item.Fact.Object.Common()
	ref := model.Ref{Kind: kind, Namespace: m.Namespace, Name: m.Name}
	item.Fact.Ref = ref
	s.stated[ref] = item.Fact.Object
	delete(s.gone, ref)
	s.later[ref] = item.SubmitAt
	s.acts = append(s.acts, act{about: ref, appears: &item})
}

// change makes an object different: one that is to appear in this stretch appears so.
func (s *stage) change(ref model.Ref, o model.Object) {
	s.stated[ref] = o
	for i := len(s.acts) - 1; i >= 0; i-- {
		if a := &s.acts[i]; a.about == ref && a.appears != nil {
			a.appears.Fact.Object = o
			return
		}
	}
	s.act(ref, func(w *sim.World) { w.Apply(model.Fact{Ref: ref, Object: o}) })
}

// came says that an object is there, or comes with the next cycle.
func (s *stage) came(ref model.Ref) bool {
	return s.later[ref] == 0 || s.began() && s.later[ref] <= s.world.Now()
}

// vanish deletes an object: one that is to appear in this stretch does not.
func (s *stage) vanish(ref model.Ref) {
	if ref.Kind == model.KindPod {
		s.gone[ref] = true // it is still there while it terminates, or comes again
	} else {
		delete(s.stated, ref)
	}
	s.acts = slices.DeleteFunc(s.acts, func(a act) bool { return a.about == ref && a.appears != nil })
	s.act(ref, func(w *sim.World) { w.Delete(ref) })
}

// act does something to an object of the world before the next cycle.
func (s *stage) act(about model.Ref, do func(*sim.World)) {
	s.acts = append(s.acts, act{about: about, do: do})
}

// handOver gives the world all acts of the stretch.
func (s *stage) handOver() {
	acts := s.acts
	if s.opt.Shuffle != nil {
		acts = shuffled(s.opt.Shuffle, acts)
	}
	for _, a := range acts {
		if a.appears != nil {
			s.world.Submit(*a.appears)
		} else {
			a.do(s.world)
		}
	}
	s.acts = nil
}

// shuffled is another order in which acts about one object keep theirs.
func shuffled(r *rand.Rand, acts []act) []act {
	places := r.Perm(len(acts))
	byRef := map[model.Ref][]act{}
	for _, a := range acts {
		byRef[a.about] = append(byRef[a.about], a)
	}
	out := make([]act, 0, len(acts))
	for _, i := range places {
		ref := acts[i].about
		out = append(out, byRef[ref][0])
		byRef[ref] = byRef[ref][1:]
	}
	return out
}

// step runs the next cycle that can matter; false when nothing more can happen.
func (s *stage) step() (sim.Cycle, bool, error) {
	if err := s.begin(); err != nil {
		return sim.Cycle{}, false, err
	}
	s.handOver()
	c, ok := s.world.Step()
	if !ok {
		return c, false, nil
	}
	s.cycles++
	s.events = c.Events
	found := c.Audit
	if s.opt.Watch != nil {
		found = append(found, s.opt.Watch(s.world, c, s.stated)...)
	}
	if s.twin != nil {
		found = append(found, s.twin.compare(c)...)
	}
	for _, f := range found {
		s.wrong = append(s.wrong, fmt.Sprintf("line %d, at %v: %s", s.line, c.At, f))
	}
	return c, true, nil
}

// report is the engine's state after the last cycle.
func (s *stage) report() (sched.Report, error) {
	if s.cycles == 0 {
		return sched.Report{}, errors.New("no cycle has run yet: put one before it")
	}
	return s.world.Engine().Report(), nil
}

// podRef is the reference of a pod.
func podRef(k ledger.Key) model.Ref {
	return model.Ref{Kind: model.KindPod, Namespace: k.Namespace, Name: k.Name}
}

// groupRef is the reference of a PodGroup.
func groupRef(k ledger.Key) model.Ref {
	return model.Ref{Kind: model.KindPodGroup, Namespace: k.Namespace, Name: k.Name}
}
