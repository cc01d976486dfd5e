package carry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
)

// Storage is what preparing volumes and devices reads of the cluster, as it was last seen.
// What it returns must not be changed; nil: there is none.
type Storage interface {
	Claim(namespace, name string) *corev1.PersistentVolumeClaim
	// DeviceClaim is a resource claim as the engine knows it or is about to: a state of it
	// that is not handed on yet is not returned.
	DeviceClaim(namespace, name string) *resourcev1.ResourceClaim
	Volume(name string) *corev1.PersistentVolume
	Node(name string) *corev1.Node
	PodUID(namespace, name string) string // "": there is none
}

// DefaultVolumeWait is how long volumes may take to be bound, as in Kubernetes
// (volumebinding.bindTimeoutSeconds).
const DefaultVolumeWait = 600 * time.Second

// lookAgain is how often what was seen of volumes is looked at while a pod waits for them.
const lookAgain = 50 * time.Millisecond

// prepare makes true which volumes were chosen for a pod, and waits until its claims are
// bound.
func (c *Carrier) prepare(i sched.Item, w filters.Writes, until time.Time) (sched.Outcome, error) {
	wrote := versions{}
	for _, v := range w.Volumes {
		if outcome, _, _ := c.run(c.giveVolume(v, wrote)); outcome != sched.Done {
			return sched.Failed, fmt.Errorf("volume %s was not to be given to claim %s", v.Volume, v.Claim)
		}
	}
	for _, p := range w.Provision {
		if outcome, _, _ := c.run(c.selectNode(p, wrote)); outcome != sched.Done {
			return sched.Failed, fmt.Errorf("node %s was not to be written to claim %s", p.Node, p.Claim)
		}
	}
	for {
		if c.options.Storage.PodUID(i.Pod.Namespace, i.Pod.Name) != i.UID {
			return sched.Missing, errPodGone
		}
		ready, err := c.ready(w, i.Node, wrote)
		switch {
		case err != nil:
			return sched.Failed, err
		case ready:
			return sched.Done, nil
		case time.Now().After(until):
			return sched.Failed, errors.New("the claims were not bound in time")
		case !c.options.Leading():
			return sched.Failed, errors.New("the lease is lost")
		case !sleep(c.ctx, lookAgain):
			return sched.Failed, c.ctx.Err()
		}
	}
}

// versions are those of the objects that were written, by name: what is seen of one may be
// older.
type versions map[string]uint64

func (v versions) note(key string, o metav1.Object, err error) error {
	if err == nil {
		v[key] = version(o)
	}
	return err
}

// stale says that what is seen is from before it was written.
func (v versions) stale(key string, o metav1.Object) bool { return version(o) < v[key] }

func version(o metav1.Object) uint64 {
	n, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// giveVolume writes a claim into a volume: the volume controller then binds the two. The
// version that was seen is a precondition, so that nobody's volume is taken.
func (c *Carrier) giveVolume(w filters.VolumeWrite, wrote versions) errand {
	see := func() (*corev1.PersistentVolume, *corev1.PersistentVolumeClaim, error) {
		pv, claim := c.options.Storage.Volume(w.Volume), c.claim(w.Claim)
		if pv == nil || claim == nil {
			return nil, nil, errGone
		}
		return pv, claim, nil
	}
	return errand{
		what: "give volume " + w.Volume + " to claim " + w.Claim,
		send: func(ctx context.Context) error {
			pv, claim, err := see()
			if err != nil {
				return err
			}
			given, dirty, err := volume.GetBindVolumeToClaim(pv, claim)
			if err != nil || !dirty {
				return err
			}
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pv.UID, "resourceVersion": pv.ResourceVersion,
				"annotations": given.Annotations}, "spec": map[string]any{"claimRef": given.Spec.ClaimRef}})
			if err != nil {
				return err
			}
			now, err := c.options.Clients.Fast[0].CoreV1().PersistentVolumes().Patch(ctx, pv.Name, types.MergePatchType, patch, metav1.PatchOptions{})
			return wrote.note(w.Volume, now, err)
		},
		shown: func(context.Context) (bool, sched.Outcome, error) {
			pv, claim, err := see()
			switch {
			case err != nil:
				return true, sched.Failed, nil
			case pv.Spec.ClaimRef == nil:
				return false, 0, nil
			case volume.IsVolumeBoundToClaim(pv, claim):
				return pv.Spec.ClaimRef.UID == claim.UID, sched.Done, nil
			}
			return true, sched.Failed, nil
		},
	}
}

