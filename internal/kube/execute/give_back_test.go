package execute_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// bindMade has p0 bound with a claim that is made for it, once those that are left are deleted.
func bindMade(x *execute.Executor, n int, left ...devices.Claimed) sched.Outcome {
	gives, _ := json.Marshal(gpus(fmt.Sprint("g", n)))
	x.Execute([]sched.Item{bindWith(uint64(n+1), "p0", makes(devices.Writes{Left: left,
		Claims: []devices.Write{{Special: ofP0, Allocation: gives}}}))})
	return outcomes(x, 1)["p0"]
}

// stepwise applies a JSON patch to a claim, in whatever version it is.
func (s *shop) stepwise(old *resourcev1.ResourceClaim, text, patch []byte) (bool, runtime.Object, error) {
	now := &resourcev1.ResourceClaim{}
	steps, err := jsonpatch.DecodePatch(patch)
	if err == nil {
		text, err = steps.Apply(text)
	}
	if err == nil {
		err = json.Unmarshal(text, now)
	}
	if err != nil {
		return true, nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "",
			err.Error(), 0, false)
	}
	n, _ := strconv.Atoi(old.ResourceVersion)
	now.ResourceVersion = strconv.Itoa(n + 1)
	s.claims[now.Name] = now
	return true, now.DeepCopy(), s.after(s.patches)
}

// all is how the claims stand, in order.
func (m *maker) all() (out []string) {
	m.alone(func() {
		for _, c := range m.claims {
			stood := stands(c)
			if c.DeletionTimestamp != nil {
				stood += " going"
			}
			out = append(out, stood)
		}
	})
	slices.Sort(out)
	return out
}

// A tenant takes the mark off the claims that are made for its pod, and the pod cannot be bound. No try keeps devices.
func TestDevicesAreTakenBackThoughTheMarkIsTakenOff(t *testing.T) {
	no := false
	for name, unmark := range map[string]func(*resourcev1.ResourceClaim){
		"the annotation": func(c *resourcev1.ResourceClaim) { c.Annotations = nil },
		"the owner":      func(c *resourcev1.ResourceClaim) { c.OwnerReferences = nil },
		"the controller": func(c *resourcev1.ResourceClaim) { c.OwnerReferences[0].Controller = &no },
	} {
		for _, prepared := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, prepared %t", name, prepared), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api, m := willing()
					api.answer = func(int) error { return apierrors.NewBadRequest("no") }
					m.keeps = prepared
					m.make(api.kube)
					m.readable("")
					m.after = func(int) error {
						for _, c := range m.claims {
							if c.Annotations != nil && c.OwnerReferences != nil && *c.OwnerReferences[0].Controller {
								unmark(c)
								c.ResourceVersion += "0"
							}
						}
						return nil
					}
					x := api.carrierWith(t.Context(), m)
					for n := range 3 {
						if became := bindMade(x, n); became != sched.Failed {
							t.Errorf("the binding became %v", became)
						}
						x.Wait(t.Context())
					}
					if got, want := m.all(), []string{"for kept", "for kept", "for kept"}; !slices.Equal(got, want) {
						t.Errorf("the claims stand as %q, want %q: without devices", got, want)
					}
				})
			})
		}
	}
}

// A tenant writes the claim that was made for its pod whenever it was read or written. The devices are taken back, and
// the claim is deleted, within seconds.
func TestAClaimThatIsWrittenAllTheTimeIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, m := willing()
		m.make(api.kube)
		m.readable("")
		restless := false
		write := func(int) error {
			for _, c := range m.claims {
				if restless {
					c.ResourceVersion += "0"
				}
			}
			return nil
		}
		api.answer = func(int) error {
			m.alone(func() { restless = true })
			return apierrors.NewBadRequest("no")
		}
		m.after = write
		api.kube.PrependReactor("get", "resourceclaims", func(a k8stesting.Action) (bool, runtime.Object, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			c := m.claims[a.(k8stesting.GetAction).GetName()]
			if c == nil {
				return false, nil, nil
			}
			defer func() { _ = write(0) }()
			return true, c.DeepCopy(), nil
		})
		x := api.carrierWith(t.Context(), m)
		if became := bindMade(x, 0); became != sched.Failed {
			t.Errorf("the binding became %v", became)
		}
		<-time.After(5 * time.Second)
		if got, want := m.all(), []string{"for kept going"}; !slices.Equal(got, want) {
			t.Errorf("the claim stands as %q, want %q: without devices, and being deleted", got, want)
		}
		x.Wait(t.Context())
	})
}

