package devices_test

import (
	"fmt"
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// loops is a selector that evaluates an expression n³ times; number tells it from others.
func loops(n, number int) string {
	list := "[0"
	for i := 1; i < n; i++ {
		list += fmt.Sprint(",", i)
	}
	list += "]"
	return fmt.Sprintf("%s.all(x, %s.all(y, %s.all(z, x+y+z < %d)))", list, list, list, 1000+number)
}

// hostile is a claim that costs much: a search without end, or selectors just below and far
// above what they may cost.
func hostile(i int) *resourcev1.ResourceClaim {
	name := fmt.Sprint("evil", i)
	switch i % 4 {
	case 0:
		return puzzle(name, 7, fmt.Sprintf("device.driver != 'x%d'", i))
	case 1:
		return puzzle(name, 12-i%5, fmt.Sprintf("device.driver != 'y%d'", i))
	case 2:
		return claim(name, 2, loops(8, i))
	}
	return claim(name, 2, loops(26, i))
}

// Hard claims of ten namespaces, and one that comes and goes in each cycle, keep no other pod waiting: each new pod is
// bound in the cycle in which it comes, also with a claim, and no cycle spends more than it may.
func TestHardClaimsKeepNoPodWaiting(t *testing.T) {
	const nodes, claims, spaces = 40, 60, 10
	w := newWorld(t, class("gpu"))
	for i := range nodes {
		n := fmt.Sprintf("n%04d", i)
		w.tell(node(n), slice(n, 8))
	}
	w.e.SetVerbosity(3)
	w.e.Decide(1)
	found, _ := w.e.Ledger().PluginStates.Find(devices.Name)
	book := found.(*devices.Devices)
	for i := range claims {
		c := hostile(i)
		p := pod(c.Name, c.Name)
		c.Namespace = fmt.Sprint("evil-", i%spaces)
		p.Namespace = c.Namespace
		w.tell(c, p)
	}
	now := int64(1_000_000_000)
	for i := range 100 {
		now += 30_000_000
		honest := pod(fmt.Sprint("honest", i))
		if i%2 == 1 {
			w.tell(claim(honest.Name, 1))
			honest = pod(honest.Name, honest.Name)
		}
		touch := claim("touch", 1)
		touch.Namespace, touch.ResourceVersion = "evil-0", fmt.Sprint(i+2)
		if i%3 == 0 {
			touch = allocated(touch, fmt.Sprintf("n%04d", i%nodes), []string{"gpu-0"}, "x")
		}
		w.tell(honest, touch)
		plan, _, _ := w.e.Decide(now)
		if !slices.ContainsFunc(plan.Items, func(x sched.Item) bool {
			return x.Kind == sched.BindPod && x.Pod.Name == honest.Name
		}) {
			t.Errorf("%s waits: %+v", honest.Name, w.why(honest.Name))
		}
		if spent, most := book.Spent(), devices.MostOfCycle; spent > most {
			t.Errorf("cycle %d spent %d steps, and may spend %d", i, spent, most)
		}
		for _, it := range plan.Items {
			w.e.Apply(gone(t, honest))
			w.e.Receive(sched.Receipt{Item: it, Outcome: sched.Missing})
		}
	}
}

// A selector that costs more than it may makes its claim unusable, on every node at once.
func TestACostlySelectorIsRefused(t *testing.T) {
	w := newWorld(t, node("n1"), node("n2"), class("gpu"), slice("n1", 8), slice("n2", 8),
		claim("dear", 1, loops(26, 0)), pod("p", "dear"), claim("cheap", 1, loops(5, 0)), pod("q", "cheap"))
	if got := binds(t, w.decide()); got != "q on n1: n1/gpu-0" && got != "q on n2: n2/gpu-0" {
		t.Errorf("bound was %q, want q alone", got)
	}
	if r := w.why("p"); r.Code != trace.ClaimUnusable {
		t.Errorf("it waits because %+v", r)
	}
}

// A claim of which the selectors are not compiled yet makes its pod wait, and is met after that.
func TestAnUncompiledClaimWaits(t *testing.T) {
	c := claim("c", 1, "device.driver != 'x'")
	w := newWorld(t, node("n1"), class("gpu"), slice("n1", 8), devices.Uncompiled(c), pod("p", "c"))
	if got := binds(t, w.decide()); got != "" {
		t.Errorf("bound was %q, want nothing", got)
	}
	if r := w.why("p"); r.Code != trace.ClaimCompiling {
		t.Errorf("it waits because %+v", r)
	}
	w.tell(c)
	if got := binds(t, w.decide()); got != "p on n1: n1/gpu-0" {
		t.Errorf("bound was %q, want p", got)
	}
}
