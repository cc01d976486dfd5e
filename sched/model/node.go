package model

import (
	"slices"

	"ashlar.sh/sched/resource"
)

// Node is a machine.
type Node struct {
	Meta
	Labels        []Label // sorted by key; kubernetes.io/hostname included when the node has it
	Taints        []Taint
	Unschedulable bool // cordoned
	Elsewhere     bool // in another scheduler's shard: used where no node of this scheduler's shard takes a task
	Allocatable   resource.List
	Capacity      resource.List
	Features      []string // that its kubelet declares (status.declaredFeatures) and a pod can need, sorted
	Images        []Image  // images on it, sorted by name, no name twice; no filter reads them
}

// Alike says that two facts about a node are equal in everything that decisions read, except for its Images,
// which make no node take or refuse a pod. Capacity, faults that are not fatal, and versions may differ.
func (n *Node) Alike(o *Node) bool {
	_, bad := n.SetAside()
	_, worse := o.SetAside()
	return bad == worse && n.Name == o.Name && n.Unschedulable == o.Unschedulable && n.Elsewhere == o.Elsewhere &&
		slices.Equal(n.Labels, o.Labels) && slices.Equal(n.Features, o.Features) &&
		slices.Equal(n.Taints, o.Taints) && slices.Equal(n.Allocatable, o.Allocatable)
}

// Label is a key with its value. Lists of labels are sorted by key, and have no key twice.
type Label struct{ Key, Value string }

// LabelValue looks a key up in a sorted list of labels.
func LabelValue(labels []Label, key string) (string, bool) {
	lo, hi := 0, len(labels)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if labels[m].Key < key {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(labels) && labels[lo].Key == key {
		return labels[lo].Value, true
	}
	return "", false
}

// Effect is what a taint does to pods that do not tolerate it.
type Effect string

// The effects of Kubernetes.
const (
	NoSchedule       Effect = "NoSchedule"
	PreferNoSchedule Effect = "PreferNoSchedule"
	NoExecute        Effect = "NoExecute"
)

// Taint repels the pods that do not tolerate it.
type Taint struct {
	Key, Value string
	Effect     Effect
}
