package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
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

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// store is what was seen of volumes, which a test changes in the place of the volume
// controller and the provisioner.
type store struct {
	mu      sync.Mutex // held by each method that the carrier calls; tests change it alone
	claims  map[string]*corev1.PersistentVolumeClaim
	volumes map[string]*corev1.PersistentVolume
	nodes   []string
	gone    bool // the pods are
}

func (s *store) alone(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
}

func (s *store) Claim(_, name string) (c *corev1.PersistentVolumeClaim) {
	s.alone(func() { c = s.claims[name].DeepCopy() })
	return c
}

func (s *store) Volume(name string) (v *corev1.PersistentVolume) {
	s.alone(func() { v = s.volumes[name].DeepCopy() })
	return v
}

func (s *store) DeviceClaim(string, string) *resourcev1.ResourceClaim { return nil }

func (s *store) Node(name string) *corev1.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.nodes, name) {
		return nil
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": "a"}}}
}

func (s *store) PodUID(string, string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return ""
	}
	return "life"
}

func newStore() *store {
	return &store{nodes: []string{"n"},
		claims: map[string]*corev1.PersistentVolumeClaim{
			"c": {ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c", UID: "c", ResourceVersion: "1"}}},
		volumes: map[string]*corev1.PersistentVolume{"v": {ObjectMeta: metav1.ObjectMeta{Name: "v", UID: "v",
			ResourceVersion: "1"}}}}
}

// claim changes the stored claim, which gets a new version.
func (s *store) claim(change func(*corev1.PersistentVolumeClaim)) {
	c := s.claims["c"].DeepCopy()
	c.ResourceVersion += "0"
	change(c)
	s.claims["c"] = c
}

// bindsClaim is what the volume controller does in the end.
func (s *store) bindsClaim(volumeName string) {
	s.claim(func(c *corev1.PersistentVolumeClaim) {
		c.Spec.VolumeName = volumeName
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, volume.AnnBindCompleted, "yes")
	})
}

// patches has the API server of a test apply patches to volumes and claims to the store at
// once, and note them.
func (s *store) patches(kube k8sFake, noted *[]string) {
	kube.PrependReactor("patch", "*", func(a k8stesting.Action) (bool, runtime.Object, error) {
		p := a.(k8stesting.PatchAction)
		s.mu.Lock()
		defer s.mu.Unlock()
		*noted = append(*noted, p.GetResource().Resource+" "+string(p.GetPatch()))
		switch p.GetResource().Resource {
		case "persistentvolumes":
			v := s.volumes["v"].DeepCopy()
			_ = json.Unmarshal(p.GetPatch(), v)
			v.ResourceVersion += "0"
			s.volumes["v"] = v
			return true, v.DeepCopy(), nil
		case "persistentvolumeclaims":
			s.claim(func(c *corev1.PersistentVolumeClaim) {
				version := c.ResourceVersion
				_ = json.Unmarshal(p.GetPatch(), c)
				c.ResourceVersion = version
			})
			return true, s.claims["c"].DeepCopy(), nil
		}
		return false, nil, nil
	})
}

type k8sFake interface {
	PrependReactor(verb, resource string, reaction k8stesting.ReactionFunc)
}

func chooses(w filters.Writes) ledger.Chosen {
	text, _ := json.Marshal(w)
	return ledger.Choose(filters.Name, string(text))
}

var (
	gives = chooses(filters.Writes{Volumes: []filters.VolumeWrite{{Volume: "v",
		VolumeWas: filters.Seen{UID: "v", Version: "1"},
		Claim:     "ns/c", ClaimWas: filters.Seen{UID: "c", Version: "1"}}}})
	has = chooses(filters.Writes{Provision: []filters.ClaimWrite{{Claim: "ns/c",
		ClaimWas: filters.Seen{UID: "c", Version: "1"}, Node: "n"}}})
	gang   = []sched.Item{{ID: 1, Statement: 9}, {ID: 2, Statement: 9}, {ID: 3, Statement: 8}}
	others = []uint64{1, 2}
)

// A gang of two, of which one member waits for a volume, and a pod of another statement.
func TestAGangIsBoundWhenItsVolumesAre(t *testing.T) {
	inB := &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn,
			Values: []string{"b"}}}}}}}
	for name, c := range map[string]struct {
		chosen ledger.Chosen
		then   func(s *store) // after a minute
		after  time.Duration  // when the gang is answered; 0: after that minute
		want   sched.Outcome
		patch  string
	}{
		"a volume that is there is given": {chosen: gives, then: func(s *store) { s.bindsClaim("v") }, want: sched.Done,
			patch: `persistentvolumes {"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"},` +
				`"resourceVersion":"1","uid":"v"},` +
				`"spec":{"claimRef":{"kind":"PersistentVolumeClaim","namespace":"ns","name":"c","uid":"c","apiVersion":"v1",` +
				`"resourceVersion":"1"}}}`},
		"one is made": {chosen: has, then: func(s *store) { s.bindsClaim("v") }, want: sched.Done,
			patch: `persistentvolumeclaims {"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n"},` +
				`"resourceVersion":"1","uid":"c"}}`},
		"the provisioner gives up": {chosen: has, then: func(s *store) {
			s.claim(func(c *corev1.PersistentVolumeClaim) { delete(c.Annotations, volume.AnnSelectedNode) })
		}, want: sched.Failed},
		"it is made where the node is not": {chosen: has, then: func(s *store) {
			s.volumes["v"].Spec.NodeAffinity = inB
			s.bindsClaim("v")
		}, want: sched.Failed},
		"the volume goes to another claim": {chosen: gives, then: func(s *store) {
			v := s.volumes["v"].DeepCopy()
			v.Spec.ClaimRef.UID, v.ResourceVersion = "another", "100"
			s.volumes["v"] = v
		}, want: sched.Failed},
		"the claim gets another volume": {chosen: gives, then: func(s *store) { s.bindsClaim("w") }, want: sched.Failed},
		"the claim is deleted":          {chosen: gives, then: func(s *store) { delete(s.claims, "c") }, want: sched.Failed},
		"the node is":                   {chosen: has, then: func(s *store) { s.nodes = nil }, want: sched.Failed},
		"the pod is":                    {chosen: has, then: func(s *store) { s.gone = true }, want: sched.Missing},
		"nothing happens for as long as is allowed": {chosen: has, then: func(*store) {}, after: execute.DefaultVolumeWait,
			want: sched.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, in := newServer(), newStore()
				var patches []string
				in.patches(s.kube, &patches)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				carrier := s.carrierWith(ctx, in)
				items := slices.Clone(gang)
				for i := range items {
					items[i].Kind, items[i].Node, items[i].UID = sched.BindPod, "n", "life"
					items[i].Pod = ledger.Key{Namespace: "ns", Name: string(types.UID(rune('p' + i)))}
				}
				items[0].Chosen = c.chosen
				began := time.Now()
				carrier.Execute(items)
				<-time.After(time.Minute) // of the bubble
				if got := carrier.Receipts(); len(got) != 1 || got[0].Item.ID != 3 || s.posts.Load() != 1 {
					t.Fatalf("while the volume is awaited the receipts are %v and %d bindings were sent, want those of the pod "+
						"without one", got, s.posts.Load())
				}
				in.alone(func() { c.then(in) })
				outcomes := map[uint64]sched.Outcome{}
				for len(outcomes) < len(others) {
					<-carrier.Wake()
					for _, r := range carrier.Receipts() {
						outcomes[r.Item.ID] = r.Outcome
					}
				}
				rest := sched.Failed
				if c.want == sched.Done {
					rest = sched.Done
				}
				if outcomes[1] != c.want || outcomes[2] != rest {
					t.Errorf("the member with the volume is %v and the other %v, want %v and %v", outcomes[1], outcomes[2], c.want,
						rest)
				}
				if took, least := time.Since(began), max(c.after, time.Minute); took < least || took > least+time.Second {
					t.Errorf("they were answered after %v, want %v", took, least)
				}
				if want := map[bool]int64{true: 3, false: 1}[c.want == sched.Done]; s.posts.Load() != want {
					t.Errorf("%d bindings were sent, want %d", s.posts.Load(), want)
				}
				if c.patch != "" && strings.Join(patches, "\n") != c.patch {
					t.Errorf("written was\n%s\nwant\n%s", strings.Join(patches, "\n"), c.patch)
				}
				carrier.WaitForStatuses(ctx)
			})
		})
	}
}

// A volume or claim that the API server refuses to write is told with its answer, and not tried every ten seconds: the
// receipt says that it was refused.
func TestARefusedVolumeIsTold(t *testing.T) {
	for resource, chosen := range map[string]ledger.Chosen{"persistentvolumes": gives, "persistentvolumeclaims": has} {
		t.Run(resource, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, in := newServer(), newStore()
				s.kube.PrependReactor("patch", resource, func(k8stesting.Action) (bool, runtime.Object, error) {
					return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "v", errors.New("a policy"))
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				carrier := s.carrierWith(ctx, in)
				carrier.Execute([]sched.Item{{Kind: sched.BindPod, Node: "n", UID: "life", Chosen: chosen,
					Pod: ledger.Key{Namespace: "ns", Name: "p"}}})
				<-carrier.Wake()
				got := carrier.Receipts()
				if len(got) != 1 || got[0].Outcome != sched.Failed || !strings.Contains(got[0].Refused, "a policy") {
					t.Errorf("the receipts are %+v, want a refusal with the answer", got)
				}
				carrier.WaitForStatuses(ctx)
			})
		})
	}
}
