package story

import (
	"slices"
	"strings"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// node lets machines appear, each with the amounts and options given:
//
//	node n1 n2 cpu=8 memory=32Gi gpu=4 pods=110 label=zone:east taint=team=ml:NoSchedule cordoned
//
// A node that is elsewhere belongs to another scheduler's shard. pods is 110 when it is not said. fault=FIELD makes the
// node one that was set aside. A node that is there already changes.
var nodeVerb = verb{syntax: "node NAME… [cpu=8] [RESOURCE=AMOUNT]… [label=KEY:VALUE]… [taint=KEY=VALUE:EFFECT]… " +
	"[image=NAME,SIZE]… [cordoned] [elsewhere] [fault=FIELD]", do: node}

func node(s *stage, w *words) error {
	names, err := w.names("the node's name")
	if err != nil {
		return err
	}
	cordoned, elsewhere := slices.Contains(names, "cordoned"), slices.Contains(names, "elsewhere")
	names = slices.DeleteFunc(names, func(n string) bool { return n == "cordoned" || n == "elsewhere" })
	for _, name := range names {
		n := &model.Node{Meta: model.Meta{Name: name}, Unschedulable: cordoned, Elsewhere: elsewhere,
			Labels: []model.Label{{Key: "kubernetes.io/hostname", Value: name}}}
		for _, word := range w.all {
			if err := nodeOption(n, word); err != nil {
				return err
			}
		}
		if _, said := n.Allocatable.Get(resource.PodsName); !said {
			n.Allocatable = resource.Normalize(append(n.Allocatable, resource.Amount{Name: resource.PodsName, Value: 110}))
		}
		slices.SortFunc(n.Images, func(a, b model.Image) int { return strings.Compare(a.Name, b.Name) })
		n.Capacity = n.Allocatable
		slices.SortFunc(n.Labels, func(a, b model.Label) int { return strings.Compare(a.Key, b.Key) })
		s.appear(model.KindNode, sim.Item{Fact: model.Fact{Object: n}})
	}
	return nil
}

func nodeOption(n *model.Node, word string) error {
	key, value := option(word)
	switch key {
	case "label":
		k, v, err := pair(key, value)
		n.Labels = append(n.Labels, model.Label{Key: k, Value: v})
		return err
	case "taint":
		t, err := taint(key, value)
		n.Taints = append(n.Taints, t)
		return err
	case "image":
		name, size, _ := strings.Cut(value, ",")
		l, err := amounts("memory=" + size)
		bytes, _ := l.Get(resource.MemoryName)
		n.Images = append(n.Images, model.Image{Name: name, Size: bytes})
		return err
	case "cordoned":
		n.Unschedulable = true
		return nil
	case "elsewhere":
		n.Elsewhere = true
		return nil
	case "fault":
		n.Faults = fault(value)
		return nil
	default:
		l, err := amounts(word)
		n.Allocatable = resource.Normalize(append(n.Allocatable, l...))
		return err
	}
}
