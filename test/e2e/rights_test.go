package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/loop"
)

// unasked are rights that deploy/ grants and the test does not see used, each with the reason
// why it is granted all the same.
var unasked = map[right]string{
	{"", "nodes", "list"}:                            noWatchList,
	{"", "resourcequotas", "list"}:                   noWatchList,
	{"", "namespaces", "list"}:                       noWatchList,
	{"policy", "poddisruptionbudgets", "list"}:       noWatchList,
	{"scheduling.k8s.io", "priorityclasses", "list"}: noWatchList,
	{"scheduling.volcano.sh", "podgroups", "list"}:   noWatchList,
	{"scheduling.volcano.sh", "queues", "list"}:      noWatchList,

	{"", "persistentvolumeclaims", "list"}:             noWatchList,
	{"", "persistentvolumes", "list"}:                  noWatchList,
	{"storage.k8s.io", "storageclasses", "list"}:       noWatchList,
	{"storage.k8s.io", "csinodes", "list"}:             noWatchList,
	{"storage.k8s.io", "csidrivers", "list"}:           noWatchList,
	{"storage.k8s.io", "csistoragecapacities", "list"}: noWatchList,
	{"storage.k8s.io", "volumeattachments", "list"}:    noWatchList,
	{"resource.k8s.io", "resourceslices", "list"}:      noWatchList,
	{"resource.k8s.io", "deviceclasses", "list"}:       noWatchList,
	{"resource.k8s.io", "resourceclaims/binding",
		"patch"}: "no request asks for it: the API server does, where a patch of the status changes which pods have a claim",
	{"topology.volcano.sh", "hypernodes", "list"}:     noWatchList,
	{"nodeinfo.volcano.sh", "numatopologies", "list"}: noWatchList,

	{"shard.volcano.sh", "nodeshards/status", "patch"}: "where the flags turn shards on",

	{"", "replicationcontrollers", "get"}:  whereReleased,
	{"batch.volcano.sh", "jobs", "get"}:    whereReleased,
	{"ray.io", "rayclusters", "get"}:       whereReleased,
	{"kubeflow.org", "jaxjobs", "get"}:     whereReleased,
	{"kubeflow.org", "mpijobs", "get"}:     whereReleased,
	{"kubeflow.org", "paddlejobs", "get"}:  whereReleased,
	{"kubeflow.org", "pytorchjobs", "get"}: whereReleased,
	{"kubeflow.org", "tfjobs", "get"}:      whereReleased,
	{"kubeflow.org", "xgboostjobs", "get"}: whereReleased,
}

const whereReleased = "a controller is read when members of its gang are to be deleted; the test has one of a " +
	"StatefulSet"

const noWatchList = "an older API server sends no first list within a watch: it is asked for one"

// The scheduler runs under the roles of deploy/, as its service account, and the API server's
// audit log tells what it asked for.
func TestTheRightsOfTheScheduler(t *testing.T) {
	installed(t)
	forgetUsage(t, "volcano")
	began := time.Now() // schedulers of other tests have that account, too
	busy(t, "20-ashlar.yaml", "ashlar", address(t))
	used, forbidden := asked(t, "ashlar", began)
	t.Run("as installed", func(t *testing.T) { leastRights(t, used, forbidden) })
	t.Run("in Volcano's place", func(t *testing.T) { rightsBesideVolcanos(t, used) })
}

