package story

import (
	"fmt"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// edit is what a user or an operator writes into a PodGroup that is there:
//
//	edit ml/ray min=8 minresources=cpu:8
//	edit ml/ray phase=Running
//
// What is not said stays.
var editVerb = verb{syntax: "edit NAMESPACE/JOB [queue=Q] [min=N] [minroles=ps:1,worker:2] [minresources=cpu:4] " +
	"[priority=CLASS] [phase=PHASE] [preemptable|preemptable=no|preemptable=unset] [fault=FIELD]", do: edit}

func edit(s *stage, w *words) error {
	k, err := w.key()
	if err != nil {
		return err
	}
	told, ok := s.stated[groupRef(k)].(*model.PodGroup)
	if !ok || !s.came(groupRef(k)) || !s.began() {
		return fmt.Errorf("there is no job %s yet", k)
	}
	o := order{group: *told}
	o.group.Phase = model.GroupPending
	phase := false
	for word, more := w.next(); more; word, more = w.next() {
		switch key, _ := option(word); key {
		case "queue", "min", "minroles", "minresources", "priority", "phase", "preemptable", "fault":
			phase = phase || key == "phase"
		default:
			return unknown(word)
		}
		if _, err := o.option(word); err != nil {
			return err
		}
	}
	if phase {
		s.change(groupRef(k), &o.group)
	} else { // it keeps the phase that it has
		s.appear(model.KindPodGroup, sim.Item{Fact: model.Fact{Object: &o.group}})
	}
	return nil
}

// phaseOf reads a PodGroup's phase.
func phaseOf(value string) (model.GroupPhase, error) {
	for p := model.GroupPending; p <= model.GroupCompleted; p++ {
		if p.String() == value {
			return p, nil
		}
	}
	return 0, fmt.Errorf("%q is no phase of a PodGroup", value)
}

// removeGroup deletes a PodGroup alone: its pods stay.
func removeGroup(s *stage, w *words) error {
	k, err := w.key()
	if err != nil {
		return err
	}
	if _, ok := s.stated[groupRef(k)]; !ok {
		return fmt.Errorf("there is no group %s", k)
	}
	s.vanish(groupRef(k))
	return w.end()
}
