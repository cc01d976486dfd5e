package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"ashlar.sh/test/chromium"
)

// operator makes a person that operates the cluster, as docs/read-api.md says: it may read everything, and /v1/dump.
// It is a service account of installedIn, so that the audit log has what it asks for. It returns its kubeconfig.
func operator(t *testing.T, ns string) (account, config string) {
	t.Helper()
	account = "operator-" + ns
	token := serviceAccount(t, installedIn, account)
	of := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: installedIn, Name: account}}
	t.Cleanup(func() {
		_ = shared.kube.CoreV1().ServiceAccounts(installedIn).Delete(context.Background(), account, metav1.DeleteOptions{})
	})
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: account}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods", "nodes"}, Verbs: []string{"get", "list", "watch"}},
		{APIGroups: []string{"scheduling.volcano.sh"}, Resources: []string{"queues", "podgroups"},
			Verbs: []string{"get", "list", "watch"}}}}
	rbac := shared.kube.RbacV1()
	if _, err := rbac.ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rbac.ClusterRoles().Delete(context.Background(), account, metav1.DeleteOptions{}) })
	for _, name := range []string{"ashlar-operate", account} {
		bound, err := rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{GenerateName: account + "-"},
			RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: name}, Subjects: of},
			metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = rbac.ClusterRoleBindings().Delete(context.Background(), bound.Name, metav1.DeleteOptions{})
		})
	}
	mayAsk(t, installedIn, account)
	awaitRight(t, "system:serviceaccount:"+installedIn+":"+account, authorizationv1.ResourceAttributes{Verb: "list",
		Resource: "pods"})
	return account, kubeconfigOf(t, ns, &clientcmdapi.AuthInfo{Token: token})
}

// livePage opens the page of the installed scheduler as a person that operates the cluster, in a real browser. There
// are a node of 4 cpu and two queues of one weight, ns and ns-b.
func livePage(t *testing.T) (ns, account string, p *chromium.Page) {
	t.Helper()
	b := chromium.Start(t)
	program := built(t)
	installed(t)
	ns = namespace(t)
	forwarding(t, ns)
	queue(t, ns)
	queue(t, ns+"-b")
	schedulersPod(t, ns+"-1", ns)
	installedScheduler(t, ns, ns+"-1")
	account, config := operator(t, ns)
	return ns, account, b.Open(t, pageOf(t, program, config), 1280, 1200)
}

// reads are the verbs that change nothing; and what else a person's client asks for: a connection to the scheduler's
// pod, and whether that pod's account may bind pods. Neither of both leaves anything in the API server.
var reads = map[string]bool{"get": true, "list": true, "watch": true,
	"create pods/portforward": true, "create subjectaccessreviews.authorization.k8s.io": true,
	"create selfsubjectaccessreviews.authorization.k8s.io": true}

// written is what what-if must leave as it is: what users wrote, and where pods are.
func written(t *testing.T, ns string) string {
	t.Helper()
	var out strings.Builder
	for _, name := range []string{ns, ns + "-b"} {
		q, err := shared.dynamic.Resource(queueResource).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, q.GetUID(), q.GetGeneration(), q.Object["spec"])
	}
	groups, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups.Items {
		fmt.Fprintln(&out, g.GetUID(), g.GetName(), g.GetAnnotations(), g.Object["spec"])
	}
	for _, p := range list(t, ns, "") {
		fmt.Fprintln(&out, p.UID, p.Name, p.Spec.NodeName, p.DeletionTimestamp, p.Status.Phase)
	}
	return out.String()
}

// What-if on the page of a live scheduler: another weight, and a job less, move what they move in a copy. All that the
// person's command asks the API server for is to read, as its audit log says, and the objects stay as they were.
func TestLiveWhatIfOnThePage(t *testing.T) {
	since := time.Now()
	ns, account, p := livePage(t)
	submit(t, ns, ns, "holder", 2, 2, "1")
	submit(t, ns, ns+"-b", "other", 1, 1, "1")
	awaitRunning(t, ns, "holder-", 2)
	awaitRunning(t, ns, "other-", 1)
	submit(t, ns, ns+"-b", "wide", 1, 1, "2")
	submit(t, ns, ns, "more", 1, 1, "1") // each queue deserves 2 of 4
	p.Goes("#/jobs?state=waiting")
	waits := func(name string) string {
		return fmt.Sprintf(`[...document.querySelectorAll(".rows .tall .row")].some((r) =>
		  r.querySelector("b").textContent === %q && r.querySelector(".stand.waits"))`, name)
	}
	p.Until("that both wait", waits("more")+" && "+waits("wide"))
	before := written(t, ns)

	row := func(job, with string) string {
		return fmt.Sprintf(`[...document.querySelectorAll("dialog .jobs-moved tbody tr")].some((r) =>
		  r.querySelector("th a").textContent === %q && r.lastElementChild.textContent.includes(%q))`, job, with)
	}
	p.Goes("#/queues?queue=" + ns)
	p.Click(`.drawer a[href*="whatif=queue"]`)
	p.Until("the weight", `document.querySelector("dialog input[type=number]").value === "2" &&
	  document.querySelector("dialog .result")`)
	p.Eval(`document.querySelector("dialog input[type=number]").select()`, nil)
	p.Do("Input.insertText", map[string]any{"text": "3"})
	p.Click("dialog .primary")
	p.Until("what a weight of 3 moves", row("more", "starts now"))
	p.Until("what both queues deserve then", fmt.Sprintf(`[...document.querySelectorAll("dialog .result tr")].some((r) =>
	  r.firstElementChild.textContent === %q && r.children[1].textContent.replace(/\s/g, "") === "2→3")`, ns))
	p.Key("Escape")

	p.Goes("#/jobs?job=" + ns + "/holder")
	p.Click(`.drawer .asks a[href*="whatif=drop"]`)
	p.Until("what moves without it", row("holder", "not there")+" && "+row("more", "starts now")+" && "+
		row("wide", "starts now"))
	p.Key("Escape")
	p.Sound()

	if after := written(t, ns); after != before {
		t.Errorf("what-if changed the cluster:\n%s\n%s", before, after)
	}
	used, _ := asked(t, account, since)
	if !used[right{"", "pods/portforward", "create"}] && !used[right{"", "pods/portforward", "get"}] ||
		!used[right{"coordination.k8s.io", "leases", "get"}] {
		t.Errorf("the audit log has not what the command asks for: %v", used)
	}
	for r := range used {
		if !reads[r.verb] && !reads[r.String()] {
			t.Errorf("the page's command asked the API server to %s", r)
		}
	}
}

