package model

// Budget is a PodDisruptionBudget: how many of the pods of its namespace that its
// selector holds for may be disturbed at once. What follows from it for a victim is the
// business of who evicts; see also Kubernetes' eviction API, whose words these are.
type Budget struct {
	Meta
	// Selector holds for a pod when all its requirements do (match.Selects): empty for
	// every pod of the namespace. Only In, NotIn, Exists and DoesNotExist occur.
	Selector []Requirement
	// Nobody: no selector was given, and the budget is about no pod.
	Nobody bool

	// Of these at most one is given by those whom an API server lets pass; nil: not given.
	MinAvailable   *Portion
	MaxUnavailable *Portion
	// AlwaysEvictUnhealthy: a running pod that is not ready may go whatever the rest
	// allows (unhealthyPodEvictionPolicy AlwaysAllow). Otherwise it may while
	// Healthy >= Desired > 0 or Allowed > 0.
	AlwaysEvictUnhealthy bool

	// Counted: its controller has counted for the budget as it is now, and what follows
	// holds. A budget from a file has mostly not been counted.
	Counted  bool
	Allowed  int32    // status.disruptionsAllowed, at least 0
	Healthy  int32    // status.currentHealthy
	Desired  int32    // status.desiredHealthy
	Expected int32    // status.expectedPods
	Leaving  []string // status.disruptedPods, sorted: pods that Allowed has already counted as gone
}

// Portion is a number of pods, or a part of all that are expected.
type Portion struct {
	Value   int32 // at least 0
	Percent bool  // Value is in hundredths of the expected pods; parts of a pod round up, as in Kubernetes
}

// Of is the number of pods that a portion means where so many are expected.
func (p Portion) Of(expected int32) int32 {
	if !p.Percent {
		return p.Value
	}
	return int32((int64(p.Value)*int64(expected) + 99) / 100)
}
