package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/loop"
	"ashlar.sh/test/chromium"
)

// askingTenant makes a user that may view one namespace and ask the installed scheduler. It returns its kubeconfig.
func askingTenant(t *testing.T, ns string) string {
	t.Helper()
	token := serviceAccount(t, ns, "tenant")
	mayView(t, ns, "tenant")
	mayAsk(t, ns, "tenant")
	return kubeconfigOf(t, ns, &clientcmdapi.AuthInfo{Token: token})
}

// tile is a script that is true when a tile of Pulse has a value, and says something more.
func tile(label, value, more string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".tile")].some((e) => ((own) => own(".label") === %q &&
	  own(".value") === %q && own(".more").includes(%q))((part) => e.querySelector(part)?.innerText ?? ""))`,
		label, value, more)
}

// cycleWith is a script that is true when a cycle is listed with figures of the columns bound and evicted.
func cycleWith(bound, evicted string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".cycles .tall .row")].some((r) =>
	  r.children[2].innerText === %q && r.children[3].innerText === %q && (r.id = "cycle"))`, bound, evicted)
}

// Pulse and the recorder on the page of a live scheduler, while pods come, one of them is evicted, and the scheduler
// restarts. A tenant sees what concerns its namespace; one of another namespace sees a number.
func TestLivePulseAndTheRecorderOnThePage(t *testing.T) {
	b := chromium.Start(t)
	program := built(t)
	installed(t)
	ns, other := namespace(t), namespace(t)
	forwarding(t, ns)
	queue(t, ns)
	urgent := ns + "-urgent"
	priority(t, urgent, 1000)
	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	err := os.WriteFile(conf, []byte("actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins:\n"+
		"  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: proportion\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	acts := func(pod string) (stop func()) {
		schedulersPod(t, pod, ns)
		at := address(t)
		return live(t, ns, func(o *loop.Options) { // the installed one may evict no pods of a scheduler of another name
			o.ConfigFile, o.Version, o.Read = conf, "v0.0.0-test", loop.ReadAPI{Address: at, Namespace: installedIn}
			o.Election = &loop.Election{Namespace: installedIn, Name: "volcano", Identity: pod + "_x"}
		})
	}
	t.Cleanup(func() { // else the verbs of other tests find a scheduler that is gone
		_ = shared.kube.CoordinationV1().Leases(installedIn).Delete(context.Background(), "volcano", metav1.DeleteOptions{})
	})
	forgetEvictions(t)
	stop := acts(ns + "-1")
	eventually(t, "the lease", func(ctx context.Context) (bool, error) {
		lease, err := shared.kube.CoordinationV1().Leases(installedIn).Get(ctx, "volcano", metav1.GetOptions{})
		return err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity == ns+"-1_x", nil
	}, func() string { return "the scheduler does not have it" })
	p := b.Open(t, pageOf(t, program, shared.Kubeconfig), 1280, 1200)
	p.Until("that nothing runs", tile("Jobs running", "0", "")+" && "+tile("Evictions", "0", "in the last hour"))
	submit(t, ns, ns, "low", 4, 1, "1")
	awaitRunning(t, ns, "low-", 4)
	p.Until("that it runs", tile("Jobs running", "1", "")+" && "+tile("CPU in use", "100 %", "4 of 4")+" && "+
		tile("Pods started", "4", "in the last"))
	foreign(t, ns, object("PodGroup", "high", map[string]any{"minMember": int64(1), "queue": ns,
		"priorityClassName": urgent}))
	high := member(ns, "high", 0, "1")
	high.Spec.SchedulerName, high.Spec.PriorityClassName = ns, urgent
	create(t, high)
	awaitRunning(t, ns, "high", 1)
	gone := evictedOf(t, ns, "low-", 4)

	p.Until("the eviction", tile("Evictions", "1", "in the last hour"))
	p.Until("its rule and queue", fmt.Sprintf(`document.querySelector(".evicted-lately .ranking a").innerText.
	  replace(/\s+/g, " ") === "preempt · %s 1"`, ns))
	p.Click(".evicted-lately .ranking a")
	recordOf(p, ns, gone)
	p.Until("what only the scheduler knows", `document.querySelector(".drawer").innerText.includes("Ran for")`)
	p.Goes("#/recorder?show=cycles")
	p.Until("the cycle that evicted", cycleWith("–", "1"))
	p.Click("#cycle")
	p.Until("its decision", fmt.Sprintf(`[...document.querySelectorAll(".drawer .decisions li")].some((e) =>
	  e.innerText.startsWith("evict %s/%s: preempt"))`, ns, gone))
	goesOn(t, ns)
	ofThatMoment(t, b, p, program, ns, gone)
	p.Goes("#/queues?as=time&res=cpu&qs=" + ns)
	p.Until("what the queue held and deserved", fmt.Sprintf(`document.querySelector(".overtime canvas") &&
	  document.querySelector(".overtime .chart [role=img]").getAttribute("aria-label") ===
	  "%s: Allocated 4, Deserved 4"`, ns))

	tenant := b.Open(t, pageOf(t, program, askingTenant(t, ns)), 1280, 1200)
	tenant.Until("its own eviction", tile("Evictions", "1", "in the last hour"))
	tenant.Goes("#/recorder")
	recordOf(tenant, ns, gone)
	stranger := b.Open(t, pageOf(t, program, askingTenant(t, other)), 1280, 1200)
	stranger.Until("a number alone", tile("Evictions", "0", "+ 1 of others"))
	stranger.Goes("#/recorder?show=cycles")
	stranger.Until("the cycle in figures", cycleWith("–", "1"))
	stranger.Click("#cycle")
	stranger.Until("that it may not see more",
		`document.querySelector(".drawer").innerText.includes("about jobs that you may not see")`)
	if text := stranger.Text("body"); strings.Contains(text, "low-") || strings.Contains(text, ns+"/") {
		t.Errorf("a tenant of another namespace reads\n%s", text)
	}
	for _, q := range []*chromium.Page{p, tenant, stranger} {
		q.Sound()
	}

	p.Goes("#/pulse")
	acts(ns + "-2")
	stop()
	afterARestart(t, p, ns, gone)
}

// ofThatMoment saves the recording, from the cycle that is open in the recorder, and opens it: there is the cluster of
// that moment, in which the pod that was evicted still runs a cycle earlier.
func ofThatMoment(t *testing.T, b *chromium.Browser, p *chromium.Page, program, ns, gone string) {
	t.Helper()
	p.Click(".drawer .of-moment button")
	p.Until("that it is saved", `document.querySelector(".of-moment [role=status]").innerText.
	  includes("saved as ashlar-")`)
	var cycle string
	var text []byte // in base64, as JSON has it
	p.Eval(`document.querySelector(".drawer .name").innerText`, &cycle)
	p.Eval(`fetch("/v1/recording").then((r) => r.arrayBuffer()).then((b) => btoa(Array.from(new Uint8Array(b),
	  (x) => String.fromCharCode(x)).join("")))`, &text)
	file := filepath.Join(t.TempDir(), "ashlar-recording.jsonl.gz")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	then := b.Open(t, printedBy(t, program, "web", file), 1280, 1200)
	then.Until("all of the recording", `document.querySelector(".transport")?.innerText.includes("the run has ended")`)
	then.Goes("#/recorder?show=cycles&cycle=" + cycle)
	then.Until("the same decision", fmt.Sprintf(`[...document.querySelectorAll(".drawer .decisions li")].some((e) =>
	  e.innerText.startsWith("evict %s/%s: preempt"))`, ns, gone))
	then.Until("the cycle in the list", `document.querySelector(".cycles .row[aria-selected=true]")`)
	then.Click(".cycles .row[aria-selected=true]")
	then.Goes("#/jobs?job=" + ns + "/high")
	then.Until("the job for which room was made, then", `document.querySelector(".drawer .name")?.innerText === "high" &&
	  document.querySelector(".transport .past")`)
	then.Sound()
}

// goesOn has something happen after the eviction that a page tells apart in time, which it does by seconds: a job waits
// that is too large for any node.
func goesOn(t *testing.T, ns string) {
	t.Helper()
	later := time.NewTimer(2 * time.Second)
	<-later.C
	submit(t, ns, ns, "later", 1, 1, "64")
	awaitCondition(t, ns, "later", schedulingv1beta1.PodGroupUnschedulableType)
}

// forgetEvictions deletes the events of evictions in other tests: the page counts those of the last hour.
func forgetEvictions(t *testing.T) {
	t.Helper()
	events := shared.kube.CoreV1()
	old, err := events.Events("").List(t.Context(), metav1.ListOptions{FieldSelector: "reason=Evict"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range old.Items {
		if err := events.Events(e.Namespace).Delete(t.Context(), e.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// recordOf opens the eviction of a pod, for which job and by which rule it was.
func recordOf(p *chromium.Page, ns, gone string) {
	p.Click(".evictions .tall .row time")
	p.Until("the record of "+gone, fmt.Sprintf(`document.querySelector(".drawer .name").innerText === %q &&
	  [%q, "preempt", "priority", "keeps its minimum"].every((s) =>
	  document.querySelector(".drawer").innerText.includes(s)) &&
	  document.querySelector(".drawer .permits li b").innerText.length > 2`, gone, ns+"/high"))
}

// afterARestart: the page goes on with the scheduler that acts now, which has not recorded the eviction.
func afterARestart(t *testing.T, p *chromium.Page, ns, gone string) {
	t.Helper()
	if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), list(t, ns, "low-")[0].Name, now()); err != nil {
		t.Fatal(err)
	}
	submit(t, ns, ns, "after", 1, 1, "1")
	awaitRunning(t, ns, "after-", 1)
	p.Until("what holds after the restart", tile("Jobs running", "3", "")+` && !document.querySelector(".banner")`)
	p.Until("the eviction, which is in the events", tile("Evictions", "1", "in the last hour"))
	p.Goes("#/recorder?show=evictions")
	recordOf(p, ns, gone)
	p.Until("that this is the event",
		`document.querySelector(".drawer").innerText.includes("has recorded no more of it")`)
	p.Goes("#/recorder?show=cycles")
	p.Until("the cycles of the scheduler that acts", cycleWith("1", "–")+" && !"+cycleWith("–", "1"))
}

// evictedOf is the pod that is not there any more, of so many; its event is there.
func evictedOf(t *testing.T, ns, prefix string, of int) (gone string) {
	t.Helper()
	there := map[string]bool{}
	for _, p := range list(t, ns, prefix) {
		there[p.Name] = p.DeletionTimestamp == nil
	}
	for i := range of {
		if name := fmt.Sprint(prefix, i); !there[name] {
			gone = name
		}
	}
	eventually(t, "the event of the eviction of "+gone, func(ctx context.Context) (bool, error) {
		events, err := shared.kube.CoreV1().Events(ns).List(ctx, metav1.ListOptions{
			FieldSelector: "reason=Evict,involvedObject.name=" + gone})
		return err == nil && len(events.Items) > 0, err
	}, func() string { return "there is none" })
	return gone
}
