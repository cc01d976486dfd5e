package config

import (
	"fmt"
	"slices"
	"strings"
)

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

// oneQueueOrder objects to drf's queue tree next to proportion: both order queues, and inside
// a tier neither goes before the other. Lenient lets both stay: the one named first decides,
// the other where the first sees no difference.
func (p *parser) oneQueueOrder(tier []Plugin) {
	at := slices.IndexFunc(tier, func(x Plugin) bool { return x.Name == "drf" && x.Enabled(Hierarchy) })
	other := slices.IndexFunc(tier, func(x Plugin) bool { return x.Name == "proportion" && x.Enabled(QueueOrder) })
	if at < 0 || other < 0 {
		return
	}
	first, second := tier[min(at, other)].Name, tier[max(at, other)].Name
	p.object(tier[at].Line,
		fmt.Sprintf("%s is named first and orders them, and %s where it sees no difference", first, second),
		"drf with %s and proportion are in one tier and both order the queues; "+
			"put them into two tiers or leave the hierarchy out", Hierarchy.Spelling())
}

// both are the extension points at which proportion and capacity answer the same question.
var both = []Flag{QueueOrder, Allocatable, JobEnqueued, Preemptive, Reclaimable}

// oneMasterOfDeserved objects to proportion and capacity together. Lenient lets both stay: at
// each point at which both are enabled the one named first answers.
func (p *parser) oneMasterOfDeserved(s *Scheduler) {
	var first *Plugin
	for _, tier := range s.Tiers {
		for i := range tier {
			x := &tier[i]
			switch {
			case x.Name != "proportion" && x.Name != "capacity":
			case first == nil:
				first = x
			case x.Name != first.Name:
				p.secondMaster(x, first)
			}
		}
	}
}

func (p *parser) secondMaster(x, first *Plugin) {
	var off []string
	for _, f := range both {
		if p.mode == Lenient && x.Enabled(f) && first.Enabled(f) {
			x.Flags[f] = false
			off = append(off, string(f))
		}
	}
	instead := "each answers where the other is switched off"
	if len(off) > 0 {
		instead = fmt.Sprintf("%s is named first and answers at %s", first.Name, strings.Join(off, ", "))
	}
	p.object(x.Line, instead,
		"%s and %s (line %d) both say what a queue deserves, and there can be one master only; "+
			"keep proportion to share by weight, or capacity to share by spec.deserved", x.Name, first.Name, first.Line)
}
