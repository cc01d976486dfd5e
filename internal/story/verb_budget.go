package story

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// budget makes a namespace's PodDisruptionBudget, or changes it:
//
//	budget web/front selects=app:front min=2
//	budget web/all max=50% allowed=1 healthy=4 desired=3 expected=5
//
// selects may be said several times, and all have to hold; without any it is about every
// pod of the namespace. With allowed its status has the figures of its controller;
// a story does not count again.
var budgetVerb = verb{syntax: "budget NAMESPACE/NAME [selects=KEY:VALUE]… [min=N|N%] [max=N|N%] [allowed=N " +
	"[healthy=N] [desired=N] [expected=N]] [always-evict-unhealthy] [fault=FIELD]", do: budget}

func budget(s *stage, w *words) error {
	key, err := w.key()
	if err != nil {
		return err
	}
	b := &model.Budget{Meta: model.Meta{Namespace: key.Namespace, Name: key.Name}}
	for _, word := range w.all {
		if err := budgetOption(b, word); err != nil {
			return err
		}
	}
	slices.SortFunc(b.Selector, func(a, b model.Requirement) int { return strings.Compare(a.Key, b.Key) })
	s.appear(model.KindBudget, sim.Item{Fact: model.Fact{Object: b}})
	return nil
}

func budgetOption(b *model.Budget, word string) (err error) {
	switch name, value := option(word); name {
	case "selects":
		var r model.Requirement
		r, err = requirement(name, value)
		b.Selector = append(b.Selector, r)
	case "min":
		b.MinAvailable, err = portion(name, value)
	case "max":
		b.MaxUnavailable, err = portion(name, value)
	case "allowed":
		b.Counted = true
		b.Allowed, err = number(name, value)
	case "healthy":
		b.Healthy, err = number(name, value)
	case "desired":
		b.Desired, err = number(name, value)
	case "expected":
		b.Expected, err = number(name, value)
	case "always-evict-unhealthy":
		b.AlwaysEvictUnhealthy = true
	case "fault":
		b.Faults = fault(value)
	default:
		err = unknown(word)
	}
	return err
}

// portion reads 2 or 50%.
func portion(key, value string) (*model.Portion, error) {
	text, percent := strings.CutSuffix(value, "%")
	n, err := number(key, text)
	if err != nil || n < 0 || percent && n > 100 {
		return nil, fmt.Errorf("%s: %q is neither a number of pods nor a percentage such as 50%%", key, value)
	}
	return &model.Portion{Value: n, Percent: percent}, nil
}
