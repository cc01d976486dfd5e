package execute

import (
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
)

// volumeBinder binds volumes before the pods are bound.
type volumeBinder struct {
	x *Executor
}

// Storage returns the objects of the cluster that volumes and devices are prepared with, as they were last seen. They
// must not be changed; nil: there is none.
type Storage interface {
	Claim(namespace, name string) *corev1.PersistentVolumeClaim
	// DeviceClaim is a resource claim in the last state that was handed on to the engine.
	DeviceClaim(namespace, name string) *resourcev1.ResourceClaim
	Volume(name string) *corev1.PersistentVolume
	Node(name string) *corev1.Node
	PodUID(namespace, name string) string // "": there is none that may still be bound
}

// DefaultVolumeWait is how long volumes may take to be bound, as in Kubernetes
// (volumebinding.bindTimeoutSeconds).
const DefaultVolumeWait = 600 * time.Second

// lookAgain is the interval at which volumes are checked while a pod waits for them.
const lookAgain = 50 * time.Millisecond

// volumes has the writes to volumes and claims for the pods of a statement, each once.
type volumes struct {
	pods  []sched.Item // those for which anything is
	given []*given
	made  []*made
}

// given is a volume that is there and goes to a claim.
type given struct {
	filters.VolumeWrite
	pod     sched.Item // the first that is to have it
	wrote   uint64     // the version that it had once it was written
	refusal error      // why it is not to be had
}

// made is a claim for which a volume is to be made where a pod goes.
type made struct {
	filters.ClaimWrite
	pod     sched.Item
	wrote   uint64
	refusal error
}

// volumesOf gathers what was chosen for the pods of a statement. Pods that share a claim were
// chosen the same; otherwise there is nothing that could be written.
func volumesOf(items []sched.Item) (*volumes, *obstacle) {
	out := &volumes{}
	gives, makes := map[string]*given{}, map[string]*made{}
	for _, i := range items {
		w, err := filters.WritesOf(i.Chosen)
		if err != nil {
			return nil, &obstacle{i, sched.Failed, "volumes", err}
		}
		if w.Any() {
			out.pods = append(out.pods, i)
		}
		for _, v := range w.Volumes {
			switch g := gives[v.Volume]; {
			case g == nil:
				gives[v.Volume] = &given{VolumeWrite: v, pod: i}
				out.given = append(out.given, gives[v.Volume])
			case g.VolumeWrite != v:
				return nil, &obstacle{i, sched.Failed, "volumes", fmt.Errorf("volume %s was chosen twice", v.Volume)}
			}
		}
		for _, p := range w.Provision {
			switch m := makes[p.Claim]; {
			case m == nil:
				makes[p.Claim] = &made{ClaimWrite: p, pod: i}
				out.made = append(out.made, makes[p.Claim])
			case m.ClaimWrite != p:
				return nil, &obstacle{i, sched.Failed, "volumes", fmt.Errorf("a node for claim %s was chosen twice", p.Claim)}
			}
		}
	}
	return out, nil
}

// prepare makes true which volumes were chosen for the pods of a statement, and waits until
// their claims are bound. Those that have to be made are begun with, all at once, since that
// takes long and may fail; volumes that are there are given when those stand ready, for what
// is given cannot be taken back.
func (vb *volumeBinder) prepare(items []sched.Item, until time.Time) *obstacle {
	w, failed := volumesOf(items)
	if failed != nil || len(w.pods) == 0 {
		return failed
	}
	if failed = vb.writeVolumes(len(w.made), func(n int) request {
		return vb.selectNode(w.made[n])
	}, func(n int) (sched.Item, error) {
		return w.made[n].pod, w.made[n].refusal
	}); failed != nil {
		return failed
	}
	if failed = vb.awaitVolumes(w, until, false); failed != nil {
		return failed
	}
	if failed = vb.writeVolumes(len(w.given), func(n int) request {
		return vb.giveVolume(w.given[n])
	}, func(n int) (sched.Item, error) {
		return w.given[n].pod, w.given[n].refusal
	}); failed != nil {
		return failed
	}
	return vb.awaitVolumes(w, until, true)
}

// writeVolumes carries so many requests out, side by side; the first that was refused is the obstacle.
func (vb *volumeBinder) writeVolumes(n int, what func(int) request, itemOf func(int) (sched.Item, error)) *obstacle {
	for i, outcome := range vb.together(n, what) {
		if outcome == sched.Done {
			continue
		}
		pod, err := itemOf(i)
		if err == nil {
			err = errNotTaken
		}
		return &obstacle{pod, sched.Failed, "volumes", err}
	}
	return nil
}

// errNotTaken says of a write no more than that it was not to be done in time.
var errNotTaken = errors.New("the API server did not take it")

