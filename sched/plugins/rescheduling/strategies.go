package rescheduling

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"ashlar.sh/sched/policy"
)

// limit is a part of what a node can allocate of a resource.
type limit struct {
	resource string
	milli    int64 // thousandths of a hundredth: 20% is 20000
}

// strategy is one as a configuration writes it.
type strategy struct {
	Name   string `json:"name"`
	Params struct {
		Thresholds       map[string]json.Number `json:"thresholds"`
		TargetThresholds map[string]json.Number `json:"targetThresholds"`
	} `json:"params"`
}

// read takes the strategies in; without any lowNodeUtilization has nothing to go by, and
// nothing is ever picked.
func (p *plugin) read(text string) error {
	if text == "" {
		return nil
	}
	var list []strategy
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return fmt.Errorf("it is no list of strategies with a name and params: %w", err)
	}
	for _, s := range list {
		switch s.Name {
		case "offlineOnly":
			p.offline = true
		case "lowNodeUtilization":
			var err error
			if p.low, err = limits("thresholds", s.Params.Thresholds); err != nil {
				return err
			}
			if p.target, err = limits("targetThresholds", s.Params.TargetThresholds); err != nil {
				return err
			}
			if err := ordered(p.low, p.target); err != nil {
				return err
			}
			p.even = true
		default:
			return fmt.Errorf("%q is no strategy: lowNodeUtilization and offlineOnly are", s.Name)
		}
	}
	return nil
}

func limits(what string, m map[string]json.Number) ([]limit, error) {
	var out []limit
	for name, percent := range m { // order-free: sorted below
		milli, err := policy.Thousandths(percent.String())
		if err != nil || milli < 0 || milli > 100_000 {
			return nil, fmt.Errorf("lowNodeUtilization: %s: %s: %s is no percentage with at most three decimal places", what,
				name, percent)
		}
		out = append(out, limit{name, milli})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("lowNodeUtilization: %s is missing, as in {cpu: 20, memory: 20}", what)
	}
	slices.SortFunc(out, func(a, b limit) int { return cmp.Compare(a.resource, b.resource) })
	return out, nil
}

// ordered refuses a threshold above its target: a node could be both.
func ordered(low, target []limit) error {
	for _, l := range low {
		for _, t := range target {
			if l.resource == t.resource && l.milli > t.milli {
				return fmt.Errorf("lowNodeUtilization: the threshold of %s is above its target", l.resource)
			}
		}
	}
	return nil
}