// Another pod came to use the claim that was made for one which is not bound: it stays as it is.
func TestAClaimThatAnotherPodUsesIsNotGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, m := willing()
		m.make(api.kube)
		api.answer = func(int) error {
			m.alone(func() {
				for _, c := range m.claims {
					heldBy(c, c.Status.Allocation, "other")
				}
			})
			return apierrors.NewBadRequest("no")
		}
		x := api.carrierWith(t.Context(), m)
		bindMade(x, 0)
		x.Wait(t.Context())
		if got, want := m.all(), []string{"g0 for p0 other kept"}; !slices.Equal(got, want) {
			t.Errorf("the claims stand as %q, want %q", got, want)
		}
	})
}

// Under a role that may not delete claims a binding failed once. The pod is bound the next time, and a claim that stays
// without devices is not tried to be deleted again while the pod waits; one that a webhook keeps is.
func TestAPodIsBoundWithoutTheRightToDeleteClaims(t *testing.T) {
	for says, want := range map[string]int{`User "ashlar" cannot delete resource "resourceclaims"`: 0,
		"admission webhook denied the request": 3} {
		t.Run(says, func(t *testing.T) { boundThoughNoClaimMayBeDeleted(t, says, want) })
	}
}

func boundThoughNoClaimMayBeDeleted(t *testing.T, says string, want int) {
	synctest.Test(t, func(t *testing.T) {
		api, m := willing()
		api.answer = onThe(1, apierrors.NewBadRequest("no"))
		m.mayDelete = apierrors.NewForbidden(claimsResource, "", errors.New(says))
		m.make(api.kube)
		m.readable("")
		x := api.carrierWith(t.Context(), m)
		if became := bindMade(x, 0); became != sched.Failed {
			t.Errorf("the first binding became %v", became)
		}
		x.Wait(t.Context())
		var left devices.Claimed
		m.alone(func() {
			for name, c := range m.claims {
				left = devices.Claimed{Name: name, UID: string(c.UID)}
			}
			m.deletes = 0
		})
		for range 3 {
			x.GiveBack(devices.Leftover{Pod: ledger.Key{Namespace: "ns", Name: "p0"}, UID: "p0", Empty: true, Claimed: left})
			x.Wait(t.Context())
		}
		if m.deletes != want {
			t.Errorf("%d more requests were sent to delete the claim, want %d", m.deletes, want)
		}
		if became := bindMade(x, 1, left); became != sched.Done {
			t.Errorf("the second binding became %v", became)
		}
		if got, want := m.all(), []string{"for", "g1 for p0 kept"}; !slices.Equal(got, want) {
			t.Errorf("the claims stand as %q, want %q", got, want)
		}
	})
}

// late is what another scheduler, which leads no more, or the pod's author does while a pod is bound with a claim that
// is made for it.
type late struct {
	written func(*maker) // once the claim has devices
	binding func(m *maker, nth int)
	want    sched.Outcome
	claims  []string
	posts   int64
	said    string // "": nothing was written into the status
}

func (c late) play(t *testing.T) {
	api, m := willing()
	m.readable("")
	m.make(api.kube)
	if c.written != nil {
		m.after = func(n int) error {
			if n == 2 {
				c.written(m)
			}
			return nil
		}
	}
	nth := 0
	api.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		b, is := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding)
		if !is {
			return false, nil, nil
		}
		api.posts.Add(1)
		m.mu.Lock()
		defer m.mu.Unlock()
		if nth++; c.binding != nil {
			c.binding(m, nth)
		}
		if m.pod.Spec.NodeName != "" || b.ResourceVersion != "" && b.ResourceVersion != m.pod.ResourceVersion {
			return true, nil, apierrors.NewConflict(podsResource, b.Name, errors.New("it has a node, or another version"))
		}
		m.pod.Spec.NodeName = b.Target.Name
		return true, nil, nil
	})
	x := api.carrierWith(t.Context(), m)
	if became := bindMade(x, 0); became != c.want {
		t.Errorf("the binding became %v, want %v", became, c.want)
	}
	x.Wait(t.Context())
	if got := m.all(); !slices.Equal(got, c.claims) || api.posts.Load() != c.posts || (m.said == "") != (c.said == "") {
		t.Errorf("the claims stand as %q after %d bindings, %q was said; want %q, %d and %q", got, api.posts.Load(), m.said,
			c.claims, c.posts, c.said)
	}
	s := m.pod.Status.ExtendedResourceClaimStatus
	if c.want == sched.Done && (s == nil || m.claims[s.ResourceClaimName] == nil) {
		t.Errorf("the pod is bound, and its status names no claim that is there: %v", s)
	}
}

