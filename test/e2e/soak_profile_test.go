package e2e

import (
	"strings"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// soakProfile is a configuration that a soak may draw.
type soakProfile struct {
	actions string
	tiers   []string
}

var soakProfiles = []soakProfile{
	{"enqueue, allocate, backfill, preempt, reclaim", []string{"priority gang conformance",
		"predicates proportion nodeorder"}},
	{"enqueue, allocate, backfill, reclaim, preempt", []string{"priority gang conformance",
		"drf predicates capacity nodeorder binpack"}},
	{"enqueue, allocate, backfill, gangpreempt, gangreclaim", []string{"priority gang conformance",
		"predicates proportion nodeorder"}},
	{"enqueue, allocate, backfill", []string{"priority gang conformance",
		"overcommit drf predicates proportion nodeorder"}},
}

// text is the profile as a file.
func (p soakProfile) text() string {
	text := "actions: \"" + p.actions + "\"\ntiers:\n"
	for _, tier := range p.tiers {
		text += "- plugins:\n"
		for _, plugin := range strings.Fields(tier) {
			text += "  - name: " + plugin + "\n"
		}
	}
	return text
}

// engine is a fresh one of the profile.
func (p soakProfile) engine() (*sched.Engine, error) {
	profile := policy.Profile{Actions: strings.Split(p.actions, ", ")}
	for _, tier := range p.tiers {
		var choices []policy.Choice
		for _, plugin := range strings.Fields(tier) {
			choices = append(choices, policy.Choice{Plugin: plugin})
		}
		profile.Tiers = append(profile.Tiers, choices)
	}
	return sched.New(profile, sched.WithPlugin(filters.Predicates()))
}
