package story

import (
	"errors"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// class gives a priority class its value; default makes it that of pods and jobs that
// name none:
//
//	class urgent 1000
//	class normal 10 default
//
// never is the class's preemptionPolicy: no pod is evicted for pods of this class.
var classVerb = verb{syntax: "class NAME VALUE [default] [never]", do: class}

func class(s *stage, w *words) error {
	name, err := w.name("the class's name")
	if err != nil {
		return err
	}
	text, ok := w.next()
	if !ok {
		return errors.New("the value is missing")
	}
	value, err := number("value", text)
	if err != nil {
		return err
	}
	c := &model.PriorityClass{Meta: model.Meta{Name: name}, Value: value}
	for word, more := w.next(); more; word, more = w.next() {
		switch word {
		case "default":
			c.GlobalDefault = true
		case "never":
			c.PreemptNever = true
		default:
			return unknown(word)
		}
	}
	s.appear(model.KindPriorityClass, sim.Item{Fact: model.Fact{Object: c}})
	return w.end()
}
