package config

import "slices"

// rules checks what concerns the configuration as a whole.
// line is where it begins. What is missing is said only where nothing else is
// wrong: it may be missing because it could not be read.
func (p *parser) rules(s *Scheduler, line int) {
	well := !anyFatal(p.problems)
	if well && len(s.Actions) == 0 {
		p.refuse(line, "there are no actions; %s", actionsExample)
	}
	if well && !slices.ContainsFunc(s.Tiers, func(tier []Plugin) bool { return len(tier) > 0 }) {
		p.warn(line, "there are no plugins: gangs, queues, priorities and the nodes' own rules are not heeded")
	}
	for _, tier := range s.Tiers {
		p.oneQueueOrder(tier)
	}
	p.oneMasterOfDeserved(s)
}

// oneQueueOrder refuses drf's queue tree next to proportion, as Volcano does:
// both order queues, and inside a tier neither goes before the other.
func (p *parser) oneQueueOrder(tier []Plugin) {
	at := slices.IndexFunc(tier, func(x Plugin) bool { return x.Name == "drf" && x.Enabled(Hierarchy) })
	if at >= 0 && slices.ContainsFunc(tier, func(x Plugin) bool { return x.Name == "proportion" }) {
		p.refuse(tier[at].Line, "drf with %s and proportion are in one tier and both order the queues; put them into two tiers or leave the hierarchy out", Hierarchy.Spelling())
	}
}

// oneMasterOfDeserved objects to proportion and capacity together. Lenient
// keeps the one that is named first.
func (p *parser) oneMasterOfDeserved(s *Scheduler) {
	var master Plugin
	for i, tier := range s.Tiers {
		s.Tiers[i] = slices.DeleteFunc(tier, func(x Plugin) bool {
			if x.Name != "proportion" && x.Name != "capacity" {
				return false
			}
			if master.Name == "" || master.Name == x.Name {
				master = x
				return false
			}
			p.object(x.Line, x.Name+" is skipped",
				"%s and %s (line %d) both say what a queue deserves, and there can be one master only; keep proportion to share by weight, or capacity to share by spec.deserved",
				x.Name, master.Name, master.Line)
			return true
		})
	}
}
