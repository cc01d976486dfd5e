package sched

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// twins is a cluster with an engine that has parked jobs, beside which a restored one has none.
type twins struct {
	t       *testing.T
	e       *Engine
	version uint64
	pods    map[string]*model.Pod
}

func newTwins(t *testing.T, actions ...string) *twins {
	e, err := New(policy.Profile{Actions: append([]string{"enqueue", "allocate"}, actions...), Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "nodeorder"}}}})
	if err != nil {
		t.Fatal(err)
	}
	y := &twins{t: t, e: e, pods: map[string]*model.Pod{}}
	for _, q := range []string{"q", "z"} {
		y.tell(model.KindQueue, "", q, &model.Queue{Meta: model.Meta{Name: q}, Weight: 1})
	}
	y.tell(model.KindPriorityClass, "", "high", &model.PriorityClass{Meta: model.Meta{Name: "high"}, Value: 10})
	return y
}

func (y *twins) tell(k model.Kind, namespace, name string, o model.Object) {
	y.version++
	y.e.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name,
		Version: y.version, Object: o})
}

func (y *twins) node(name string, cpu int64) {
	y.tell(model.KindNode, "", name,
		&model.Node{Meta: model.Meta{Name: name}, Labels: []model.Label{{Key: "name", Value: name}},
			Allocatable: resource.List{{Name: resource.CPUName, Value: cpu * 1000}, {Name: resource.PodsName, Value: 110}}})
}

// job submits a job at a time, in seconds: its PodGroup, and its pods.
func (y *twins) job(queue, name, rank string, at int64, least, pods, cpu int) {
	y.tell(model.KindPodGroup, "ns", name,
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name, Created: at * second},
			Queue: queue, MinMember: int32(least), Phase: model.GroupPending, PriorityClass: rank})
	y.more(name, at, 0, pods, cpu)
}

// more adds pods to a job, numbered from first.
func (y *twins) more(name string, at int64, first, pods, cpu int) {
	for i := range pods {
		y.put(&model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprintf("%s-%d", name, first+i), Created: at * second},
			Ours:  true,
			Group: name, Index: int64(first + i), Spec: &model.Spec{Requests: units(cpu*1000, 0, 1)}})
	}
}

func (y *twins) put(p *model.Pod) {
	y.pods[p.Name] = p
	y.tell(model.KindPod, "ns", p.Name, p)
}

// runs shows a pod running on a node.
func (y *twins) runs(name, node string) {
	p := *y.pods[name]
	p.Node, p.Phase = node, model.PodRunning
	y.put(&p)
}

// ends takes a pod away that has succeeded.
func (y *twins) ends(name string) {
	p := *y.pods[name]
	p.Phase = model.PodSucceeded
	y.put(&p)
}

// want runs a cycle at a time in seconds, here and in a restored engine: both bind these pods, and
// say the same otherwise. The pods run then.
func (y *twins) want(at int64, bound ...string) {
	y.t.Helper()
	other := again(y.t, y.e)
	plan, was := answers(y.t, y.e, at*second)
	_, is := answers(y.t, other, at*second)
	same(y.t, fmt.Sprintf("at %d s an engine restored from facts and commitments decides otherwise", at), was, is)
	var got []string
	for _, i := range plan.Items {
		if i.Kind == BindPod {
			got = append(got, i.Pod.Name)
			y.runs(i.Pod.Name, i.Node)
		}
	}
	if slices.Sort(got); !slices.Equal(got, bound) {
		y.t.Fatalf("at %d s it binds %v, want %v", at, got, bound)
	}
}

// gangWithTwoNodes is a cluster of two nodes that are kept for a gang: later has one of them.
func gangWithTwoNodes(t *testing.T) *twins {
	y := newTwins(t)
	y.node("a", 4)
	y.node("b", 4)
	y.job("q", "gang", "", 10, 2, 2, 4)
	y.job("q", "later", "", 20, 1, 1, 4)
	y.runs("later-0", "b")
	y.want(30) // nodes refuse the gang
	y.want(40) // which could run but for later
	return y
}

