package devices_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// hostility is a way to make cycles long: what claims that cannot be met ask for, and what is done before each cycle.
type hostility struct {
	name  string
	claim func(i int) *resourcev1.ResourceClaim
	also  func(w *world, turn int) // turn 0: once, before there are claims
	with  []string                 // claims of each pod beside its own, in its own namespace
	plans bool                     // starts are planned, and pods have all devices for a time
}

// BenchmarkHostileClaims are cycles of a cluster of 1 000 nodes with devices in which a hundred claims of ten
// namespaces, no two alike and none to be met, are written in each cycle.
func BenchmarkHostileClaims(b *testing.B) {
	for _, h := range hostilities {
		b.Run(h.name, h.benchmark)
	}
}

var hostilities = []hostility{
	{name: "touched", claim: hostile},
	// All nodes reach a pool besides, of which a device is taken in one cycle and given back in the next.
	{name: "shared", claim: hostile, also: func(w *world, turn int) {
		if turn == 0 {
			w.tell(everywhere("fabric", 2))
			return
		}
		w.tell(holding("other", turn, turn%2 == 0, "gpu-1"))
	}},
	// The same where the claims would be met if all of that pool were free.
	{name: "almost", claim: ofFabric(3), also: func(w *world, turn int) {
		if turn == 0 {
			w.tell(everywhere("fabric", 4), holding("holder", 1, true, "gpu-0", "gpu-2"))
			return
		}
		w.tell(holding("other", turn, turn%2 == 0, "gpu-1"))
	}},
	// The same where the pool hardly ever stands as it did.
	{name: "changing", claim: ofFabric(12), also: func(w *world, turn int) {
		if turn == 0 {
			w.tell(everywhere("fabric", 16), holding("holder", 1, true, "gpu-0", "gpu-2", "gpu-4", "gpu-6", "gpu-8"))
			return
		}
		var has []string
		for bit := range 8 {
			if (turn^turn>>1)>>bit&1 == 1 {
				has = append(has, fmt.Sprint("gpu-", 1+bit*2))
			}
		}
		w.tell(holding("other", turn, len(has) > 0, has...))
	}},
	// Ten such pools, of which one changes at a time.
	{name: "pools", claim: ofFabric(20), also: func(w *world, turn int) {
		if turn == 0 {
			for i := range 10 {
				w.tell(everywhere(fmt.Sprint("fabric", i), 2))
			}
			return
		}
		for i := range 10 {
			if bit := 1 << i; (turn^turn>>1)&bit != (turn-1^(turn-1)>>1)&bit {
				w.tell(holdingOf(fmt.Sprint("fabric", i), fmt.Sprint("other", i), turn, (turn^turn>>1)&bit != 0, "gpu-1"))
			}
		}
	}},
	// Fifty racks of twenty nodes, each with a pool of its own that a selector of nodes names; of one rack's pool a
	// device is taken in one cycle and given back in the next.
	{name: "racks", claim: ofFabric(3), also: func(w *world, turn int) {
		if turn == 0 {
			for i := range 50 {
				w.tell(ofRack(i, 4), holdingOf(rackName(i), "holder"+rackName(i), 1, true, "gpu-0", "gpu-2"))
			}
			return
		}
		rack := turn / 2 % 50
		w.tell(holdingOf(rackName(rack), "other"+rackName(rack), turn, turn%2 == 0, "gpu-1"))
	}},
	// The pods have a claim besides that has its devices, and can be used everywhere.
	{name: "beside", claim: hostile, with: []string{"has"}, also: usedBy(0)},
	// The same where it can be used on one node.
	{name: "elsewhere", claim: hostile, with: []string{"has"}, also: usedBy(1)},
	{name: "constraints", claim: func(i int) *resourcev1.ResourceClaim {
		return puzzle(fmt.Sprint("evil", i), 7, fmt.Sprintf("device.driver != 'x%d'", i))
	}},
	{name: "alternatives", claim: func(i int) *resourcev1.ResourceClaim {
		c := claim(fmt.Sprint("evil", i), 1)
		c.Spec.Devices.Requests = nil
		for r := range 4 {
			of := resourcev1.DeviceRequest{Name: fmt.Sprint("r", r)}
			for a := range resourcev1.FirstAvailableDeviceRequestMaxSize {
				of.FirstAvailable = append(of.FirstAvailable, resourcev1.DeviceSubRequest{Name: fmt.Sprint("a", a),
					DeviceClassName: "gpu",
					AllocationMode:  resourcev1.DeviceAllocationModeExactCount, Count: int64(3 + a%4),
					Selectors: []resourcev1.DeviceSelector{
						{CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf("device.driver != 'x%d-%d-%d'", i, r, a)}}}})
			}
			c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, of)
		}
		return c
	}},
	{name: "administration", claim: func(i int) *resourcev1.ResourceClaim {
		c := puzzle(fmt.Sprint("evil", i), 7, fmt.Sprintf("device.driver != 'x%d'", i))
		yes := true
		for r := range c.Spec.Devices.Requests {
			c.Spec.Devices.Requests[r].Exactly.AdminAccess = &yes
		}
		return c
	}},
	// Devices that share counters, and claims for more of them than the counters allow.
	{name: "counters", claim: func(i int) *resourcev1.ResourceClaim {
		return puzzle(fmt.Sprint("evil", i), 6, fmt.Sprintf("device.driver != 'x%d'", i))
	}, also: func(w *world, turn int) {
		for i := 0; turn == 0 && i < hostileNodes; i++ {
			w.tell(counted(fmt.Sprintf("n%04d", i), 8, 5)...)
		}
	}},
	// A selector each that costs just less than it may.
	{name: "selectors", claim: func(i int) *resourcev1.ResourceClaim {
		return claim(fmt.Sprint("evil", i), 9, loops(8, i))
	}},
	// A driver that publishes the slices of fifty nodes in each cycle.
	{name: "published", claim: hostile, also: func(w *world, turn int) {
		if turn == 0 {
			return
		}
		for i := range 50 {
			s := slice(fmt.Sprintf("n%04d", (turn*50+i)%hostileNodes), 8)
			s.Spec.Pool.Generation, s.ResourceVersion = int64(turn+1), fmt.Sprint(turn+1)
			w.tell(s)
		}
	}},
}

