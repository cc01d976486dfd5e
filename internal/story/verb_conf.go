package story

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/policy"
)

// conf is the configuration, before anything else:
//
//	conf
//	  actions enqueue allocate backfill
//	  tier    priority gang(enableJobOrder=false)
//	  tier    predicates proportion binpack(binpack.weight=5)
//
// Without it a story has the actions enqueue, allocate and backfill, and the tiers
// [priority gang conformance] and [predicates proportion nodeorder].
var confVerb = verb{syntax: "conf actions A B(argument=value,…) … tier P Q(argument=value,…) … tier …", do: conf}

func defaultProfile() policy.Profile {
	return policy.Profile{
		Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{choices("priority", "gang", "conformance"),
			choices("predicates", "proportion", "nodeorder")},
	}
}

func choices(names ...string) []policy.Choice {
	var out []policy.Choice
	for _, n := range names {
		out = append(out, policy.Choice{Plugin: n})
	}
	return out
}

func conf(s *stage, w *words) error {
	if s.began() || len(s.stated) > 0 {
		return errors.New("the configuration comes before everything else")
	}
	var p policy.Profile
	section := ""
	for {
		word, ok := w.next()
		switch {
		case !ok:
			if len(p.Actions) == 0 {
				p.Actions = s.profile.Actions
			}
			if len(p.Tiers) == 0 {
				p.Tiers = s.profile.Tiers
			}
			s.profile = p
			return nil
		case word == "actions":
			section = word
		case word == "tier":
			section = word
			p.Tiers = append(p.Tiers, nil)
		case section == "actions":
			c, err := choice(word)
			if err != nil {
				return err
			}
			p.Actions = append(p.Actions, c.Plugin)
			if c.Arguments != nil {
				if p.ActionArguments == nil {
					p.ActionArguments = map[string]policy.Arguments{}
				}
				p.ActionArguments[c.Plugin] = c.Arguments
			}
		case section == "tier":
			c, err := choice(word)
			if err != nil {
				return err
			}
			last := len(p.Tiers) - 1
			p.Tiers[last] = append(p.Tiers[last], c)
		default:
			return fmt.Errorf("%q: say actions or tier first", word)
		}
	}
}

// apart splits at the commas that are not within brackets: an argument may be a list or a
// map, written as JSON without spaces.
func apart(text string) (out []string) {
	depth, from := 0, 0
	for i, r := range text {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, text[from:i])
				from = i + 1
			}
		}
	}
	return append(out, text[from:])
}

// choice reads plugin(key=value,key=value), or an action with its arguments;
// enableX=false turns the point X off,
// enableHierarchy=true is the tree of queues.
func choice(word string) (policy.Choice, error) {
	name, inside, has := strings.Cut(word, "(")
	c := policy.Choice{Plugin: name}
	if !has {
		return c, nil
	}
	inside, closed := strings.CutSuffix(inside, ")")
	if !closed {
		return c, fmt.Errorf("%q: the bracket is not closed; arguments have no spaces between them", word)
	}
	c.Arguments = policy.Arguments{}
	for _, one := range apart(inside) {
		key, value, ok := strings.Cut(one, "=")
		if !ok {
			return c, fmt.Errorf("%q: %q is not argument=value", word, one)
		}
		if key == "enableHierarchy" {
			c.Hierarchy = value == "true"
			continue
		}
		if point, flag := strings.CutPrefix(key, "enable"); flag && value == "false" {
			c.Off = append(c.Off, policy.Point(point))
			continue
		}
		c.Arguments[key] = value
	}
	slices.Sort(c.Off)
	return c, nil
}
