package priority_test

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// gang is a job with one running pod for each priority given, named after it.
func gang(l *ledger.Ledger, name, class string, priorities ...int32) (u policy.Unit) {
	apply(l, model.KindPodGroup, name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name},
		PriorityClass: class})
	for i, x := range priorities {
		p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprintf("%s-%d", name, i)}, Ours: true, Group: name,
			Spec: &model.Spec{}, HasPriority: true, Priority: x, Node: "node", Phase: model.PodRunning}
		apply(l, model.KindPod, p.Name, p)
		t, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: p.Name})
		u.Tasks = append(u.Tasks, t)
	}
	u.Job, _ = l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return u
}

// Decision 11: strictly higher victims never, equal ones only if another permits it.
func TestOfTwoJobsTheHigherMayHaveTheRoomOfTheLower(t *testing.T) {
	for name, c := range map[string]struct {
		claim, victim string // priority classes
		want          policy.Opinion
	}{
		"a lower victim goes":                    {"high", "low", policy.Opinion{Vote: policy.Permit, Guard: true}},
		"a higher victim is guarded":             {"low", "high", refused(1000, 10, false)},
		"an equal one is, unless drf permits it": {"low", "low", refused(10, 10, true)},
		"no class is the default class":          {"", "low", policy.Opinion{Vote: policy.Permit, Guard: true}},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := cluster(t)
			claim, victim := gang(l, "claim", c.claim, 0), gang(l, "victim", c.victim, 9999)
			same(t, p.Preemptable(policy.Preemptor{Task: claim.Tasks[0], Job: claim.Job}, victim), c.want)
		})
	}
}

func TestWithinAJobEveryTaskOfTheUnitMustBeLower(t *testing.T) {
	for name, c := range map[string]struct {
		claim   int32
		victims []int32
		want    policy.Opinion
	}{
		"a lower task goes":                    {5, []int32{4}, policy.Opinion{Vote: policy.Permit, Guard: true}},
		"an equal one stays, whoever permits":  {5, []int32{5}, refused(5, 5, false)},
		"a higher one stays":                   {5, []int32{6}, refused(6, 5, false)},
		"of several the first that is not low": {5, []int32{4, 7, 8}, refused(7, 5, false)},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := cluster(t)
			unit := gang(l, "job", "low", append(c.victims, c.claim)...)
			n := len(c.victims)
			claim := policy.Preemptor{Task: unit.Tasks[n], Job: unit.Job}
			unit.Tasks = unit.Tasks[:n]
			same(t, p.Preemptable(claim, unit), c.want)
		})
	}
}

func refused(have, need int, equal bool) policy.Opinion {
	return policy.Opinion{Vote: policy.Reject, Guard: true, EqualPriority: equal,
		Reason: trace.Reason{Code: trace.VictimNotLower, Have: have, Need: need}}
}

func same(t *testing.T, got, want policy.Opinion) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Seed 002, §3.1, of Volcano's plugin: not all members have a place or a promise.
func TestAJobStarvesWhileAMemberWaits(t *testing.T) {
	for name, c := range map[string]struct {
		status []model.Phase // of members; pending ones have no node
		gated  bool
		want   bool
	}{
		"one waits": {[]model.Phase{model.PodRunning, model.PodPending}, false, true},
		"all run":   {[]model.Phase{model.PodRunning, model.PodRunning}, false, false},
		"finished members need no place": {[]model.Phase{model.PodRunning, model.PodSucceeded, model.PodFailed}, false,
			false},
		"a gated member waits for others": {[]model.Phase{model.PodRunning, model.PodPending}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := cluster(t)
			apply(l, model.KindPodGroup, "job", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "job"}})
			for i, phase := range c.status {
				pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprint(i)}, Ours: true, Group: "job",
					Spec: &model.Spec{}, Phase: phase}
				if phase == model.PodPending {
					pod.Gated = c.gated
				} else {
					pod.Node = "node"
				}
				apply(l, model.KindPod, pod.Name, pod)
			}
			j, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "job"})
			if got := p.Starving(j); got != c.want {
				t.Errorf("Starving = %v, want %v", got, c.want)
			}
		})
	}
}
