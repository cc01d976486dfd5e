package story

import (
	"slices"
	"strings"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// hypernode makes domains of the network, or changes those that are there:
//
//	hypernode rack-a tier=1 tier-name=rack nodes=n1,n2
//	hypernode spine tier=2 children=rack-a,rack-b
//
// match selects nodes by a pattern, label by a label. fault=FIELD makes it one that was set
// aside.
var hypernodeVerb = verb{syntax: "hypernode NAME… tier=N [tier-name=NAME] [nodes=NODE,…] [children=HYPERNODE,…] " +
	"[match=PATTERN] [label=KEY:VALUE] [fault=FIELD]", do: hypernode}

func hypernode(s *stage, w *words) error {
	names, err := w.names("the HyperNode's name")
	if err != nil {
		return err
	}
	for _, name := range names {
		h := &model.HyperNode{Meta: model.Meta{Name: name}}
		for _, word := range w.all {
			if err := hypernodeOption(h, word); err != nil {
				return err
			}
		}
		s.appear(model.KindHyperNode, sim.Item{Fact: model.Fact{Object: h}})
	}
	return nil
}

func hypernodeOption(h *model.HyperNode, word string) (err error) {
	key, value := option(word)
	switch key {
	case "tier":
		h.Tier, err = number(key, value)
	case "tier-name":
		h.TierName = value
	case "nodes", "children":
		for _, name := range strings.Split(value, ",") {
			h.Members = append(h.Members, model.Member{Node: key == "nodes", Name: name})
		}
	case "match":
		h.Members = append(h.Members, model.Member{Node: true, Pattern: value})
	case "label":
		var r model.Requirement
		r, err = requirement(key, value)
		h.Members = append(h.Members, model.Member{Node: true, Labels: []model.Requirement{r}})
	case "fault":
		h.Faults = fault(value)
	default:
		err = unknown(word)
	}
	return err
}

// network reads what a job asks of the network: soft, hard:TIER or hard:NAME of a tier.
func network(key, value string) (*model.Topology, error) {
	mode, tier, _ := strings.Cut(value, ":")
	t := &model.Topology{Hard: mode == "hard", Highest: -1}
	if mode != "hard" && mode != "soft" {
		return nil, unknown(key + "=" + value)
	}
	if n, err := number(key, tier); err == nil {
		t.Highest = n
	} else {
		t.HighestName = tier
	}
	return t, nil
}

// subGroups reads a subGroupPolicy, KEY:SIZE:MIN and after a colon what network reads: members
// with equal values of the label KEY are a sub-group of SIZE, of which MIN have to start.
func subGroups(key, value string) (model.SubGroups, error) {
	parts := strings.SplitN(value, ":", 4)
	for len(parts) < 3 {
		parts = append(parts, "")
	}
	g := model.SubGroups{Name: parts[0], Keys: []string{parts[0]}}
	var err error
	if g.Size, err = number(key, parts[1]); err != nil {
		return g, err
	}
	if g.Min, err = number(key, parts[2]); err == nil && len(parts) > 3 {
		g.Topology, err = network(key, parts[3])
	}
	return g, err
}

// shape reads what a job asks of where its members go; false when the word is about something else.
func (o *order) shape(key, value string) (known bool, err error) {
	switch key {
	case "topology":
		o.group.Topology, err = network(key, value)
	case "subgroups":
		var g model.SubGroups
		g, err = subGroups(key, value)
		o.group.SubGroups = append(slices.Clone(o.group.SubGroups), g)
	default:
		return false, nil
	}
	return true, err
}