// leastRights: nothing it asks for is forbidden, and nothing is granted that it does not ask for.
func leastRights(t *testing.T, used, forbidden map[right]bool) {
	for _, r := range slices.SortedFunc(maps.Keys(forbidden), byName) {
		t.Errorf("it asks for %s, which deploy/ does not grant", r)
	}
	given := map[right]bool{}
	for _, o := range manifests(t, "20-ashlar.yaml") {
		if o.GetName() == "ashlar" && (o.GetKind() == "ClusterRole" || o.GetKind() == "Role") {
			maps.Copy(given, granted(typed(t, o, &rbacv1.ClusterRole{}).Rules)) // a Role's rules are the same
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(given), byName) {
		switch why, listed := unasked[r]; {
		case !used[r] && !listed:
			t.Errorf("deploy/ grants %s, which it never asks for", r)
		case used[r] && listed:
			t.Errorf("it asks for %s, which is listed as not asked for: %s", r, why)
		}
	}
	t.Logf("%d rights are granted, %d of them are used here", len(given), len(used))
}

// ofReadAPI are the rights that the read API alone needs: in Volcano's place it is off.
var ofReadAPI = map[right]bool{{"authentication.k8s.io", "tokenreviews", "create"}: true,
	{"authorization.k8s.io", "subjectaccessreviews", "create"}: true, {"", "configmaps", "get"}: true}

// rightsBesideVolcanos: under Volcano's role it needs exactly what deploy/volcano/rbac.yaml adds.
func rightsBesideVolcanos(t *testing.T, used map[right]bool) {
	volcano := granted(volcanosRules)
	added := map[right]bool{}
	for _, o := range manifests(t, "volcano/rbac.yaml") {
		if o.GetKind() == "ClusterRole" {
			added = granted(typed(t, o, &rbacv1.ClusterRole{}).Rules)
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(used), byName) {
		if !volcano[r] && !added[r] && !ofReadAPI[r] {
			t.Errorf("it asks for %s, which neither Volcano's role nor ours grants", r)
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(added), byName) {
		if !used[r] && unasked[r] == "" || volcano[r] {
			t.Errorf("%s is added: used %v, there already %v", r, used[r], volcano[r])
		}
	}
}

// volcanosRules are what Volcano's chart lets its scheduler do with what Ashlar has to do with.
var volcanosRules = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "create", "delete", "update"}},
	{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create", "list", "watch", "update",
		"patch"}},
	{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch", "patch", "delete"}},
	{APIGroups: []string{""}, Resources: []string{"pods/status"}, Verbs: []string{"update"}},
	{APIGroups: []string{""}, Resources: []string{"pods/binding"}, Verbs: []string{"create"}},
	{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"list", "watch", "update"}},
	{APIGroups: []string{""}, Resources: []string{"persistentvolumes"}, Verbs: []string{"list", "watch", "update"}},
	{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{""}, Resources: []string{"resourcequotas"}, Verbs: []string{"list", "watch"}},
	{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch", "update", "patch"}},
	{APIGroups: []string{"storage.k8s.io"}, Resources: []string{"storageclasses", "csinodes", "csidrivers",
		"csistoragecapacities", "volumeattachments"}, Verbs: []string{"list", "watch"}},
	{APIGroups: []string{"policy"}, Resources: []string{"poddisruptionbudgets"}, Verbs: []string{"list", "watch"}},
	{APIGroups: []string{"scheduling.k8s.io"}, Resources: []string{"priorityclasses"},
		Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{"scheduling.volcano.sh"}, Resources: []string{"queues"},
		Verbs: []string{"get", "list", "watch", "create", "delete", "update"}},
	{APIGroups: []string{"scheduling.volcano.sh"}, Resources: []string{"queues/status"}, Verbs: []string{"update"}},
	{APIGroups: []string{"scheduling.volcano.sh"}, Resources: []string{"podgroups"},
		Verbs: []string{"list", "watch", "update"}},
	{APIGroups: []string{"batch.volcano.sh"}, Resources: []string{"jobs"},
		Verbs: []string{"get", "list", "watch", "update", "delete"}},
	{APIGroups: []string{"apps"}, Resources: []string{"daemonsets", "replicasets", "statefulsets"},
		Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{"topology.volcano.sh"}, Resources: []string{"hypernodes"},
		Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{"nodeinfo.volcano.sh"}, Resources: []string{"numatopologies"},
		Verbs: []string{"get", "list", "watch", "delete"}},
	{APIGroups: []string{"shard.volcano.sh"}, Resources: []string{"nodeshards"}, Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"},
		Verbs: []string{"get", "create", "update", "watch"}},
	{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims"},
		Verbs: []string{"get", "list", "watch", "create", "update", "patch"}},
	{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims/status"}, Verbs: []string{"update"}},
	{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"deviceclasses", "resourceslices"},
		Verbs: []string{"get", "list", "watch", "create"}},
}

func byName(a, b right) int { return strings.Compare(a.resource+a.verb, b.resource+b.verb) }

