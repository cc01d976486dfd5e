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
