// Package kubescheduler compares the filters and scores of plugins predicates and nodeorder with kube-scheduler's own
// plugins of the same version. A seed draws a small cluster with features in every mix: affinity, spread, taints,
// ports, volumes, devices, pods that are resized in place, sidecars, overhead, amounts of whole pods. Both sides get
// the same objects. For each pod that waits, the same nodes have to be feasible, and their scores have to be in the
// same order.
//
// It is a module of its own, since kube-scheduler's plugins need modules that the program does not. Each object is
// what the API server would have stored: it has the defaults, and passes the validation, of that version.
//
// What differs on purpose is in docs/differences.md, and in listed_test.go with the reason.
//
// A cluster with a difference is made smaller while it still has it, and printed as YAML. ASHLAR_CLUSTER_SEED is the
// first seed and ASHLAR_CLUSTERS the number of them. testdata has the clusters that showed a defect.
package kubescheduler
