package story

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/model"
)

// neighbours reads what a pod asks of the pods around it. KEY is a node's label, host for
// its name; SELECTOR is labels of pods, app=web,tier=a, and with NAMESPACE/ before it those
// of another namespace, */ of all.
//
//	with=zone@app=db       required affinity
//	apart=host@app=web     required anti-affinity
//	near=zone@app=db:10    preferred affinity of weight 10; -10: anti-affinity
//	spread=zone@app=web:1  topology spread with maxSkew 1; 1,soft ScheduleAnyway; 1,min=3 minDomains
func (t *template) neighbours(key, value string) (known bool, err error) {
	if !slices.Contains([]string{"with", "apart", "near", "spread"}, key) {
		return false, nil
	}
	topology, rest, ok := strings.Cut(value, "@")
	if !ok {
		return true, fmt.Errorf("%s: %q is not KEY@SELECTOR", key, value)
	}
	if topology == "host" {
		topology = model.HostnameKey
	}
	selector, more, _ := strings.Cut(rest, ":")
	crowd, err := podSelectorOf(key, selector)
	if err != nil {
		return true, err
	}
	var n model.Neighbours
	if t.spec.Neighbours != nil {
		n = *t.spec.Neighbours // templates share what was said before the first of them
	}
	switch key {
	case "with":
		n.With = append(slices.Clip(n.With), model.Near{Key: topology, Pods: crowd})
	case "apart":
		n.Apart = append(slices.Clip(n.Apart), model.Near{Key: topology, Pods: crowd})
	case "near":
		var weight int32
		weight, err = number(key, more)
		n.Prefer = append(slices.Clip(n.Prefer), model.Near{Key: topology, Pods: crowd, Weight: weight})
	case "spread":
		s := model.Spread{Key: topology, Pods: crowd}
		err = spreadOf(&s, more)
		n.Spread = append(slices.Clip(n.Spread), s)
	}
	t.spec.Neighbours = &n
	return true, err
}

func spreadOf(s *model.Spread, text string) (err error) {
	for i, word := range strings.Split(text, ",") {
		key, value := option(word)
		switch {
		case i == 0:
			s.MaxSkew, err = number("spread", word)
		case word == "soft":
			s.Soft = true
		case key == "min":
			s.MinDomains, err = number(key, value)
		default:
			err = unknown(word)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// podSelectorOf reads which pods are meant. Their namespace is that of the job where none is said.
func podSelectorOf(key, text string) (model.PodSelector, error) {
	var out model.PodSelector
	if namespace, rest, ok := strings.Cut(text, "/"); ok {
		text = rest
		if out.ByLabels = namespace == "*"; !out.ByLabels {
			out.Namespaces = []string{namespace}
		}
	}
	for _, one := range strings.Split(text, ",") {
		label, value, ok := strings.Cut(one, "=")
		if !ok {
			return out, fmt.Errorf("%s: %q is not LABEL=VALUE", key, one)
		}
		out.Selector = append(out.Selector, model.Requirement{Key: label, Op: model.In, Values: []string{value}})
	}
	return out, nil
}

// at gives what a pod asks of those around it the namespace that it means.
func at(n *model.Neighbours, namespace string) *model.Neighbours {
	if n == nil {
		return nil
	}
	named := func(c *model.PodSelector) {
		if c.Namespaces == nil && !c.ByLabels {
			c.Namespaces = []string{namespace}
		}
	}
	out := model.Neighbours{With: slices.Clone(n.With), Apart: slices.Clone(n.Apart), Prefer: slices.Clone(n.Prefer),
		Spread: slices.Clone(n.Spread)}
	for _, list := range [...][]model.Near{out.With, out.Apart, out.Prefer} {
		for i := range list {
			named(&list[i].Pods)
		}
	}
	for i := range out.Spread {
		named(&out.Spread[i].Pods)
	}
	return &out
}
