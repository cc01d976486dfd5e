package story

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// service makes a namespace's Service, or changes it:
//
//	service web/front selects=app:front selects=tier:web
//
// It selects the pods with all these labels; without any it selects none.
var serviceVerb = verb{syntax: "service NAMESPACE/NAME [selects=KEY:VALUE]…", do: service}

func service(s *stage, w *words) error {
	key, err := w.key()
	if err != nil {
		return err
	}
	o := &model.Service{Meta: model.Meta{Namespace: key.Namespace, Name: key.Name}}
	for _, word := range w.all {
		name, value := option(word)
		if name != "selects" {
			return unknown(word)
		}
		k, v, err := pair(name, value)
		if err != nil {
			return err
		}
		o.Selector = append(o.Selector, model.Label{Key: k, Value: v})
	}
	slices.SortFunc(o.Selector, func(a, b model.Label) int { return cmp.Compare(a.Key, b.Key) })
	s.appear(model.KindService, sim.Item{Fact: model.Fact{Object: o}})
	return nil
}

func removeService(s *stage, w *words) error {
	key, err := w.key()
	if err != nil {
		return err
	}
	ref := model.Ref{Kind: model.KindService, Namespace: key.Namespace, Name: key.Name}
	if _, ok := s.stated[ref]; !ok {
		return fmt.Errorf("there is no service %s/%s", key.Namespace, key.Name)
	}
	s.vanish(ref)
	return w.end()
}
