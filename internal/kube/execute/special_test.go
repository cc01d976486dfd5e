package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
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

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

var claimsResource = schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceclaims"}

// maker is a shop that makes claims, deletes them, and keeps pods' statuses.
type maker struct {
	*shop
	creates   int
	deletes   int               // of claims that are there
	create    func(n int) error // the request is not heard
	created   func(n int) error // its answer is lost
	mayDelete error
	unseen    bool // no claim is handed on
	keeps     bool // statuses
	said      string
	pod       *corev1.Pod // what is read, and compared with the version that a patch names; nil: the server has it
}

// willing is a server that has pod p0, and a maker that answers all that it is asked.
func willing() (*server, *maker) {
	never := func(int) error { return nil }
	api := newServer()
	api.uid = "p0"
	return api, &maker{shop: &shop{claims: map[string]*resourcev1.ResourceClaim{}, before: never, after: never},
		create: never, created: never, keeps: true}
}

func (m *maker) DeviceClaim(namespace, name string) *resourcev1.ResourceClaim {
	m.mu.Lock()
	unseen := m.unseen
	m.mu.Unlock()
	if unseen {
		return nil
	}
	return m.shop.DeviceClaim(namespace, name)
}

// PodUID says of every pod that its uid is its name.
func (m *maker) PodUID(_, name string) string { return uids{m.shop}.PodUID("", name) }

func (m *maker) make(kube k8sFake) {
	m.serve(kube)
	kube.PrependReactor("create", "resourceclaims", func(a k8stesting.Action) (bool, runtime.Object, error) {
		c := a.(k8stesting.CreateAction).GetObject().(*resourcev1.ResourceClaim).DeepCopy()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.creates++
		if err := m.create(m.creates); err != nil {
			return true, nil, err
		}
		if m.claims[c.Name] != nil {
			return true, nil, apierrors.NewAlreadyExists(claimsResource, c.Name)
		}
		c.UID, c.ResourceVersion = types.UID("uid of "+c.Name), "1"
		m.claims[c.Name] = c
		return true, c.DeepCopy(), m.created(m.creates)
	})
	kube.PrependReactor("delete", "resourceclaims", func(a k8stesting.Action) (bool, runtime.Object, error) {
		d := a.(k8stesting.DeleteActionImpl)
		m.mu.Lock()
		defer m.mu.Unlock()
		c := m.claims[d.Name]
		if c == nil {
			return true, nil, apierrors.NewNotFound(claimsResource, d.Name)
		}
		m.deletes++
		only := d.DeleteOptions.Preconditions
		switch {
		case m.mayDelete != nil:
			return true, nil, m.mayDelete
		case *only.UID != c.UID, only.ResourceVersion != nil && *only.ResourceVersion != c.ResourceVersion:
			return true, nil, apierrors.NewConflict(claimsResource, d.Name, errors.New("another life, or version"))
		case len(c.Finalizers) > 0:
			c.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			return true, nil, nil
		}
		delete(m.claims, d.Name)
		return true, nil, nil
	})
	kube.PrependReactor("patch", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		p, pod := a.(k8stesting.PatchAction), &corev1.Pod{}
		if p.GetSubresource() != "status" || json.Unmarshal(p.GetPatch(), pod) != nil {
			return true, nil, apierrors.NewBadRequest("not a status")
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if err := m.says(pod); err != nil {
			return true, nil, err
		}
		if !m.keeps {
			pod.Status = corev1.PodStatus{}
		}
		if m.pod != nil {
			pod.ResourceVersion = m.pod.ResourceVersion
		}
		return true, pod, nil
	})
	kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.pod != nil, m.pod.DeepCopy(), nil
	})
}

// says carries out a patch of a pod's status.
func (m *maker) says(patch *corev1.Pod) error {
	of := patch.Status.ExtendedResourceClaimStatus
	if m.pod != nil {
		if v := patch.ResourceVersion; v != "" && v != m.pod.ResourceVersion {
			return apierrors.NewConflict(corev1.Resource("pods"), "p0", errors.New("another version"))
		}
		version, _ := strconv.Atoi(m.pod.ResourceVersion)
		m.pod.ResourceVersion, m.pod.Status.ExtendedResourceClaimStatus = strconv.Itoa(version+1), of
	}
	if m.said = "none"; of != nil {
		m.said = of.ResourceClaimName + " " + of.RequestMappings[0].ContainerName
	}
	return nil
}

