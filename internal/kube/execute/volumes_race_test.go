package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// bazaar is an API server with volumes and claims at which others write too: every write is
// a new version, a patch names the life and version that it is about, and what is seen of it
// all comes a moment later. Its volume controller and provisioner do their part.
type bazaar struct {
	mu sync.Mutex // held to write and to read; each method that the carrier calls takes it
	*ground
	t       *testing.T
	version int
	seen    ground
	patches int
	lost    int                   // the answer to this patch is lost
	before  func(resource string) // called as a patch comes in
}

// ground is volumes and claims by name.
type ground struct {
	volumes map[string]*corev1.PersistentVolume
	claims  map[string]*corev1.PersistentVolumeClaim
}

const lag = 100 * time.Millisecond

// write puts an object in a new version there, and has it seen a moment later.
func (b *bazaar) write(o metav1.Object) {
	b.version++
	o.SetResourceVersion(strconv.Itoa(b.version))
	switch o := o.(type) {
	case *corev1.PersistentVolume:
		b.volumes[o.Name] = o
		b.later(lag, func() { b.seen.volumes[o.Name] = o })
	case *corev1.PersistentVolumeClaim:
		b.claims[o.Name] = o
		b.later(lag, func() { b.seen.claims[o.Name] = o })
	}
	b.control()
}

// later does something after a while, alone.
func (b *bazaar) later(after time.Duration, what func()) {
	time.AfterFunc(after, func() { b.alone(what) })
}

func (b *bazaar) alone(what func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	what()
}

// control does what the volume controller does a second later.
func (b *bazaar) control() {
	b.later(time.Second, func() {
		for _, v := range b.volumes {
			ref := v.Spec.ClaimRef
			if ref == nil || b.claims[ref.Name] == nil {
				continue
			}
			if c := b.claims[ref.Name]; c.UID == ref.UID && c.Spec.VolumeName == "" {
				c = c.DeepCopy()
				c.Spec.VolumeName = v.Name
				metav1.SetMetaDataAnnotation(&c.ObjectMeta, volume.AnnBindCompleted, "yes")
				b.write(c)
			}
		}
	})
}

// provision makes what a node was selected for.
func (b *bazaar) provision() {
	for _, c := range b.claims {
		if c.Annotations[volume.AnnSelectedNode] != "" && c.Spec.VolumeName == "" {
			v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(c.UID), UID: "made"}}
			v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: c.Name, UID: c.UID}
			b.write(v)
		}
	}
}

func (b *bazaar) Claim(_, name string) (c *corev1.PersistentVolumeClaim) {
	b.alone(func() { c = b.seen.claims[name] })
	return c
}

func (b *bazaar) Volume(name string) (v *corev1.PersistentVolume) {
	b.alone(func() { v = b.seen.volumes[name] })
	return v
}

func (b *bazaar) DeviceClaim(string, string) *resourcev1.ResourceClaim { return nil }
func (b *bazaar) Node(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
func (b *bazaar) PodUID(string, string) string { return "life" }

func (b *bazaar) serve(kube k8sFake) {
	kube.PrependReactor("patch", "*", func(a k8stesting.Action) (bool, runtime.Object, error) {
		p := a.(k8stesting.PatchAction)
		resource := p.GetResource().Resource
		if resource != "persistentvolumes" && resource != "persistentvolumeclaims" {
			return false, nil, nil
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.before(resource)
		var now interface {
			metav1.Object
			runtime.Object
		}
		if v := b.volumes[p.GetName()]; resource == "persistentvolumes" && v != nil {
			now = v.DeepCopy()
		} else if c := b.claims[p.GetName()]; c != nil {
			now = c.DeepCopy()
		} else {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: resource}, p.GetName())
		}
		var about struct {
			Metadata struct{ UID, ResourceVersion string }
		}
		if err := json.Unmarshal(p.GetPatch(), &about); err != nil || about.Metadata.UID == "" ||
			about.Metadata.ResourceVersion == "" {
			b.t.Errorf("a patch names no life and version: %s", p.GetPatch())
		}
		if about.Metadata.UID != string(now.GetUID()) || about.Metadata.ResourceVersion != now.GetResourceVersion() {
			return true, nil, apierrors.NewConflict(schema.GroupResource{Resource: resource}, p.GetName(),
				errors.New("not what is there"))
		}
		_ = json.Unmarshal(p.GetPatch(), now)
		b.write(now)
		if b.patches++; b.patches == b.lost {
			return true, nil, context.DeadlineExceeded
		}
		return true, now, nil
	})
}

