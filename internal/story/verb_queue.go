package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// queue makes queues, or changes those that are there:
//
//	queue red weight=2 parent=colours capability=cpu:50,gpu:4 deserved=cpu:20 guarantee=cpu:10 priority=5 state=Closed
//
// path is its place in drf's hierarchy, each level with its weight (see levels); groups,
// prefers, forbids and avoids are the four lists of its affinity to groups of nodes.
// weight is 1 when it is not said. Queues root and default are always there.
// limit is the most that its jobs may hold of a group; once for each group.
// fault=FIELD makes the queue one that was set aside.
var queueVerb = verb{syntax: "queue NAME… [weight=N] [parent=QUEUE] [capability=cpu:50,…] [deserved=…] [guarantee=…] " +
	"[priority=N] [path=eng:2/dev:3] [groups=GROUP,…] [prefers=GROUP,…] [forbids=GROUP,…] [avoids=GROUP,…] " +
	"[limit=GROUP/cpu:2,…] [state=Open|Closed|Closing|Unknown] [min-runtime=DURATION] [max-evictions=N] " +
	"[reclaimable=false] [dequeue=fifo] [fault=FIELD]", do: queue}

func queue(s *stage, w *words) error {
	names, err := w.names("the queue's name")
	if err != nil {
		return err
	}
	for _, name := range names {
		q := &model.Queue{Meta: model.Meta{Name: name}, Weight: 1, Reclaimable: true}
		for _, word := range w.all {
			if err := queueOption(q, word); err != nil {
				return err
			}
		}
		s.appear(model.KindQueue, sim.Item{Fact: model.Fact{Object: q}})
	}
	return nil
}

func queueOption(q *model.Queue, word string) (err error) {
	key, value := option(word)
	switch key {
	case "weight":
		q.Weight, err = number(key, value)
	case "priority":
		q.Priority, err = number(key, value)
	case "parent":
		q.Parent = value
	case "capability":
		q.Capability, err = amounts(value)
	case "deserved":
		q.Deserved, err = amounts(value)
	case "guarantee":
		q.Guarantee, err = amounts(value)
	case "path":
		q.Path, err = levels(value)
	case "groups", "prefers", "forbids", "avoids":
		q.Groups = groups(q.Groups, key, strings.Split(value, ","))
	case "limit":
		q.Limits, err = limit(q.Limits, q.Name, value)
	case "state":
		q.State, err = state(value)
	case "min-runtime":
		var d time.Duration
		d, err = duration(key, value)
		q.MinRuntime = new(int64)
		*q.MinRuntime = int64(d)
	case "max-evictions":
		var n int32
		n, err = number(key, value)
		q.MaxEvictions = new(int64)
		*q.MaxEvictions = int64(n)
	case "reclaimable":
		q.Reclaimable, err = strconv.ParseBool(value)
	case "dequeue":
		if q.FIFO = value == "fifo"; !q.FIFO && value != "traverse" {
			err = unknown(word)
		}
	case "fault":
		q.Faults = fault(value)
	default:
		err = unknown(word)
	}
	return err
}

// levels reads a place in drf's hierarchy: eng:2/dev:3 are two levels with their weights,
// which are 1 when they are not said.
func levels(value string) ([]model.Level, error) {
	var out []model.Level
	for _, one := range strings.Split(value, "/") {
		l := model.Level{Name: one, Weight: 1000}
		if name, weight, said := strings.Cut(one, ":"); said {
			w, err := number("path", weight)
			if err != nil {
				return nil, err
			}
			l = model.Level{Name: name, Weight: int64(w) * 1000}
		}
		out = append(out, l)
	}
	return out, nil
}

// groups sets one of the lists of a queue's affinity to groups of nodes.
func groups(g *model.NodeGroups, key string, names []string) *model.NodeGroups {
	if g == nil {
		g = &model.NodeGroups{}
	}
	switch key {
	case "prefers":
		g.Preferred = names
	case "groups":
		g.Required = slices.Sorted(slices.Values(names))
	case "forbids":
		g.Forbidden = slices.Sorted(slices.Values(names))
	default:
		g.Avoided = slices.Sorted(slices.Values(names))
	}
	return g
}

// limit adds GROUP/AMOUNTS to the limits of a queue; GROUP alone makes them unreadable.
func limit(l *model.GroupLimits, queue, value string) (*model.GroupLimits, error) {
	if l == nil {
		l = &model.GroupLimits{Queue: queue}
	}
	group, text, said := strings.Cut(value, "/")
	if !said {
		l.Unreadable = true
		return l, nil
	}
	most, err := amounts(text)
	l.Of = append(l.Of, model.GroupLimit{Group: group, Most: most})
	slices.SortFunc(l.Of, func(a, b model.GroupLimit) int { return strings.Compare(a.Group, b.Group) })
	return l, err
}

func state(value string) (model.QueueState, error) {
	for s := model.QueueOpen; s <= model.QueueUnknown; s++ {
		if s.String() == value {
			return s, nil
		}
	}
	return 0, fmt.Errorf("state: %q is not Open, Closed, Closing or Unknown", value)
}

// open and close change a queue's state:
//
//	close red
var (
	openVerb  = verb{syntax: "open QUEUE…", do: func(s *stage, w *words) error { return eachQueue(s, w, model.QueueOpen) }}
	closeVerb = verb{syntax: "close QUEUE…", do: func(s *stage, w *words) error {
		return eachQueue(s, w, model.QueueClosed)
	}}
)

func eachQueue(s *stage, w *words, to model.QueueState) error {
	names, err := w.names("the queue's name")
	if err != nil {
		return err
	}
	for _, name := range names {
		ref := model.Ref{Kind: model.KindQueue, Name: name}
		old, ok := s.stated[ref].(*model.Queue)
		if !ok {
			return fmt.Errorf("there is no queue %s", name)
		}
		q := *old
		q.State = to
		s.change(ref, &q)
	}
	return w.end()
}
