package gang_test

import (
	"fmt"
	"reflect"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/gang"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// plugin is what this plugin answers.
type plugin interface {
	policy.JobValid
	policy.JobOrder
	policy.JobReady
	policy.JobPipelined
	policy.JobStarving
	policy.Preemptable
	policy.Reclaimable
}

// members are a job's pods by how they stand; each is named after its role.
type members struct {
	pending, running, succeeded, failed, leaving, empty []string // empty: pending, asks for nothing
	promised, placed                                    []string // pending by facts, moved in a try
}

// cluster is a node with room for everybody, on which jobs are built.
type cluster struct {
	t *testing.T
	l *ledger.Ledger
	p plugin
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, l: ledger.New()}
	c.apply(model.KindNode, "", "node", &model.Node{Meta: model.Meta{Name: "node"},
		Allocatable: resource.List{{Name: resource.CPUName, Value: 100_000}, {Name: resource.PodsName, Value: 100}}})
	p, err := gang.Definition().New(policy.Choice{}, c.l)
	if err != nil {
		t.Fatal(err)
	}
	c.p = p.(plugin)
	return c
}

func (c *cluster) apply(k model.Kind, namespace, name string, o model.Object) {
	c.l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o})
}

// job makes a job and its members and returns it.
func (c *cluster) job(name string, minMember int32, mins []model.RoleMin, m members) ledger.JobID {
	c.t.Helper()
	c.apply(model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name},
		MinMember: minMember, MinTaskMember: mins, Phase: model.GroupInqueue})
	node, _ := c.l.Nodes.Find("node")
	number := 0
	add := func(roles []string, change func(*model.Pod)) (out []ledger.TaskID) {
		for _, role := range roles {
			number++
			pod := &model.Pod{Ours: true, Group: name, Role: role,
				Meta: model.Meta{Namespace: "ns", Name: fmt.Sprintf("%s-%d", name, number)},
				Spec: &model.Spec{Requests: resource.List{{Name: resource.CPUName, Value: 1000},
					{Name: resource.PodsName, Value: 1}}}}
			change(pod)
			c.apply(model.KindPod, "ns", pod.Name, pod)
			t, _ := c.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: pod.Name})
			out = append(out, t)
		}
		return out
	}
	add(m.pending, func(*model.Pod) {})
	add(m.running, func(p *model.Pod) { p.Node, p.Phase = "node", model.PodRunning })
	add(m.succeeded, func(p *model.Pod) { p.Node, p.Phase = "node", model.PodSucceeded })
	add(m.failed, func(p *model.Pod) { p.Node, p.Phase = "node", model.PodFailed })
	add(m.leaving, func(p *model.Pod) { p.Node, p.Phase, p.Deleting = "node", model.PodRunning, true })
	add(m.empty, func(p *model.Pod) { p.Spec = &model.Spec{Requests: resource.List{{Name: resource.PodsName, Value: 1}}} })
	promised := add(m.promised, func(*model.Pod) {})
	placed := add(m.placed, func(*model.Pod) {})
	c.l.Try(func(tx *ledger.Tx) bool {
		for _, t := range promised {
			tx.Pipeline(t, node)
		}
		for _, t := range placed {
			tx.Allocate(t, node)
		}
		return true
	})
	j, ok := c.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	if !ok {
		c.t.Fatalf("no job %s", name)
	}
	return j
}

// of is n members of one role.
func of(n int, role string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = role
	}
	return out
}

var trainer = []model.RoleMin{{Role: "ps", Min: 1}, {Role: "worker", Min: 2}}