func newBazaar(t *testing.T) *bazaar {
	b := &bazaar{t: t, ground: &ground{map[string]*corev1.PersistentVolume{}, map[string]*corev1.PersistentVolumeClaim{}},
		seen:   ground{map[string]*corev1.PersistentVolume{}, map[string]*corev1.PersistentVolumeClaim{}},
		before: func(string) {}}
	b.write(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v", UID: "v"}})
	for _, name := range []string{"static", "made"} {
		b.write(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name,
			UID: types.UID(name)}})
	}
	return b
}

// chosen is what was decided on: the version of each object as it is now.
func (b *bazaar) chosen() (provides, gives ledger.Chosen) {
	seen := func(o metav1.Object) filters.Seen {
		return filters.Seen{UID: string(o.GetUID()), Version: o.GetResourceVersion()}
	}
	v, s, m := b.volumes["v"], b.claims["static"], b.claims["made"]
	return chooses(filters.Writes{Provision: []filters.ClaimWrite{{Claim: "ns/made", ClaimWas: seen(m), Node: "n"}}}),
		chooses(filters.Writes{Volumes: []filters.VolumeWrite{{Volume: "v", VolumeWas: seen(v), Claim: "ns/static",
			ClaimWas: seen(s)}}})
}

// What somebody else writes while a gang's volumes are got ready stands, at whatever moment it
// comes: nothing is written over it, and the gang is bound only with what was chosen for it.
// Its first member's volume is made, which takes a minute; its second gets one that is there.
func TestWhatOthersWriteMeanwhileStands(t *testing.T) {
	claim := func(b *bazaar, name string, change func(*corev1.PersistentVolumeClaim)) {
		c := b.claims[name].DeepCopy()
		change(c)
		b.write(c)
	}
	vol := func(b *bazaar, change func(*corev1.PersistentVolume)) {
		v := b.volumes["v"].DeepCopy()
		change(v)
		b.write(v)
	}
	second := func(c *corev1.PersistentVolumeClaim) {
		*c = corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: c.Name, UID: "second life"}}
	}
	writers := map[string]struct {
		does func(b *bazaar)
		says func(b *bazaar) string // what stands of it
	}{
		"another claim has the volume": {
			func(b *bazaar) {
				vol(b, func(v *corev1.PersistentVolume) {
					v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "other", Name: "theirs", UID: "theirs"}
				})
			},
			func(b *bazaar) string { return fmt.Sprint(b.volumes["v"].Spec.ClaimRef) }},
		"the volume is made again": {
			func(b *bazaar) {
				b.write(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v", UID: "second life"}})
			},
			func(b *bazaar) string { return fmt.Sprint(b.volumes["v"].UID, b.volumes["v"].Spec.ClaimRef) }},
		"the volume is relabelled": {
			func(b *bazaar) {
				vol(b, func(v *corev1.PersistentVolume) { v.Labels = map[string]string{"zone": "elsewhere"} })
			},
			func(b *bazaar) string { return fmt.Sprint(b.volumes["v"].Labels) }},
		"the claim of the volume is made again": {
			func(b *bazaar) { claim(b, "static", second) },
			func(b *bazaar) string { return fmt.Sprint(b.claims["static"].UID, b.claims["static"].Spec.VolumeName) }},
		"another node is selected": {
			func(b *bazaar) {
				claim(b, "made", func(c *corev1.PersistentVolumeClaim) {
					metav1.SetMetaDataAnnotation(&c.ObjectMeta, volume.AnnSelectedNode, "theirs")
				})
			},
			func(b *bazaar) string { return b.claims["made"].Annotations[volume.AnnSelectedNode] }},
		"the claim to be made is made again": {
			func(b *bazaar) { claim(b, "made", second) },
			func(b *bazaar) string {
				return fmt.Sprint(b.claims["made"].UID, b.claims["made"].Annotations[volume.AnnSelectedNode])
			}},
		"the claim gets another volume": {
			func(b *bazaar) {
				claim(b, "made", func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "theirs" })
			},
			func(b *bazaar) string { return b.claims["made"].Spec.VolumeName }},
		"the other claim gets another volume": {
			func(b *bazaar) {
				claim(b, "static", func(c *corev1.PersistentVolumeClaim) {
					c.Spec.VolumeName = "theirs"
					metav1.SetMetaDataAnnotation(&c.ObjectMeta, volume.AnnBindCompleted, "yes")
				})
			},
			func(b *bazaar) string { return b.claims["static"].Spec.VolumeName }},
	}
	moments := []string{"before anything is sent", "as a node is selected", "while the volume is made",
		"as a volume is given", "when it is given"}
	for what, w := range writers {
		for at, when := range moments {
			for _, lost := range []int{0, 1, 2} {
				t.Run(fmt.Sprintf("%s %s, answer %d lost", what, when, lost), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						race{at: at, lost: lost, does: w.does, says: w.says}.run(t)
					})
				})
			}
		}
	}
}

