package filters

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/sched/model"
)

// place names an object in the binder's stores: its key is namespace/name, or the name.
type place struct {
	kind model.Kind
	key  string
}

func (p place) String() string { return string(p.kind) + "/" + p.key }

// refresh makes the binder see an object as it will be: its fact, and over it what was
// chosen for the tasks that sit. A function of these two and of nothing else.
func (v *Volumes) refresh(p place) {
	v.version++
	if p.kind == Volume {
		v.offers++
	}
	store := v.stores[p.kind]
	// A store's only error is an object without a name; Fact lets none in.
	switch fact := v.facts[p].(type) {
	case nil:
		if old, there, _ := store.GetByKey(p.key); there {
			_ = store.Delete(old)
		}
	case *corev1.PersistentVolume:
		_ = store.Update(v.volumeAsChosen(fact, p))
	case *corev1.PersistentVolumeClaim:
		_ = store.Update(v.claimAsChosen(fact, p))
	default:
		_ = store.Update(fact)
	}
}

// volumeAsChosen is a volume given to the claim chosen for it, by Kubernetes' own rule.
// Of several claims, which only a history that asked no filter can bring about, the
// first by name has it. A volume or claim that was made again under its name is another.
func (v *Volumes) volumeAsChosen(fact *corev1.PersistentVolume, p place) *corev1.PersistentVolume {
	for _, c := range slices.SortedFunc(maps.Keys(v.chosen[p]), choice.compare) {
		claim, ok := v.facts[place{Claim, c.to}].(*corev1.PersistentVolumeClaim)
		if !ok || c.life != string(fact.UID) || c.toLife != string(claim.UID) || claim.Spec.VolumeName != "" &&
			claim.Spec.VolumeName != fact.Name {
			continue
		}
		if fact.Spec.ClaimRef != nil && !volume.IsVolumeBoundToClaim(fact, claim) {
			continue
		}
		if bound, _, err := volume.GetBindVolumeToClaim(fact, claim); err == nil {
			return bound
		}
	}
	return fact
}

// claimAsChosen is a claim with the node chosen for making its volume. A claim that
// has a volume or a node by its fact stays as it is.
func (v *Volumes) claimAsChosen(fact *corev1.PersistentVolumeClaim, p place) *corev1.PersistentVolumeClaim {
	if fact.Spec.VolumeName != "" || metav1.HasAnnotation(fact.ObjectMeta, volume.AnnSelectedNode) {
		return fact
	}
	for _, c := range slices.SortedFunc(maps.Keys(v.chosen[p]), choice.compare) {
		if c.life == string(fact.UID) {
			out := fact.DeepCopy()
			metav1.SetMetaDataAnnotation(&out.ObjectMeta, volume.AnnSelectedNode, c.to)
			return out
		}
	}
	return fact
}

// dump is the whole state as text: what the binder sees, and which task has which
// volumes.
func (v *Volumes) dump() map[string]string {
	out := map[string]string{}
	for kind, store := range v.stores { // order-free: into a map
		for _, name := range store.ListKeys() {
			o, _, _ := store.GetByKey(name)
			text, err := json.Marshal(o)
			if err != nil {
				text = []byte(err.Error())
			}
			out[place{kind, name}.String()] = string(text)
		}
	}
	for p, choices := range v.chosen { // order-free: into a map
		out["chosen "+p.String()] = fmt.Sprint(choices)
	}
	for name, by := range v.users { // order-free: into a map
		out["use of "+name] = fmt.Sprint(by)
	}
	for n, list := range v.sits { // order-free: into a map, sorted
		var names []string
		for _, s := range list {
			names = append(names, fmt.Sprint(s.pod.Namespace, "/", s.pod.Name, " ", s.how))
		}
		slices.Sort(names)
		out["sit on "+v.l.Node(n).Name] = fmt.Sprint(names)
	}
	return out
}

// places are the keys of two dumps, sorted.
func places(a, b map[string]string) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