// The scheduler before bound the pod late, or the pod is written while it is bound. A pod that has a node keeps its
// status, and the claim that this names.
func TestABindingThatComesLateLosesNoClaim(t *testing.T) {
	elsewhere := func(m *maker) { m.pod.Spec.NodeName, m.pod.ResourceVersion = "n0", "7" }
	other := &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "of the scheduler after"}
	for name, c := range map[string]late{
		"all goes well": {want: sched.Done, claims: []string{"g0 for p0 kept"}, posts: 1, said: "it"},
		"it is bound before its status is written": {written: elsewhere, want: sched.Failed},
		"it is bound once its status is written": {binding: func(m *maker, _ int) { elsewhere(m) }, want: sched.Failed,
			claims: []string{"g0 for p0 kept"}, posts: 1, said: "it"},
		"its author writes it once": {binding: func(m *maker, nth int) {
			if nth == 1 {
				m.pod.ResourceVersion = "7"
			}
		}, want: sched.Done, claims: []string{"g0 for p0 kept"}, posts: 2, said: "it"},
		"its author writes it all the time": {binding: func(m *maker, _ int) { m.pod.ResourceVersion += "0" },
			want: sched.Done, claims: []string{"g0 for p0 kept"}, posts: 4, said: "it"},
		"a scheduler that leads by now has made another claim": {binding: func(m *maker, _ int) {
			m.pod.ResourceVersion, m.pod.Status.ExtendedResourceClaimStatus = "7", other
		}, want: sched.Failed, posts: 1, said: "it"},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, c.play) })
	}
}

// A binding of the scheduler before is under way, with a claim that it left: it names the version that the pod had when
// its status came to name that claim. The pod has another version before that claim loses its devices.
func TestABindingOfTheSchedulerBeforeIsFencedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, m := willing()
		m.make(api.kube)
		m.readable("old")
		m.claims["old"] = before("old")
		check := func(int) error {
			if m.claims["old"] != nil && m.pod.ResourceVersion == "1" {
				t.Error("the claim is given back, and the pod could still be bound with it")
			}
			return nil
		}
		m.after = check
		api.kube.PrependReactor("delete", "resourceclaims", func(k8stesting.Action) (bool, runtime.Object, error) {
			m.alone(func() { _ = check(0) })
			return false, nil, nil
		})
		x := api.carrierWith(t.Context(), m)
		if became := bindMade(x, 0, devices.Claimed{Name: "old", UID: "old"}); became != sched.Done {
			t.Errorf("the binding became %v", became)
		}
		x.Wait(t.Context())
		if got, want := m.all(), []string{"g0 for p0 kept"}; !slices.Equal(got, want) {
			t.Errorf("the claims stand as %q, want %q", got, want)
		}
	})
}

// A claim that was made and has devices cannot be given back, and the watch is late: its pod is answered only once the
// engine has seen the claim. Else the same devices would be chosen once more, for the claim of the next try.
func TestWhatCannotBeGivenBackIsSeenBeforeItsPodIsAnswered(t *testing.T) {
	const late = 30 * time.Second
	for name, panics := range map[string]bool{"it fails": false, "it panics": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, m := willing()
				m.make(api.kube)
				m.readable("")
				m.unseen, m.keeps = true, false
				no := apierrors.NewForbidden(claimsResource, "", errors.New("not now"))
				m.mayDelete = no
				m.before = func(patch int) error {
					if patch > 2 { // the finalizer and the devices are written
						return no
					}
					return nil
				}
				if panics {
					api.kube.PrependReactor("patch", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
						panic("a bug")
					})
				}
				x := api.carrierWith(t.Context(), m)
				began := time.Now()
				time.AfterFunc(late, func() { m.alone(func() { m.unseen = false }) })
				became, took := bindMade(x, 0), time.Since(began)
				if became != sched.Failed || took < late || !panics && took > late+5*time.Second {
					t.Errorf("the binding became %v after %s, want that it fails once the claim is seen, after %s", became, took, late)
				}
				if got, want := m.all(), []string{"g0 for p0 kept"}; !slices.Equal(got, want) {
					t.Errorf("the claims stand as %q, want %q", got, want)
				}
			})
		})
	}
}

// A bug shows while it is awaited that what was written is seen. What was written is taken back, and the pod is not
// bound: its devices are free for others.
func TestAPodIsNotBoundAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, m := willing()
		m.make(api.kube)
		m.readable("")
		bound := 0
		api.answer = func(int) error { bound++; return nil }
		x := api.carrierWith(t.Context(), &panicking{maker: m, at: 1})
		if became := bindMade(x, 0); became != sched.Failed || bound > 0 {
			t.Errorf("the binding became %v, and %d were sent", became, bound)
		}
		x.Wait(t.Context())
		if got := m.all(); len(got) > 0 {
			t.Errorf("there are claims %q", got)
		}
	})
}

// panicking is a maker that shows a bug once when it is asked for a claim.
type panicking struct {
	*maker
	at int
}

func (p *panicking) DeviceClaim(namespace, name string) *resourcev1.ResourceClaim {
	if p.at--; p.at == 0 {
		panic("a bug")
	}
	return p.maker.DeviceClaim(namespace, name)
}
