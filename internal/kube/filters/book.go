package filters

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Name is the book's, by which its choices travel.
const Name = "volumebinding"

// Name implements ledger.PluginState.
func (v *Volumes) Name() string { return Name }

// Reads implements ledger.FactReader.
func (v *Volumes) Reads(k model.Kind) bool { return v.stores[k] != nil }

// Fact lays an object into the store that the binder reads, or takes it out. Kinds that the binder does not read are
// left alone; content that is not of its kind or has another name than its fact is as good as gone.
func (v *Volumes) Fact(f model.Fact) {
	if !v.Reads(f.Ref.Kind) {
		return
	}
	at := place{f.Ref.Kind, cache.NewObjectName(f.Ref.Namespace, f.Ref.Name).String()}
	delete(v.facts, at)
	if o, ok := f.Object.(*model.Opaque); ok && fits(at, o.Content) {
		v.facts[at] = o.Content
	}
	v.offers++
	v.refresh(at)
	if f.Ref.Kind == Claim || f.Ref.Kind == Volume {
		for p := range v.chosen { // order-free: each place is settled by itself
			v.refresh(p)
		}
	}
}

// Take shows what was chosen for a task as taken.
func (v *Volumes) Take(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if pod, ok := task.Pod.Opaque.(*corev1.Pod); ok {
		v.sits[n] = append(v.sits[n], sitting{t, pod, how})
		v.use(pod, how, 1)
	}
	v.account(task.Chosen, 1)
}

// Give is the exact inverse of Take.
func (v *Volumes) Give(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if pod, ok := task.Pod.Opaque.(*corev1.Pod); ok {
		list := v.sits[n]
		if i := slices.Index(list, sitting{t, pod, how}); i >= 0 {
			list[i] = list[len(list)-1]
			v.sits[n] = list[:len(list)-1]
		}
		if len(v.sits[n]) == 0 {
			delete(v.sits, n)
		}
		v.use(pod, how, -1)
	}
	v.account(task.Chosen, -1)
}

func (v *Volumes) account(c ledger.Chosen, by int) {
	w, err := WritesOf(c)
	if err != nil {
		return // of another version's making: facts alone hold for it
	}
	for _, x := range w.Volumes {
		v.count(place{Volume, x.Volume}, choice{x.Claim, x.ClaimWas.UID, x.VolumeWas.UID}, by)
	}
	for _, x := range w.Provision {
		v.count(place{Claim, x.Claim}, choice{to: x.Node, life: x.ClaimWas.UID}, by)
	}
}

// choice is what was chosen for one life of a volume or claim: of a volume the claim that
// is to have it, in one life as well, of a claim the node for which its volume is to be made.
type choice struct{ to, toLife, life string }

func (c choice) compare(o choice) int {
	return cmp.Or(cmp.Compare(c.to, o.to), cmp.Compare(c.toLife, o.toLife), cmp.Compare(c.life, o.life))
}

// count changes the number of tasks that sit with one choice; pods that share a claim
// make the same.
func (v *Volumes) count(p place, c choice, by int) {
	at := v.chosen[p]
	if at == nil {
		at = map[choice]int{}
		v.chosen[p] = at
	}
	if at[c] += by; at[c] == 0 {
		delete(at, c)
	}
	if len(at) == 0 {
		delete(v.chosen, p)
	}
	v.refresh(p)
}

// Choose says with which volumes the claims of a task would be met on a node, as
// Kubernetes' binder decides it; "" when they are met already or cannot be.
func (v *Volumes) Choose(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID) string {
	if v.off || task.Pod.Spec.Extra == "" {
		return ""
	}
	found, _ := v.find(task, n)
	if found == nil {
		return ""
	}
	return v.wouldWrite(n, found).text()
}

// Audit recounts which task has which volumes, and what the binder should therefore see.
func (v *Volumes) Audit(sits func(yield func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID,
	how ledger.Hold) bool)) []string {
	want, err := New(v.l)
	if err != nil {
		return []string{err.Error()}
	}
	for _, f := range v.l.Facts() {
		want.Fact(f)
	}
	sits(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		want.Take(t, task, n, how)
		return true
	})
	var out []string
	is, should := v.dump(), want.dump()
	for _, at := range places(is, should) {
		if is[at] != should[at] {
			out = append(out, fmt.Sprintf("%s is %s, recounted %s", at, is[at], should[at]))
		}
	}
	return out
}
