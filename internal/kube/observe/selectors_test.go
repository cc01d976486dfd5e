package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/devices"
)

// compiled is a compiler that knows what it compiled.
type compiled []string

func (c *compiled) Compiled(e string) bool { return slices.Contains(*c, e) }
func (c *compiled) Compile(e string)       { *c = append(*c, e) }

// selecting is a claim that selects by expressions.
func selecting(namespace, name string, expressions ...string) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	exactly := &resourcev1.ExactDeviceRequest{}
	for _, e := range expressions {
		exactly.Selectors = append(exactly.Selectors,
			resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: e}})
	}
	c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r", Exactly: exactly}}
	return c
}

// serve compiles the next expression in no time, and says which.
func (s *selectors) serve(c *compiled, longest int, took time.Duration) (next string,
	ready []*resourcev1.ResourceClaim) {
	namespace, next := s.next(longest)
	if next != "" {
		c.Compile(next)
		s.ready = func(claim any) { ready = append(ready, claim.(*resourcev1.ResourceClaim)) }
		s.compiled(namespace, next, took)
	}
	return next, ready
}

const long = 1 << 20

func TestAClaimIsShownOnceItsSelectorsAreCompiled(t *testing.T) {
	var c compiled
	s := newSelectors(&c, nil)
	claim := selecting("ns", "c", "a", "bb")
	s.note(claim)
	if s.shown(claim) == claim {
		t.Error("it is told of as it is before its selectors are compiled")
	}
	if next, ready := s.serve(&c, long, 0); next != "a" || len(ready) != 0 {
		t.Errorf("compiled was %q, and then %d claims are ready", next, len(ready))
	}
	if next, ready := s.serve(&c, long, 0); next != "bb" || len(ready) != 1 || s.shown(claim) != claim {
		t.Errorf("compiled was %q, and then %d claims are ready", next, len(ready))
	}
	if next, _ := s.serve(&c, long, 0); next != "" {
		t.Errorf("%q is compiled, and no claim waits for it", next)
	}
	other := selecting("other", "c", "a")
	if s.note(other); s.shown(other) != other {
		t.Error("what is compiled for one namespace is not for another")
	}
}

// A namespace that makes its claims anew all the time, or has a saved budget, does not come first again.
func TestNamespacesTakeTurnsInCompiling(t *testing.T) {
	for name, again := range map[string]bool{"many claims": false, "claims made anew": true} {
		t.Run(name, func(t *testing.T) {
			var c compiled
			s := newSelectors(&c, nil)
			s.note(selecting("honest", "early", "early"))
			s.serve(&c, long, time.Second)
			claims := func(i int) *resourcev1.ResourceClaim { return selecting("a", fmt.Sprint(i), fmt.Sprint("a", i)) }
			for i := range 50 {
				s.note(claims(i))
			}
			s.serve(&c, long, time.Second)
			s.note(selecting("honest", "c", "honest"))
			for i := range 3 {
				if again {
					for j := range 50 {
						s.forget(claims(j))
						s.note(claims(j))
					}
				}
				if next, _ := s.serve(&c, long, time.Second); next == "honest" {
					return
				} else if i == 2 {
					t.Errorf("%q is compiled before what another namespace waits for", next)
				}
			}
		})
	}
}

// Short expressions wait for no long ones, and however much one namespace has, others have room.
func TestCompilingIsBounded(t *testing.T) {
	var c compiled
	s := newSelectors(&c, nil)
	for n := range 30 {
		for i := range 100 {
			e := fmt.Sprint(n, ".", i, strings.Repeat("x", 9000))
			s.note(selecting(fmt.Sprint("a", n), fmt.Sprint(i), e))
		}
	}
	for n, tenant := range s.tenants {
		if tenant.size > mostOfTenant {
			t.Errorf("namespace %s may have %d compiled", n, tenant.size)
		}
	}
	if most := mostOfAll + len(s.tenants)*leastOfTenant; s.admitted > most || most > devices.MostPrograms {
		t.Errorf("%d may be compiled, and %d are kept", s.admitted, devices.MostPrograms)
	}
	s.note(selecting("honest", "short", "short"))
	s.note(selecting("honest", "longest", strings.Repeat("x", 10<<10)))
	if next, _ := s.serve(&c, short, 0); next != "short" {
		t.Errorf("%q is compiled", next)
	}
	for range 100 {
		if next, _ := s.serve(&c, long, time.Second); len(next) == 10<<10 {
			return
		}
	}
	t.Error("the longest expression of a namespace that has no other is not compiled")
}

// A driver writes to a claim in the moment in which its selectors are compiled: it is told of as one that can be met.
func TestAClaimThatIsWrittenWhileItIsCompiledIsTold(t *testing.T) {
	var c compiled
	var told []any
	s := newSelectors(&c, func(claim any) { told = append(told, claim) })
	s.note(selecting("ns", "c", "a"))
	namespace, next := s.next(long)
	c.Compile(next)
	s.note(selecting("ns", "c", "a")) // no news to the engine
	s.compiled(namespace, next, 0)
	if len(told) != 1 {
		t.Errorf("it is told %d times that the claim can be met, want once", len(told))
	}
}
