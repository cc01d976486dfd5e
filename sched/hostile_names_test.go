package sched

import (
	"fmt"
	"testing"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// hostileCluster is an engine with a node of eight cores, and how to tell it of an object.
func hostileCluster(t *testing.T) (*Engine, func(version uint64, k model.Kind, name string, o model.Object)) {
	t.Helper()
	e, err := New(policy.Profile{Actions: []string{"enqueue", "allocate"},
		Tiers: [][]policy.Choice{{{Plugin: "gang"}, {Plugin: "overcommit"}, {Plugin: "predicates"}, {Plugin: "proportion"}}}})
	if err != nil {
		t.Fatal(err)
	}
	tell := func(version uint64, k model.Kind, name string, o model.Object) {
		e.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: "ns", Name: name}, UID: name, Version: version, Object: o})
	}
	tell(1, model.KindQueue, "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	tell(1, model.KindNode, "n", &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: resource.List{
		{Name: "cpu", Value: 8000}, {Name: "pods", Value: 110}}})
	return e, tell
}

func hostileGroup(name string, least ...resource.Amount) *model.PodGroup {
	return &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Queue: "default", MinMember: 1,
		HasMin: len(least) > 0, MinResources: least}
}

func hostilePod(group string, requests ...resource.Amount) *model.Pod {
	return &model.Pod{Meta: model.Meta{Namespace: "ns", Name: group, UID: group}, Ours: true, Group: group,
		Phase: model.PodPending, Spec: &model.Spec{Requests: requests}}
}

// A column of a resource costs memory for each node: tenants who name resources that do not exist, thousands in each
// PodGroup and pod, get one column together, and wait. Others, and resources that a node brings later, are as before.
func TestNamesOfResourcesThatTenantsMakeUp(t *testing.T) {
	e, tell := hostileCluster(t)
	for i := range 4 {
		var list []resource.Amount
		for k := range 2000 {
			list = append(list, resource.Amount{Name: fmt.Sprintf("example.com/%d-%04d", i, k), Value: 1 << 60})
		}
		name := fmt.Sprint("made-up-", i)
		tell(2, model.KindPodGroup, name, hostileGroup(name, list...))
		tell(2, model.KindPod, name, hostilePod(name, list...))
	}
	e.Decide(second)
	if n := e.l.Dims.Len(); n > 600 {
		t.Errorf("%d columns for the names of one tenant", n)
	}
	tell(3, model.KindNode, "gpus", &model.Node{Meta: model.Meta{Name: "gpus"}, Allocatable: resource.List{
		{Name: "cpu", Value: 1000}, {Name: "new.example.com/gpu", Value: 2000}, {Name: "pods", Value: 110}}})
	tell(3, model.KindPodGroup, "honest", hostileGroup("honest"))
	tell(3, model.KindPod, "honest", hostilePod("honest", resource.Amount{Name: "cpu", Value: 1000},
		resource.Amount{Name: "new.example.com/gpu", Value: 1000}))
	plan, _, _ := e.Decide(2 * second)
	var bound []string
	for _, i := range plan.Items {
		if i.Kind == BindPod {
			bound = append(bound, i.Pod.Name+" to "+i.Node)
		}
	}
	if fmt.Sprint(bound) != "[honest to gpus]" {
		t.Errorf("bound %v, want only the pod of which a node has all", bound)
	}
	for _, wrong := range e.Audit() {
		t.Error(wrong)
	}
}

// A PodGroup may name tens of thousands of roles. What is done once for each of them is not done for each two.
func TestManyRolesOfOnePodGroup(t *testing.T) {
	many := func(roles int) time.Duration {
		e, tell := hostileCluster(t)
		g := hostileGroup("g")
		g.MinMember = int32(roles)
		for i := range roles {
			g.MinTaskMember = append(g.MinTaskMember, model.RoleMin{Role: fmt.Sprintf("r%06d", i), Min: 1})
		}
		tell(2, model.KindPodGroup, "g", g)
		j, _ := e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "g"})
		if n := e.l.Job(j).NumRoles(); n != roles {
			t.Fatalf("it has %d roles, want %d", n, roles)
		}
		version := uint64(2)
		best := time.Hour
		for range 5 {
			version++
			again := *g
			began := time.Now()
			tell(version, model.KindPodGroup, "g", &again)
			best = min(best, time.Since(began))
		}
		return best
	}
	if few, lots := many(1000), many(16_000); lots > 100*few { // it was 256 times
		t.Errorf("a PodGroup with 16 000 roles takes %v to be taken in, one with 1 000 %v", lots, few)
	}
}

// What a PodGroup shows before the first cycle is believed where a vote may have let its job in for it, and not where
// none can have: no queue is closed by what was written while no scheduler ran.
func TestWhatNoVoteCanHaveAdmittedIsNotBelieved(t *testing.T) {
	for name, c := range map[string]struct {
		asks int64
		lets bool
	}{"more than there is": {1_000_000, true}, "what there is": {8000, false}} {
		t.Run(name, func(t *testing.T) {
			e, tell := hostileCluster(t)
			g := hostileGroup("forged", resource.Amount{Name: "cpu", Value: c.asks})
			g.Phase = model.GroupInqueue
			tell(2, model.KindPodGroup, "forged", g)
			runs := hostilePod("runs", resource.Amount{Name: "cpu", Value: 1000})
			runs.Node, runs.Phase = "n", model.PodRunning
			raised := hostileGroup("runs", resource.Amount{Name: "cpu", Value: 1000})
			if c.lets {
				raised.MinResources[0].Value = c.asks
			}
			tell(2, model.KindPodGroup, "runs", raised)
			tell(2, model.KindPod, "runs", runs)
			e.Decide(second)
			tell(3, model.KindPodGroup, "next", hostileGroup("next", resource.Amount{Name: "cpu", Value: 1000}))
			e.Decide(2 * second)
			j, _ := e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "next"})
			if got := e.l.Job(j).Admitted(); got != c.lets {
				t.Errorf("the next job is let in: %v, want %v", got, c.lets)
			}
		})
	}
}
