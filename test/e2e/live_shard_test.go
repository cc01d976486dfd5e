package e2e

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/loop"
)

// A scheduler's own node takes what it can, although the other is larger; the rest goes
// elsewhere where shards are soft, and waits where they are hard.
func TestLiveShards(t *testing.T) {
	shards := shared.dynamic.Resource(schema.GroupVersionResource{Group: "shard.volcano.sh", Version: "v1alpha1", Resource: "nodeshards"})
	for _, mode := range []observe.ShardMode{observe.ShardSoft, observe.ShardHard} {
		t.Run(string(mode), func(t *testing.T) {
			ns := namespace(t)
			node(t, ns+"-own", "4")
			node(t, ns+"-other", "16")
			shard := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "shard.volcano.sh/v1alpha1", "kind": "NodeShard",
				"metadata": map[string]any{"name": ns}, "spec": map[string]any{"nodesDesired": []any{ns + "-own"}}}}
			if _, err := shards.Create(t.Context(), shard, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = shards.Delete(context.Background(), ns, metav1.DeleteOptions{}) })
			live(t, ns, func(o *loop.Options) { o.Shard = observe.Sharding{Mode: mode, Name: ns} })
			one := func(name string) *corev1.Pod {
				p := pod(ns, name)
				p.Spec.SchedulerName = ns
				p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")}
				return p
			}
			create(t, one("first"))
			awaitRunning(t, ns, "first", 1)
			if on := get(t, ns, "first").Spec.NodeName; on != ns+"-own" {
				t.Errorf("the first pod is on %s, want the node of its scheduler's shard", on)
			}
			create(t, one("second"))
			if mode == observe.ShardSoft {
				awaitRunning(t, ns, "second", 1)
				return
			}
			eventually(t, "the second pod to say that it waits", func(ctxless) (bool, error) { return unschedulable(*get(t, ns, "second")), nil },
				func() string { return get(t, ns, "second").Spec.NodeName })
		})
	}
}
