package e2e

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"ashlar.sh/internal/loop"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched/model"
)

// address is one of this machine on which no program listens.
func address(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// fetch is what a path answers with 200, "" before that.
func fetch(url string) string {
	answer, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return ""
	}
	return string(body)
}

// A running scheduler shows its configuration and its figures, and writes down what it
// knows, budgets and quotas of the cluster included.
func TestLiveLookingInside(t *testing.T) {
	ns := namespace(t)
	one := intstr.FromInt32(1)
	_, err := shared.kube.PolicyV1().PodDisruptionBudgets(ns).Create(t.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "keep"},
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &one,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = shared.kube.CoreV1().ResourceQuotas(ns).Create(t.Context(),
		&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "most"},
			Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"requests.cpu": resource.MustParse("7")}}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ask, dir, at := make(chan os.Signal, 1), t.TempDir(), address(t)
	live(t, ns, func(o *loop.Options) {
		o.Dump, o.DumpDir, o.Flags = ask, dir, map[string]string{"v": "3"}
		o.Addresses = loop.Addresses{Metrics: at, Health: at}
	})
	eventually(t, "the scheduler to be ready", func(ctxless) (bool, error) {
		return fetch("http://"+at+"/readyz") == "ok\n", nil
	}, func() string { return "it is not" })
	if got := fetch("http://" + at + "/configz"); !strings.Contains(got, `"allocate"`) ||
		!strings.Contains(got, `"v": "3"`) {
		t.Errorf("/configz shows %s; want the actions and the flags", got)
	}
	if got := fetch("http://" + at + "/metrics"); !strings.Contains(got,
		`ashlar_api_requests_total{code="200",method="GET",resource="poddisruptionbudgets"}`) {
		t.Errorf("/metrics does not count the list of budgets: %s", got)
	}
	ask <- syscall.SIGUSR2
	var saved recording.State
	eventually(t, "a dump", func(ctxless) (bool, error) {
		files, err := filepath.Glob(filepath.Join(dir, "ashlar-recordings", "ashlar-dump-*.json"))
		if err != nil || len(files) == 0 {
			return false, err
		}
		saved, err = recording.ReadState(files[0])
		return true, err
	}, func() string { return "none" })
	for _, ref := range []model.Ref{{Kind: model.KindBudget, Namespace: ns, Name: "keep"},
		{Kind: model.KindQuota, Namespace: ns, Name: "most"}} {
		at := slices.IndexFunc(saved.Facts, func(f model.Fact) bool { return f.Ref == ref })
		if at < 0 {
			t.Errorf("the dump does not know %s", ref)
			continue
		}
		if b, is := saved.Facts[at].Object.(*model.Budget); is && (b.MinAvailable == nil || b.MinAvailable.Value != 1 ||
			len(b.Selector) != 1) {
			t.Errorf("the budget is %+v", b)
		}
	}
}