// What happened to a job, and a booking of its node, on the page of a live scheduler: why the job waits, which pods may
// run on into the window, and that the job starts when the booking is deleted. A person without the right to list
// bookings is told that it has none. A tenant sees the jobs of its namespace and what happened to them, and no other's.
func TestLiveHistoryAndBookingsOnThePage(t *testing.T) {
	b := chromium.Start(t)
	program := built(t)
	f := findable(t)
	selectable(t, f.node)
	from := time.Now().UTC().Add(time.Hour).Truncate(time.Second)
	bookings, err := booking(t, f.ns, map[string]any{"maintenance": true, "nodes": selecting(f.node),
		"from": from.Format(time.RFC3339), "to": from.Add(time.Hour).Format(time.RFC3339)})
	if err != nil {
		t.Fatal(err)
	}
	p := b.Open(t, pageOf(t, program, f.admin), 1280, 1200)
	p.Click(`nav a[href*="cluster"]`)
	p.Until("that there are bookings", `document.querySelector(".tools .segments b")`)
	p.Click(".tools .segments:last-child button:last-child")
	p.Until("the booking", fmt.Sprintf(`[...document.querySelectorAll("li .booking")].some((e) =>
	  [%q, "maintenance", "conflicts", "1 node", "in 5"].every((s) => e.innerText.includes(s)) && (e.id = "mine"))`, f.ns))
	p.Click("#mine")
	p.Until("its window, its node and the pods that may run on", fmt.Sprintf(`
	  [%q, %q, "runs-0", "runs-1", "Nothing is evicted"].every((s) =>
	  document.querySelector(".drawer").innerText.includes(s))`, from.Format("15:04"), f.node))
	submit(t, f.ns, f.ns, "late", 1, 1, "1")
	p.Goes("#/jobs?job=" + f.ns + "/late")
	p.Click(".past summary")
	says := func(words string) string {
		return fmt.Sprintf(`document.querySelector(".past .moments").innerText.includes(%q)`, words)
	}
	p.Until("that it came and waits", says("late-0: came (waits)")+` && ((text) =>
	  text.startsWith("`+f.ns+`/late-0: ") && ["booked for maintenance", "has no limit"].every((s) => text.includes(s)))(
	  document.querySelector(".drawer .sentence").innerText)`)
	_, config := operator(t, f.ns)
	other := b.Open(t, pageOf(t, program, config), 1280, 1200)
	other.Goes("#/cluster?as=bookings")
	other.Until("that the right is missing",
		`document.querySelector("main").innerText.includes("no right to list bookings: they are not known")`)
	other.Sound()
	tenant := b.Open(t, pageOf(t, program, f.tenant), 1280, 1200)
	tenant.Goes("#/jobs?past=1&job=" + f.ns + "/late")
	tenant.Until("what happened to its job", says("late-0: came (waits)"))
	tenant.Until("its own jobs alone", `[...document.querySelectorAll(".rows .tall .row b")].map((e) => e.textContent).
	  sort().join() === "late,runs,waits"`)
	tenant.Goes("#/jobs?past=1&job=" + f.other + "/secret")
	tenant.Until("nothing of another's", `document.querySelector(".drawer").innerText.includes("No such job")`)
	tenant.Goes("#/cluster")
	tenant.Until("no nodes", `document.querySelector("main .empty").innerText.includes("No nodes")`)
	tenant.Sound()

	if err := bookings.Delete(t.Context(), f.ns, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.Until("that it runs, and where it was bound", says("bind "+f.ns+"/late-0 to "+f.node)+
		` && document.querySelector(".drawer .stand.runs")`)
	p.Goes("#/cluster?as=bookings")
	p.Until("no booking", `document.querySelector(".view .empty").innerText.includes("No nodes are booked")`)
	p.Sound()
}
