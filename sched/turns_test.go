package sched

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"pgregory.net/rapid"
)

// indifferent orders queues by nothing, and says that serving one may move any other: a
// rotation then compares queues two at a time and sorts all of them afresh at every turn.
type indifferent struct{}

func (indifferent) CompareQueues(a, b ledger.QueueID) int { return 0 }
func (indifferent) ServingMovesOthers() bool              { return true }

var indifference = WithPlugin(policy.Definition{Name: "indifferent",
	New: func(policy.Choice, *ledger.Ledger) (any, error) {
		return indifferent{}, nil
	}})

// The slow twin of whole plans: numbers that are kept from turn to turn, and nodes from cycle
// to cycle, decide what sorting afresh does.
func TestKeepingTheOrderOfQueuesChangesNoPlan(t *testing.T) {
	bound := map[string]int{}
	for name, choices := range orders {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := policy.Profile{Actions: []string{"enqueue", "allocate", "backfill", "reclaim"}, Tiers: [][]policy.Choice{
					{{Plugin: "priority"}, {Plugin: "gang"}}, append([]policy.Choice{{Plugin: "predicates"}}, choices...)}}
				fast := engine(t, p)
				p.Tiers = append(p.Tiers, []policy.Choice{{Plugin: "indifferent"}})
				slow, err := New(p, indifference)
				if err != nil {
					t.Fatal(err)
				}
				c := manyJobs{t: t, told: []*Engine{fast, slow}, queues: map[string]bool{}, running: map[string]*model.Pod{}}
				for cycle := range rapid.IntRange(1, 6).Draw(t, "cycles") {
					for range rapid.IntRange(1, 8).Draw(t, "news") {
						c.news()
					}
					now := int64(cycle) * second
					plan, was := answers(t, fast, now)
					_, is := answers(t, slow, now)
					same(t, "a rotation that keeps its order decides otherwise than one that sorts at every turn", is, was)
					bound[name] += c.obey(plan)
				}
			})
		})
		if bound[name] == 0 {
			t.Errorf("%s: nothing was ever bound: this shows nothing", name)
		}
	}
}

// manyJobs is a cluster of many queues, with jobs that come and go.
type manyJobs struct {
	t       *rapid.T
	told    []*Engine
	version uint64
	births  int
	queues  map[string]bool
	running map[string]*model.Pod
}

func (c *manyJobs) n(most int) int { return rapid.IntRange(0, most).Draw(c.t, "n") }

func (c *manyJobs) tell(k model.Kind, ns, name string, o model.Object) {
	c.version++
	for _, e := range c.told {
		e.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: c.version, Object: o})
	}
}

// news is something that happens: a node comes or changes, a queue does, pods of a job come,
// or one that runs ends.
func (c *manyJobs) news() {
	switch k := c.n(9); {
	case k == 0 || c.version == 0:
		name := fmt.Sprintf("n%d", c.n(2))
		c.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name}, Allocatable: roomOf(4+c.n(8), c.n(4))})
	case k <= 3 || len(c.queues) == 0:
		c.queue(fmt.Sprintf("q%d", c.n(6)))
	case k == 4 && len(c.running) > 0:
		name := rapid.SampledFrom(sortedNames(c.running)).Draw(c.t, "ends")
		delete(c.running, name)
		c.tell(model.KindPod, "ns", name, nil)
	default:
		c.job(rapid.SampledFrom(sortedNames(c.queues)).Draw(c.t, "queue"))
	}
}

func (c *manyJobs) queue(name string) {
	q := &model.Queue{Meta: model.Meta{Name: name, Created: int64(c.n(1))}, Weight: int32(1 + c.n(2)),
		Priority:    int32(c.n(5) / 5),
		Reclaimable: true}
	if c.n(2) > 0 {
		q.Deserved = roomOf(c.n(6), c.n(3))[:2]
	}
	if c.n(3) == 3 {
		q.Parent = fmt.Sprintf("q%d", c.n(2))
	}
	for range c.n(2) {
		q.Path = append(q.Path, model.Level{Name: rapid.SampledFrom([]string{"eng", "sci"}).Draw(c.t, "level"),
			Weight: int64(1+c.n(1)) * 1000})
	}
	c.queues[name] = true
	c.tell(model.KindQueue, "", name, q)
}

func (c *manyJobs) job(queue string) {
	c.births++
	name := fmt.Sprintf("j%d", c.births)
	size := 1 + c.n(2)
	c.tell(model.KindPodGroup, "ns", name,
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Queue: queue,
			MinMember: int32(1 + c.n(size-1)), Phase: model.GroupPending})
	spec := &model.Spec{Requests: roomOf(1+c.n(2), c.n(1))}
	spec.Requests[2].Value = 1
	for i := range size {
		pod := fmt.Sprintf("%s-%d", name, i)
		c.tell(model.KindPod, "ns", pod, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: pod, UID: pod},
			Ours: true, Group: name,
			Index: int64(i), Spec: spec, Preemptable: true})
		c.running[pod] = &model.Pod{Meta: model.Meta{Namespace: "ns", Name: pod, UID: pod}, Ours: true, Group: name,
			Index: int64(i), Spec: spec,
			Preemptable: true, Phase: model.PodRunning}
	}
}

// obey shows what was bound and evicted, and says how many pods were bound.
func (c *manyJobs) obey(plan Plan) (bound int) {
	for _, i := range plan.Items {
		switch i.Kind {
		case BindPod:
			bound++
			c.running[i.Pod.Name].Node = i.Node
			c.tell(model.KindPod, "ns", i.Pod.Name, c.running[i.Pod.Name])
		case EvictPod:
			delete(c.running, i.Pod.Name)
			c.tell(model.KindPod, "ns", i.Pod.Name, nil)
		}
	}
	return bound
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m { // order-free: sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