// A gang starts on other nodes than those that are kept for it. A parked job has the room that was kept,
// in the same cycle: an engine that has no jobs parked asks that job after the gang.
func TestRoomGivenBackGoesToParkedJobs(t *testing.T) {
	y := gangWithTwoNodes(t)
	y.node("c", 8)
	y.job("q", "busy", "", 1, 1, 1, 8)
	y.runs("busy-0", "c")
	y.job("q", "small", "", 50, 1, 1, 2)
	small := *y.pods["small-0"]
	spec := *small.Spec
	spec.Affinity = []model.Term{{All: []model.Requirement{{Key: "name", Op: model.In, Values: []string{"a"}}}}}
	small.Spec = &spec
	y.put(&small)
	y.want(50)
	y.want(60) // small is parked: a is kept
	y.ends("busy-0")
	y.want(70, "gang-0", "gang-1", "small-0")
}

// Room that is kept for a gang stays kept when a job of higher priority takes a part of it, until it is
// known in the next cycle that the gang cannot start there any more.
func TestRoomOfWhichAPartIsTakenStaysKept(t *testing.T) {
	y := gangWithTwoNodes(t)
	y.job("q", "small", "", 50, 1, 1, 2)
	y.want(50)
	y.want(60) // small is parked
	y.job("q", "urgent", "high", 70, 1, 1, 2)
	y.want(70, "urgent-0")
	y.want(80, "small-0")
}

// Where the gang finds other nodes, these are kept for it instead.
func TestRoomOfWhichAPartIsTakenIsKeptElsewhere(t *testing.T) {
	y := gangWithTwoNodes(t)
	y.node("c", 4)
	y.job("q", "third", "", 21, 1, 1, 4)
	y.runs("third-0", "c")
	y.job("q", "small", "", 50, 1, 1, 2)
	y.want(50)
	y.want(60) // small is parked
	y.job("q", "urgent", "high", 70, 1, 1, 4)
	y.want(70, "urgent-0") // on a; b and c are kept from now on
	y.want(80)
	y.ends("later-0")
	y.want(90)
	y.ends("third-0")
	y.want(100, "gang-0", "gang-1")
}

// Members that came lately, above their job's minimum, wait for no gang that could not have its minimum,
// whether that gang is parked or would have its turn after others: priority decides.
func TestSurplusWaitsForNoGangThatIsRefused(t *testing.T) {
	y := newTwins(t)
	y.node("a", 4)
	y.job("q", "full", "", 1, 1, 1, 2)
	y.job("q", "old", "", 2, 1, 2, 1)
	y.job("q", "new", "high", 3, 1, 1, 1)
	y.want(10, "full-0", "new-0", "old-0")
	y.job("z", "gang", "", 4, 2, 2, 4)
	y.want(20)
	y.want(30) // the gang is parked: there is one node
	y.ends("full-0")
	y.more("new", 40, 1, 2, 1)
	y.want(40, "new-1", "new-2")
}

// A bind makes a place for a job that was refused before it in the cycle, since the job has to be near the bound pod.
// The next cycle finds it, at whatever time, and the engine names none: after a plan it is always asked again.
func TestABindMakesAPlaceForTheNextCycle(t *testing.T) {
	y := newTwins(t)
	y.node("a", 4)
	y.job("q", "first", "high", 10, 1, 1, 1)
	near := *y.pods["first-0"]
	spec := *near.Spec
	ofDB := model.PodSelector{Namespaces: []string{"ns"},
		Selector: []model.Requirement{{Key: "app", Op: model.In, Values: []string{"db"}}}}
	spec.Neighbours = &model.Neighbours{With: []model.Near{{Key: "name", Pods: ofDB}}}
	near.Spec = &spec
	y.put(&near)
	y.job("q", "db", "", 20, 1, 1, 1)
	db := *y.pods["db-0"]
	db.Labels = []model.Label{{Key: "app", Value: "db"}}
	y.put(&db)
	bound := func() (names []string) {
		plan, _, next := y.e.Decide(30 * second)
		if next != 0 {
			t.Errorf("it names %d, and time changes nothing", next)
		}
		for _, i := range plan.Items {
			if i.Kind == BindPod {
				names = append(names, i.Pod.Name)
			}
		}
		return names
	}
	for cycle, want := range [][]string{{"db-0"}, {"first-0"}, nil} {
		if got := bound(); !slices.Equal(got, want) {
			t.Errorf("cycle %d binds %v, want %v", cycle+1, got, want)
		}
	}
}
