package devices_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// planning is a profile that plans the start of the first job that waits, to the second.
func planning() policy.Profile {
	p := profile("enqueue", "allocate", "backfill")
	p.ActionArguments = map[string]policy.Arguments{"backfill": {"backfill.depth": "1", "backfill.resolution": "1s"}}
	return p
}

// limited has a pod end so many seconds after it started.
func limited(p *corev1.Pod, seconds int64) *corev1.Pod {
	none := int64(0)
	p.Spec.ActiveDeadlineSeconds, p.Spec.TerminationGracePeriodSeconds = &seconds, &none
	return p
}

// cluster is a simulated one, of which claims give back their devices when their pods end.
type cluster struct {
	t testing.TB
	*sim.World
	started map[string]time.Duration // by pod
	planned map[string]time.Duration // by gang, the first planned start
}

func newCluster(t testing.TB, objects ...metav1.Object) *cluster {
	t.Helper()
	return newClusterOf(t, planning(), objects...)
}

func newClusterOf(t testing.TB, p policy.Profile, objects ...metav1.Object) *cluster {
	t.Helper()
	w, err := sim.New(p, nil, sim.Options{Audit: true,
		Engine: []sched.Option{sched.WithPlugin(filters.Predicates())},
		Written: func(i sched.Item, see func(model.Ref) any) []model.Fact {
			return devices.Written(i.Chosen, i.Pod, i.UID, see)
		},
		Freed: func(p *model.Pod, see func(model.Ref) any) []model.Fact { return devices.Freed(p.Opaque, p.UID, see) }})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t, w, map[string]time.Duration{}, map[string]time.Duration{}}
	c.submit(0, objects...)
	return c
}

func (c *cluster) submit(at time.Duration, objects ...metav1.Object) {
	for _, o := range objects {
		c.Submit(sim.Item{Fact: fact(c.t, o), SubmitAt: at})
	}
}

// run runs until a time, and notes which pods start and which starts are planned.
func (c *cluster) run(until time.Duration) {
	c.t.Helper()
	for at, more := c.Next(); more && at <= until; at, more = c.Next() {
		cycle, _ := c.Step()
		if cycle.Audit != nil {
			c.t.Fatalf("at %v: %v", cycle.At, cycle.Audit)
		}
		for _, i := range cycle.Plan.Items {
			if i.Kind == sched.BindPod {
				c.started[i.Pod.Name] = cycle.At
			}
		}
		for _, h := range c.Engine().Commitments().Tasks {
			if gang := h.Pod.Name[:len(h.Pod.Name)-2]; h.Start > 0 && c.planned[gang] == 0 {
				c.planned[gang] = time.Duration(h.Start)
			}
		}
	}
}

// busy is a cluster of two nodes with eight devices each, and eight pods with two, of which every hundred seconds one
// ends. Then a gang of four comes that asks for two each.
func busy(t testing.TB) *cluster {
	c := newCluster(t, two(8)...)
	for i := range 8 {
		p, claim := made(pod(fmt.Sprint("busy-", i)), 2)
		c.submit(0, limited(p, int64(100*(i+1))), claim)
	}
	for _, o := range gangOf("gang", 4, 4, 2) {
		if p, is := o.(*corev1.Pod); is {
			limited(p, 1000)
		}
		c.submit(10*time.Second, o)
	}
	return c
}

