package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/loop"
)

// A scheduler says in its NodeShard's status which nodes it uses, which it waits for and which it
// is giving up; a node that another shard's scheduler uses it takes once that one does not.
func TestLiveTheStatusOfAShard(t *testing.T) {
	ns := namespace(t)
	for _, name := range []string{"-a", "-b", "-c"} {
		node(t, ns+name, "4")
	}
	shards := shared.dynamic.Resource(shardResource)
	make := func(name string, desired ...any) {
		t.Helper()
		shard := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "shard.volcano.sh/v1alpha1",
			"kind":     "NodeShard",
			"metadata": map[string]any{"name": name}, "spec": map[string]any{"nodesDesired": append([]any{}, desired...)}}}
		if _, err := shards.Create(t.Context(), shard, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = shards.Delete(context.Background(), name, metav1.DeleteOptions{}) })
	}
	patch := func(name, text string, sub ...string) {
		t.Helper()
		if _, err := shards.Patch(t.Context(), name, types.MergePatchType, []byte(text), metav1.PatchOptions{},
			sub...); err != nil {
			t.Fatal(err)
		}
	}
	own, other := ns+"-own", ns+"-other"
	make(own, ns+"-a", ns+"-b")
	make(other)
	patch(other, fmt.Sprintf(`{"status":{"nodesInUse":[%q]}}`, ns+"-b"), "status")
	shows := func() string {
		s, err := shards.Get(t.Context(), own, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		text := ""
		for _, field := range []string{"nodesInUse", "nodesToAdd", "nodesToRemove"} {
			names, _, _ := unstructured.NestedStringSlice(s.Object, "status", field)
			text += fmt.Sprint(field[5:], names, " ")
		}
		return strings.ReplaceAll(text, ns+"-", "")
	}
	says := func(what, want string) {
		t.Helper()
		eventually(t, what, func(ctxless) (bool, error) { return shows() == want, nil }, shows)
	}
	live(t, ns, func(o *loop.Options) { o.Shard = observe.Sharding{Mode: observe.ShardHard, Name: own} })
	says("it to use the node that no other scheduler uses", "InUse[a] ToAdd[b] ToRemove[] ")
	patch(other, `{"status":{"nodesInUse":[]}}`, "status")
	says("it to take what the other gave up", "InUse[a b] ToAdd[] ToRemove[] ")
	patch(own, fmt.Sprintf(`{"spec":{"nodesDesired":[%q,%q]}}`, ns+"-b", ns+"-c"))
	says("it to give up what it is to have no more", "InUse[b c] ToAdd[] ToRemove[] ")
	s, err := shards.Get(t.Context(), own, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	version := s.GetResourceVersion()
	p := pod(ns, "worker")
	p.Spec.SchedulerName = ns
	create(t, p)
	awaitRunning(t, ns, "worker", 1) // there were cycles
	if s, err = shards.Get(t.Context(), own, metav1.GetOptions{}); err != nil || s.GetResourceVersion() != version {
		t.Errorf("the NodeShard was written though nothing changed (error %v)", err)
	}
}

var shardResource = schema.GroupVersionResource{Group: "shard.volcano.sh", Version: "v1alpha1", Resource: "nodeshards"}

// A scheduler's own node takes what it can, although the other is larger; the rest goes
// elsewhere where shards are soft, and waits where they are hard.
func TestLiveShards(t *testing.T) {
	shards := shared.dynamic.Resource(shardResource)
	for _, mode := range []observe.ShardMode{observe.ShardSoft, observe.ShardHard} {
		t.Run(string(mode), func(t *testing.T) {
			ns := namespace(t)
			node(t, ns+"-own", "4")
			node(t, ns+"-other", "16")
			shard := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "shard.volcano.sh/v1alpha1",
				"kind":     "NodeShard",
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
			eventually(t, "the second pod to say that it waits", func(ctxless) (bool, error) {
				return unschedulable(*get(t, ns, "second")), nil
			},
				func() string { return get(t, ns, "second").Spec.NodeName })
		})
	}
}
