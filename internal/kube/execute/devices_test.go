package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// shop is an API server's resource claims, with versions as preconditions, and what was
// seen of them.
type shop struct {
	store
	claims  map[string]*resourcev1.ResourceClaim
	seen    map[string]*resourcev1.ResourceClaim // nil: the very same
	patches int
	before  func(patch int) error // the request is not heard
	after   func(patch int) error // its answer is lost
}

func (s *shop) DeviceClaim(_, name string) *resourcev1.ResourceClaim {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen != nil {
		return s.seen[name].DeepCopy()
	}
	return s.claims[name].DeepCopy()
}

func (s *shop) serve(kube k8sFake) {
	resource := schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceclaims"}
	kube.PrependReactor("get", "resourceclaims", func(a k8stesting.Action) (bool, runtime.Object, error) {
		name := a.(k8stesting.GetAction).GetName()
		s.mu.Lock()
		defer s.mu.Unlock()
		if c := s.claims[name]; c != nil {
			return true, c.DeepCopy(), nil
		}
		return true, nil, apierrors.NewNotFound(resource, name)
	})
	kube.PrependReactor("patch", "resourceclaims", func(a k8stesting.Action) (bool, runtime.Object, error) {
		p := a.(k8stesting.PatchAction)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.patches++
		if err := s.before(s.patches); err != nil {
			return true, nil, err
		}
		old := s.claims[p.GetName()]
		if old == nil {
			return true, nil, apierrors.NewNotFound(resource, p.GetName())
		}
		var is, patch map[string]any
		text, _ := json.Marshal(old)
		if p.GetPatchType() == types.JSONPatchType {
			return s.stepwise(old, text, p.GetPatch())
		}
		_ = json.Unmarshal(text, &is)
		_ = json.Unmarshal(p.GetPatch(), &patch)
		if v := patch["metadata"].(map[string]any)["resourceVersion"]; v != old.ResourceVersion {
			return true, nil, apierrors.NewConflict(resource, p.GetName(), errors.New("not the version that is there"))
		}
		if _, whole := patch["status"]; whole != (p.GetSubresource() == "status") {
			return true, nil, apierrors.NewBadRequest("status goes to its subresource")
		}
		text, _ = json.Marshal(merged(is, patch))
		now := &resourcev1.ResourceClaim{}
		_ = json.Unmarshal(text, now)
		if a, b := old.Status.Allocation, now.Status.Allocation; a != nil && b != nil && fmt.Sprint(a) != fmt.Sprint(b) {
			return true, nil, apierrors.NewBadRequest("an allocation cannot be changed")
		}
		n, _ := strconv.Atoi(old.ResourceVersion)
		now.ResourceVersion = strconv.Itoa(n + 1)
		s.claims[now.Name] = now
		return true, now.DeepCopy(), s.after(s.patches)
	})
}

// merged is a JSON merge patch applied.
func merged(is, patch map[string]any) map[string]any {
	if is == nil {
		is = map[string]any{}
	}
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(is, k)
		case map[string]any:
			inner, _ := is[k].(map[string]any)
			is[k] = merged(inner, v)
		default:
			is[k] = v
		}
	}
	return is
}

func gpus(names ...string) *resourcev1.AllocationResult {
	a := &resourcev1.AllocationResult{}
	for _, n := range names {
		a.Devices.Results = append(a.Devices.Results, resourcev1.DeviceRequestAllocationResult{Request: "r", Driver: "d",
			Pool: "n", Device: n})
	}
	return a
}

// wants is a choice: a claim with devices, or (nil) as it is, that had some when it was made.
func wants(claim string, gives, had *resourcev1.AllocationResult) ledger.Chosen {
	write := devices.Write{Claim: "ns/" + claim, UID: claim, Had: devices.Digest(had)}
	if gives != nil {
		write.Allocation, _ = json.Marshal(gives)
	}
	text, _ := json.Marshal(devices.Writes{Claims: []devices.Write{write}})
	return ledger.Choose(devices.Name, string(text))
}

func deviceClaim(name string) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name),
		ResourceVersion: "1"}}
}

func heldBy(c *resourcev1.ResourceClaim, a *resourcev1.AllocationResult, uids ...string) *resourcev1.ResourceClaim {
	c.Status.Allocation = a
	for _, u := range uids {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods",
			Name: u, UID: types.UID(u)})
	}
	return c
}