// everywhere is a slice of a pool that all nodes reach.
func everywhere(pool string, n int) *resourcev1.ResourceSlice {
	yes, s := true, slice(pool, n)
	s.Spec.NodeName, s.Spec.AllNodes = nil, &yes
	return s
}

func rackName(i int) string { return fmt.Sprint("rack", i) }

// ofRack is a slice of a pool that twenty nodes reach, by a selector of their names.
func ofRack(i, n int) *resourcev1.ResourceSlice {
	s := slice(rackName(i), n)
	var names []string
	for k := range 20 {
		names = append(names, fmt.Sprintf("n%04d", i*20+k))
	}
	s.Spec.NodeName, s.Spec.NodeSelector = nil, &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "kubernetes.io/hostname", Operator: "In", Values: names}}}}}
	return s
}

// counted is slice for devices each of which takes one of a counter that is as large as says.
func counted(on string, n, counter int) []metav1.Object {
	s, of := slice(on, n), slice(on, 0)
	of.Name, of.UID = on+"-counters", types.UID(on+"-counters")
	value := map[string]resourcev1.Counter{"parts": {Value: resource.MustParse(fmt.Sprint(counter))}}
	of.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "all", Counters: value}}
	for i := range s.Spec.Devices {
		one := map[string]resourcev1.Counter{"parts": {Value: resource.MustParse("1")}}
		s.Spec.Devices[i].ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "all", Counters: one}}
	}
	for _, o := range []*resourcev1.ResourceSlice{s, of} {
		o.Spec.Pool.Generation, o.Spec.Pool.ResourceSliceCount, o.ResourceVersion = 2, 2, "2"
	}
	return []metav1.Object{s, of}
}

func holding(name string, version int, holds bool, gpus ...string) *resourcev1.ResourceClaim {
	return holdingOf("fabric", name, version, holds, gpus...)
}

// holdingOf is a claim that holds devices of a pool, or that holds none.
func holdingOf(pool, name string, version int, holds bool, gpus ...string) *resourcev1.ResourceClaim {
	c := claim(name, 1)
	c.ResourceVersion = fmt.Sprint(version)
	if holds {
		c = allocated(c, pool, gpus, "x")
	}
	return c
}

// ofFabric are claims for devices of which each node has eight of its own, and more in the pool that all reach.
func ofFabric(n int64) func(i int) *resourcev1.ResourceClaim {
	return func(i int) *resourcev1.ResourceClaim {
		return claim(fmt.Sprint("evil", i), 8+n, fmt.Sprintf("device.driver != 'x%d'", i))
	}
}

// usedBy gives each namespace a claim that has a device and is used by a pod that runs.
func usedBy(nodes int) func(w *world, turn int) {
	return func(w *world, turn int) {
		if turn > 0 {
			return
		}
		w.tell(everywhere("fabric", 32))
		for i := range hostileSpaces {
			c := allocated(claim("has", 1), "fabric", []string{fmt.Sprint("gpu-", i)}, "somebody")
			c.Namespace = fmt.Sprint("evil-", i)
			if nodes == 0 {
				c.Status.Allocation.NodeSelector = nil
			} else {
				c.Status.Allocation.NodeSelector.NodeSelectorTerms[0].MatchFields[0].Values[0] = "n0000"
			}
			w.tell(c)
		}
	}
}

