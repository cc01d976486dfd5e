package model

import "ashlar.sh/sched/resource"

// Quota is a namespace's ResourceQuota, as far as it bounds what pods request: the names requests.X and X are
// X here. Bounds on limits, numbers of objects or storage are left out. A quota with scopes is empty here: the
// API server decides to which pods it applies.
type Quota struct {
	Meta
	Hard resource.List // zero is a limit of zero
	Used resource.List // as its controller counted it, maybe without the latest pods
}