// TestAGangIsPlannedByDevices: small jobs keep coming that ask for devices, too. Those that have ended by the planned
// start of the gang pass, the others wait; the gang starts when it was planned.
func TestAGangIsPlannedByDevices(t *testing.T) {
	c := busy(t)
	var short, long []string
	for i := range 30 {
		at := time.Duration(20+17*i) * time.Second
		p, claim := made(pod(fmt.Sprintf("short-%d", i)), 2)
		c.submit(at, limited(p, 60), claim)
		short = append(short, p.Name)
		p, claim = made(pod(fmt.Sprintf("long-%d", i)), 2)
		c.submit(at, limited(p, 2000), claim)
		long = append(long, p.Name)
	}
	c.run(900 * time.Second)
	start, first := c.started["gang-0"], c.planned["gang"]
	if want := 401 * time.Second; first < want || first > want+2*time.Second {
		t.Errorf("the start of the gang is planned for %v, want about %v, when four of the pods have ended", first, want)
	}
	if start == 0 || start > first {
		t.Errorf("the gang starts at %v, want by %v, as it was planned", start, first)
	}
	passed := 0
	for _, p := range short {
		if at, ran := c.started[p]; ran && at < start {
			passed++
		}
	}
	if passed < 5 {
		t.Errorf("%d short pods ran before the gang, want what the devices allow that wait for it", passed)
	}
	for _, p := range long {
		if at, ran := c.started[p]; ran && at < start {
			t.Errorf("%s started at %v, before the gang, and takes what it waits for", p, at)
		}
	}
}

// TestAStartByDevicesIsEstimated: the engine that is run forward gives devices back when their pods end.
func TestAStartByDevicesIsEstimated(t *testing.T) {
	c := busy(t)
	c.run(60 * time.Second)
	starts, err := c.Starts(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, known := starts.Jobs[ledger.JobKey{Namespace: "ns", Name: "gang"}]
	if !known || s.Unknown != "" {
		t.Fatalf("the start of the gang is estimated as %+v", s)
	}
	c.run(900 * time.Second)
	if at := int64(c.started["gang-0"]); at < s.Earliest || at > s.Latest || at == 0 {
		t.Errorf("the gang starts at %v, estimated between %v and %v", c.started["gang-0"], time.Duration(s.Earliest),
			time.Duration(s.Latest))
	}
}

// A first job that waits for devices which never come free, as far as is known, is planned again once a second. Nothing
// changes by that, and what happens in hours is still foreseen.
func TestStartsBehindDevicesThatAreNeverFreeAreEstimated(t *testing.T) {
	c := newCluster(t, node("n1"), class("gpu"), slice("n1", 1))
	holds, claim := made(pod("holds"), 1)
	long := limited(pod("long"), 7200)
	long.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("60")
	c.submit(0, holds, claim, long)
	waits, claim := made(pod("waits"), 1)
	c.submit(10*time.Second, waits, claim)
	then := pod("then")
	then.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("30")
	c.submit(20*time.Second, then)
	c.run(60 * time.Second)
	starts, err := c.Starts(nil)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) trace.Start {
		for k, s := range starts.Jobs {
			if strings.Contains(k.Name, name) {
				return s
			}
		}
		t.Fatalf("%s does not wait: %+v", name, starts.Jobs)
		return trace.Start{}
	}
	if s := of("then"); s.Earliest < int64(7190*time.Second) || s.Latest > int64(7210*time.Second) {
		t.Errorf("then starts between %v and %v, want in two hours: %s", time.Duration(s.Earliest), time.Duration(s.Latest),
			s.Unknown)
	}
	if s := of("waits"); s.Unknown == "" {
		t.Errorf("waits starts between %v and %v, want never as far as is known", time.Duration(s.Earliest),
			time.Duration(s.Latest))
	}
	if starts.Cycles > 100 {
		t.Errorf("it takes %d cycles", starts.Cycles)
	}
}

// TestWhatIsFreeIsLeftToOthers: devices are kept for a planned start that pods give back before. What is free before is
// not needed then: a pod without a limit may have it.
func TestWhatIsFreeIsLeftToOthers(t *testing.T) {
	c := newCluster(t, node("n1"), class("gpu"), slice("n1", 6))
	first, has := made(pod("first"), 2) // the devices that come first in the list are free later
	c.submit(0, limited(first, 20), has)
	ends, has := made(pod("ends"), 4)
	c.submit(2*time.Second, limited(ends, 300), has)
	c.submit(30*time.Second, gangOf("gang", 2, 2, 2)...)
	late, has := made(pod("late"), 2)
	c.submit(40*time.Second, late, has)
	later, has := made(pod("later"), 1)
	c.submit(50*time.Second, later, has)
	c.run(600 * time.Second)
	if at := c.started["late"]; at == 0 || at > 42*time.Second {
		t.Errorf("late starts at %v, want at once, in what is free", at)
	}
	if at := c.started["gang-0"]; at == 0 || at > c.planned["gang"] {
		t.Errorf("the gang starts at %v, was planned for %v", at, c.planned["gang"])
	}
	if at := c.started["later"]; at != 0 {
		t.Errorf("later starts at %v, in what is kept", at)
	}
}