// selectNode says on a claim where its volume is to be made.
func (c *Carrier) selectNode(w filters.ClaimWrite, wrote versions) errand {
	return errand{
		what: "have the volume of claim " + w.Claim + " made for node " + w.Node,
		send: func(ctx context.Context) error {
			claim := c.claim(w.Claim)
			switch {
			case claim == nil:
				return errGone
			case claim.Annotations[volume.AnnSelectedNode] == w.Node:
				return nil
			}
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": claim.UID, "resourceVersion": claim.ResourceVersion,
				"annotations": map[string]any{volume.AnnSelectedNode: w.Node}}})
			if err != nil {
				return err
			}
			now, err := c.options.Clients.Fast[0].CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(ctx, claim.Name,
				types.MergePatchType, patch, metav1.PatchOptions{})
			return wrote.note(w.Claim, now, err)
		},
		shown: func(context.Context) (bool, sched.Outcome, error) {
			claim := c.claim(w.Claim)
			if claim == nil {
				return true, sched.Failed, nil
			}
			node := claim.Annotations[volume.AnnSelectedNode]
			if node == "" && claim.Spec.VolumeName == "" {
				return false, 0, nil
			}
			if node == w.Node {
				return true, sched.Done, nil
			}
			return true, sched.Failed, nil
		},
	}
}

// errGone ends an errand: what it is about is not there.
var errGone = errors.New("the volume or the claim is gone")

// ready says that everything written has come true. An error says that it never will: the
// provisioner gave the claim back, a volume was taken away, or lies where the node is not.
func (c *Carrier) ready(w filters.Writes, on string, wrote versions) (bool, error) {
	node := c.options.Storage.Node(on)
	if node == nil {
		return false, fmt.Errorf("node %s is gone", on)
	}
	all := true
	for _, v := range w.Volumes {
		pv, claim := c.options.Storage.Volume(v.Volume), c.claim(v.Claim)
		switch {
		case pv == nil || claim == nil:
			return false, errGone
		case wrote.stale(v.Volume, pv):
			all = false
		case pv.Spec.ClaimRef == nil || pv.Spec.ClaimRef.UID != claim.UID:
			return false, fmt.Errorf("volume %s was taken from claim %s", v.Volume, v.Claim)
		}
		all = all && bound(claim)
	}
	for _, p := range w.Provision {
		made, err := c.made(p, node, wrote)
		if err != nil {
			return false, err
		}
		all = all && made
	}
	return all, nil
}

// made says that the volume of a claim was made, and that its node reaches it.
func (c *Carrier) made(p filters.ClaimWrite, node *corev1.Node, wrote versions) (bool, error) {
	claim := c.claim(p.Claim)
	switch {
	case claim == nil:
		return false, errGone
	case wrote.stale(p.Claim, claim):
		return false, nil
	case claim.Annotations[volume.AnnSelectedNode] != node.Name:
		return false, fmt.Errorf("no volume could be made for claim %s: its provisioner gave it back", p.Claim)
	case claim.Spec.VolumeName == "":
		return false, nil
	}
	pv := c.options.Storage.Volume(claim.Spec.VolumeName)
	if pv == nil {
		return false, nil // its news is on its way
	}
	if err := volume.CheckNodeAffinity(pv, node.Labels); err != nil {
		return false, fmt.Errorf("volume %s was made where node %s is not: %w", pv.Name, node.Name, err)
	}
	return bound(claim), nil
}

// bound says that the volume controller has finished with a claim.
func bound(claim *corev1.PersistentVolumeClaim) bool {
	return claim.Spec.VolumeName != "" && metav1.HasAnnotation(claim.ObjectMeta, volume.AnnBindCompleted)
}

func (c *Carrier) claim(key string) *corev1.PersistentVolumeClaim {
	namespace, name, _ := strings.Cut(key, "/")
	return c.options.Storage.Claim(namespace, name)
}
