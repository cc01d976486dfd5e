package story

import (
	"maps"
	"slices"
)

// verb is what a line does. Exactly one of do and ask is set: a line that asks has an
// answer.
type verb struct {
	syntax string // one line for the reference
	do     func(*stage, *words) error
	ask    func(*stage, *words) ([]string, error)
}

// verbs is the language. Each verb has a file of its own, verb_NAME.go, or shares one
// with its opposite.
func verbs() map[string]verb {
	return map[string]verb{
		"conf":      confVerb,
		"node":      nodeVerb,
		"queue":     queueVerb,
		"hypernode": hypernodeVerb,
		"numa":      numaVerb,
		"booking":   bookingVerb,
		"bookings":  bookingsVerb,
		"class":     classVerb,
		"quota":     quotaVerb,
		"budget":    budgetVerb,
		"service":   serviceVerb,
		"backoff":   backoffVerb,
		"submit":    submitVerb,
		"grow":      growVerb,
		"ungate":    ungateVerb,
		"edit":      editVerb,
		"finish":    finishVerb,
		"fail":      failVerb,
		"delete":    deleteVerb,
		"cordon":    cordonVerb,
		"uncordon":  uncordonVerb,
		"drain":     drainVerb,
		"open":      openVerb,
		"close":     closeVerb,
		"remove":    removeVerb,
		"cycle":     cycleVerb,
		"run":       runVerb,
		"queues":    queuesVerb,
		"jobs":      jobsVerb,
		"pods":      podsVerb,
		"nodes":     nodesVerb,
		"why":       whyVerb,
		"would-run": wouldVerb,
		"evictions": evictionsVerb,
		"problems":  problemsVerb,
		"log":       logVerb,
	}
}

func verbNames() []string { return slices.Sorted(maps.Keys(verbs())) }
