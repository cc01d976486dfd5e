package sched

import (
	"fmt"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// lostWorld is a cluster of one queue in which gangs run, lose members and have them made anew, and pods of
// no gang wait. All members ask for one cpu. All came at once, so that no room is kept as by
// ledger.KeptRoom.
type lostWorld struct {
	t       *rapid.T
	version uint64
	lives   int
	facts   []model.Fact
	pods    map[string]*model.Pod
	singles int
}

func (y *lostWorld) tell(k model.Kind, namespace, name, uid string, o model.Object) {
	y.version++
	y.facts = append(y.facts, model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: uid,
		Version: y.version, Object: o})
}

func (y *lostWorld) pod(group, name string, cpu int64) {
	y.lives++
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: fmt.Sprint(name, "/", y.lives), Created: 1},
		Ours: true, Group: group,
		Phase: model.PodPending, Preemptable: true, Grace: 30 * second,
		Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000 * cpu}, {Name: "pods", Value: 1}}}}
	if group != "" {
		p.Role = "worker"
	}
	y.put(p)
}

func (y *lostWorld) put(p *model.Pod) {
	y.pods[p.Name] = p
	y.tell(model.KindPod, p.Namespace, p.Name, p.UID, p)
}

// begin puts up three nodes of four cpus and two gangs of four that run there.
func (y *lostWorld) begin() {
	for i := range 3 {
		name := fmt.Sprint("n", i)
		y.tell(model.KindNode, "", name, name, &model.Node{Meta: model.Meta{Name: name, UID: name},
			Allocatable: resource.List{{Name: "cpu", Value: 4000}, {Name: "pods", Value: 110}}})
	}
	y.tell(model.KindQueue, "", "q", "q", &model.Queue{Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1})
	for g := range 2 {
		group := fmt.Sprint("g", g)
		y.tell(model.KindPodGroup, "ns", group, group,
			&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: group, UID: group}, Queue: "q",
				MinMember: int32(2 + g), MinTaskMember: []model.RoleMin{{Role: "worker", Min: int32(2 + g)}}})
		for i := range 4 {
			y.pod(group, fmt.Sprint(group, "-", i), 1)
		}
	}
}

// happen changes a few pods.
func (y *lostWorld) happen() {
	for range rapid.IntRange(1, 5).Draw(y.t, "events") {
		if rapid.IntRange(0, 2).Draw(y.t, "event") == 0 {
			y.singles++
			y.pod("", fmt.Sprint("single-", y.singles), int64(rapid.IntRange(1, 3).Draw(y.t, "cpu")))
			y.pods[fmt.Sprint("single-", y.singles)].Adopt.Queue = "q"
			continue
		}
		group := fmt.Sprint("g", rapid.IntRange(0, 1).Draw(y.t, "gang"))
		name := fmt.Sprint(group, "-", rapid.IntRange(0, 3).Draw(y.t, "member"))
		p := y.pods[name]
		if p == nil {
			y.pod(group, name, 1)
			continue
		}
		now := *p
		switch rapid.IntRange(0, 4).Draw(y.t, "what") {
		case 0:
			now.Deleting = true
		case 1:
			now.Phase = model.PodFailed
		case 2:
			y.pod(group, name, 1) // made anew under its name
			continue
		default:
			delete(y.pods, name)
			y.tell(model.KindPod, "ns", name, p.UID, nil)
			continue
		}
		y.put(&now)
	}
}

// obey makes true what was planned.
func (y *lostWorld) obey(plan Plan) (singles bool) {
	for _, i := range plan.Items {
		if p := y.pods[i.Pod.Name]; i.Kind == BindPod && p != nil {
			now := *p
			now.Node, now.Phase = i.Node, model.PodRunning
			y.put(&now)
			singles = singles || p.Group == ""
		}
	}
	return singles
}

// Gangs lose members and get new ones; the order of the facts and the moment at which an engine is made anew vary.
// All engines decide the same, every figure is the sum of its parts, and no job that holds nothing takes the last room
// of lost members.
func TestLostMembersLaw(t *testing.T) {
	stood, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
			{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}}}}
		y := &lostWorld{t: t, pods: map[string]*model.Pod{}}
		e, f := engine(t, p), engine(t, p)
		y.begin()
		now := int64(1000) * second
		for range rapid.IntRange(4, 14).Draw(t, "cycles") {
			facts := y.facts
			y.facts = nil
			e.Apply(facts...)
			f.Apply(shuffled(t, facts)...)
			other := again(t, e)
			e.Checkpoint()
			plan, was := answers(t, e, now)
			_, shuffle := answers(t, f, now)
			_, export := answers(t, other, now)
			same(t, "the order of facts shows", was, shuffle)
			same(t, "an engine made anew decides otherwise", was, export)
			noted(t, e)
			for _, finding := range e.Audit() {
				t.Fatalf("audit: %s", finding)
			}
			lost := e.l.Losses.InForce()
			stood += len(lost)
			free := int64(0)
			cpu, _ := e.l.Dims.Lookup("cpu")
			e.l.Nodes.Present(func(n ledger.NodeID) bool { free += e.l.Nodes.FutureIdle(cpu, n) / 1000; return true })
			if y.obey(plan) && free < int64(len(lost)) {
				t.Fatalf("a pod was placed and leaves %d cpus for %d lost members", free, len(lost))
			}
			refused += strings.Count(was, "LostMemberFirst")
			y.happen()
			now += int64(rapid.IntRange(1, 40).Draw(t, "passes")) * second
		}
	})
	if stood == 0 || refused == 0 {
		t.Errorf("%d losses stood and %d jobs waited for them: the law was not put to the test", stood, refused)
	}
}
