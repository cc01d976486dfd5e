package sched

import (
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// checkTogether fails the test when a bind leaves a job, or one of its sub-groups, further apart
// than it allows, by a count that trusts no search; or a sub-group with fewer members than
// its size.
func checkTogether(t rapid.TB, e *Engine, p Plan, i Item) {
	t.Helper()
	id, _ := e.l.Tasks.Find(i.Pod)
	task := e.l.Task(id)
	job := e.l.Job(task.Job)
	if task.Sub >= 0 {
		s := &job.Subs[task.Sub]
		placed := s.Ready() // and members that were evicted after the bind was decided
		for _, x := range p.Items {
			if id, ok := e.l.Tasks.Find(x.Pod); x.Kind == EvictPod && ok && e.l.Task(id).Job == task.Job &&
				e.l.Task(id).Sub == task.Sub {
				placed++
			}
		}
		if placed < job.SubSize(s) {
			t.Fatalf("pod %v is bound, and %d of sub-group %s have a place, of %d", i.Pod, placed, s.Name, job.SubSize(s))
		}
	}
	if far := apart(e.policy.HyperNodes(), e.l, id); far != "" {
		t.Fatalf("a pod of job %d is bound, and %s", task.Job, far)
	}
}

// apart says how a task's job, or its sub-group, is further apart than it allows; "" if it is not.
func apart(net *topology.Map, l *ledger.Ledger, id ledger.TaskID) string {
	task := l.Task(id)
	job := l.Job(task.Job)
	if net == nil || job.Group == nil {
		return ""
	}
	far := func(sub int32, ask *model.Topology) string {
		if ask == nil || !ask.Hard {
			return ""
		}
		limit := net.Limit(ask)
		if d := net.Reach(task.Job, sub); d != topology.None && net.Domain(d).Tier > limit {
			return fmt.Sprintf("sub-group %d is in %q of tier %d, where at most %d is allowed", sub,
				net.Domain(d).Name, net.Domain(d).Tier, limit)
		}
		return ""
	}
	if whole := far(topology.AllSubs, job.Group.Topology); whole != "" || task.Sub < 0 {
		return whole
	}
	return far(task.Sub, job.Of(&job.Subs[task.Sub]).Topology)
}

// changeHyper makes, changes or deletes a HyperNode. What they claim may contradict what
// others do: nodes and HyperNodes with two parents, rings, members that are not there.
func (w *world) changeHyper(i int) {
	name := fmt.Sprintf("h%d", i)
	if h := w.hypers[i]; h != nil && w.n(3) == 3 {
		w.hypers[i] = nil
		w.tell(model.KindHyperNode, "", name, h.UID, nil)
		return
	}
	h := &model.HyperNode{Meta: w.meta("", name), Tier: int32(1 + i/2), TierName: []string{"", "rack", "spine"}[w.n(2)]}
	if w.rarely() {
		h.Tier = int32(w.n(3))
	}
	for range 1 + w.n(2) {
		switch w.n(4) {
		case 0, 1:
			h.Members = append(h.Members, model.Member{Node: true, Name: w.nodeName()})
		case 2:
			h.Members = append(h.Members, model.Member{Node: true, Pattern: fmt.Sprintf("^n[%d-%d]$", i%2*2, i%2*2+1)})
		case 3:
			h.Members = append(h.Members, model.Member{Node: true,
				Labels: []model.Requirement{{Key: "zone", Op: model.In, Values: []string{[]string{"a", "b"}[i%2]}}}})
		default:
			h.Members = append(h.Members, model.Member{Name: fmt.Sprintf("h%d", w.n(len(w.hypers)))})
		}
	}
	w.hypers[i] = h
	w.tell(model.KindHyperNode, "", name, h.UID, h)
}

// topology is what a job or a sub-group asks of the network, nothing as often as not.
func (w *world) topology() *model.Topology {
	switch w.n(6) {
	case 3:
		return &model.Topology{Highest: -1}
	case 4, 5:
		return &model.Topology{Hard: true, Highest: int32(1 + w.n(1))}
	case 6:
		return &model.Topology{Hard: true, Highest: -1, HighestName: "rack"}
	default:
		return nil
	}
}

// checkNoneMissed fails the test when a gang waits because no domain has room, and one of those it may
// go to has: found by putting its members, one after the other, on any node of it that takes
// them, and taking them back. One that only the room of lost members keeps waiting is left out: that
// room is free on the nodes (docs/design/0023-room-of-lost-members.md).
func checkNoneMissed(t rapid.TB, e *Engine) {
	t.Helper()
	net := e.policy.HyperNodes()
	if net == nil {
		return
	}
	e.l.Jobs.Each(func(j ledger.JobID) bool {
		job := e.l.Job(j)
		if job.Group == nil || job.Group.Topology == nil || len(job.Group.SubGroups)+len(job.Group.MinTaskMember) > 0 ||
			job.BestEffort > 0 {
			return true
		}
		tasks := search.PendingTasksOf(&e.session, j).Tasks
		r := e.JobReason(j)
		late := r.Code == trace.LostMemberFirst
		if len(tasks) == 0 || late || r.Root().Code != trace.TopologyNoRoom ||
			slices.ContainsFunc(tasks, func(x ledger.TaskID) bool {
				return e.l.Task(x).Class != e.l.Task(tasks[0]).Class || e.l.Task(x).Status != model.Pending
			}) {
			return true
		}
		need := max(1, int(job.MinMember-job.ReadyOrPipelined()))
		limit := net.Limit(job.Group.Topology)
		reach := net.Reach(j, topology.AllSubs)
		for d := range net.Len() {
			if id := topology.ID(d); net.Domain(id).Tier <= limit && (reach == topology.None || net.Within(reach, id)) &&
				fill(e, net.Domain(id).Nodes, tasks) >= need {
				t.Fatalf("job %v waits for %v, and %d of its pods fit into %q", job.Key, r, need, net.Domain(id).Name)
			}
		}
		return true
	})
}
