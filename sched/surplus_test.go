package sched

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

const milli = second / 1000

// arrivalCluster is a cluster of one node to which jobs come one by one, under a scheduler that lets
// minimums go first within a second.
type arrivalCluster struct {
	t       rapid.TB
	e       *Engine
	version uint64
	pods    map[string]*model.Pod
}

func newArrivalCluster(t rapid.TB, cores int, with ...Option) *arrivalCluster {
	e, err := New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "nodeorder"}}}}, with...)
	if err != nil {
		t.Fatal(err)
	}
	b := &arrivalCluster{t: t, e: e, pods: map[string]*model.Pod{}}
	b.tell(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: resource.List{
		{Name: resource.CPUName, Value: int64(cores) * 1000}, {Name: resource.PodsName, Value: 500}}})
	b.tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q"}, Weight: 1})
	return b
}

func paced() Option { return WithPeriod(second, 100*milli) }

func (b *arrivalCluster) tell(k model.Kind, namespace, name string, o model.Object) {
	b.version++
	b.e.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name,
		Version: b.version, Object: o})
}

func (b *arrivalCluster) group(name string, least int) {
	b.tell(model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
		Queue: "q", MinMember: int32(least), Phase: model.GroupPending})
}

// members adds pods of a core to a job, numbered from first.
func (b *arrivalCluster) members(name string, first, n int) {
	for i := range n {
		p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprintf("%s-%d", name, first+i)}, Ours: true, Group: name,
			Index: int64(first + i), Spec: &model.Spec{Requests: units(1000, 0, 1)}}
		b.pods[p.Name] = p
		b.tell(model.KindPod, "ns", p.Name, p)
	}
}

// decide runs a cycle, and shows what it bound.
func (b *arrivalCluster) decide(now int64) (bound []string, next int64) {
	plan, _, next := b.e.Decide(now)
	for _, i := range plan.Items {
		if i.Kind == BindPod {
			bound = append(bound, i.Pod.Name)
		}
	}
	for _, name := range bound {
		p := *b.pods[name]
		p.Node, p.Phase = "n", model.PodRunning
		b.pods[name] = &p
		b.tell(model.KindPod, "ns", name, &p)
	}
	return bound, next
}

func (b *arrivalCluster) want(now int64, next int64, bound ...string) {
	b.t.Helper()
	got, at := b.decide(now)
	if slices.Sort(got); !slices.Equal(got, bound) || at != next {
		b.t.Fatalf("at %d ms it binds %v, and is to be asked again at %d ms; want %v, %d ms", now/milli, got,
			at/milli, bound, next/milli)
	}
}

// Jobs that come within a second all have their minimum before one of them has more.
func TestMinimumsOfABurstGoBeforeSurplus(t *testing.T) {
	b := newArrivalCluster(t, 10, paced())
	b.group("first", 2)
	b.members("first", 0, 12)
	b.want(50*second, 50*second+100*milli, "first-0", "first-1")
	for i := range 3 { // one comes every 80 ms
		name := fmt.Sprint("next", i)
		b.group(name, 2)
		b.members(name, 0, 2)
		now := 50*second + int64(i+1)*80*milli
		b.want(now, now+100*milli, name+"-0", name+"-1")
	}
	b.want(50*second+340*milli, 0, "first-2", "first-3")
}

// While a gang's pods are still to come, or it waits for room, the surplus of what came lately
// waits till the end of the period, and no longer.
func TestSurplusWaitsForAPeriodWhileAGangLacksItsMinimum(t *testing.T) {
	for name, lacks := range map[string]func(b *arrivalCluster) (next int64){
		"its pods have not come": func(b *arrivalCluster) int64 { b.group("gang", 3); return 0 },
		"it has no room":         func(b *arrivalCluster) int64 { b.group("gang", 20); b.members("gang", 0, 20); return 0 },
		"it lost a member that is not made anew yet": func(b *arrivalCluster) int64 {
			b.group("gang", 3)
			b.members("gang", 0, 3)
			b.decide(40 * second)
			b.tell(model.KindPod, "ns", "gang-0", nil)
			return 110 * second // until then its room is the gang's
		},
		"somebody wrote that it runs": func(b *arrivalCluster) int64 {
			b.tell(model.KindPodGroup, "ns", "gang",
				&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
					Queue: "q", MinMember: 3, Phase: model.GroupRunning})
			return 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newArrivalCluster(t, 10, paced())
			next := lacks(b)
			b.group("wide", 1)
			b.members("wide", 0, 3)
			b.want(50*second, 50*second+100*milli, "wide-0")
			b.want(50*second+100*milli, 51*second)
			b.want(50*second+500*milli, 51*second)
			b.want(51*second, next, "wide-1", "wide-2")
		})
	}
}

// A job that runs and grows by a pod when nothing else waits has it a tenth of a second later;
// pods that come all the time hold no pod back for longer than a period.
func TestAJobThatRunsGrowsSoon(t *testing.T) {
	b := newArrivalCluster(t, 300, paced())
	b.group("wide", 1)
	b.members("wide", 0, 1)
	b.want(50*second, 0, "wide-0")
	b.members("wide", 1, 1)
	b.want(60*second, 60*second+100*milli)
	b.want(60*second+100*milli, 0, "wide-1")
	for i := range 40 { // two seconds
		b.members("wide", 2+i, 1)
		bound, _ := b.decide(70*second + int64(i)*50*milli)
		if whole := i > 0 && i%20 == 0; (len(bound) > 0) != whole {
			t.Fatalf("%d ms after the first of many came it binds %v", i*50, bound)
		}
	}
}

// A pod that is a job of its own, a group without a minimum, or a gang that lost a member
// does not wait.
func TestWhatIsNoSurplusIsPlacedAtOnce(t *testing.T) {
	b := newArrivalCluster(t, 10, paced())
	b.group("gang", 2)
	b.group("free", 0)
	b.members("gang", 0, 2)
	b.members("free", 0, 1)
	b.want(50*second, 0, "free-0", "gang-0", "gang-1")
	b.tell(model.KindPod, "ns", "gang-1", nil)
	b.members("gang", 2, 1)
	b.want(60*second, 0, "gang-2")
}

// Surplus that had its turn and found no room takes part as soon as there is some, whichever pods
// came lately.
func TestSurplusThatWaitedItsPeriodTakesRoomAtOnce(t *testing.T) {
	b := newArrivalCluster(t, 4, paced())
	b.group("wide", 1)
	b.members("wide", 0, 5)
	b.want(50*second, 50*second+100*milli, "wide-0")
	b.want(50*second+100*milli, 0, "wide-1", "wide-2", "wide-3")
	b.want(55*second, 0)
	b.tell(model.KindPod, "ns", "wide-3", nil)
	b.want(56*second, 0, "wide-4")
}

// Without a period a cycle is one: all minimums that came with it, whatever their priority and
// queue, then the surplus.
func TestWithoutAPeriodMinimumsGoFirstInACycle(t *testing.T) {
	b := newArrivalCluster(t, 6)
	b.tell(model.KindPriorityClass, "", "high", &model.PriorityClass{Meta: model.Meta{Name: "high"}, Value: 10})
	b.tell(model.KindPodGroup, "ns", "wide", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "wide", UID: "wide"},
		Queue: "q", MinMember: 1, PriorityClass: "high", Phase: model.GroupPending})
	b.members("wide", 0, 8)
	b.group("gang", 3)
	b.members("gang", 0, 3)
	b.want(0, 0, "gang-0", "gang-1", "gang-2", "wide-0", "wide-1", "wide-2")
}