func TestAJobIsValidWhenItsMembersCanMakeUpTheMinimum(t *testing.T) {
	roleLacks := func(role string, have, need int) trace.Reason {
		return trace.Reason{Code: trace.NotEnoughPodsOfTask, Text: role, Have: have, Need: need}
	}
	for name, c := range map[string]struct {
		min   int32
		roles []model.RoleMin
		m     members
		want  trace.Reason
	}{
		"enough pods wait": {3, nil, members{pending: of(3, "")}, trace.Reason{}},
		"one pod is missing": {3, nil, members{pending: of(2, "")},
			trace.Reason{Code: trace.NotEnoughTasks, Have: 2, Need: 3}},
		"no pod has come yet": {1, nil, members{},
			trace.Reason{Code: trace.NotEnoughTasks, Have: 0, Need: 1}},
		"a minimum of nothing is met by nobody": {0, nil, members{}, trace.Reason{}},
		"running and finished members count": {3, nil, members{pending: of(1, ""), running: of(1, ""), succeeded: of(1,
			"")}, trace.Reason{}},
		"promised members count": {2, nil, members{pending: of(1, ""), promised: of(1, "")}, trace.Reason{}},
		"failed and leaving members do not count": {2, nil, members{pending: of(1, ""), failed: of(1, ""), leaving: of(1,
			"")}, trace.Reason{Code: trace.NotEnoughTasks, Have: 1, Need: 2}},
		"every role has its minimum": {3, trainer, members{pending: []string{"ps", "worker", "worker"}},
			trace.Reason{}},
		"a role lacks pods though all are enough": {3, trainer, members{pending: of(4, "worker")}, roleLacks("ps", 0, 1)},
		"of two lacking roles the first by name":  {3, trainer, members{}, roleLacks("ps", 0, 1)},
		"a role is named before the whole job": {5, trainer, members{pending: []string{"ps", "worker"}},
			roleLacks("worker", 1, 2)},
		"the roles are met and the job is not": {5, trainer, members{pending: []string{"ps", "worker", "worker"}},
			trace.Reason{Code: trace.NotEnoughTasks, Have: 3, Need: 5}},
		"role minimums above minMember: ignored": {2, trainer, members{pending: of(2, "worker")}, trace.Reason{}},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newCluster(t)
			if got := cl.p.ValidateJob(cl.job("job", c.min, c.roles, c.m)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("ValidateJob = %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestAJobIsReadyWhenItsMinimumHasAPlace(t *testing.T) {
	for name, c := range map[string]struct {
		min              int32
		roles            []model.RoleMin
		m                members
		ready, pipelined bool
	}{
		"the minimum runs":            {2, nil, members{running: of(2, ""), pending: of(3, "")}, true, true},
		"the minimum was just placed": {2, nil, members{placed: of(2, "")}, true, true},
		"placed, running and succeeded together": {3, nil, members{placed: of(1, ""), running: of(1, ""), succeeded: of(1,
			"")}, true, true},
		"one place is missing":                   {2, nil, members{placed: of(1, ""), pending: of(1, "")}, false, false},
		"one place is promised":                  {2, nil, members{placed: of(1, ""), promised: of(1, "")}, false, true},
		"all places are promised":                {2, nil, members{promised: of(2, "")}, false, true},
		"members that ask for nothing are ready": {2, nil, members{placed: of(1, ""), empty: of(1, "")}, true, true},
		"leaving and failed members are not": {2, nil, members{running: of(1, ""), leaving: of(1, ""), failed: of(1,
			"")}, false, false},
		"nobody is needed": {0, nil, members{pending: of(1, "")}, true, true},
		"every role has its minimum": {3, trainer, members{placed: []string{"ps", "worker", "worker"}}, true,
			true},
		"a role lacks a place": {3, trainer, members{placed: of(3, "worker"), pending: of(1, "ps")}, false,
			false},
		"a role's place is promised": {3, trainer, members{placed: of(2, "worker"), promised: of(1, "ps")},
			false, true},
		"the roles are met and the job is not": {4, trainer, members{placed: []string{"ps", "worker", "worker"},
			pending: of(1, "worker")}, false, false},
		"role minimums above minMember: ignored": {2, trainer, members{placed: of(2, "worker")}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newCluster(t)
			j := cl.job("job", c.min, c.roles, c.m)
			if got := cl.p.Ready(j); got != c.ready {
				t.Errorf("Ready = %v, want %v", got, c.ready)
			}
			want := policy.Reject
			if c.pipelined {
				want = policy.Permit
			}
			if got := cl.p.VotePipelined(j); got != want {
				t.Errorf("VotePipelined = %v, want %v: a gang permits or rejects", got, want)
			}
		})
	}
}

func TestAnAnswerFollowsATryAndItsUndo(t *testing.T) {
	c := newCluster(t)
	j := c.job("job", 1, nil, members{pending: of(1, "")})
	task, _ := c.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "job-1"})
	node, _ := c.l.Nodes.Find("node")
	c.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(task, node)
		if !c.p.Ready(j) {
			t.Error("not ready inside the try that placed its minimum")
		}
		return false
	})
	if c.p.Ready(j) {
		t.Error("ready after the try was undone")
	}
}

func TestJobsThatAreNotReadyGoFirst(t *testing.T) {
	c := newCluster(t)
	runs := c.job("runs", 1, nil, members{running: of(1, ""), pending: of(1, "")})
	alsoRuns := c.job("also-runs", 1, nil, members{running: of(1, "")})
	waits := c.job("waits", 2, nil, members{pending: of(2, "")})
	alsoWaits := c.job("also-waits", 2, nil, members{pending: of(2, "")})
	lost := c.job("lost", 2, nil, members{running: of(1, ""), pending: of(1, "")})
	lacksRole := c.job("lacks-role", 3, trainer, members{running: of(3, "worker"), pending: of(1, "ps")})
	leaves := c.job("leaves", 2, nil, members{leaving: of(2, ""), pending: of(2, "")})
	promised := c.job("promised", 2, nil, members{promised: of(1, ""), pending: of(1, "")})
	for name, x := range map[string]struct {
		a, b ledger.JobID
		want int
	}{
		"one that waits before one that runs":                    {waits, runs, -1},
		"one that runs after one that waits":                     {runs, waits, 1},
		"two that run have no order":                             {runs, alsoRuns, 0},
		"two that wait have no order":                            {waits, alsoWaits, 0},
		"a job that lacks a role is not ready":                   {lacksRole, runs, -1},
		"a job has no order with itself":                         {waits, waits, 0},
		"one that lost a member before one that holds nothing":   {lost, waits, -1},
		"one that holds nothing after one of which members idle": {waits, lacksRole, 1},
		"one that lost a member before one that runs":            {lost, runs, -1},
		"two that lost members have no order":                    {lost, lacksRole, 0},
		"members that leave hold nothing":                        {leaves, waits, 0},
		"nor do those with a promise":                            {promised, waits, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.p.CompareJobs(x.a, x.b); got != x.want {
				t.Errorf("CompareJobs = %d, want %d", got, x.want)
			}
		})
	}
}
