package joborder_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// With strict, a job is let through once those before it have their places: within a try that gives them some, and no
// longer than that try lasts.
func TestAJobIsHeldUpAgainOnceATryIsUndone(t *testing.T) {
	l, p := open(t, policy.Arguments{"joborder.strict": "true"})
	apply(l, model.KindQueue, "q", 1, &model.Queue{Meta: model.Meta{Name: "q"}})
	var tasks [2]ledger.TaskID
	for i, name := range []string{"first", "second"} {
		apply(l, model.KindPodGroup, name, 1, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name,
			Created: int64(i + 1)}, MinMember: 1, Queue: "q", Phase: model.GroupInqueue})
		pod(l, name, 0, 1, member{gpus: 1})
		tasks[i], _ = l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name + "-0"})
	}
	held := func() bool { return !p.(policy.PrePredicate).PrePredicate(tasks[1]).Admits() }
	for _, place := range []string{"at first", "after a try"} {
		if !held() {
			t.Errorf("%s the second job is let through before the first has a place", place)
		}
		l.Try(func(tx *ledger.Tx) bool {
			if tx.Suppose(tasks[0]); held() {
				t.Error("the second job is held up although the first has its place")
			}
			return false
		})
	}
	if !held() {
		t.Error("what was found in a try that was undone stands")
	}
}