// readable has the pod read, with a status that names a claim, if there is a name.
func (m *maker) readable(claim string) {
	m.pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p0", UID: "p0", ResourceVersion: "1"}}
	if claim != "" {
		m.pod.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: claim}
	}
}

var ofP0 = &devices.Special{
	Requests: []resourcev1.DeviceRequest{{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu",
		AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}},
	Mappings: []corev1.ContainerExtendedResourceRequest{{ContainerName: "c", ResourceName: "example.com/gpu",
		RequestName: "r"}}}

// before is a claim that was made for p0 before.
func before(name string) *resourcev1.ResourceClaim {
	c := ofP0.Claim(ledger.Key{Namespace: "ns", Name: "p0"}, "p0", name)
	c.UID, c.ResourceVersion, c.Finalizers = types.UID(name), "1", []string{resourcev1.Finalizer}
	return heldBy(c, gpus("g7"), "p0")
}

func makes(w devices.Writes) ledger.Chosen {
	text, _ := json.Marshal(w)
	return ledger.Choose(devices.Name, string(text))
}

// special is a binding for which a claim is made, and what becomes of it.
type special struct {
	chosen  devices.Writes
	begin   func(*maker)
	bind    error // what the API server answers to the binding
	want    sched.Outcome
	refused string   // part of the receipt's refusal
	claims  []string // what they have at the end, in order
	said    string   // in the pod's status, without the name of a claim that was made
	creates int
}

