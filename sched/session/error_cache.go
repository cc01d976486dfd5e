package session

import "ashlar.sh/sched/policy"

// ErrorCache is the argument of actions that switches Volcano's cache of refusals. Here what is remembered of a refusal
// is always valid, so that the argument changes no outcome (decision 21). Volcano's code reads its first key; its
// guides show the second.
type ErrorCache struct{}

// AddArguments implements policy.Struct.
func (*ErrorCache) AddArguments(s *policy.ArgumentSet) {
	s.Bool(new(bool), "predicateErrorCacheEnable", true, "remember refusals of nodes within a cycle; changes no outcome").
		Aliased("enablePredicateErrorCache")
}
