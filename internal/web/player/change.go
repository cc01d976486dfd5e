package player

import (
	"errors"
	"fmt"
	"slices"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Change is what would be otherwise. Exactly one of Queue, Job, Objects and Configuration is given.
type Change struct {
	Queue         string  `json:"queue,omitempty"`
	Weight        *int32  `json:"weight,omitempty"`
	Job           string  `json:"job,omitempty"`           // namespace/name of one that would not be there
	Objects       string  `json:"objects,omitempty"`       // YAML, as for `ashlar simulate -f`
	Configuration string  `json:"configuration,omitempty"` // the text of another volcano-scheduler.conf
	Seconds       float64 `json:"seconds"`                 // of virtual time to look ahead
	FromStart     bool    `json:"fromStart,omitempty"`     // from the beginning of the input, not from the latest moment
}

// check returns what is wrong with a change, as far as that can be said without the world.
func (c *Change) check() error {
	given := 0
	for _, text := range []string{c.Queue, c.Job, c.Objects, c.Configuration} {
		if text != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("expected one of queue, job, objects and configuration")
	case c.Queue != "" && (c.Weight == nil || *c.Weight < 1 || *c.Weight > mostWeight):
		return fmt.Errorf("weight: expected 1 to %d", mostWeight)
	case !(c.Seconds > 0 && c.Seconds <= mostSeconds):
		return fmt.Errorf("seconds: expected more than 0 and at most %d", mostSeconds)
	}
	return nil
}

// apply makes the items of the copy that is otherwise. Those that are given stay as they are.
func (c *Change) apply(items []sim.Item, parse func(string) ([]sim.Item, error)) ([]sim.Item, error) {
	switch {
	case c.Objects != "":
		more, err := parse(c.Objects)
		if err != nil {
			return nil, err
		}
		for i := range more {
			more[i].SubmitAt = 0
		}
		return append(slices.Clone(items), more...), nil
	case c.Queue != "":
		return weighted(items, c.Queue, *c.Weight)
	case c.Job != "":
		return dropped(items, c.Job)
	}
	return items, nil
}

// weighted are items in which a queue has another weight.
func weighted(items []sim.Item, queue string, weight int32) ([]sim.Item, error) {
	out := slices.Clone(items)
	for i := range out {
		q, is := out[i].Fact.Object.(*model.Queue)
		if is && out[i].Fact.Ref.Name == queue {
			changed := *q
			changed.Weight = weight
			out[i].Fact.Object = &changed
			return out, nil
		}
	}
	return nil, fmt.Errorf("there is no queue %q", queue)
}

// dropped are items without a job: its PodGroup, and its pods that the scheduler is to place.
func dropped(items []sim.Item, job string) ([]sim.Item, error) {
	of := func(i sim.Item) bool {
		switch o := i.Fact.Object.(type) {
		case *model.PodGroup:
			return i.Fact.Ref.Namespace+"/"+i.Fact.Ref.Name == job
		case *model.Pod:
			if !o.Ours {
				return false
			}
			named := *o // what a simulation is given has its name in the reference
			named.Namespace, named.Name = i.Fact.Ref.Namespace, i.Fact.Ref.Name
			return ledger.KeyOf(&named).String() == job
		}
		return false
	}
	out := slices.DeleteFunc(slices.Clone(items), of)
	if len(out) == len(items) {
		return nil, fmt.Errorf("there is no job %q", job)
	}
	return out, nil
}
