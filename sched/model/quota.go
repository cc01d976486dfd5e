package model

import "ashlar.sh/sched/resource"

// Quota is a namespace's ResourceQuota, in so far as it bounds what pods request: the
// names requests.X and X are X here. What bounds limits, numbers of objects or storage
// is left out, and a quota with scopes is empty: whom it is about is the API server's
// to say.
type Quota struct {
	Meta
	Hard resource.List // a limit of zero is one
	Used resource.List // as its controller has counted, perhaps some pods ago
}
