package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/retry"

	"ashlar.sh/internal/loop"
	"ashlar.sh/test/portforward"
)

// forwarding makes a node whose pods' ports are those of this process: the API server asks a kubelet of the test's own
// for port-forwards, and for logs, since kwok's pods are no processes.
func forwarding(t *testing.T, name string) {
	t.Helper()
	kubelet := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/containerLogs/"+installedIn+"/") {
			fmt.Fprintln(w, "Acting as the scheduler")
			return
		}
		if !strings.HasPrefix(r.URL.Path, "/portForward/"+installedIn+"/") {
			http.NotFound(w, r)
			return
		}
		portforward.Serve(w, r, func(port string) (net.Conn, error) { return net.Dial("tcp", "127.0.0.1:"+port) })
	}))
	t.Cleanup(func() {
		kubelet.CloseClientConnections()
		kubelet.Close()
	})
	_, text, err := net.SplitHostPort(kubelet.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	node(t, name, "4")
	nodes := shared.kube.CoreV1().Nodes()
	if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { // kwok writes it, too
		n, err := nodes.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
		n.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
		_, err = nodes.UpdateStatus(t.Context(), n, metav1.UpdateOptions{})
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// schedulersPod makes a pod of the installed scheduler's service account, which runs on a node.
func schedulersPod(t *testing.T, name, on string) {
	t.Helper()
	pods := shared.kube.CoreV1().Pods(installedIn)
	if _, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{NodeName: on, ServiceAccountName: "ashlar",
			Containers: []corev1.Container{{Name: "ashlar", Image: "none"}}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pods.Delete(context.Background(), name, now()) }) // the test may have
	eventually(t, "pod "+name+" to run", func(ctx context.Context) (bool, error) {
		p, err := pods.Get(ctx, name, metav1.GetOptions{})
		return err == nil && p.Status.Phase == corev1.PodRunning, err
	}, func() string { return "it does not" })
}

// installedScheduler runs a scheduler as deploy/ does: with its service account, its Lease and a pod in its namespace.
func installedScheduler(t *testing.T, ns, pod string, change ...func(*loop.Options)) (stop func()) {
	t.Helper()
	return live(t, ns, append(change, installedAs(t, pod))...)
}

// installedAs has a scheduler run with the installed one's service account, Lease and pod.
func installedAs(t *testing.T, pod string) func(*loop.Options) {
	t.Helper()
	token, at := tokenOf(t, installedIn, "ashlar"), address(t)
	t.Cleanup(func() { // else the verbs of other tests find a scheduler that is gone
		_ = shared.kube.CoordinationV1().Leases(installedIn).Delete(context.Background(), "volcano", metav1.DeleteOptions{})
	})
	return func(o *loop.Options) {
		o.Config.BearerToken, o.Version = token, "v0.0.0-test"
		o.Read.Address, o.Read.Namespace = at, installedIn
		o.Election = &loop.Election{Namespace: installedIn, Name: "volcano", Identity: pod + "_x"}
	}
}

// found is a situation in which the installed scheduler is to be found: an administrator, a tenant of one namespace
// that is bound to the chart's Role, and one that is bound to nothing.
type found struct {
	ns, other             string
	node                  string
	admin, tenant, nobody string // kubeconfigs
	stop                  func()
}

func findable(t *testing.T) *found {
	t.Helper()
	installed(t)
	f := &found{ns: namespace(t), other: namespace(t), admin: shared.Kubeconfig}
	f.node = f.ns
	forwarding(t, f.node)
	queue(t, f.ns)
	schedulersPod(t, f.ns+"-1", f.node)
	f.stop = installedScheduler(t, f.ns, f.ns+"-1")
	submit(t, f.ns, f.ns, "runs", 2, 2, "1")
	submit(t, f.ns, f.ns, "waits", 1, 1, "64")
	submitElsewhere(t, f.ns, f.other, 1)
	awaitRunning(t, f.ns, "runs-", 2)
	awaitRunning(t, f.other, "secret-", 1)
	tenant := serviceAccount(t, f.ns, "tenant")
	mayView(t, f.ns, "tenant")
	mayAsk(t, f.ns, "tenant")
	f.tenant = kubeconfigOf(t, f.ns, &clientcmdapi.AuthInfo{Token: tenant})
	f.nobody = kubeconfigOf(t, f.ns, &clientcmdapi.AuthInfo{Token: serviceAccount(t, f.other, "nobody")})
	return f
}

// mayAsk binds the role by which persons reach the installed scheduler to a service account.
func mayAsk(t *testing.T, ns, account string) {
	t.Helper()
	bindings, name := shared.kube.RbacV1().RoleBindings(installedIn), ns+"-"+account
	if _, err := bindings.Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "ashlar-read-api"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: ns, Name: account}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bindings.Delete(context.Background(), name, metav1.DeleteOptions{}) })
	awaitRight(t, "system:serviceaccount:"+ns+":"+account, authorizationv1.ResourceAttributes{Namespace: installedIn,
		Verb: "get", Group: "coordination.k8s.io", Resource: "leases", Name: "volcano"})
}

