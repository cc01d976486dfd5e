package filters

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// claimsOf names the claims that a pod mounts, namespace/name.
func claimsOf(pod *corev1.Pod) []string {
	var out []string
	var named map[string]bool // of a pod with many volumes: to look through a list took the square of them
	if len(pod.Spec.Volumes) > 32 {
		named = map[string]bool{}
	}
	for i := range pod.Spec.Volumes {
		c := pod.Spec.Volumes[i].PersistentVolumeClaim
		if c == nil {
			continue
		}
		name := cache.NewObjectName(pod.Namespace, c.ClaimName).String()
		if named == nil && slices.Contains(out, name) || named[name] {
			continue
		}
		if named != nil {
			named[name] = true
		}
		out = append(out, name)
	}
	return out
}

// use counts x more, or fewer, pods that sit anywhere in a way and mount what a pod mounts.
func (v *Volumes) use(pod *corev1.Pod, how ledger.Hold, x int32) {
	for _, name := range claimsOf(pod) {
		by := v.users[name]
		if by[how] += x; by == ([ledger.NumHolds]int32{}) {
			delete(v.users, name)
			continue
		}
		v.users[name] = by
	}
}

// exclusive refuses a task on every node if it mounts a claim of access mode ReadWriteOncePod that
// another pod uses on any node (Kubernetes' VolumeRestrictions). Leaving pods use it until they are
// gone (future), and pipelined pods will use it.
func (v *Volumes) exclusive(task *ledger.Task, future bool) policy.Verdict {
	pod := podOf(task)
	if pod == nil {
		return policy.Verdict{}
	}
	for _, name := range claimsOf(pod) {
		by, used := v.users[name]
		if !used || future && by[ledger.Firm]+by[ledger.Pipelined] == 0 {
			continue
		}
		claim, known := v.facts[place{Claim, name}].(*corev1.PersistentVolumeClaim)
		if known && slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteOncePod) {
			return policy.Verdict{Code: trace.VolumeInUse, Text: claim.Name, Everywhere: true}
		}
	}
	return policy.Verdict{}
}