func (c special) play(t *testing.T) {
	api, m := willing()
	api.answer = func(int) error { return c.bind }
	m.make(api.kube)
	if c.begin != nil {
		c.begin(m)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	carrier := api.carrierWith(ctx, m)
	carrier.Execute([]sched.Item{{Kind: sched.BindPod, Node: "n", UID: "p0", Chosen: makes(c.chosen),
		Pod: ledger.Key{Namespace: "ns", Name: "p0"}}})
	<-carrier.Wake()
	got := carrier.Receipts()
	if len(got) != 1 || got[0].Outcome != c.want || !strings.Contains(got[0].Refused, c.refused) ||
		(c.refused == "") != (got[0].Refused == "") {
		t.Errorf("the receipts are %+v, want %v with %q", got, c.want, c.refused)
	}
	carrier.Wait(ctx) // what is discarded goes after the answer
	carrier.WaitForStatuses(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	var claims []string
	said := m.said
	for name, is := range m.claims {
		claims = append(claims, stands(is))
		said = strings.Replace(said, name, "it", 1)
		if devices.SpecialOf(is) == "p0" && is.UID != types.UID(name) &&
			(!strings.HasPrefix(name, "p0-extended-resources-") || is.Namespace != "ns") {
			t.Errorf("claim %s in %s was made", name, is.Namespace)
		}
	}
	slices.Sort(claims)
	if !slices.Equal(claims, c.claims) || c.said != "" && said != c.said || m.creates != c.creates {
		t.Errorf("the claims stand as %q after %d requests, the status says %q; want %q, %d, %q", claims, m.creates, said,
			c.claims, c.creates, c.said)
	}
}

// A claim is made for a pod where its node meets its extended resources by devices, and named in its status, before the
// pod is bound; it is gone where that fails at any step. What was made before is deleted first.
func TestAClaimIsMadeForAnExtendedResource(t *testing.T) {
	gives, _ := json.Marshal(gpus("g0"))
	one := devices.Writes{Claims: []devices.Write{{Claim: "ns/p0-extended-resources-", Special: ofP0, Allocation: gives}}}
	also := one
	also.Left = []devices.Claimed{{Name: "old", UID: "old"}}
	forbidden := apierrors.NewForbidden(claimsResource, "",
		errors.New(`User "ashlar" cannot create resource "resourceclaims"`))
	has := func(c *resourcev1.ResourceClaim) func(*maker) { return func(m *maker) { m.claims[c.Name] = c } }
	for name, c := range map[string]special{
		"all goes well": {chosen: one, want: sched.Done, claims: []string{"g0 for p0 kept"}, said: "it c", creates: 1},
		"a request is lost": {chosen: one, begin: func(m *maker) { m.create = onThe(1, context.DeadlineExceeded) },
			want: sched.Done, claims: []string{"g0 for p0 kept"}, said: "it c", creates: 2},
		"its answer is": {chosen: one, begin: func(m *maker) { m.created = onThe(1, context.DeadlineExceeded) },
			want: sched.Done, claims: []string{"g0 for p0 kept"}, said: "it c", creates: 1},
		"the name is taken": {chosen: one, begin: func(m *maker) {
			m.create = func(n int) error { // by a claim that somebody else makes first
				if n == 1 {
					return apierrors.NewAlreadyExists(claimsResource, "")
				}
				return nil
			}
		}, want: sched.Done, claims: []string{"g0 for p0 kept"}, said: "it c", creates: 2},
		"it may not be made": {chosen: one, begin: func(m *maker) { m.create = func(int) error { return forbidden } },
			want: sched.Failed, refused: "cannot create resource", creates: 1},
		"a status is not kept": {chosen: one, begin: func(m *maker) { m.keeps = false },
			want: sched.Failed, refused: "DRAExtendedResource is off", creates: 1},
		"it may not be given devices": {chosen: one, begin: func(m *maker) { m.before = onThe(2, forbidden) },
			want: sched.Failed, refused: "cannot create resource", creates: 1},
		"the binding is refused": {chosen: one, bind: apierrors.NewBadRequest("no"), want: sched.Failed, refused: "no",
			creates: 1},
		"it is deleted meanwhile": {chosen: one, begin: func(m *maker) {
			m.unseen = true
			time.AfterFunc(time.Minute, func() { m.alone(func() { clear(m.claims) }) })
		}, want: sched.Failed, creates: 1},
		"the pod is gone": {chosen: one, begin: func(m *maker) { m.gone = true }, want: sched.Missing},

		"one was made before": {chosen: also, begin: has(before("old")), want: sched.Done,
			claims: []string{"g0 for p0 kept"}, said: "it c", creates: 1},
		"and is being deleted": {chosen: also, begin: func(m *maker) {
			c := before("old")
			c.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			has(c)(m)
		}, want: sched.Done, claims: []string{"g0 for p0 kept"}, said: "it c", creates: 1},
		"and is gone by now": {chosen: also, want: sched.Done, claims: []string{"g0 for p0 kept"}, said: "it c", creates: 1},
		"and is another's by now": {chosen: also, begin: has(heldBy(before("old"), gpus("g7"), "other")),
			want: sched.Failed, claims: []string{"g7 for p0 other kept"}},
		"and does not say so any more": {chosen: also, begin: func(m *maker) {
			c := before("old")
			c.Annotations = nil
			m.claims["old"] = c
		}, want: sched.Failed, claims: []string{"g7 for p0 kept"}},
		"and has none, nor says so": {chosen: also, begin: func(m *maker) {
			c := before("old")
			c.Annotations, c.Status = nil, resourcev1.ResourceClaimStatus{}
			m.claims["old"] = c
		}, want: sched.Done, claims: []string{"for kept", "g0 for p0 kept"}, said: "it c", creates: 1},
		"and may not be deleted": {chosen: also, begin: func(m *maker) {
			has(before("old"))(m)
			m.mayDelete = apierrors.NewForbidden(claimsResource, "old", errors.New("no"))
		}, want: sched.Done, claims: []string{"for", "g0 for p0 kept"}, said: "it c", creates: 1},
		"and cannot be deleted": {chosen: also, begin: func(m *maker) {
			has(before("old"))(m)
			m.mayDelete = apierrors.NewBadRequest("no")
		}, want: sched.Failed, refused: "could not be deleted", claims: []string{"for"}},
		"and the pod was bound with it meanwhile": {chosen: also, begin: func(m *maker) {
			has(before("old"))(m)
			m.readable("old")
			m.pod.Spec.NodeName = "n"
		}, want: sched.Failed, claims: []string{"g7 for p0 kept"}},
		"and none is needed now": {chosen: devices.Writes{Left: also.Left, Unsaid: true}, begin: func(m *maker) {
			has(before("old"))(m)
			m.readable("old")
		}, want: sched.Done, said: "none"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, c.play)
		})
	}
}

