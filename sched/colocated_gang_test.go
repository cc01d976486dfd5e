package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// colocated are the pods that have to be together in TestAGangFindsADomainToShare.
var colocated = model.PodSelector{Namespaces: []string{"ns"},
	Selector: []model.Requirement{{Key: "app", Op: model.In, Values: []string{"colocated"}}}}

// TestAGangFindsADomainToShare: a gang of which all pods have to share a domain of one or two labels starts exactly
// when some domain has room for its minimum, and then all of it is in that domain. The test adds up the room of each
// domain to know.
func TestAGangFindsADomainToShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(most int) int { return rapid.IntRange(0, most).Draw(t, "n") }
		e := engine(t, policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{
			{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "nodeorder"}}}})
		version := uint64(0)
		tell := func(kind model.Kind, namespace, name string, o model.Object) {
			version++
			e.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name,
				Version: version, Object: o})
		}
		tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
		ask := &model.Neighbours{With: []model.Near{{Key: "zone", Pods: colocated}}}
		two, apart := n(2) == 2, n(2) == 2
		if two {
			ask.With = append(ask.With, model.Near{Key: "row", Pods: colocated})
		}
		if apart {
			ask.Apart = []model.Near{{Key: model.HostnameKey, Pods: colocated}}
		}
		room, at := map[string]int{}, map[string]string{}
		for i := range 1 + n(8) {
			name, zone, row, fits := fmt.Sprintf("n%d", i), fmt.Sprintf("z%d", n(3)), fmt.Sprintf("r%d", n(1)), n(3)
			labels := []model.Label{{Key: model.HostnameKey, Value: name}, {Key: "row", Value: row}, {Key: "zone", Value: zone}}
			if n(9) == 9 {
				labels, fits = labels[:2], 0
			}
			tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name, UID: name}, Labels: labels,
				Allocatable: cpu(int64(2*fits), 110)})
			if at[name] = zone; two {
				at[name] += row
			}
			if apart {
				fits = min(fits, 1)
			}
			room[at[name]] += fits
		}
		size := 2 + n(4)
		least := size - n(size-2)
		tell(model.KindPodGroup, "ns", "colocated",
			&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "colocated"}, Queue: "default",
				MinMember: int32(least), Phase: model.GroupInqueue})
		for i := range size {
			name := fmt.Sprintf("p%d", i)
			tell(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
				Group:  "colocated",
				Labels: []model.Label{{Key: "app", Value: "colocated"}}, Spec: &model.Spec{Requests: cpu(2, 1), Neighbours: ask}})
		}
		want := 0
		for _, have := range room {
			want = max(want, min(have, size))
		}
		restored, moved := again(t, e), engine(t, e.profile)
		moved.Apply(rapid.Permutation(e.Facts()).Draw(t, "facts")...)
		plan, was := answers(t, e, second)
		_, is := answers(t, restored, second)
		same(t, "an engine restored decides otherwise", was, is)
		_, is = answers(t, moved, second)
		same(t, "the order of facts shows", was, is)
		bound := 0
		for _, i := range plan.Items {
			if i.Kind == BindPod {
				bound++
				if at[i.Node] != at[plan.Items[0].Node] {
					t.Fatalf("the gang is torn apart: %v", plan.Items)
				}
			}
		}
		if (bound > 0) != (want >= least) || bound > 0 && bound < least {
			t.Fatalf("%d of %d are bound, at least %d; domains have room for %v", bound, size, least, room)
		}
	})
}

// checkColocated fails the test when a gang waits because no domain that its pods could share has
// room, and in one of them so many fit: found by putting them, one after the other, on any
// node of it that takes them, and taking them back.
func checkColocated(t rapid.TB, e *Engine) {
	t.Helper()
	e.l.Jobs.Each(func(j ledger.JobID) bool {
		r := e.JobReason(j)
		if r.Root().Code != trace.PodAffinityNoRoom {
			return true
		}
		tasks := search.PendingTasksOf(&e.session, j).Tasks
		for _, task := range tasks {
			if e.l.Task(task).Class != e.l.Task(tasks[0]).Class || e.l.Task(task).Status != model.Pending {
				return true
			}
		}
		_, lists := e.session.NodeIndex.ColocationKeys(e.l.Task(tasks[0]).Class)
		for _, nodes := range lists {
			if fill(e, nodes, tasks) >= r.Root().Need {
				t.Fatalf("job %v waits for %v, and its pods fit into the domain of %s", e.l.Job(j).Key, r, e.l.Node(nodes[0]).Name)
			}
		}
		return true
	})
}

// fill is how many of the tasks find a place on some nodes, which is taken back.
func fill(e *Engine, nodes []ledger.NodeID, tasks []ledger.TaskID) (placed int) {
	e.l.Try(func(tx *ledger.Tx) bool {
		for _, task := range tasks {
			for _, n := range nodes {
				if e.session.NodeIndex.Takes(task, n, class.Now) {
					tx.Allocate(task, n)
					placed++
					break
				}
			}
		}
		return false
	})
	return placed
}