// awaitVolumes waits until the volumes that are made are there and, once the others were
// given, until all claims are bound. It ends as soon as that cannot come true any more.
func (vb *volumeBinder) awaitVolumes(w *volumes, until time.Time, all bool) *obstacle {
	for {
		if failed := gone(vb.x.options.Storage, w.pods, "volumes"); failed != nil {
			return failed
		}
		waits, failed := vb.unbound(w, all)
		if failed != nil || waits == nil {
			return failed
		}
		late := errors.New("the claims were not bound in time")
		if err := vb.x.requests.wait(lookAgain, until, late); err != nil {
			return &obstacle{*waits, sched.Failed, "volumes", err}
		}
	}
}

// unbound is a pod that has not what was written for it yet, nil when all have. The obstacle
// says that it never will: the provisioner gave a claim back, a volume was taken away, or
// lies where the node is not.
func (vb *volumeBinder) unbound(w *volumes, all bool) (waits *sched.Item, failed *obstacle) {
	for n := range w.pods {
		if i := &w.pods[n]; vb.x.options.Storage.Node(i.Node) == nil {
			return nil, &obstacle{*i, sched.Failed, "volumes", fmt.Errorf("node %s is gone", i.Node)}
		}
	}
	look := func(pod *sched.Item, is func() (bool, error)) bool {
		ready, err := is()
		if err != nil {
			failed = &obstacle{*pod, sched.Failed, "volumes", err}
		} else if !ready {
			waits = pod
		}
		return err == nil
	}
	for _, m := range w.made {
		if !look(&m.pod, func() (bool, error) { return vb.isMade(m) }) {
			return nil, failed
		}
	}
	for _, g := range w.given {
		is := func() (bool, error) { return vb.isGiven(g) }
		if !all {
			is = func() (bool, error) { // not yet: but it has to be there still
				_, err := vb.mayGive(g)
				return true, err
			}
		}
		if !look(&g.pod, is) {
			return nil, failed
		}
	}
	return waits, nil
}

// isGiven says that a volume is the claim's.
func (vb *volumeBinder) isGiven(g *given) (bool, error) {
	pv, claim := vb.x.options.Storage.Volume(g.Volume), vb.claim(g.Claim)
	switch {
	case pv == nil || claim == nil || !lives(pv, g.VolumeWas) || !lives(claim, g.ClaimWas):
		return false, errGone
	case version(pv) < g.wrote:
		return false, nil // its news is on its way
	case pv.Spec.ClaimRef == nil || string(pv.Spec.ClaimRef.UID) != g.ClaimWas.UID:
		return false, fmt.Errorf("volume %s was taken from claim %s", g.Volume, g.Claim)
	case claim.Spec.VolumeName != "" && claim.Spec.VolumeName != g.Volume:
		// Another was given to it before, unheard of, and may be where the node is not.
		return false, fmt.Errorf("claim %s has volume %s by now, not %s", g.Claim, claim.Spec.VolumeName, g.Volume)
	}
	return bound(claim), nil
}

// isMade says that the volume of a claim was made, and that the pod's node reaches it.
func (vb *volumeBinder) isMade(m *made) (bool, error) {
	claim := vb.claim(m.Claim)
	switch {
	case claim == nil || !lives(claim, m.ClaimWas):
		return false, errGone
	case version(claim) < m.wrote:
		return false, nil
	}
	switch on := claim.Annotations[volume.AnnSelectedNode]; {
	case on == "":
		return false, fmt.Errorf("no volume could be made for claim %s: its provisioner gave it back", m.Claim)
	case on != m.Node:
		return false, fmt.Errorf("the volume of claim %s is to be made for node %s by now", m.Claim, on)
	case claim.Spec.VolumeName == "":
		return false, nil
	}
	pv, node := vb.x.options.Storage.Volume(claim.Spec.VolumeName), vb.x.options.Storage.Node(m.Node)
	if pv == nil || node == nil {
		return false, nil
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

func (vb *volumeBinder) claim(key string) *corev1.PersistentVolumeClaim {
	namespace, name, _ := strings.Cut(key, "/")
	return vb.x.options.Storage.Claim(namespace, name)
}

// lives says that an object is in the life that something was decided on.
func lives(o metav1.Object, was filters.Seen) bool {
	return string(o.GetUID()) == was.UID && o.GetDeletionTimestamp() == nil
}

// version is an object's, as a number: what is seen of one may be older than what was written.
func version(o metav1.Object) uint64 { return translate.Version(o.GetResourceVersion()) }

// together carries so many requests out side by side and returns what became of each; of a grave one once that is
// certain.
func (vb *volumeBinder) together(n int, what func(int) request) []sched.Outcome {
	re := &vb.x.requests
	out, left := make([]sched.Outcome, n), make([]doubt, n)
	done := make(chan struct{}, n)
	for i := range n {
		vb.x.fast.do(func() (time.Duration, bool) {
			defer func() { done <- struct{}{} }()
			out[i] = sched.Failed // unless it is known better
			r := re.try(what(i))
			if out[i], left[i] = r.outcome, r.left; r.left.is() {
				re.doubts.Add(1)
			}
			return r.latency, r.overloaded
		})
	}
	for range n {
		<-done
	}
	for i, d := range left {
		if d.is() {
			out[i] = re.verdict(d, ofPreparing)
			re.doubts.Add(-1)
		}
	}
	return out
}
