package filters

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/sched/ledger"
)

// Writes is what has to be true in the API before a pod is bound: what Kubernetes'
// PreBind writes. Claims are named namespace/name. Sorted, no element twice.
type Writes struct {
	Volumes   []VolumeWrite `json:"volumes,omitempty"`
	Provision []ClaimWrite  `json:"provision,omitempty"`
}

// VolumeWrite gives an existing volume to a claim: spec.claimRef.
type VolumeWrite struct {
	Volume string `json:"volume"`
	Claim  string `json:"claim"`
}

// ClaimWrite has a volume made for a claim where the pod goes: the annotation
// volume.kubernetes.io/selected-node.
type ClaimWrite struct {
	Claim string `json:"claim"`
	Node  string `json:"node"`
}

// WritesOf reads the choice of a plan item or a commitment; the zero Writes when there
// is nothing to write. An error says that the text is not one of this book's.
func WritesOf(c ledger.Chosen) (Writes, error) {
	var w Writes
	text := c.Of(Name)
	if text == "" {
		return w, nil
	}
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return Writes{}, fmt.Errorf("choice of %s: %w", Name, err)
	}
	return w, nil
}

// Any says that there is something to write before the pod is bound.
func (w Writes) Any() bool { return len(w.Volumes)+len(w.Provision) > 0 }

// text is the inverse of WritesOf: "" for nothing.
func (w Writes) text() string {
	if !w.Any() {
		return ""
	}
	out, err := json.Marshal(w)
	if err != nil {
		return ""
	}
	return string(out)
}

// writesFrom reads what the binder would write for a pod that goes to a node.
func writesFrom(w writes, node string) Writes {
	var out Writes
	for _, v := range w.volumes {
		out.Volumes = append(out.Volumes, VolumeWrite{v.Name, v.Spec.ClaimRef.Namespace + "/" + v.Spec.ClaimRef.Name})
	}
	for _, c := range w.claims {
		out.Provision = append(out.Provision, ClaimWrite{key(c), node})
	}
	slices.SortFunc(out.Volumes, func(a, b VolumeWrite) int {
		return cmp.Or(cmp.Compare(a.Volume, b.Volume), cmp.Compare(a.Claim, b.Claim))
	})
	slices.SortFunc(out.Provision, func(a, b ClaimWrite) int { return cmp.Compare(a.Claim, b.Claim) })
	out.Volumes, out.Provision = slices.Compact(out.Volumes), slices.Compact(out.Provision)
	return out
}

// key is a claim's namespace/name, as the stores have it.
func key(c *corev1.PersistentVolumeClaim) string { return cache.MetaObjectToName(c).String() }