// busy runs the scheduler as a service account, elected by its Lease, until it has done each thing it ever does: made a
// queue, had volumes bound and a device allocated, made a claim for an extended resource and taken it back, opened
// its queue's gate to a pod, read the owners of pods, bound a gang, said why another waits, told what a queue holds,
// looked up the results of writes with lost answers, given up a gang that stands half, evicted a pod for another one,
// and recorded where pods were let run that lost their PodGroup. The policies of a file hold for it meanwhile. readAPI
// is the address at which the read API answers a user then; "" as in Volcano's place, where it is off.
func busy(t *testing.T, policies, account, readAPI string) {
	t.Helper()
	ns := namespace(t)
	guarded(t, policies, account, ns)
	node(t, ns+"-a", "6500m")
	queue(t, ns)
	stateful(t, ns, "half", 3)
	forgetLease(t, "volcano")
	token := tokenOf(t, installedIn, account)
	w := wire{binding: lost(1)}
	stop := live(t, ns, func(o *loop.Options) {
		o.Config.BearerToken = token
		o.DefaultQueue, o.Adopt, o.Stranded = ns+"-default", loop.AdoptAuto, time.Second
		o.ConfigFile = busyConf(t)
		o.Election = &loop.Election{Namespace: installedIn, Name: "volcano"}
		o.Read = loop.ReadAPI{Address: readAPI}
		o.Config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &losesPatches{next: next} })
	}, w.on, refuses("/half-2"), refuses("/vain"))
	t.Cleanup(func() {
		_ = shared.dynamic.Resource(queueResource).Delete(context.Background(), ns+"-default", metav1.DeleteOptions{})
	})
	began := time.Now()
	refused := func() string {
		_, forbidden := asked(t, account, began)
		return fmt.Sprintf("forbidden was %v", slices.SortedFunc(maps.Keys(forbidden), byName))
	}
	eventually(t, "the half gang's members to be released", func(ctxless) (bool, error) {
		return len(events(t, ns, "PodGroup", "half", "GangReleased")) == 1, nil
	}, refused)
	if own := policies == "20-ashlar.yaml"; own { // Volcano's role grants nothing of bookings
		books(t, ns, refused)
	}
	storage(t, ns)
	createDisk(t, disk(ns, ns))
	createClaim(t, ns, "given", ns, "")
	createClaim(t, ns, "made", ns+"-made", "")
	create(t, claims(ns, "disks", "given", "made"))
	eventually(t, "a pod to have two volumes", func(ctxless) (bool, error) {
		provision(t, ns)
		return bound(list(t, ns, "disks")) == 1, nil
	}, refused)
	cards(t, ns, ns+"-a", 2)
	createDeviceClaim(t, ns, "card", 1)
	create(t, withDevices(ns, "card", "card"))
	eventually(t, "a pod to have a device", func(ctxless) (bool, error) {
		return bound(list(t, ns, "card")) == 1, nil
	}, refused)
	create(t, extendedPod(ns, "vain", resourcev1.ResourceDeviceClassPrefix+ns, "1"))
	eventually(t, "a claim to be made for a pod whose binding is refused, and its device to be free again",
		func(ctxless) (bool, error) {
			p := get(t, ns, "vain")
			made := madeClaims(t, p)
			return p.Status.ExtendedResourceClaimStatus != nil && (len(made) == 0 || made[0].Status.Allocation == nil), nil
		}, refused)
	gated := member(ns, "gated", 0, "100m")
	gated.Spec.SchedulerName, gated.Annotations = ns, map[string]string{translate.QueueGate: "true"}
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: translate.QueueGate}}
	create(t, gated)
	eventually(t, "a pod behind the gate of its queue to be bound", func(ctxless) (bool, error) {
		return bound(list(t, ns, "gated")) == 1, nil
	}, refused)
	owned(t, ns)
	eventually(t, "the pods of each kind of owner to be bound", func(ctxless) (bool, error) {
		return bound(list(t, ns, "owned-")) == 6, nil
	}, refused)
	submit(t, ns, ns, "runs", 2, 2, "1")
	submit(t, ns, ns, "waits", 2, 2, "3")
	eventually(t, "a gang to run, another to say that it waits, and the queue to show what it holds",
		func(ctxless) (bool, error) {
			waiting := list(t, ns, "waits")
			return bound(list(t, ns, "runs")) == 2 && unschedulable(waiting[0]) && allocated(t, ns) != "", nil
		}, refused)
	awaitCondition(t, ns, "waits", "Unschedulable")
	evicts(t, ns, refused)
	if err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Delete(t.Context(), "runs",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "where pods were let run to be recorded", func(ctxless) (bool, error) {
		return recorded(list(t, ns, "runs")), nil
	}, refused)
	if readAPI != "" {
		someone := apiUserWith(t, readAPI, serviceAccount(t, ns, "someone"))
		eventually(t, "the read API to answer a user", func(ctxless) (bool, error) {
			code, _ := someone.get("/v1/jobs")
			return code == http.StatusOK, nil
		}, refused)
	}
	stop()
}

