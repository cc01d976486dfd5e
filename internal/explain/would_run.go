package explain

import (
	"fmt"
	"strings"

	"ashlar.sh/sched/trace"
)

// mostEvicted is how many evicted pods a way names before it counts the rest.
const mostEvicted = 3

// WayText says what would make a job run: "minMember 6 instead of 8". What else would happen comes after a comma.
func WayText(w trace.Way) string {
	var parts []string
	for _, c := range w.Changes {
		parts = append(parts, ChangeText(c))
	}
	text := strings.Join(parts, ", and ")
	if len(w.Evicts) > 0 {
		text += ", which evicts " + some(w.Evicts, mostEvicted)
	}
	return text
}

// Changes are the ways in which a job would run, for its answer.
func Changes(w trace.WouldRun) []Change {
	out := []Change{}
	for _, way := range w.Ways {
		c := Change{Text: WayText(way), Least: true, Evicts: way.Evicts}
		for _, x := range way.Changes {
			if c.Kind != "" {
				c.Kind += "+"
			}
			c.Kind, c.Least = c.Kind+string(x.Kind), c.Least && x.Least
		}
		out = append(out, c)
	}
	return out
}

// ChangeText says one change in a phrase. A kind that it does not know is shown as it is.
func ChangeText(c trace.Change) string {
	if say, known := changes[c.Kind]; known {
		return say(c)
	}
	return string(c.Kind)
}

var changes = map[trace.ChangeKind]func(trace.Change) string{
	trace.ChangeGang: func(c trace.Change) string { return fmt.Sprintf("minMember %d instead of %d", c.To, c.From) },
	trace.ChangeRequest: func(c trace.Change) string {
		return fmt.Sprintf("its pods ask for %s %s each instead of %s", Quantity(c.Text, c.To), c.Text,
			Quantity(c.Text, c.From))
	},
	trace.ChangeTier: func(c trace.Change) string {
		if c.To < 0 {
			return "its network topology is a wish (mode soft)"
		}
		return fmt.Sprintf("highestTierAllowed %d instead of %d", c.To, c.From)
	},
	trace.ChangeToleration: func(c trace.Change) string {
		return fmt.Sprintf("its pods tolerate taint %s, which %s", c.Text, nodesHave(c.Count))
	},
	trace.ChangeSelector: func(c trace.Change) string {
		if c.Text == "" {
			return "its pods require no node affinity"
		}
		return "its pods have no nodeSelector for " + c.Text
	},
	trace.ChangePriority: func(c trace.Change) string {
		return fmt.Sprintf("priority class %s (%d instead of %d)", c.Text, c.To, c.From)
	},
	trace.ChangeQueue: func(c trace.Change) string { return fmt.Sprintf("queue %s instead of %s", c.Object, c.Text) },
	trace.ChangeGates: func(c trace.Change) string {
		return fmt.Sprintf("the scheduling gates of %s are removed", Count(int(c.From), "pod"))
	},
	trace.ChangeQueueState: func(c trace.Change) string {
		return fmt.Sprintf("queue %s is opened, which is %s", c.Object, strings.ToLower(c.Text))
	},
	trace.ChangeQueueAdded: func(c trace.Change) string { return fmt.Sprintf("queue %s is created", c.Object) },
	trace.ChangeCapability: func(c trace.Change) string {
		return fmt.Sprintf("queue %s: capability %s higher", c.Object, higher(c.Amounts))
	},
	trace.ChangeDeserved: func(c trace.Change) string {
		return fmt.Sprintf("queue %s: deserved %s higher", c.Object, higher(c.Amounts))
	},
	trace.ChangeWeight: func(c trace.Change) string {
		return fmt.Sprintf("queue %s: weight %d instead of %d", c.Object, c.To, c.From)
	},
	trace.ChangeQuota: func(c trace.Change) string {
		return fmt.Sprintf("ResourceQuota %s: %s higher", c.Object, higher(c.Amounts))
	},
	trace.ChangeRoom: roomText,
	trace.ChangeNodes: func(c trace.Change) string {
		return fmt.Sprintf("%s like %s", Count(c.Count, "more node"), c.Object)
	},
	trace.ChangeEnd: func(c trace.Change) string {
		if len(c.Jobs) == 1 {
			return "after " + c.Jobs[0] + " ends"
		}
		return "after " + some(c.Jobs, mostNodes) + " end"
	},
}

// nodesHave is "1 node has" or "3 nodes have".
func nodesHave(n int) string {
	if n == 1 {
		return "1 node has"
	}
	return Count(n, "node") + " have"
}

// higher is "8 cpu and 16Gi memory", by how much amounts have to be higher.
func higher(amounts []trace.AmountChange) string {
	var parts []string
	for _, a := range amounts {
		parts = append(parts, Quantity(a.Dim, a.To-a.From)+" "+a.Dim)
	}
	return some(parts, len(parts))
}

// roomText is "2 more nvidia.com/gpu free on node n1", with what is wanted on each node where there are several.
func roomText(c trace.Change) string {
	type spot struct{ node, text string }
	var spots []spot
	for _, w := range c.Where {
		amount := Quantity(w.Dim, w.Amount) + " more " + w.Dim
		if n := len(spots); n > 0 && spots[n-1].node == w.Node {
			spots[n-1].text += " and " + amount
		} else {
			spots = append(spots, spot{w.Node, amount})
		}
	}
	at := map[string][]string{} // nodes, by what is wanted there
	var order []string
	for _, s := range spots {
		if at[s.text] == nil {
			order = append(order, s.text)
		}
		at[s.text] = append(at[s.text], s.node)
	}
	var parts []string
	for _, text := range order {
		if nodes := at[text]; len(nodes) == 1 {
			parts = append(parts, text+" free on node "+nodes[0])
		} else {
			parts = append(parts, text+" free on each of "+some(nodes, mostNodes))
		}
	}
	text := strings.Join(parts, ", and ")
	if c.Object != "" {
		text += fmt.Sprintf(" (in HyperNode %s, tier %d)", c.Object, c.To)
	}
	return text
}

// some is "a, b and c", or "a, b, c and 5 more".
func some(names []string, most int) string {
	n := len(names)
	switch {
	case n == 0:
		return ""
	case n > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	case n == 1:
		return names[0]
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}