const hostileNodes, hostileClaims, hostileSpaces = 1000, 100, 10

// hostileWorld is a world in which the claims of a hostility are written in each turn.
type hostileWorld struct {
	*world
	of     hostility
	book   *devices.Devices
	claims []*resourcev1.ResourceClaim
	come   []model.Fact // the claims and their pods, which the engine is not told of yet
	turn   int
	now    int64
}

// world has the selectors compiled, as the scheduler has before the engine is told of them.
func (h hostility) world(tb testing.TB) *hostileWorld {
	tb.Helper()
	programs := devices.NewPrograms()
	p := profile("enqueue", "allocate", "backfill")
	if h.plans {
		p = planning()
	}
	e, err := sched.New(p, sched.WithPlugin(filters.PredicatesWith(programs)))
	if err != nil {
		tb.Fatal(err)
	}
	w := &hostileWorld{world: &world{tb, e}, of: h, now: 1_000_000_000}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue},
		Object: &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1}})
	w.tell(class("gpu"))
	for i := range hostileNodes {
		n := fmt.Sprintf("n%04d", i)
		on := node(n)
		on.Labels = map[string]string{"kubernetes.io/hostname": n}
		w.tell(on, slice(n, 8))
		for k := 0; h.plans && k < 4; k++ {
			p, c := running(fmt.Sprint(n, "-", k), n, []string{fmt.Sprint("gpu-", 2*k), fmt.Sprint("gpu-", 2*k+1)},
				int64(1000+4*i+k))
			w.tell(p, c)
		}
	}
	if h.also != nil {
		h.also(w.world, 0)
	}
	e.Decide(1)
	found, _ := e.Ledger().PluginStates.Find(devices.Name)
	w.book = found.(*devices.Devices)
	for i := range hostileClaims {
		c := h.claim(i)
		p := pod(c.Name, append(slices.Clone(h.with), c.Name)...)
		c.Namespace = fmt.Sprint("evil-", i%hostileSpaces)
		p.Namespace = c.Namespace
		for r := range c.Spec.Devices.Requests {
			compile(programs, &c.Spec.Devices.Requests[r])
		}
		w.claims = append(w.claims, c)
		w.come = append(w.come, fact(tb, c), fact(tb, p))
	}
	return w
}

func compile(p *devices.Programs, r *resourcev1.DeviceRequest) {
	of := func(list []resourcev1.DeviceSelector) {
		for _, s := range list {
			p.Compile(s.CEL.Expression)
		}
	}
	if r.Exactly != nil {
		of(r.Exactly.Selectors)
	}
	for _, o := range r.FirstAvailable {
		of(o.Selectors)
	}
}

// written are the claims as they are written in the next turn. All else that is done in it, is done.
func (w *hostileWorld) written() []model.Fact {
	w.turn++
	if w.of.also != nil {
		w.of.also(w.world, w.turn)
	}
	out := w.come
	if w.come = nil; len(out) > 0 {
		return out
	}
	for _, c := range w.claims {
		t := c.DeepCopy()
		t.ResourceVersion = fmt.Sprint(w.turn + 1)
		out = append(out, fact(w.t, t))
	}
	return out
}

func (h hostility) benchmark(b *testing.B) {
	w := h.world(b)
	cycle := func() time.Duration {
		w.now += 30_000_000
		began := time.Now()
		w.e.Decide(w.now)
		return time.Since(began)
	}
	for range 300 { // what can be found out within the budgets is found out
		w.e.Apply(w.written()...)
		cycle()
	}
	var longest, sum, used, most time.Duration
	var steps, asked int64
	for b.Loop() {
		w.e.Apply(w.written()...)
		before := processorTime(b)
		took := cycle()
		spent := processorTime(b) - before
		longest, most, sum, used = max(longest, took), max(most, spent), sum+took, used+spent
		steps, asked = max(steps, w.book.Spent()), max(asked, w.book.Asked())
	}
	b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/cycle")
	b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), "ms/cycle")
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
	b.ReportMetric(float64(most.Microseconds())/1000, "cpu-ms-most")
	b.ReportMetric(float64(steps), "steps-most")
	b.ReportMetric(float64(asked), "asked-most")
}

// processorTime is what the process has used, in all its threads: on a busy machine it says more than a clock.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
