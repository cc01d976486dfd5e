package readapi

import (
	"fmt"
	"strings"
	"testing"

	"ashlar.sh/sched/model"
)

// A job that is edited, deleted or made again before changes are tried is told of as it stands then, and that it
// changed; what happens after is not in the answer: all of it is about one state.
func TestAJobThatChangesWhileItIsExplained(t *testing.T) {
	gone := func(w *world) {
		w.apply(model.Fact{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "red", Name: "train"}, UID: "redtrain",
			Version: w.version + 100})
		for i := range 3 {
			pod := fmt.Sprintf("train-%d", i)
			w.apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "red", Name: pod}, UID: "red" + pod,
				Version: w.version + 100})
		}
		w.version += 100
	}
	edit := func(members int) func(*world) {
		return func(w *world) {
			w.put(model.KindPodGroup, "red", "train", &model.PodGroup{Meta: model.Meta{Namespace: "red", Name: "train",
				UID: "redtrain"}, Queue: "red", MinMember: int32(members), Phase: model.GroupInqueue})
		}
	}
	again := func(w *world) {
		gone(w)
		w.gang("red", "train", "red", 2, 3000)
	}
	for name, c := range map[string]struct {
		before, after func(*world) // changes are tried
		code          int
		has, lacks    string
	}{
		"nothing": {code: 200, has: "minMember 2 instead of 3", lacks: "changed"},
		"a phase": {before: edit(3), code: 200, has: "minMember 2 instead of 3", lacks: "changed"},
		"edited":  {before: edit(4), code: 200, has: "it was changed", lacks: "3 pods that start together"},
		"edited, tried as it stands": {before: func(w *world) { w.grow(1); edit(4)(w) }, code: 200, has: "wouldRunTried",
			lacks: "3 pods that start together"},
		"edited all along": {before: edit(2), after: edit(1), code: 200, has: "it was changed", lacks: "instead of"},
		"deleted":          {before: gone, code: 404, has: "gone while it was explained", lacks: "minMember"},
		"made again":       {before: again, code: 200, has: "it was changed", lacks: "3 pods that start together"},
		"edited after":     {after: edit(4), code: 200, has: "minMember 2 instead of 3", lacks: "changed"},
		"made again after": {after: again, code: 200, has: "minMember 2 instead of 3", lacks: "changed"},
		"deleted after":    {after: gone, code: 200, has: "minMember 2 instead of 3", lacks: "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.decide(func() {
				w.node("n1", 8000)
				w.gang("red", "train", "red", 3, 3000)
			})
			w.decide(nil)
			hook := func(f func(*world)) func() {
				if f == nil {
					return nil
				}
				return func() {
					f(w)
					w.cycle++
					w.engine.Decide(int64(w.cycle) * 1e9)
				}
			}
			w.before, w.after = hook(c.before), hook(c.after)
			code, got := get[map[string]any](t, served(w, people()), "tenant", "/v1/why/job/red/train?wouldRun=2s")
			text := plain(got)
			if code != c.code || !strings.Contains(text, c.has) || strings.Contains(text, c.lacks) {
				t.Errorf("%d, want %d with %q and without %q: %s", code, c.code, c.has, c.lacks, text)
			}
		})
	}
}

// grow adds pods to job red/train.
func (w *world) grow(n int) {
	for i := range n {
		pod := fmt.Sprintf("train-%d", 3+i)
		w.put(model.KindPod, "red", pod, &model.Pod{Meta: model.Meta{Namespace: "red", Name: pod, UID: "red" + pod},
			Ours: true, Group: "train", Index: int64(3 + i), Spec: &model.Spec{Requests: nil}})
	}
}
