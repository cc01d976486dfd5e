package observe

import (
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

func deviceClaim(version string) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c", UID: "life",
		ResourceVersion: version}}
}

// claimsOf is an observer of a server with a claim, which it watches, and what it told an
// engine that has the newest version of each object.
func claimsOf(t *testing.T, there *resourcev1.ResourceClaim) (w *Observer, tells func() string) {
	t.Helper()
	w, err := New(Options{Kube: fake.NewClientset(there), Volcano: volcano.NewSimpleClientset()})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds() {
		if k.name == translate.KindResourceClaim {
			if err := w.watch(k); err != nil {
				t.Fatal(err)
			}
		}
	}
	var held model.Fact
	return w, func() string {
		facts, _ := w.Drain()
		for _, f := range facts {
			if f.Version >= held.Version {
				held = f
			}
		}
		if held.Object == nil {
			return ""
		}
		return held.Object.(*model.Opaque).Content.(*resourcev1.ResourceClaim).ResourceVersion
	}
}

// A claim may be used to bind a pod once the engine is about to be told of it, not before.
func TestAClaimIsShownWhenItIsHandedOn(t *testing.T) {
	w, tells := claimsOf(t, deviceClaim("7"))
	h := w.claimHandler()
	if w.DeviceClaim("ns", "c") != nil {
		t.Error("it is shown before anything was reported")
	}
	h.OnAdd(deviceClaim("7"), true)
	if got := tells(); got != "7" || w.DeviceClaim("ns", "c") == nil {
		t.Errorf("told is %q", got)
	}
	said := deviceClaim("8") // a driver says something of its devices
	said.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Driver: "d"}}
	h.OnUpdate(deviceClaim("7"), said)
	if got := tells(); got != "7" || w.DeviceClaim("ns", "c").ResourceVersion != "8" {
		t.Errorf("what is no news is told as %q and shown as %s", got, w.DeviceClaim("ns", "c").ResourceVersion)
	}
	h.OnDelete(said)
	if got := tells(); got != "" || w.DeviceClaim("ns", "c") != nil {
		t.Errorf("gone, it is told as %q", got)
	}
}

// What was read past the watch does not outlive the claim: the watch may know less of it
// when it ends, or may never have known it.
func TestAClaimReadPastTheWatchIsNoPhantom(t *testing.T) {
	w, tells := claimsOf(t, deviceClaim("7"))
	w.claimHandler().OnAdd(deviceClaim("5"), true)
	if err := w.Refresh(t.Context(), always); err != nil {
		t.Fatal(err)
	}
	if got := tells(); got != "7" {
		t.Fatalf("told is %q, want what the server has", got)
	}
	w.claimHandler().OnDelete(cache.DeletedFinalStateUnknown{Key: "ns/c", Obj: deviceClaim("5")})
	if got := tells(); got != "" || w.DeviceClaim("ns", "c") != nil {
		t.Errorf("gone, it is told as %q", got)
	}
	if err := w.Refresh(t.Context(), always); err != nil || tells() == "" || w.DeviceClaim("ns", "c") == nil {
		t.Fatal("it is there and not told of, or cannot be used", err)
	}
	is := func(uid string) func(model.Ref) (string, error) {
		return func(model.Ref) (string, error) { return uid, nil }
	}
	w.confirm(time.Now(), is("life"))
	if got := tells(); got != "7" {
		t.Errorf("still there, it is told as %q", got)
	}
	w.confirm(time.Now(), is(""))
	if got := tells(); got != "" || w.DeviceClaim("ns", "c") != nil {
		t.Errorf("not there any more, it is told as %q", got)
	}
}

// A claim has devices when it is read past the watch, and then none. A watch that was lost shows only that it has none,
// as before: the engine, which was told of the devices, is told that they are free.
func TestDevicesGivenBackWhileTheWatchWasLostAreFree(t *testing.T) {
	has := deviceClaim("7")
	has.Status.Allocation = &resourcev1.AllocationResult{}
	for name, passed := range map[string]bool{"after the claim was read": false, "while it was read": true} {
		t.Run(name, func(t *testing.T) {
			w, tells := claimsOf(t, has)
			h := w.claimHandler()
			show := func(now *resourcev1.ResourceClaim, report func()) {
				if err := w.store(translate.KindResourceClaim).Add(now); err != nil {
					t.Fatal(err)
				}
				report()
			}
			show(deviceClaim("5"), func() { h.OnAdd(deviceClaim("5"), true) })
			later := func() {
				show(deviceClaim("8"), func() { h.OnUpdate(deviceClaim("5"), deviceClaim("8")) })
			}
			if passed {
				later()
				handOverClaim(w, has)
			} else if err := w.Refresh(t.Context(), always); err != nil || tells() != "7" {
				t.Fatal("what was read is not told of", err)
			} else {
				later()
			}
			if got := tells(); got != "8" {
				t.Errorf("told is %q", got)
			}
		})
	}
}