// stands is what a claim has and which pods use it.
func stands(c *resourcev1.ResourceClaim) string {
	if c == nil {
		return "gone"
	}
	var out []string
	if c.Status.Allocation != nil {
		for _, r := range c.Status.Allocation.Devices.Results {
			out = append(out, r.Device)
		}
	}
	out = append(out, "for")
	for _, r := range c.Status.ReservedFor {
		out = append(out, string(r.UID))
	}
	if slices.Contains(c.Finalizers, resourcev1.Finalizer) {
		out = append(out, "kept")
	}
	return strings.Join(out, " ")
}

// reserved is a gang of two, what was chosen for its members, and what becomes of it.
type reserved struct {
	chosen  []ledger.Chosen
	begin   func(s *shop)
	then    func(s *shop) // after a minute
	want    []sched.Outcome
	refused string // of one receipt, the server's message
	a, b    string
	patches int
}

// play carries the bindings of the gang and waits for both answers.
func (c reserved) play(t *testing.T) {
	never := func(int) error { return nil }
	api, s := newServer(),
		&shop{claims: map[string]*resourcev1.ResourceClaim{"a": deviceClaim("a"), "b": deviceClaim("b")},
			before: never, after: never}
	s.serve(api.kube)
	if c.begin != nil {
		c.begin(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	carrier := api.carrierWith(ctx, uids{s})
	var items []sched.Item
	for i, chosen := range c.chosen {
		items = append(items, sched.Item{ID: uint64(i), Statement: 1, Kind: sched.BindPod, Node: "n",
			UID: fmt.Sprint("p", i), Chosen: chosen,
			Pod: ledger.Key{Namespace: "ns", Name: fmt.Sprint("p", i)}})
	}
	carrier.Execute(items)
	if c.then != nil {
		<-time.After(time.Minute) // of the bubble
		if got := carrier.Receipts(); len(got) > 0 || api.posts.Load() > 0 {
			t.Fatalf("too soon the receipts are %v and %d bindings were sent", got, api.posts.Load())
		}
		s.alone(func() { c.then(s) })
	}
	outcomes, refused := make([]sched.Outcome, len(items)), ""
	for n := 0; n < len(items); {
		<-carrier.Wake()
		for _, r := range carrier.Receipts() {
			outcomes[r.Item.ID] = r.Outcome
			refused += r.Refused
			n++
		}
	}
	if !slices.Equal(outcomes, c.want) || refused != c.refused {
		t.Errorf("the outcomes are %v, refused with %q; want %v, %q", outcomes, refused, c.want, c.refused)
	}
	if want := map[bool]int64{true: 2}[c.want[0] == sched.Done]; api.posts.Load() != want {
		t.Errorf("%d bindings were sent, want %d", api.posts.Load(), want)
	}
	s.mu.Lock()
	if a, b := stands(s.claims["a"]), stands(s.claims["b"]); a != c.a || b != c.b {
		t.Errorf("the claims stand as %q and %q, want %q and %q", a, b, c.a, c.b)
	}
	if s.patches != c.patches {
		t.Errorf("%d patches were sent, want %d", s.patches, c.patches)
	}
	s.mu.Unlock()
	carrier.WaitForStatuses(ctx)
}

// Two members of a gang and what is chosen for them; no member is bound before the claims of
// both are written, and nothing stays written when one cannot have its own.
func TestAGangIsBoundWhenItsDevicesAreReserved(t *testing.T) {
	ready := gpus("g0")
	ready.Devices.Results[0].BindingConditions = []string{"attached"}
	ready.Devices.Results[0].BindingFailureConditions = []string{"broken"}
	says := func(s *shop, kind string) {
		c := s.claims["a"].DeepCopy()
		c.ResourceVersion += "0"
		c.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Driver: "d", Pool: "n", Device: "g0",
			Conditions: []metav1.Condition{{Type: kind, Status: metav1.ConditionTrue}}}}
		s.claims["a"] = c
	}
	each := []ledger.Chosen{wants("a", gpus("g0"), nil), wants("b", gpus("g1", "g2"), nil)}
	readied := []ledger.Chosen{wants("a", ready, nil), each[1]}
	done, failed := []sched.Outcome{sched.Done, sched.Done}, []sched.Outcome{sched.Failed, sched.Failed}
	missing := []sched.Outcome{sched.Missing, sched.Failed}
	for name, c := range map[string]reserved{
		"each has its own": {chosen: each, want: done, a: "g0 for p0 kept", b: "g1 g2 for p1 kept", patches: 4},
		"both share one": {chosen: []ledger.Chosen{wants("a", gpus("g0"), nil), wants("a", gpus("g0"), nil)}, want: done,
			a: "g0 for p0 p1 kept", b: "for", patches: 2},
		"one was allocated before": {chosen: []ledger.Chosen{wants("a", nil, gpus("g7")), wants("a", nil, gpus("g7"))},
			begin: func(s *shop) { s.claims["a"] = heldBy(s.claims["a"], gpus("g7"), "other") },
			want:  done, a: "g7 for other p0 p1", b: "for", patches: 1},
		"all was written before": {chosen: []ledger.Chosen{wants("a", nil, gpus("g7")), wants("a", gpus("g7"), nil)},
			begin: func(s *shop) { s.claims["a"] = heldBy(s.claims["a"], gpus("g7"), "p0", "p1") },
			want:  done, a: "g7 for p0 p1", b: "for", patches: 0},
		"other devices were written for it alone, as was seen": {
			chosen: []ledger.Chosen{wants("a", gpus("g0"), gpus("g9")), each[1]},
			begin:  func(s *shop) { s.claims["a"] = heldBy(s.claims["a"], gpus("g9"), "p0") },
			want:   done, a: "g0 for p0 kept", b: "g1 g2 for p1 kept", patches: 5},
		"what was seen is old": {chosen: each, begin: func(s *shop) {
			s.seen = map[string]*resourcev1.ResourceClaim{"a": s.claims["a"], "b": s.claims["b"]}
			s.claims["a"] = s.claims["a"].DeepCopy()
			s.claims["a"].ResourceVersion = "5"
		}, then: func(s *shop) { s.seen = nil }, want: done, a: "g0 for p0 kept", b: "g1 g2 for p1 kept", patches: 5},
		"the engine was not told yet": {chosen: each, begin: func(s *shop) {
			s.seen = map[string]*resourcev1.ResourceClaim{"a": s.claims["a"], "b": s.claims["b"]}
		}, then: func(s *shop) { s.seen = nil }, want: done, a: "g0 for p0 kept", b: "g1 g2 for p1 kept", patches: 4},
		"an answer is lost": {chosen: each, begin: func(s *shop) { s.after = onThe(2, context.DeadlineExceeded) },
			want: done, a: "g0 for p0 kept", b: "g1 g2 for p1 kept", patches: 4},
		"a request is": {chosen: each, begin: func(s *shop) { s.before = onThe(2, context.DeadlineExceeded) },
			want: done, a: "g0 for p0 kept", b: "g1 g2 for p1 kept", patches: 5},

		"somebody else has it with other devices": {chosen: each,
			begin: func(s *shop) { s.claims["b"] = heldBy(s.claims["b"], gpus("g9"), "other") },
			want:  failed, a: "for kept", b: "g9 for other", patches: 3},
		"other devices were written for it alone meanwhile": {chosen: each,
			begin: func(s *shop) { s.claims["a"] = heldBy(s.claims["a"], gpus("g9"), "p0") },
			want:  failed, a: "g9 for p0", b: "for kept", patches: 3},
		"other devices were written for no pod yet": {chosen: each,
			begin: func(s *shop) { s.claims["b"] = heldBy(s.claims["b"], gpus("g9")) },
			want:  failed, a: "for kept", b: "g9 for", patches: 3},
		"it has others than it had": {chosen: []ledger.Chosen{wants("a", nil, gpus("g7")), each[1]},
			begin: func(s *shop) { s.claims["a"] = heldBy(s.claims["a"], gpus("g8"), "other") },
			want:  failed, a: "g8 for other", b: "for kept", patches: 3},
		"it was to be moved, and is used meanwhile": {chosen: []ledger.Chosen{wants("a", gpus("g0"), gpus("g9")), each[1]},
			begin: func(s *shop) { s.claims["a"] = heldBy(s.claims["a"], gpus("g9"), "other") },
			want:  failed, a: "g9 for other", b: "for kept", patches: 3},
		"the same devices were written for another pod that shares it": {chosen: each,
			begin: func(s *shop) { s.claims["a"] = heldBy(s.claims["a"], gpus("g0"), "other") },
			want:  done, a: "g0 for other p0", b: "g1 g2 for p1 kept", patches: 3},
		"others are written while it is made ready": {chosen: readied,
			then: func(s *shop) {
				c := heldBy(s.claims["a"].DeepCopy(), gpus("g9"))
				c.ResourceVersion, c.Status.ReservedFor = "90", nil
				s.claims["a"] = c
			}, want: failed, a: "g9 for kept", b: "for kept", patches: 5},
		"its devices were taken back": {chosen: []ledger.Chosen{wants("a", gpus("g0"), nil), wants("b", nil, gpus("g1"))},
			want: failed, a: "for kept", b: "for", patches: 3},
		"a claim is gone": {chosen: each, begin: func(s *shop) { delete(s.claims, "b") },
			want: failed, a: "for kept", b: "gone", patches: 3},
		"a claim is another by now": {chosen: each, begin: func(s *shop) { s.claims["b"].UID = "second" }, want: failed,
			a: "for kept", b: "for", patches: 3},
		"a pod is gone":    {chosen: each, begin: func(s *shop) { s.gone = true }, want: missing, a: "for", b: "for"},
		"a pod goes later": {chosen: each, begin: goesAfter(4), want: missing, a: "for kept", b: "for kept", patches: 6},
		"no devices were chosen": {chosen: []ledger.Chosen{ledger.Choose(devices.Name, `{"refused":"NodeDevices"}`), each[1]},
			want: failed, a: "for", b: "for", patches: 0},
		"it may not be written": {chosen: each, begin: func(s *shop) {
			s.before = func(int) error { return apierrors.NewForbidden(schema.GroupResource{}, "b", errors.New("no")) }
		}, want: failed, refused: "claim a: forbidden: no", a: "for", b: "for", patches: 2},

		"a device is made ready": {chosen: readied, then: func(s *shop) { says(s, "attached") },
			want: done, a: "g0 for p0 kept", b: "g1 g2 for p1 kept", patches: 4},
		"a device cannot be": {chosen: readied, then: func(s *shop) { says(s, "broken") },
			want: failed, a: "for kept", b: "for kept", patches: 6},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, c.play)
		})
	}
}

