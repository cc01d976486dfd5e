package explain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ashlar.sh/sched/trace"
)

// A live cluster has only the sentence: what it says can be read again, whatever the names.
func TestWhatEvictedSaysIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z0-9]([-a-z0-9.]{0,8}[a-z0-9])?`)
		full := func(what string) string { return name.Draw(t, what+"'s namespace") + "/" + name.Draw(t, what) }
		actions := []string{"preempt", "reclaim", "gangpreempt", "shuffle"}
		r := trace.Eviction{Action: rapid.SampledFrom(actions).Draw(t, "action"), Node: name.Draw(t, "node")}
		if r.Whole = rapid.Bool().Draw(t, "whole"); rapid.Bool().Draw(t, "leaves") {
			r.Purpose = rapid.StringMatching(`[ -~]{0,40}`).Draw(t, "why")
		} else {
			r.Preemptor, r.PreemptorJob, r.PreemptorQueue = full("pod"), full("job"), name.Draw(t, "queue")
			if rapid.Bool().Draw(t, "owned") {
				r.PreemptorJob += " (ReplicaSet.apps 1b4e)"
			}
			if r.Queue = name.Draw(t, "victim's queue"); r.Queue == r.PreemptorQueue {
				r.PreemptorPriority, r.Priority = rapid.Int32().Draw(t, "priority"), rapid.Int32().Draw(t, "victim's")
			}
			if r.PermittedBy = rapid.SliceOfN(rapid.SampledFrom([]string{"gang", "drf", "task-topology"}), 0, 3).Draw(t,
				"plugins"); len(r.PermittedBy) > 0 {
				r.Tier = rapid.IntRange(1, 9).Draw(t, "tier")
			} else {
				r.PermittedBy = nil
			}
			if r.Tier > 0 && rapid.Bool().Draw(t, "others") {
				r.Others = []trace.Permission{{Tier: 10, Plugins: []string{"proportion", "drf"}}, {Tier: 11,
					Plugins: []string{"priority"}}}
			}
			if dims := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"cpu", "memory", "nvidia.com/gpu"}), 0, 3,
				rapid.ID).Draw(t, "dims"); r.Queue != r.PreemptorQueue {
				held := func(dim string) trace.QueueHeld {
					return trace.QueueHeld{Dim: dim, Held: rapid.Int64Range(0, 1<<50).Draw(t, "held"),
						Deserved: rapid.Int64Range(0, 1<<50).Draw(t, "deserved")}
				}
				for _, dim := range dims {
					r.QueueHeld = append(r.QueueHeld, held(dim))
				}
			}
		}
		got, ok := ReadEvicted(Evicted(&r))
		if diff := cmp.Diff(&r, got); !ok || diff != "" {
			t.Errorf("of %q is read (%t):\n%s", Evicted(&r), ok, diff)
		}
	})
	const said = "reclaim: makes room on node n1 for ml/b-0 of job ml/b (queue b, which takes back its due from queue " +
		"a); permitted by tier 1 (gang, conformance)"
	for text, want := range map[string]trace.Eviction{
		said + "; its job keeps its minimum": {}, // what earlier versions said
		said + " and tier 2 (proportion); its job keeps its minimum; queue a held cpu 4 (des…": {
			Others: []trace.Permission{{Tier: 2, Plugins: []string{"proportion"}}}},
		said + "; its job keeps its minimum; queue a held cpu 1e1000000000 (deserved 3)": {}, // another hand wrote it
	} {
		want.Action, want.Node, want.Queue = "reclaim", "n1", "a"
		want.Preemptor, want.PreemptorJob, want.PreemptorQueue = "ml/b-0", "ml/b", "b"
		want.Tier, want.PermittedBy = 1, []string{"gang", "conformance"}
		got, ok := ReadEvicted(text)
		if diff := cmp.Diff(&want, got); !ok || diff != "" {
			t.Errorf("of %q is read (%t):\n%s", text, ok, diff)
		}
	}
	same := &trace.Eviction{Action: "preempt", Node: "n1", Preemptor: "a/p-1", PreemptorJob: "a/j", Job: "a/j", Queue: "q",
		PreemptorQueue: "q", Priority: 1, PreemptorPriority: 2}
	if got, ok := ReadEvicted(Evicted(same)); !ok || got.PreemptorJob != "" || got.Preemptor != "a/p-1" {
		t.Errorf("for a pod of the same job it reads %+v, %t", got, ok)
	}
	for _, other := range []string{"", "Pod is evicted, because of reclaim", "preempt: makes room on node n1",
		"Preempted by a pod on node n1"} {
		if got, ok := ReadEvicted(other); ok {
			t.Errorf("of %q is read %+v", other, got)
		}
	}
}