// A pod goes once a claim was made for it and has a device, and the claim cannot be deleted at once. Until it is
// deleted no other claim has that device.
func TestADeviceOfAClaimThatIsDeletedIsGivenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := func(int) error { return nil }
		api, goes := newServer(), make(chan struct{})
		m := &maker{shop: &shop{claims: map[string]*resourcev1.ResourceClaim{"b": deviceClaim("b")}, before: never},
			create: never, created: never, keeps: true, mayDelete: apierrors.NewInternalError(errors.New("etcd"))}
		m.after = func(int) error {
			has := 0
			for _, c := range m.claims {
				if strings.HasPrefix(stands(c), "g0") {
					has++
				}
			}
			if has > 1 {
				t.Errorf("%d claims have the device", has)
			}
			if has == 1 && !m.gone {
				m.gone = true
				close(goes)
			}
			return nil
		}
		m.make(api.kube)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x := api.carrierWith(ctx, m)
		bind := func(statement uint64, pod string, chosen ledger.Chosen) {
			x.Execute([]sched.Item{{ID: statement, Statement: statement, Kind: sched.BindPod, Node: "n", UID: pod,
				Pod: ledger.Key{Namespace: "ns", Name: pod}, Chosen: chosen}})
		}
		gives, _ := json.Marshal(gpus("g0"))
		bind(1, "p0", makes(devices.Writes{Claims: []devices.Write{{Special: ofP0, Allocation: gives}}}))
		<-goes
		bind(2, "p1", wants("b", gpus("g0"), nil))
		<-time.After(10 * time.Second)
		m.alone(func() { m.mayDelete = nil })
		if got := outcomes(x, 2); got["p0"] != sched.Missing || got["p1"] != sched.Done {
			t.Errorf("the outcomes are %v", got)
		}
		if got := stands(m.claims["b"]); len(m.claims) != 1 || got != "g0 for p1 kept" {
			t.Errorf("%d claims are there, b stands as %q", len(m.claims), got)
		}
	})
}

// A claim that a bound pod does not use is deleted, and only if the API server itself says so: its pod is read first.
func TestAClaimThatABoundPodDoesNotUseIsDeleted(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*corev1.Pod)
		empty  bool // the claim has no devices
		waits  bool // the pod waited when the claim was seen to be left
		stays  bool
	}{
		"its status names another":               {stays: true}, // its spec may name this one
		"its status names another, it is empty":  {empty: true},
		"its status names none, it has devices":  {change: namesNone, stays: true},
		"its status names none, and it is empty": {change: namesNone, empty: true},
		"its status names it": {change: func(p *corev1.Pod) {
			p.Status.ExtendedResourceClaimStatus.ResourceClaimName = "old"
		}, stays: true},
		"it has no node any more": {change: func(p *corev1.Pod) { p.Spec.NodeName = "" }, empty: true, stays: true},
		"it is another by now":    {change: func(p *corev1.Pod) { p.UID = "second" }, empty: true, stays: true},
		"it waits":                {change: func(p *corev1.Pod) { p.Spec.NodeName = "" }, waits: true},
		"it was bound meanwhile":  {waits: true, stays: true},
		"it waits, and its template made it": {change: func(p *corev1.Pod) {
			name := "old"
			p.Spec.NodeName, p.Status.ResourceClaimStatuses = "", []corev1.PodResourceClaimStatus{{Name: "c",
				ResourceClaimName: &name}}
		}, waits: true, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			api, m := willing()
			m.make(api.kube)
			m.readable("other")
			m.pod.Spec.NodeName = "n"
			if c.change != nil {
				c.change(m.pod)
			}
			m.claims["old"] = before("old")
			if c.empty {
				m.claims["old"].Status, m.claims["old"].Finalizers = resourcev1.ResourceClaimStatus{}, nil
			}
			x := api.carrierWith(t.Context(), m)
			x.GiveBack(devices.Leftover{Pod: ledger.Key{Namespace: "ns", Name: "p0"}, UID: "p0", Bound: !c.waits,
				Claimed: devices.Claimed{Name: "old", UID: "old"}})
			x.WaitForStatuses(t.Context())
			x.Wait(t.Context())
			m.mu.Lock()
			defer m.mu.Unlock()
			if is := m.claims["old"] != nil; is != c.stays {
				t.Errorf("the claim is there: %t, want %t", is, c.stays)
			}
		})
	}
}

func namesNone(p *corev1.Pod) { p.Status.ExtendedResourceClaimStatus = nil }
