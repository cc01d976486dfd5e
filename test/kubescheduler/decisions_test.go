package kubescheduler

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// slack is how much better than the node that was decided on another may be in kube-scheduler's sum of scores: each of
// its scores is rounded to a whole point, and counts up to three times.
const slack = 16

// Where a pod is the only one that waits, the engine binds it to a node that kube-scheduler finds feasible, and finds
// about as good as the best; and to none only if there is none.
func TestDecisions(t *testing.T) {
	k := newKubeScheduler(t)
	seed, clusters := number(t, "ASHLAR_CLUSTER_SEED", 1), number(t, "ASHLAR_CLUSTERS", 100)
	bound, waits := 0, 0
	for s := seed; s < seed+clusters; s++ {
		all := drawCluster(s)
		if len(compare(t, k, all, nil)) > 0 {
			continue // what differs is TestRandomClusters' to tell
		}
		for _, p := range of[*corev1.Pod](all) {
			if p.Spec.NodeName != "" {
				continue
			}
			alone := slices.DeleteFunc(slices.Clone(all), func(o runtime.Object) bool {
				other, is := o.(*corev1.Pod)
				return is && other.Spec.NodeName == "" && other != p
			})
			k.see(alone)
			theirs, err := k.judge(p)
			if err != nil || len(listed(alone, p, theirs)) > 0 {
				continue
			}
			node := decide(t, alone, p)
			if node == "" {
				waits++
			} else {
				bound++
			}
			if wrong := misplaced(alone, p, node, theirs); wrong != "" {
				t.Errorf("seed %d, pod %s: %s", s, p.Name, wrong)
			}
		}
	}
	t.Logf("%d pods were bound, %d wait", bound, waits)
	if bound == 0 || waits == 0 {
		t.Error("all or none were bound")
	}
}

// listed are the nodes that only kube-scheduler refuses for a pod, for a listed reason.
func listed(c cluster, p *corev1.Pod, theirs answers) (out []string) {
	for node, why := range theirs.refused {
		d := difference{what: "only kube-scheduler refuses: " + first(why), text: why}
		if listedFilter(c, p, d) {
			out = append(out, node)
		}
	}
	if countsAll(p, corev1.DoNotSchedule) {
		out = append(out, "any")
	}
	return out
}

// decide is the node that the engine binds a pod to in one cycle, "" for none.
func decide(t testing.TB, c cluster, p *corev1.Pod) string {
	t.Helper()
	profile := policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "nodeorder"}}}}
	e, err := sched.New(profile, sched.WithPlugin(filters.Predicates()))
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue},
		Object: &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1}})
	e.Apply(facts(t, c)...)
	plan, _, _ := e.Decide(1)
	for _, i := range plan.Items {
		if i.Kind == sched.BindPod && i.Pod.Name == p.Name {
			return i.Node
		}
	}
	return ""
}

// misplaced says what kube-scheduler has against a decision, "" for nothing.
func misplaced(c cluster, p *corev1.Pod, node string, theirs answers) string {
	feasible := slices.Sorted(maps.Keys(theirs.scores[names.NodeResourcesBalancedAllocation]))
	if node == "" {
		if len(feasible) > 0 {
			return fmt.Sprintf("waits, and could run on %v", feasible)
		}
		return ""
	}
	if !slices.Contains(feasible, node) {
		return fmt.Sprintf("goes to %s: %s", node, theirs.refused[node])
	}
	sums := map[string]float64{}
	for _, s := range scored {
		if s.plugin == mostRequested {
			continue
		}
		scores := theirs.scores[s.plugin]
		relative := s.plugin == names.NodeAffinity || s.plugin == names.TaintToleration
		if differs(scores) && (listedScore(c, p, s.plugin) || relative && len(theirs.refused) > 0) {
			return "" // the order of sums may be another for a listed reason
		}
		for n, points := range scores {
			sums[n] += points * float64(weights[s.plugin])
		}
	}
	for _, n := range feasible {
		if sums[n] > sums[node]+slack+2*theirs.grain {
			return fmt.Sprintf("goes to %s (%v), where %s (%v) is better: %v", node, sums[node], n, sums[n],
				theirs.scores)
		}
	}
	return ""
}

// differs says that not all scores are the same.
func differs(scores map[string]float64) bool {
	all := slices.Collect(maps.Values(scores))
	return len(all) > 1 && slices.Min(all) != slices.Max(all)
}
