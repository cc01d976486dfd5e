package filters

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/sched/ledger"
)

// Writes has what Kubernetes' PreBind writes to the API before a pod is bound. Claims are named namespace/name. Sorted,
// no element twice.
type Writes struct {
	Volumes   []VolumeWrite `json:"volumes,omitempty"`
	Provision []ClaimWrite  `json:"provision,omitempty"`
}

// Seen is which state of an object a choice rests on: its life, and the version that was
// known of it.
type Seen struct {
	UID     string `json:"uid,omitempty"`
	Version string `json:"version,omitempty"`
}

func seen(o metav1.Object) Seen { return Seen{string(o.GetUID()), o.GetResourceVersion()} }

// VolumeWrite gives an existing volume to a claim: spec.claimRef. Both have to be what they
// were when it was chosen.
type VolumeWrite struct {
	Volume    string `json:"volume"`
	VolumeWas Seen   `json:"volumeWas"`
	Claim     string `json:"claim"`
	ClaimWas  Seen   `json:"claimWas"`
}

// ClaimWrite has a volume made for a claim where the pod goes: the annotation
// volume.kubernetes.io/selected-node. The claim has to be what it was when that was chosen.
type ClaimWrite struct {
	Claim    string `json:"claim"`
	ClaimWas Seen   `json:"claimWas"`
	Node     string `json:"node"`
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
func (v *Volumes) writesFrom(w writes, node string) Writes {
	var out Writes
	for _, pv := range w.volumes {
		claim := pv.Spec.ClaimRef.Namespace + "/" + pv.Spec.ClaimRef.Name
		out.Volumes = append(out.Volumes, VolumeWrite{pv.Name, seen(pv), claim, v.claimSeen(claim)})
	}
	for _, c := range w.claims {
		out.Provision = append(out.Provision, ClaimWrite{key(c), seen(c), node})
	}
	slices.SortFunc(out.Volumes, func(a, b VolumeWrite) int {
		return cmp.Or(cmp.Compare(a.Volume, b.Volume), cmp.Compare(a.Claim, b.Claim))
	})
	slices.SortFunc(out.Provision, func(a, b ClaimWrite) int { return cmp.Compare(a.Claim, b.Claim) })
	out.Volumes, out.Provision = slices.Compact(out.Volumes), slices.Compact(out.Provision)
	return out
}

// claimSeen is the state of a claim that the binder was shown.
func (v *Volumes) claimSeen(key string) Seen {
	if c, ok := v.facts[place{Claim, key}].(*corev1.PersistentVolumeClaim); ok {
		return seen(c)
	}
	return Seen{}
}

// key is a claim's namespace/name, as the stores have it.
func key(c *corev1.PersistentVolumeClaim) string { return cache.MetaObjectToName(c).String() }