// The devices of a claim were taken back, and the watch does not show it yet: no pod is bound without devices.
func TestNoPodIsBoundToDevicesThatWereTakenBack(t *testing.T) {
	takenBack := func(s *shop) {
		s.seen = map[string]*resourcev1.ResourceClaim{"a": heldBy(deviceClaim("a"), gpus("g7"), "p0", "p1")}
		s.claims["a"].ResourceVersion = "5"
	}
	had, gives := wants("a", nil, gpus("g7")), wants("a", gpus("g7"), gpus("g7"))
	for name, c := range map[string]reserved{
		"it was to stay as it was": {chosen: []ledger.Chosen{had, had}, begin: takenBack,
			want: []sched.Outcome{sched.Failed, sched.Failed}, a: "for", b: "for", patches: 0},
		"the same devices are given again": {chosen: []ledger.Chosen{gives, gives}, begin: takenBack,
			then: func(s *shop) { s.seen = nil },
			want: []sched.Outcome{sched.Done, sched.Done}, a: "g7 for p0 p1 kept", b: "for", patches: 2},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, c.play) })
	}
}

func onThe(nth int, err error) func(int) error {
	return func(n int) error {
		if n == nth {
			return err
		}
		return nil
	}
}

// goesAfter has the first pod go with a request.
func goesAfter(nth int) func(*shop) {
	return func(s *shop) {
		s.after = func(n int) error { s.gone = s.gone || n == nth; return nil }
	}
}

// uids says of every pod that its uid is its name.
type uids struct{ *shop }

func (u uids) PodUID(_, name string) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.gone && name == "p0" {
		return ""
	}
	return name
}

// The members of a gang that could not be bound are answered for together, however often each
// of them was refused before: a gang of which one is taken for bound would get the other alone.
func TestAGangThatFailedIsAnsweredForTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, s := newServer(), &shop{}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		carrier := api.carrierWith(ctx, uids{s})
		var items []sched.Item
		for i := range 2 {
			name := fmt.Sprint("p", i)
			items = append(items, sched.Item{ID: uint64(i), Statement: 1, Kind: sched.BindPod, Node: "n", UID: name,
				Pod:    ledger.Key{Namespace: "ns", Name: name},
				Chosen: ledger.Choose(devices.Name, `{"refused":"NodeDevices"}`)})
		}
		for range 3 { // the first fails by itself
			carrier.Execute(items[:1])
			<-carrier.Wake()
			carrier.Receipts()
		}
		carrier.Execute(items)
		<-carrier.Wake()
		if got := carrier.Receipts(); len(got) != 2 {
			t.Errorf("the first receipts are %v, want both", got)
		}
		carrier.WaitForStatuses(ctx)
	})
}
