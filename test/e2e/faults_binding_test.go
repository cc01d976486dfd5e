package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/test/e2e/faults"
)

// What the tests of faults schedule: as many pods as there are cores, so that one bound
// twice, forgotten or counted wrongly leaves a pod without a node or a node overfull.
const (
	faultyGangs   = 12
	faultyMembers = 4
	faultyNodes   = 4
	coresOfNode   = faultyGangs * faultyMembers / faultyNodes
)

// underFaults binds gangs with faults at work from the fourth gang on, and then one gang more
// without them: the scheduler is alive, and what it believes is true.
func underFaults(t *testing.T, harm func(p *faults.Proxy), during func(p *faults.Proxy, gang int)) {
	t.Helper()
	w := sharedWorld(t)
	nodes := map[string]int64{}
	for i := range faultyNodes {
		name := fmt.Sprintf("%s-%d", w.ns, i)
		node(t, name, fmt.Sprint(coresOfNode))
		nodes[name] = coresOfNode
	}
	w.queue()
	p, err := faults.Start(w.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	seen := w.watch(nodes, faultyMembers)
	stop := w.schedule(p.Config())
	for g := range faultyGangs - 1 {
		if g == 3 {
			w.awaitBound(3 * faultyMembers)
			harm(p)
		}
		w.gang(fmt.Sprintf("gang-%02d", g), faultyMembers)
		if g >= 3 {
			during(p, g)
		}
	}
	w.awaitBound((faultyGangs - 1) * faultyMembers)
	w.gang("last", faultyMembers)
	w.awaitBound(faultyGangs * faultyMembers)
	stop()
	seen.testify(faultyGangs * faultyMembers)
}

// Whatever the API server or the network does to requests, the gangs are bound whole, nothing is
// bound twice and no node is overfull.
func TestFaultsRequests(t *testing.T) {
	lists := func(r *http.Request) bool {
		return r.Method == http.MethodGet && !faults.Watch(r) && strings.HasSuffix(r.URL.Path, "/pods")
	}
	reads := func(r *http.Request) bool { return r.Method == http.MethodGet && !faults.Watch(r) }
	type injected struct {
		matches     func(*http.Request) bool
		every, most int
		fault       faults.Fault
	}
	cases := map[string][]injected{
		"every other binding clashes": {{faults.Binding, 2, 20,
			faults.Refuse(409, metav1.StatusReasonConflict, 0)}},
		"every write clashes now and then": {{faults.Write, 3, 40, faults.Refuse(409, metav1.StatusReasonConflict, 0)}},
		"too many requests, come back in 1 s": {{faults.Write, 2, 30,
			faults.Refuse(429, metav1.StatusReasonTooManyRequests, 1)}},
		"internal errors": {{faults.Write, 3, 40,
			faults.Refuse(500, metav1.StatusReasonInternalError, 0)}},
		"an admission webhook denies some": {{faults.Binding, 4, 6,
			faults.Refuse(403, metav1.StatusReasonForbidden, 0)}},
		"every write takes 300 ms":             {{faults.Write, 1, 60, faults.Delay(300 * time.Millisecond)}},
		"requests are lost on the way":         {{faults.Write, 3, 40, faults.Lose}},
		"bindings are taken, the answers lost": {{faults.Binding, 2, 20, faults.LoseAnswer}},
		"phases are written, the answers lost": {{faults.GroupWrite, 2, 20, faults.LoseAnswer}},
		"one binding is taken without a word":  {{faults.Binding, 5, 1, faults.Silence}},
		"answers lost, and reading them too": {{faults.Binding, 2, 20, faults.LoseAnswer},
			{reads, 2, 20, faults.Refuse(500, metav1.StatusReasonInternalError, 0)}},
		"answers lost, watches and lists fail": {{faults.Binding, 2, 20, faults.LoseAnswer},
			{faults.Watch, 1, 6, faults.Refuse(410, metav1.StatusReasonExpired, 0)}, {lists, 1, 4, faults.Lose}},
		"everything is refused for a while": {{faults.Any, 1, 60,
			faults.Refuse(503, metav1.StatusReasonServiceUnavailable, 0)}},
		"everything is lost for a while":        {{faults.Any, 1, 60, faults.Lose}},
		"the server does all and says nothing ": {{faults.Write, 2, 30, faults.LoseAnswer}},
	}
	for name, list := range cases {
		t.Run(name, func(t *testing.T) {
			var at []*faults.Injection
			underFaults(t, func(p *faults.Proxy) {
				for _, i := range list {
					at = append(at, p.Inject(i.matches, i.every, i.most, i.fault))
				}
				p.DropWatches() // so that lists and watches are asked for anew
			}, func(*faults.Proxy, int) {})
			if at[0].Met() == 0 {
				t.Error("no request met the fault: the test shows nothing")
			}
		})
	}
}

// Watches and connections that break, after every gang.
func TestFaultsConnections(t *testing.T) {
	cases := map[string]func(*faults.Proxy) int{
		"watches are dropped":   (*faults.Proxy).DropWatches,
		"connections are reset": (*faults.Proxy).ResetConnections,
	}
	for name, harm := range cases {
		t.Run(name, func(t *testing.T) {
			broken := 0
			underFaults(t, func(*faults.Proxy) {}, func(p *faults.Proxy, _ int) { broken += harm(p) })
			if broken == 0 {
				t.Error("nothing was broken: the test shows nothing")
			}
		})
	}
}

// A scheduler that hears of one kind of object long after the others acts on what it knew: it
// must not bind beyond what there is, and has to catch up.
func TestFaultsAKindIsHeardOfLate(t *testing.T) {
	for _, kind := range []string{"pods", "podgroups", "nodes", "queues"} {
		t.Run(kind, func(t *testing.T) {
			letGo := func() {}
			underFaults(t, func(p *faults.Proxy) { letGo = p.HoldWatches(kind) }, func(_ *faults.Proxy, gang int) {
				if gang == faultyGangs-2 {
					letGo()
				}
			})
		})
	}
}