type race struct {
	at   int // the moment
	lost int
	does func(b *bazaar)
	says func(b *bazaar) string
}

func (r race) run(t *testing.T) {
	api, b := newServer(), newBazaar(t)
	b.lost = r.lost
	b.serve(api.kube)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	<-time.After(time.Minute)
	b.mu.Lock()
	wrote, stands := false, ""
	does := func() {
		if !wrote {
			wrote = true
			r.does(b)
			stands = r.says(b)
		}
	}
	provides, gives := b.chosen()
	b.before = func(resource string) {
		if r.at == 1 && resource == "persistentvolumeclaims" || r.at == 3 && resource == "persistentvolumes" {
			does()
		}
	}
	carrier := api.carrierWith(ctx, b)
	if r.at == 0 {
		does()
	}
	b.mu.Unlock()
	carrier.Execute([]sched.Item{
		{ID: 1, Statement: 1, Kind: sched.BindPod, Node: "n", UID: "life", Pod: ledger.Key{Namespace: "ns", Name: "p"},
			Chosen: provides},
		{ID: 2, Statement: 1, Kind: sched.BindPod, Node: "n", UID: "life", Pod: ledger.Key{Namespace: "ns", Name: "q"},
			Chosen: gives}})
	<-time.After(10 * time.Second)
	if r.at == 2 {
		b.alone(does)
	}
	<-time.After(time.Minute)
	b.alone(b.provision)
	<-time.After(1500 * time.Millisecond)
	if r.at == 4 {
		b.alone(does)
	}
	<-time.After(time.Hour)
	b.mu.Lock()
	defer b.mu.Unlock()
	answers := map[sched.Outcome]int{}
	for _, a := range carrier.Receipts() {
		answers[a.Outcome]++
	}
	if wrote && r.says(b) != stands {
		t.Errorf("the other wrote %q, and it says %q", stands, r.says(b))
	}
	if answers[sched.Done]+answers[sched.Failed] != 2 || answers[sched.Done] == 1 ||
		int64(answers[sched.Done]) != api.posts.Load() {
		t.Errorf("the answers are %v and %d bindings were sent", answers, api.posts.Load())
	}
	v, s, m := b.volumes["v"], b.claims["static"], b.claims["made"]
	if answers[sched.Done] == 2 && (s.UID != "static" || m.UID != "made" || v.UID != "v" || v.Spec.ClaimRef == nil ||
		v.Spec.ClaimRef.UID != "static" || s.Spec.VolumeName != "v" || m.Spec.VolumeName != "pvc-made") {
		t.Errorf("the gang was bound with volume %v, claims %v and %v", v, s, m)
	}
	if v.UID == "second life" && v.Spec.ClaimRef != nil || s.UID == "second life" && v.Spec.ClaimRef != nil &&
		v.Spec.ClaimRef.UID == s.UID {
		t.Errorf("what was made again was given: volume %v, claim %v", v, s)
	}
	carrier.WaitForStatuses(ctx)
}
