package bench

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// profile is Volcano's built-in default, as far as it is built.
func profile() policy.Profile {
	return policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
		{{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}},
	}}
}

// world is an engine with a stream of facts to feed it.
type world struct {
	*sched.Engine
	nodes   int
	version uint64
	now     int64
}

func newWorld(b testing.TB, nodes int) *world { return newWorldWith(b, nodes, profile()) }

func newWorldWith(b testing.TB, nodes int, p policy.Profile, with ...sched.Option) *world {
	e, err := sched.New(p, with...)
	if err != nil {
		b.Fatal(err)
	}
	w := &world{Engine: e, nodes: nodes}
	w.put(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	for i := range nodes {
		w.machine(i)
	}
	return w
}

// host is a node's name, of which every object has the same copy, as translate sees to.
func host(i int) string {
	for n := len(hostNames); n <= i; n++ {
		hostNames = append(hostNames, fmt.Sprintf("node-%05d", n))
	}
	return hostNames[i]
}

var hostNames []string

// machine tells of a node, the same whenever it is told of: with the labels that a
// cloud gives it.
func (w *world) machine(i int) {
	name := host(i)
	w.put(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name},
		Labels: []model.Label{{Key: "kubernetes.io/arch", Value: "amd64"}, {Key: "kubernetes.io/hostname", Value: name},
			{Key: "kubernetes.io/os", Value: "linux"}, {Key: "node.kubernetes.io/instance-type", Value: "gpu-8"},
			{Key: "topology.kubernetes.io/zone", Value: fmt.Sprintf("zone-%d", i%3)}},
		Allocatable: resource.List{{Name: "cpu", Value: 64_000}, {Name: "memory", Value: 256 << 30},
			{Name: "nvidia.com/gpu", Value: 8_000}, {Name: "pods", Value: 110}}})
}

func (w *world) put(k model.Kind, ns, name string, o model.Object) {
	w.version++
	w.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: w.version, Object: o})
}

func (w *world) gone(k model.Kind, ns, name string) { w.put(k, ns, name, nil) }

var small = &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}, {Name: "memory", Value: 2 << 30},
	{Name: "pods", Value: 1}}}

// sized is a template of which there is only one.
func sized(i int64) *model.Spec {
	return &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}, {Name: "memory", Value: 2<<30 + i},
		{Name: "pods", Value: 1}}}
}

// huge is one of many templates that ask for more than any node offers.
func huge(i int) *model.Spec {
	return &model.Spec{Requests: resource.List{{Name: "cpu", Value: 65_000 + int64(i%100)},
		{Name: "memory", Value: 2 << 30}, {Name: "pods", Value: 1}}}
}

func (w *world) gang(name string, members, least int, spec *model.Spec) {
	w.gangIn("", name, members, least, spec)
}

func (w *world) gangIn(queue, name string, members, least int, spec *model.Spec) {
	w.put(model.KindPodGroup, "bench", name, &model.PodGroup{
		Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, Queue: queue, MinMember: int32(least),
		Phase: model.GroupInqueue})
	for i := range members {
		w.pod(fmt.Sprintf("%s-%d", name, i), name, int64(i), "", spec)
	}
}

func (w *world) pod(name, group string, index int64, node string, spec *model.Spec) {
	p := &model.Pod{Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, Ours: true, Group: group,
		Index: index, Node: node, Spec: spec, Preemptable: true}
	if node != "" {
		p.Phase = model.PodRunning
	}
	w.put(model.KindPod, "bench", name, p)
}

func (w *world) clear(name string, members int) {
	for i := range members {
		w.gone(model.KindPod, "bench", fmt.Sprintf("%s-%d", name, i))
	}
	w.gone(model.KindPodGroup, "bench", name)
}

// stopwatch is the processor time that a benchmark's timed parts took, the collector's
// included: what is left to compare when others use the machine too.
type stopwatch struct{ spent, from time.Duration }

// start and stop leave out what the benchmark's own timer takes: it stops the program to read statistics of memory.
func (s *stopwatch) start(b *testing.B) {
	b.StartTimer()
	s.from = processor()
}

func (s *stopwatch) stop(b *testing.B) {
	s.spent += processor() - s.from
	b.StopTimer()
}

func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perPod reports pods a second of time and of processor time.
func (s *stopwatch) perPod(b *testing.B, pods int) {
	b.ReportMetric(float64(b.N*pods)/b.Elapsed().Seconds(), "pods/s")
	b.ReportMetric(float64(b.N*pods)/s.spent.Seconds(), "pods/cpu-s")
}

// cycle decides and returns the number of binds.
func (w *world) cycle() int {
	w.now += 1_000_000_000
	plan, _, _ := w.Decide(w.now)
	n := 0
	for i := range plan.Items {
		if plan.Items[i].Kind == sched.BindPod {
			n++
		}
	}
	return n
}
