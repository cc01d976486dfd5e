package observe_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	shardv1alpha1 "volcano.sh/apis/pkg/apis/shard/v1alpha1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/model"
)

// shardOf is a NodeShard that wants nodes.
func shardOf(name, version string, nodes ...string) *shardv1alpha1.NodeShard {
	return &shardv1alpha1.NodeShard{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version},
		Spec: shardv1alpha1.NodeShardSpec{NodesDesired: nodes}}
}

func machine(name string) *corev1.Node {
	n := node("1", nil)
	n.Name, n.UID = name, "n"
	return n
}

// where is what the facts say of nodes: "mine", "elsewhere" or "gone".
func where(facts []model.Fact) map[string]string {
	out := map[string]string{}
	for _, f := range facts {
		if f.Ref.Kind != model.KindNode {
			continue
		}
		switch n, ok := f.Object.(*model.Node); {
		case !ok:
			out[f.Ref.Name] = "gone"
		case n.Elsewhere:
			out[f.Ref.Name] = "elsewhere"
		default:
			out[f.Ref.Name] = "mine"
		}
	}
	return out
}

// Where a node belongs follows the scheduler's NodeShard, also when that changes or goes.
func TestWhereANodeBelongs(t *testing.T) {
	for mode, other := range map[observe.ShardMode]string{observe.ShardNone: "mine", observe.ShardSoft: "elsewhere",
		observe.ShardHard: "gone"} {
		t.Run(string(mode), func(t *testing.T) {
			kube := fake.NewClientset(machine("a"), machine("b"))
			serves(kube, "shard.volcano.sh/v1alpha1", "nodeshards")
			shards := volcano.NewSimpleClientset(shardOf("ours", "1", "a"), shardOf("theirs", "1", "b"))
			w := watchBoth(t, kube, shards, observe.Options{Shard: observe.Sharding{Mode: mode, Name: "ours"}})
			if got := where(w.All()); got["a"] != "mine" || got["b"] != other {
				t.Errorf("at first %v, want a mine and b %s", got, other)
			}
			if mode == observe.ShardNone {
				return
			}
			w.Drain()
			api := shards.ShardV1alpha1().NodeShards()
			if _, err := api.Update(t.Context(), shardOf("ours", "2", "b"), metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if got := where(drainedOf(t, w, 2)); got["a"] != other || got["b"] != "mine" {
				t.Errorf("when the shard wants b the facts are %v", got)
			}
			if err := api.Delete(t.Context(), "ours", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if got := where(drainedOf(t, w, 1)); got["b"] != other {
				t.Errorf("when the shard is gone the facts are %v", got)
			}
		})
	}
}

// A node that another shard's scheduler still uses comes when that one has given it up. Of two
// that both say that they use it the first by name keeps it.
func TestANodeInUseElsewhereIsWaitedFor(t *testing.T) {
	kube := fake.NewClientset(machine("a"), machine("b"))
	serves(kube, "shard.volcano.sh/v1alpha1", "nodeshards")
	uses := func(s *shardv1alpha1.NodeShard, nodes ...string) *shardv1alpha1.NodeShard {
		s.Status.NodesInUse = nodes
		return s
	}
	shards := volcano.NewSimpleClientset(shardOf("ours", "1", "a", "b"), uses(shardOf("theirs", "1"), "b"))
	w := watchBoth(t, kube, shards, observe.Options{Shard: observe.Sharding{Mode: observe.ShardHard, Name: "ours"}})
	has := func(when string, want ...string) {
		t.Helper()
		await(t, when, func() bool {
			own, nodes := w.Shard()
			return own != nil && slices.Equal(nodes, want)
		})
	}
	has("the node that they do not use", "a")
	if got := where(w.All()); got["b"] != "gone" {
		t.Errorf("the facts are %v while they use b", got)
	}
	w.Drain()
	api := shards.ShardV1alpha1().NodeShards()
	update := func(s *shardv1alpha1.NodeShard) {
		t.Helper()
		if _, err := api.Update(t.Context(), s, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	update(shardOf("theirs", "2"))
	if got := where(drainedOf(t, w, 1)); got["b"] != "mine" {
		t.Errorf("when they have given it up the facts are %v", got)
	}
	update(uses(shardOf("ours", "2", "a", "b"), "a", "b"))
	update(uses(shardOf("theirs", "3", "b"), "b"))
	has("it to keep what both use", "a", "b")
	if _, err := api.Create(t.Context(), uses(shardOf("early", "1", "b"), "b"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	has("the first by name to have it", "a")
}

// drainedOf waits for facts.
func drainedOf(t *testing.T, w *observe.Observer, n int) (facts []model.Fact) {
	t.Helper()
	await(t, "facts", func() bool {
		got, _ := w.Drain()
		facts = append(facts, got...)
		return len(facts) >= n
	})
	return facts
}