// forgetUsage deletes what schedulers of other tests kept of usage: it is made once, and then updated.
func forgetUsage(t *testing.T, lease string) {
	t.Helper()
	maps := shared.kube.CoreV1().ConfigMaps(installedIn)
	list, err := maps.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Items {
		if !strings.HasPrefix(m.Name, lease+"-usage-") {
			continue
		}
		if err := maps.Delete(t.Context(), m.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// busyConf is a configuration that evicts, and reads the kinds that only some plugins read.
func busyConf(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	const conf = "actions: \"enqueue, allocate, backfill, preempt\"\ntiers:\n- plugins:\n  - name: priority\n" +
		"  - name: gang\n  - name: conformance\n- plugins:\n  - name: overcommit\n  - name: drf\n  - name: predicates\n" +
		"  - name: proportion\n    arguments: {usage.weight: 0.3}\n" +
		"  - name: nodeorder\n  - name: network-topology-aware\n  - name: numa-aware\n"
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// books has a booking say how it stands.
func books(t *testing.T, ns string, seen func() string) {
	t.Helper()
	bookings, err := booking(t, ns, map[string]any{"maintenance": true, "nodes": selecting(ns),
		"from": "2100-01-01T10:00:00Z", "to": "2100-01-01T12:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "a booking to say how it stands", func(ctx ctxless) (bool, error) {
		b, err := bookings.Get(ctx, ns, metav1.GetOptions{})
		return err == nil && b.Object["status"] != nil, nil
	}, seen)
}

// evicts has a pod that is worth more take the place of another on a node of their own.
func evicts(t *testing.T, ns string, seen func() string) {
	t.Helper()
	priority(t, ns, 1000)
	node(t, ns+"-b", "1")
	if _, err := shared.kube.CoreV1().Nodes().Patch(t.Context(), ns+"-b", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"only":"`+ns+`"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"less", "more"} {
		group := map[string]any{"minMember": int64(1), "queue": ns}
		p := member(ns, name, 0, "1")
		p.Spec.SchedulerName, p.Spec.NodeSelector = ns, map[string]string{"only": ns}
		p.Annotations["volcano.sh/preemptable"] = "true"
		if name == "more" {
			group["priorityClassName"], p.Spec.PriorityClassName = ns, ns
		}
		foreign(t, ns, object("PodGroup", name, group))
		create(t, p)
		eventually(t, "pod "+name+" to be bound", func(ctxless) (bool, error) {
			return bound(list(t, ns, name)) == 1, nil
		}, seen)
	}
}

// lost has the server take the nth binding and loses its answer.
func lost(n int) func(int, func() (*http.Response, error)) (*http.Response, error) {
	return func(nth int, send func() (*http.Response, error)) (*http.Response, error) {
		response, err := send()
		if nth == n && err == nil {
			response.Body.Close()
			return nil, context.DeadlineExceeded
		}
		return response, err
	}
}

// losesPatches loses the answers to the first patch of a PodGroup and of a resource claim.
type losesPatches struct {
	next           http.RoundTripper
	groups, claims atomic.Int32
}

func (l *losesPatches) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	first := r.Method == http.MethodPatch && (strings.Contains(r.URL.Path, "/podgroups/") && l.groups.Add(1) == 1 ||
		strings.Contains(r.URL.Path, "/resourceclaims/") && l.claims.Add(1) == 1)
	if err == nil && first {
		response.Body.Close()
		return nil, context.DeadlineExceeded
	}
	return response, err
}
