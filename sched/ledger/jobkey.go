package ledger

import "cmp"

// JobKey names a job: a PodGroup, or the group made for pods that name none
// (decision 25), called after their top controller or the pod itself.
type JobKey struct {
	Namespace, Name string
	Adopted         bool
}

// String is namespace/name.
func (k JobKey) String() string { return k.Namespace + "/" + k.Name }

// Less is a total order: by namespace, name, PodGroups first.
func (k JobKey) Less(o JobKey) bool { return k.Compare(o) < 0 }

// Compare is the order of Less: negative for k.
func (k JobKey) Compare(o JobKey) int {
	if k.Namespace != o.Namespace {
		return cmp.Compare(k.Namespace, o.Namespace)
	}
	if r := cmp.Compare(k.Name, o.Name); r != 0 {
		return r
	}
	switch {
	case k.Adopted == o.Adopted:
		return 0
	case o.Adopted:
		return -1
	default:
		return 1
	}
}
