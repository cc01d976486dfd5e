package story

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// finish ends running pods well, fail ends them badly; of a job all that run:
//
//	finish ml/train
//	fail ml/train-0
var (
	finishVerb = verb{syntax: "finish NAMESPACE/JOB|POD", do: func(s *stage, w *words) error { return end(s, w, false) }}
	failVerb   = verb{syntax: "fail NAMESPACE/JOB|POD", do: func(s *stage, w *words) error { return end(s, w, true) }}
)

func end(s *stage, w *words, failed bool) error {
	k, err := w.key()
	if err != nil {
		return err
	}
	pods, err := s.podsOf(k)
	if err != nil {
		return err
	}
	for _, p := range pods {
		s.act(podRef(p), func(w *sim.World) { w.Finish(p, failed) })
	}
	return w.end()
}

// delete is what a user deletes: a job with its pods, or one pod. A running pod
// terminates first and holds its room meanwhile.
//
//	delete ml/train
var deleteVerb = verb{syntax: "delete NAMESPACE/JOB|POD", do: deleteIt}

func deleteIt(s *stage, w *words) error {
	k, err := w.key()
	if err != nil {
		return err
	}
	if !s.came(groupRef(k)) || !s.came(podRef(k)) {
		return fmt.Errorf("%s is not there yet: it comes at a later time", k)
	}
	if _, isJob := s.stated[groupRef(k)]; isJob {
		for _, p := range s.statedPods(k) {
			s.vanish(podRef(p))
		}
		s.vanish(groupRef(k))
		return w.end()
	}
	if _, isPod := s.stated[podRef(k)]; !isPod || s.gone[podRef(k)] {
		return fmt.Errorf("there is no job and no pod %s", k)
	}
	s.vanish(podRef(k))
	return w.end()
}

// ungate takes the scheduling gates off a job's pods, or one pod's:
//
//	ungate ml/train
var ungateVerb = verb{syntax: "ungate NAMESPACE/JOB|POD", do: ungate}

func ungate(s *stage, w *words) error {
	k, err := w.key()
	if err != nil {
		return err
	}
	for _, key := range s.statedPods(k) {
		p := *s.stated[podRef(key)].(*model.Pod)
		if p.Gated = false; p.QueueGate == model.QueueGateShut {
			p.QueueGate = model.QueueGateOpen
		}
		s.change(podRef(key), &p)
	}
	return w.end()
}

// statedPods are the pods of a job as the story made them, or the one pod of that name,
// sorted.
func (s *stage) statedPods(k ledger.Key) []ledger.Key {
	var out []ledger.Key
	for ref, o := range s.stated { // order-free: sorted below
		p, isPod := o.(*model.Pod)
		if isPod && !s.gone[ref] && p.Namespace == k.Namespace && (p.Group == k.Name || p.Name == k.Name) {
			out = append(out, ledger.Key{Namespace: p.Namespace, Name: p.Name})
		}
	}
	slices.SortFunc(out, func(a, b ledger.Key) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// podsOf are the running pods of a job, or the one pod of that name.
func (s *stage) podsOf(k ledger.Key) ([]ledger.Key, error) {
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	var out []ledger.Key
	for _, p := range r.Pods {
		running := p.Status == model.Running || p.Status == model.Bound || p.Status == model.Binding
		if p.Namespace == k.Namespace && (p.Job == k.Name || p.Name == k.Name) && running {
			out = append(out, ledger.Key{Namespace: p.Namespace, Name: p.Name})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no pod of %s runs", k)
	}
	return out, nil
}
