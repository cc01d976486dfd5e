package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

var (
	commandResource = schema.GroupVersionResource{Group: "bus.volcano.sh", Version: "v1alpha1", Resource: "commands"}
	vcJobResource   = schema.GroupVersionResource{Group: "batch.volcano.sh", Version: "v1alpha1", Resource: "jobs"}
)

// ofVolcano serves a kind of Volcano's that its controllers read.
func ofVolcano(t *testing.T, of schema.GroupVersionResource, kind string) {
	t.Helper()
	crd := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiextensions.k8s.io/v1",
		"kind": "CustomResourceDefinition", "metadata": map[string]any{"name": of.Resource + "." + of.Group},
		"spec": map[string]any{"group": of.Group, "scope": "Namespaced",
			"names": map[string]any{"plural": of.Resource, "singular": strings.ToLower(kind), "kind": kind,
				"listKind": kind + "List"},
			"versions": []any{map[string]any{"name": of.Version, "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}}}
	crds := shared.dynamic.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"})
	if _, err := crds.Create(t.Context(), crd, metav1.CreateOptions{}); apierrors.IsAlreadyExists(err) {
		return
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = crds.Delete(context.Background(), crd.GetName(), metav1.DeleteOptions{}) })
	eventually(t, of.Resource+" to be served", func(ctx ctxless) (bool, error) {
		_, err := shared.dynamic.Resource(of).Namespace("default").List(ctx, metav1.ListOptions{})
		return err == nil, nil
	}, func() string { return "they are not" })
}

// controllers play those of Volcano as far as Commands go: each is deleted, and done.
func controllers(t *testing.T, ns string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() {
		for ctx.Err() == nil {
			list, err := shared.dynamic.Resource(commandResource).List(ctx, metav1.ListOptions{})
			for i := 0; err == nil && i < len(list.Items); i++ {
				c := &list.Items[i]
				target, _, _ := unstructured.NestedString(c.Object, "target", "name")
				if target != ns && target != "train" {
					continue
				}
				_ = shared.dynamic.Resource(commandResource).Namespace(c.GetNamespace()).Delete(ctx, c.GetName(),
					metav1.DeleteOptions{})
				state := map[string]string{"CloseQueue": "Closed", "OpenQueue": "Open"}[c.Object["action"].(string)]
				if state != "" {
					_, _ = shared.dynamic.Resource(queueResource).Patch(ctx, target, types.MergePatchType,
						[]byte(`{"status":{"state":"`+state+`"}}`), metav1.PatchOptions{}, "status")
					continue
				}
				phase := map[string]string{"AbortJob": "Aborted", "ResumeJob": "Pending"}[c.Object["action"].(string)]
				_, _ = shared.dynamic.Resource(vcJobResource).Namespace(ns).Patch(ctx, target, types.MergePatchType,
					[]byte(`{"status":{"state":{"phase":"`+phase+`"}}}`), metav1.PatchOptions{})
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
}

// A queue is closed and opened, a job suspended and resumed, by Commands as vcctl makes them: where Volcano's
// controllers take them; where none does, nothing is left behind. Persons without the rights are told so.
func TestLiveOperate(t *testing.T) {
	ns := namespace(t)
	queue(t, ns)
	admin := shared.Kubeconfig
	expect := func(config string, code int, want string, args ...string) {
		t.Helper()
		got := ask(config, args...)
		if all := unwrapped(got.out + got.err); got.code != code || !strings.Contains(all, want) {
			t.Errorf("%q: exit %d, want %d and %q:\n%s%s", args, got.code, code, want, got.out, got.err)
		}
	}
	expect(admin, 1, "this API server does not serve jobs.batch.volcano.sh", "suspend", "job", ns+"/train")
	expect(admin, 1, "does not serve commands.bus.volcano.sh: Volcano's controllers are not installed Without Volcano's "+
		"controllers the scheduler heeds the state itself: kubectl patch queues.scheduling.volcano.sh "+ns, "operate",
		"queue",
		ns, "--close")
	expect(admin, 0, `{"spec":{"weight":5}}`, "operate", "queue", ns, "--weight", "5", "--dry-run")
	expect(admin, 0, "accepted (server dry run); it would mean: queue "+ns+" has weight 5 instead of 1", "operate",
		"queue", ns, "--weight", "5", "--dry-run=server")
	expect(admin, 0, "queue "+ns+" has weight 5 instead of 1", "queue", "operate", "-n", ns, "-a", "update", "-w", "5")
	expect(admin, 0, "queue "+ns+" has weight 5 already: nothing is done", "operate", "queue", ns, "--weight", "5")
	expect(reader(t, ns, "viewer3", "everywhere"), 1, "no right to patch queues.scheduling.volcano.sh: "+ns, "operate",
		"queue", ns, "--weight", "6")
	ofVolcano(t, commandResource, "Command")
	ofVolcano(t, vcJobResource, "Job")
	train := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
		"metadata": map[string]any{"name": "train"}, "status": map[string]any{"state": map[string]any{"phase": "Running"}}}}
	if _, err := shared.dynamic.Resource(vcJobResource).Namespace(ns).Create(t.Context(), train,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	expect(admin, 0, "action: CloseQueue", "operate", "queue", ns, "--close", "--dry-run")
	expect(admin, 0, "accepted (server dry run); it would mean: the pods of job "+ns+"/train are deleted", "suspend",
		"job",
		"train", "-n", ns, "--dry-run=server")
	expect(admin, 1, "no controller of Volcano took the Command in 500ms: it is removed again", "operate", "queue", ns,
		"--close", "--wait", "500ms")
	if list, err := shared.dynamic.Resource(commandResource).List(t.Context(), metav1.ListOptions{}); err != nil ||
		len(list.Items) > 0 {
		t.Errorf("what was asked for in vain, or only on trial, left %v, %v", list, err)
	}
	expect(admin, 1, `there is no queue "`+ns+`x" (did you mean "`+ns+`"?)`, "operate", "queue", ns+"x", "--open")
	expect(admin, 1, `(did you mean "train"?) Commands are for Jobs of batch.volcano.sh`, "suspend", "job", "trian",
		"-n", ns)
	expect(reader(t, ns, "viewer2", "everywhere"), 1, "no right to create commands.bus.volcano.sh in namespace default",
		"operate", "queue", ns, "--close")
	tenant := reader(t, ns, "tenant2", "namespace")
	expect(tenant, 1, "no right to get queues.scheduling.volcano.sh", "operate", "queue", ns, "--close")
	expect(tenant, 1, "no right to create commands.bus.volcano.sh in namespace "+ns, "suspend", "job", "train")
	expect(reader(t, ns, "nobody2", "nowhere"), 1, "no right to get jobs.batch.volcano.sh", "suspend", "job", "train")

	controllers(t, ns)
	expect(admin, 0, "controllers have taken it: queue "+ns+" and those below it start no job", "queue", "operate", "-n",
		ns,
		"-a", "close")
	eventually(t, "the queue to be closed", func(ctx ctxless) (bool, error) {
		q, err := shared.dynamic.Resource(queueResource).Get(ctx, ns, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		state, _, _ := unstructured.NestedString(q.Object, "status", "state")
		return state == "Closed", nil
	}, func() string { return "it is not" })
	expect(admin, 0, "queue "+ns+" is closed already: nothing is done", "operate", "queue", ns, "--close")
	expect(admin, 0, "takes jobs again", "operate", "queue", ns, "--open")
	expect(admin, 0, "no new ones are made until it is resumed", "job", "suspend", "-N", "train", "-n", ns)
	eventually(t, "the job to be suspended", func(ctx ctxless) (bool, error) {
		j, err := shared.dynamic.Resource(vcJobResource).Namespace(ns).Get(ctx, "train", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		phase, _, _ := unstructured.NestedString(j.Object, "status", "state", "phase")
		return phase == "Aborted", nil
	}, func() string { return "it is not" })
	expect(admin, 0, "is suspended already (Aborted)", "suspend", "job", ns+"/train")
	expect(admin, 0, "are made anew", "resume", "job", ns+"/train")
}
