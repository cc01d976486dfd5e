package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// spreading is Volcano's stock file with actions that evict, where nothing but the default spread chooses between
// nodes.
var spreading = strings.Replace(stockWithEvictions, "  - name: nodeorder\n  - name: binpack\n", "  - name: nodeorder\n"+
	"    arguments: {leastrequested.weight: 0, balancedresource.weight: 0, imagelocality.weight: 0}\n", 1)

// readServices is what Volcano's role does not grant.
var readServices = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"services"},
	Verbs: []string{"get", "list", "watch"}}

// A busy cluster with Services is taken over under Volcano's role, which grants no right to read them: nothing that
// runs goes, and pods are bound without. The right comes, and pods are spread by Services; it is taken away, and the
// scheduler goes on with what it knows and says that it may not.
func TestLiveTheRightToReadServicesComesAndGoes(t *testing.T) {
	w, _ := privateWorld(t)
	w.takenOver()
	for _, job := range []string{"run", "elastic", "short", "wait", "done"} {
		w.service("t", job, map[string]string{"volcano.sh/job-name": job})
	}
	w.service("t", "web", map[string]string{"app": "web"})
	for _, gang := range []string{"without", "with", "afterwards"} {
		w.service(w.ns, gang, map[string]string{"app": gang})
	}
	for _, name := range []string{"own-a", "own-b", "own-c"} {
		w.ownNode(name)
	}
	w.queue()
	before := w.lives()

	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte(spreading), 0o600); err != nil {
		t.Fatal(err)
	}
	asVolcano := w
	asVolcano.config = w.volcanosAccount()
	health := address(t)
	i := asVolcano.start("vc-scheduler", program(t, thisVersion, "vc-scheduler"), []string{"--scheduler-conf=" + conf,
		"--leader-elect=false", "--scheduler-name=volcano", "--schedule-period=1s", "--node-worker-threads=20", "-v=3",
		"--kube-api-qps=2000", "--kube-api-burst=2000", "--enable-healthz=true", "--enable-metrics=true",
		"--healthz-address=" + health, "--listen-address=" + address(t)}, nil)
	works := func(gang string, want int) {
		t.Helper()
		w.gangOf(gang, 3, func(p *corev1.Pod) {
			p.Labels = map[string]string{"app": gang}
			p.Spec.Tolerations = []corev1.Toleration{{Key: "own", Operator: corev1.TolerationOpExists}}
			p.Spec.NodeSelector = map[string]string{"own": "true"}
		})
		var on []string
		w.await("see gang "+gang+" bound", func(ctx context.Context) error {
			on = nil
			pods, err := w.kube.CoreV1().Pods(w.ns).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, p := range pods.Items {
				if strings.HasPrefix(p.Name, gang+"-") && p.Spec.NodeName != "" {
					on = append(on, p.Spec.NodeName)
				}
			}
			if len(on) < 3 {
				return fmt.Errorf("%d are", len(on))
			}
			return nil
		})
		slices.Sort(on)
		if n := len(slices.Compact(on)); n != want {
			t.Errorf("gang %s is on %d nodes, want %d", gang, n, want)
		}
		now := w.lives()
		for name, uid := range before {
			if now[name] != uid {
				t.Fatalf("%s is gone", name)
			}
		}
	}
	i.awaitSaid("forbids to list some kinds")
	works("without", 1)

	w.mayRead(true)
	w.await("see Services watched", func(context.Context) error {
		if !strings.Contains(i.said(), `"Watching" kind="Service"`) {
			return fmt.Errorf("they are not")
		}
		return nil
	})
	works("with", 3)

	w.mayRead(false)
	i.proxy.DropWatches()
	i.awaitSaid(`services is forbidden`)
	works("afterwards", 3)
	if answer, err := http.Get("http://" + health + "/readyz"); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("it is not ready: %v, %+v", err, answer)
	} else {
		answer.Body.Close()
	}
}

// service makes a headless Service, as plugin svc of a Volcano Job does.
func (w world) service(ns, name string, selector map[string]string) {
	w.t.Helper()
	w.try("make Service "+name, func(ctx context.Context) error {
		_, err := w.kube.CoreV1().Services(ns).Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Selector: selector}}, metav1.CreateOptions{})
		return err
	})
}

// ownNode makes a node for the test's own pods alone, each a host of its own.
func (w world) ownNode(name string) {
	w.t.Helper()
	w.node(name, "16")
	w.try("label node "+name, func(ctx context.Context) error {
		n, err := w.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Labels = map[string]string{corev1.LabelHostname: name, "own": "true"}
		n.Spec.Taints = []corev1.Taint{{Key: "own", Effect: corev1.TaintEffectNoSchedule}}
		_, err = w.kube.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{})
		return err
	})
}

// volcanos is the name of Volcano's account, role and namespace in the tests' control planes.
const volcanos = "volcano-scheduler"

// volcanosAccount reaches the API server as the account of Volcano's chart, with its role.
func (w world) volcanosAccount() *rest.Config {
	w.t.Helper()
	meta := metav1.ObjectMeta{Name: volcanos}
	w.try("make the role", func(ctx context.Context) error {
		_, err := w.kube.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta,
			Rules: append(slices.Clone(volcanosRules), devicesToo)}, metav1.CreateOptions{})
		return err
	})
	w.try("bind the role", func(ctx context.Context) error {
		_, err := w.kube.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: volcanos},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.ns, Name: volcanos}}},
			metav1.CreateOptions{})
		return err
	})
	w.try("make the account", func(ctx context.Context) error {
		_, err := w.kube.CoreV1().ServiceAccounts(w.ns).Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta},
			metav1.CreateOptions{})
		return err
	})
	hour := int64(time.Hour / time.Second)
	token, err := w.kube.CoreV1().ServiceAccounts(w.ns).CreateToken(w.t.Context(), volcanos,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &hour}},
		metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(w.config)
	config.BearerToken = token.Status.Token
	return config
}

// mayRead grants Volcano's role the right to read Services, or takes it away.
func (w world) mayRead(services bool) {
	w.t.Helper()
	w.try("change the role", func(ctx context.Context) error {
		r, err := w.kube.RbacV1().ClusterRoles().Get(ctx, volcanos, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if r.Rules = append(slices.Clone(volcanosRules), devicesToo); services {
			r.Rules = append(r.Rules, readServices)
		}
		_, err = w.kube.RbacV1().ClusterRoles().Update(ctx, r, metav1.UpdateOptions{})
		return err
	})
}
