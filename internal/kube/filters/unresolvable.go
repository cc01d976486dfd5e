package filters

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// unresolvable is which pods no node takes for want of volumes, for as long as no volume, claim and node changes: the
// first jobs of queues in order are asked about in each cycle. What it needs for that is found once until then.
type unresolvable struct {
	of    map[ledger.TaskID]resolved
	stock uint64
	facts ledger.Cursor

	unclaimed
	sites map[string]map[string][]ledger.NodeID // the nodes by a label and its value
}

type resolved struct {
	pod   *corev1.Pod
	never bool
}

// podOf is a task's pod as it was read; nil where the task came without it.
func podOf(task *ledger.Task) *corev1.Pod {
	pod, _ := task.Pod.Opaque.(*corev1.Pod)
	return pod
}

// Unresolvable implements policy.Unresolvable. A volume belongs to its claim whether a pod uses it or not, so that no
// end of a pod gives one, except where the claim is made for a pod and ends with it. Where a claim waits for its volume
// and one will be made for the node, or some volume would do, on whatever node, it says false.
func (v *Volumes) Unresolvable(t ledger.TaskID) bool {
	task := v.l.Task(t)
	if v.off || !v.Concerns(task.Pod.Spec) {
		return false
	}
	u, pod := &v.unresolvable, podOf(task)
	if pod == nil {
		return true // its claims are not known, and no node takes it
	}
	now := v.l.Changes.NodeFacts.Now()
	if u.of == nil || u.stock != v.version || u.facts != now {
		if u.facts != now {
			u.unclaimed, u.sites = unclaimed{}, nil
		}
		u.of, u.stock, u.facts = map[ledger.TaskID]resolved{}, v.version, now
	}
	is, known := u.of[t]
	if !known || is.pod != pod {
		is = resolved{pod, v.never(pod)}
		u.of[t] = is
	}
	return is.never
}

// never says that a claim of a pod is not there, will not get a volume, or that no node has the labels that all its
// volumes ask for.
func (v *Volumes) never(pod *corev1.Pod) bool {
	asked := map[string][]string{} // by label: the values that all volumes allow
	for i := range pod.Spec.Volumes {
		name, own := "", pod.Spec.Volumes[i].Ephemeral != nil
		switch c := pod.Spec.Volumes[i].PersistentVolumeClaim; {
		case own:
			name = pod.Name + "-" + pod.Spec.Volumes[i].Name
		case c != nil:
			name = c.ClaimName
		default:
			continue
		}
		o, _, _ := v.stores[Claim].GetByKey(cache.NewObjectName(pod.Namespace, name).String())
		claim, _ := o.(*corev1.PersistentVolumeClaim)
		switch {
		case claim == nil, own && !metav1.IsControlledBy(claim, pod), v.unmet(claim):
			return true
		case claim.Spec.VolumeName != "":
			if pv := v.volume(claim.Spec.VolumeName); pv != nil {
				narrow(asked, pv)
			}
		}
	}
	return !v.somewhere(asked)
}

// unmet says that a claim will not get a volume, or lost it.
func (v *Volumes) unmet(claim *corev1.PersistentVolumeClaim) bool {
	switch {
	case claim.DeletionTimestamp != nil, claim.Status.Phase == corev1.ClaimLost:
		return true
	case claim.Spec.VolumeName == "":
		return !v.obtainable(claim)
	case metav1.HasAnnotation(claim.ObjectMeta, volume.AnnBindCompleted):
		return false
	}
	pv := v.volume(claim.Spec.VolumeName) // that its author asks for
	return pv == nil || pv.DeletionTimestamp != nil || !meets(claim, pv) ||
		pv.Spec.ClaimRef != nil && !volume.IsVolumeBoundToClaim(pv, claim)
}

// volume is the volume of a name, nil for none.
func (v *Volumes) volume(name string) *corev1.PersistentVolume {
	o, _, _ := v.stores[Volume].GetByKey(name)
	pv, _ := o.(*corev1.PersistentVolume)
	return pv
}

// narrow takes from the values of labels those that a volume cannot be used with. Where a volume leaves a choice
// between several rules, none is looked at.
func narrow(asked map[string][]string, pv *corev1.PersistentVolume) {
	if pv.Spec.NodeAffinity == nil || pv.Spec.NodeAffinity.Required == nil ||
		len(pv.Spec.NodeAffinity.Required.NodeSelectorTerms) != 1 {
		return
	}
	for _, e := range pv.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions {
		if e.Operator != corev1.NodeSelectorOpIn || e.Key == corev1.LabelFailureDomainBetaZone ||
			e.Key == corev1.LabelFailureDomainBetaRegion { // nodes have today's names of these
			continue
		}
		before, some := asked[e.Key]
		asked[e.Key] = slices.DeleteFunc(slices.Clone(e.Values), func(s string) bool {
			return some && !slices.Contains(before, s)
		})
	}
}

// somewhere says that a node has a value of each label that is asked for. It looks at the nodes of the rarest.
func (v *Volumes) somewhere(asked map[string][]string) bool {
	if len(asked) == 0 {
		return true
	}
	rarest, least := "", 0
	for label, values := range asked { // order-free: each of the rarest leads to the same answer
		n := 0
		for _, value := range values {
			n += len(v.site(label)[value])
		}
		if rarest == "" || n < least {
			rarest, least = label, n
		}
	}
	for _, value := range asked[rarest] {
		for _, n := range v.site(rarest)[value] {
			if hasLabels(v.l.Node(n).Fact, asked) {
				return true
			}
		}
	}
	return false
}

// hasLabels says that a node has a value of each label that is asked for.
func hasLabels(node *model.Node, asked map[string][]string) bool {
	met := 0
	for _, l := range node.Labels {
		if slices.Contains(asked[l.Key], l.Value) {
			met++
		}
	}
	return met == len(asked)
}

// site lists the nodes by their value of a label.
func (v *Volumes) site(label string) map[string][]ledger.NodeID {
	at, known := v.sites[label]
	if known {
		return at
	}
	at = map[string][]ledger.NodeID{}
	for n := range ledger.NodeID(v.l.Nodes.Len()) {
		fact := v.l.Node(n).Fact
		if fact == nil {
			continue
		}
		for _, l := range fact.Labels {
			if l.Key == label {
				at[l.Value] = append(at[l.Value], n)
			}
		}
	}
	if v.sites == nil {
		v.sites = map[string]map[string][]ledger.NodeID{}
	}
	v.sites[label] = at
	return at
}
