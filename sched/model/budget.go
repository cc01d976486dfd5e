package model

// Budget is a PodDisruptionBudget: how many of its namespace's pods that its selector matches may be disrupted
// at once. What it means for a victim is decided by the evicting code; its words are those of Kubernetes'
// eviction API.
type Budget struct {
	Meta
	// Selector matches a pod when all its requirements do (match.Selects); empty: every pod of the namespace.
	// Only In, NotIn, Exists and DoesNotExist occur.
	Selector []Requirement
	// MatchesNothing: the budget has no selector, and applies to no pod. Saved states keep the field's former name.
	MatchesNothing bool `json:"Nobody"`

	// The API server admits budgets with at most one of these; nil: not set.
	MinAvailable   *Portion
	MaxUnavailable *Portion
	// AlwaysEvictUnhealthy: a running pod that is not ready may be evicted in any case
	// (unhealthyPodEvictionPolicy AlwaysAllow). Otherwise it may while Healthy >= Desired > 0 or Allowed > 0.
	AlwaysEvictUnhealthy bool

	// Counted: the controller has processed the budget's present spec, and the fields below are right. A
	// budget from a file has mostly not been processed.
	Counted  bool
	Allowed  int32    // status.disruptionsAllowed, at least 0
	Healthy  int32    // status.currentHealthy
	Desired  int32    // status.desiredHealthy
	Expected int32    // status.expectedPods
	Leaving  []string // status.disruptedPods, sorted: pods that Allowed already counts as gone
}

// Portion is a number of pods, or a part of all that are expected.
type Portion struct {
	Value   int32 // at least 0
	Percent bool  // Value is in hundredths of the expected pods; parts of a pod round up, as in Kubernetes
}

// Of returns the number of pods that a portion stands for, given the expected number.
func (p Portion) Of(expected int32) int32 {
	if !p.Percent {
		return p.Value
	}
	return int32((int64(p.Value)*int64(expected) + 99) / 100)
}