// TestAClaimOfTheWholeGangIsPlanned: it needs its devices once, however many members name it.
func TestAClaimOfTheWholeGangIsPlanned(t *testing.T) {
	c := newCluster(t, node("n1"), class("gpu"), slice("n1", 3))
	ends, has := made(pod("ends"), 3)
	c.submit(0, limited(ends, 100), has)
	group := gangOf("gang", 0, 3, 0)
	c.submit(10*time.Second, append(group, claim("all", 3), member("gang", pod("gang-0", "all")),
		member("gang", pod("gang-1", "all")), member("gang", pod("gang-2", "all")))...)
	c.run(200 * time.Second)
	if at, want := c.started["gang-2"], c.planned["gang"]; at == 0 || at > want {
		t.Errorf("the gang starts at %v, was planned for %v", at, want)
	}
}

// running is a pod that has devices of a node and ends at a second; 0: that is not known.
func running(name, on string, gpus []string, end int64) (*corev1.Pod, metav1.Object) {
	p, c := made(pod(name), int64(len(gpus)))
	p.Spec.NodeName, p.Status.Phase = on, corev1.PodRunning
	p.Status.StartTime = &metav1.Time{Time: time.Unix(0, 0)}
	if end > 0 {
		limited(p, end)
	}
	return p, allocated(c, on, gpus, string(p.UID))
}

// TestStartsByDevicesAreTheEarliest compares planned starts with what is counted at each end; an engine that takes over
// knows which devices are kept, and decides as the first one.
func TestStartsByDevicesAreTheEarliest(t *testing.T) {
	planned := 0
	rapid.Check(t, func(t *rapid.T) {
		n := func(least, most int) int { return rapid.IntRange(least, most).Draw(t, "n") }
		objects := []metav1.Object{class("gpu")}
		free := map[int64][]int{} // by end, how many devices come free on each node
		nodes, now := n(1, 3), int64(10)
		for i := range nodes {
			name, gpus := fmt.Sprint("n", i), n(1, 8)
			objects = append(objects, node(name), slice(name, gpus))
			for at := 0; at < gpus; {
				has, end := min(n(1, 3), gpus-at), int64(n(0, 5))*20
				var list []string
				for g := range has {
					list = append(list, fmt.Sprint("gpu-", at+g))
				}
				if n(0, 5) == 0 {
					end = now // they are free
				} else {
					p, c := running(fmt.Sprint("runs-", i, "-", at), name, list, end)
					objects = append(objects, p, c)
				}
				if free[end] == nil {
					free[end] = make([]int, nodes)
				}
				free[end][i] += has
				at += has
			}
		}
		members, each := n(1, 4), n(1, 3)
		objects = append(objects, gangOf("gang", members, members, int64(each))...)
		w := &world{nil, engine(t)}
		for _, o := range objects {
			w.e.Apply(fact(t, o))
		}
		plan, _, _ := w.e.Decide(now * 1e9)
		if found := w.e.Audit(); found != nil {
			t.Fatal(found)
		}
		want, start := obviousStart(free, nodes, members, each), int64(0)
		commitments := w.e.Commitments()
		for _, h := range commitments.Tasks {
			start = max(start, h.Start/1e9)
		}
		if bound(plan.Items) == members {
			start = now
		}
		if start != want {
			t.Fatalf("the start is planned for %d s, want %d s", start, want)
		}
		if start > now {
			planned++
		}
		next := engine(t)
		next.Apply(w.e.Facts()...)
		next.Restore(commitments)
		if found := next.Audit(); found != nil {
			t.Fatal(found)
		}
		p, c := made(pod("late"), 1)
		for _, e := range []*sched.Engine{w.e, next} {
			e.Apply(fact(t, p), fact(t, c))
		}
		a, _, _ := w.e.Decide((now + 1) * 1e9)
		b, _, _ := next.Decide((now + 1) * 1e9)
		if fmt.Sprint(a.Items) != fmt.Sprint(b.Items) {
			t.Fatalf("one that takes over decides %v, want %v", b.Items, a.Items)
		}
		undisturbed(t, w.e, now+2, n)
	})
	if planned == 0 {
		t.Error("no start was planned")
	}
}

