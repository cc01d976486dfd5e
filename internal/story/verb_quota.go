package story

import (
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// quota makes a namespace's ResourceQuota, or changes it:
//
//	quota ml/team hard=cpu:10,gpu:4 used=cpu:2
//
// A story has no quota controller: what is used stays as it is written.
var quotaVerb = verb{syntax: "quota NAMESPACE/NAME hard=cpu:10,… [used=cpu:2,…] [fault=FIELD]", do: quota}

func quota(s *stage, w *words) error {
	key, err := w.key()
	if err != nil {
		return err
	}
	q := &model.Quota{Meta: model.Meta{Namespace: key.Namespace, Name: key.Name}}
	for _, word := range w.all {
		switch name, value := option(word); name {
		case "hard":
			q.Hard, err = amounts(value)
		case "used":
			q.Used, err = amounts(value)
		case "fault":
			q.Faults = fault(value)
		default:
			err = unknown(word)
		}
		if err != nil {
			return err
		}
	}
	s.appear(model.KindQuota, sim.Item{Fact: model.Fact{Object: q}})
	return nil
}
