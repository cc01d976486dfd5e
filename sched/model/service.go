package model

// Service is a Service, as far as it says which pods belong together: the default topology spread is over the pods
// that the Services of a pod select. Its type makes no difference, as in kube-scheduler.
type Service struct {
	Meta
	// Selector, sorted by key, selects the pods of the namespace that have all of these labels; empty: no pod.
	Selector []Label
}
