package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/sched"
)

// What is written of volumes and claims has as its precondition what was decided on: the
// life of the object and its version then, and that the reference in it is empty or ours.
// A version never comes back, so a write that was refused for it will never be taken.

// errGone ends an request: what it is about is not there, or another of its name is.
var errGone = errors.New("the volume or the claim is gone")

// giveVolume writes a claim into a volume: the volume controller then binds the two.
func (vb *volumeBinder) giveVolume(g *given) request {
	judge := func() (done bool, err error) {
		done, g.refusal = vb.mayGive(g)
		return done, g.refusal
	}
	return request{
		what: "give volume " + g.Volume + " to claim " + g.Claim,
		send: func(ctx context.Context) error {
			if done, err := judge(); done || err != nil {
				return err
			}
			pv, claim := vb.x.options.Storage.Volume(g.Volume), vb.claim(g.Claim)
			if pv == nil || claim == nil {
				return errGone
			}
			gives, dirty, err := volume.GetBindVolumeToClaim(pv, claim)
			if err != nil || !dirty {
				return err
			}
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": g.VolumeWas.UID,
				"resourceVersion": g.VolumeWas.Version,
				"annotations":     gives.Annotations}, "spec": map[string]any{"claimRef": gives.Spec.ClaimRef}})
			if err != nil {
				return err
			}
			now, err := vb.x.options.Clients.Fast[0].CoreV1().PersistentVolumes().Patch(ctx, g.Volume, types.MergePatchType,
				patch, metav1.PatchOptions{})
			switch kindOf(err) {
			case done:
				g.wrote = version(now)
			case refused:
				g.refusal = &refusal{err}
			}
			return err
		},
		shown: func(context.Context) (bool, sched.Outcome, error) { return answerTo(judge()) },
	}
}

// mayGive says that a volume is the claim's already. An error says that it cannot become so:
// either is another by now, or was changed since they were chosen.
func (vb *volumeBinder) mayGive(g *given) (done bool, err error) {
	pv, claim := vb.x.options.Storage.Volume(g.Volume), vb.claim(g.Claim)
	if pv == nil || claim == nil || !lives(pv, g.VolumeWas) || !lives(claim, g.ClaimWas) {
		return false, errGone
	}
	ref := pv.Spec.ClaimRef
	switch {
	case ref != nil && refersTo(ref, g.Claim) && string(ref.UID) == g.ClaimWas.UID:
		return true, nil
	case ref != nil && !(refersTo(ref, g.Claim) && ref.UID == ""):
		return false, fmt.Errorf("volume %s is claim %s/%s's by now", g.Volume, ref.Namespace, ref.Name)
	case pv.ResourceVersion != g.VolumeWas.Version:
		return false, fmt.Errorf("volume %s was changed since it was chosen", g.Volume)
	case claim.ResourceVersion != g.ClaimWas.Version:
		return false, fmt.Errorf("claim %s was changed since a volume was chosen for it", g.Claim)
	}
	return false, nil
}

func refersTo(ref *corev1.ObjectReference, claim string) bool {
	return ref.Namespace+"/"+ref.Name == claim
}

// selectNode says on a claim where its volume is to be made.
func (vb *volumeBinder) selectNode(m *made) request {
	judge := func() (done bool, err error) {
		done, m.refusal = vb.maySelect(m)
		return done, m.refusal
	}
	return request{
		what: "have the volume of claim " + m.Claim + " made for node " + m.Node,
		send: func(ctx context.Context) error {
			if done, err := judge(); done || err != nil {
				return err
			}
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": m.ClaimWas.UID,
				"resourceVersion": m.ClaimWas.Version,
				"annotations":     map[string]any{volume.AnnSelectedNode: m.Node}}})
			if err != nil {
				return err
			}
			namespace, name, _ := strings.Cut(m.Claim, "/")
			now, err := vb.x.options.Clients.Fast[0].CoreV1().PersistentVolumeClaims(namespace).Patch(ctx, name,
				types.MergePatchType, patch, metav1.PatchOptions{})
			switch kindOf(err) {
			case done:
				m.wrote = version(now)
			case refused:
				m.refusal = &refusal{err}
			}
			return err
		},
		shown: func(context.Context) (bool, sched.Outcome, error) { return answerTo(judge()) },
	}
}

// maySelect says that a node is selected for a claim already. An error says that it cannot
// become so.
func (vb *volumeBinder) maySelect(m *made) (done bool, err error) {
	claim := vb.claim(m.Claim)
	if claim == nil || !lives(claim, m.ClaimWas) {
		return false, errGone
	}
	on := claim.Annotations[volume.AnnSelectedNode]
	switch {
	case on == m.Node:
		return true, nil
	case on != "":
		return false, fmt.Errorf("the volume of claim %s is to be made for node %s by now", m.Claim, on)
	case claim.Spec.VolumeName != "":
		return false, fmt.Errorf("claim %s has volume %s by now", m.Claim, claim.Spec.VolumeName)
	case claim.ResourceVersion != m.ClaimWas.Version:
		return false, fmt.Errorf("claim %s was changed since a node was chosen for it", m.Claim)
	}
	return false, nil
}

// answerTo turns what was seen of a request's object into an answer to the request; false if there is none yet, because
// what was seen may be older than the request.
func answerTo(done bool, err error) (bool, sched.Outcome, error) {
	if done {
		return true, sched.Done, nil
	}
	return err != nil, sched.Failed, nil
}