// submitElsewhere submits a gang of another tenant, for the scheduler that has the name of its queue.
func submitElsewhere(t *testing.T, queue, ns string, members int) {
	t.Helper()
	foreign(t, ns, object("PodGroup", "secret", map[string]any{"minMember": int64(members), "queue": queue}))
	for i := range members {
		p := member(ns, "secret", i, "500m")
		p.Spec.SchedulerName = queue
		create(t, p)
	}
}

// `ashlar web` without arguments: the scheduler is found by its Lease, reached by a port-forward through the real API
// server, and followed when another one takes over.
func TestLiveThePageFindsTheScheduler(t *testing.T) {
	program := built(t)
	f := findable(t)
	admin, tenant := webOf(t, program, f.admin), webOf(t, program, f.tenant)
	for _, c := range []struct {
		who       *browser
		path      string
		code      int
		has, lack string
	}{
		{admin, "/v1/jobs?limit=5000", 200, `"secret"`, ""},
		{admin, "/v1/page", 200, `"scheduler":"v0.0.0-test"`, ""},
		{tenant, "/v1/jobs?limit=5000", 200, `"waits"`, `"secret`},
		{tenant, "/v1/why/job/" + f.other + "/secret", 403, "", `"path"`},
		{tenant, "/v1/dump", 403, "", `"Facts"`},
	} {
		code, text := c.who.get(c.path)
		if code != c.code || !strings.Contains(text, c.has) || c.lack != "" && strings.Contains(text, c.lack) {
			t.Errorf("%s: %d, want %d with %s and without %s: %s", c.path, code, c.code, c.has, c.lack, text)
		}
	}
	if got := ask(f.nobody, "web"); got.code != 1 || !strings.Contains(got.err, "you may not get the scheduler's Lease") {
		t.Errorf("nobody: exit code %d\n%s%s", got.code, got.out, got.err)
	}
	follows(t, f, tenant)
}

// follows: a stream of the page ends when its scheduler does, and the next one comes from the one that takes over.
func follows(t *testing.T, f *found, tenant *browser) {
	t.Helper()
	first := watched(t, tenant)
	schedulersPod(t, f.ns+"-2", f.node)
	installedScheduler(t, f.ns, f.ns+"-2")
	f.stop()
	for { // until it ends, whatever its last word is
		if _, err := first.Token(); err != nil {
			break
		}
	}
	watched(t, tenant)
	if code, text := tenant.get("/v1/page"); code != http.StatusOK || !strings.Contains(text, f.ns+"-2 (") {
		t.Errorf("after the take-over the page asks %d %s", code, text)
	}
}

// watched opens the page's stream and reads until it has the tenant's jobs.
func watched(t *testing.T, b *browser) *json.Decoder {
	t.Helper()
	var lines *json.Decoder
	seen := ""
	eventually(t, "the page's stream", func(ctx ctxless) (bool, error) {
		got, err := b.client.Get(b.host + "/v1/watch?kinds=jobs,queues,nodes")
		if err != nil {
			return false, err
		}
		t.Cleanup(func() { got.Body.Close() })
		if got.StatusCode != http.StatusOK {
			seen = got.Status
			return false, nil
		}
		lines = json.NewDecoder(got.Body)
		for has := false; ; {
			var e struct {
				Type, Kind string
				Object     struct{ Name string }
			}
			if err := lines.Decode(&e); err != nil {
				seen = err.Error()
				return false, nil
			}
			has = has || e.Kind == "Job" && e.Object.Name == "waits"
			if e.Type == "BOOKMARK" {
				return has, nil
			}
		}
	}, func() string { return seen })
	return lines
}