// undisturbed checks that nothing is decided or planned, while nothing happens, before the time that an engine at rest
// names: that nothing is lost by not asking it until then. The time is in seconds.
func undisturbed(t *rapid.T, e *sched.Engine, now int64, n func(least, most int) int) {
	for still := 0; still < 3; now++ {
		if plan, _, _ := e.Decide(now * 1e9); len(plan.Items) > 0 {
			still = 0
		}
		still++
	}
	until, kept := (now+1000)*1e9, fmt.Sprint(e.Commitments().Tasks)
	if next := e.NextUndisturbed(); next != 0 {
		until = min(until, next)
	}
	for at := now*1e9 + int64(n(0, 100))*1e9; at < until; at += int64(n(1, 300)) * 1e9 {
		if plan, _, _ := e.Decide(at); len(plan.Items) > 0 || fmt.Sprint(e.Commitments().Tasks) != kept {
			t.Fatalf("at %d s it decides %v and keeps %v, where it kept %v: it named %d s", at/1e9, plan.Items,
				e.Commitments().Tasks, kept, e.NextUndisturbed()/1e9)
		}
	}
}

// When a start is looked for again, where none could be planned, follows from when one was looked for last, and not
// from when that was asked about: an engine that takes over names the same time.
func TestWhenAStartIsLookedForAgain(t *testing.T) {
	e := engine(t)
	p, c := running("runs", "n0", []string{"gpu-0"}, 0) // when it ends is not known
	waits, claim := made(pod("waits"), 1)
	for _, o := range []metav1.Object{class("gpu"), node("n0"), slice("n0", 1), p, c, waits, claim} {
		e.Apply(fact(t, o))
	}
	at := func(e *sched.Engine, passed time.Duration) int64 {
		_, _, next := e.Decide(int64(10*time.Second + passed))
		return next
	}
	at(e, 0)
	at(e, time.Second)
	other, its := made(pod("other"), 2)
	e.Apply(fact(t, other), fact(t, its))
	at(e, 1300*time.Millisecond)
	fresh := engine(t)
	fresh.Apply(e.Facts()...)
	fresh.Restore(e.Commitments())
	was, is := at(e, 1600*time.Millisecond), at(fresh, 1600*time.Millisecond)
	if want := int64(12 * time.Second); was != want || is != want {
		t.Errorf("the next cycle is at %v, and that of an engine which takes over at %v, want %v", time.Duration(was),
			time.Duration(is), time.Duration(want))
	}
}

// obviousStart is the first end by which so many members have room that ask for so many devices each, where free is how
// many come free on each node by end; 0: there is none.
func obviousStart(free map[int64][]int, nodes, members, each int) int64 {
	sum := make([]int, nodes)
	for _, end := range slices.Sorted(maps.Keys(free)) {
		room := 0
		for i := range sum {
			if end > 0 {
				sum[i] += free[end][i]
			}
			room += sum[i] / each
		}
		if room >= members {
			return end
		}
	}
	return 0
}

func engine(t rapid.TB) *sched.Engine {
	e, err := sched.New(planning(), sched.WithPlugin(filters.Predicates()))
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue},
		Object: &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1}})
	return e
}
