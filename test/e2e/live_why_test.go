package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/cli"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/loop"
)

// told is what a verb left behind.
type told struct {
	code     int
	out, err string
}

// ask runs a verb of the command as a person with a kubeconfig.
func ask(kubeconfig string, args ...string) told {
	return command(append(args, "--kubeconfig", kubeconfig)...)
}

// command runs the command with these arguments only.
func command(args ...string) told {
	var out, errs bytes.Buffer
	p := cli.Process{Args: append([]string{"ashlar"}, args...), In: strings.NewReader(""), Out: &out, Err: &errs,
		Env: func(string) string { return "" }, Now: time.Now}
	return told{p.Run(), out.String(), errs.String()}
}

// reader makes a service account with read rights, and its kubeconfig: everywhere, in one namespace, or nowhere.
func reader(t *testing.T, ns, name, where string) string {
	t.Helper()
	rules := []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list"}}}
	subject := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: ns, Name: name}}
	token := serviceAccount(t, ns, name)
	rbac, called := shared.kube.RbacV1(), metav1.ObjectMeta{Name: ns + "-" + name}
	var err error
	switch where {
	case "everywhere":
		if _, err = rbac.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: called, Rules: rules},
			metav1.CreateOptions{}); err == nil {
			_, err = rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: called,
				RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: called.Name}, Subjects: subject}, metav1.CreateOptions{})
		}
		t.Cleanup(func() {
			_ = rbac.ClusterRoleBindings().Delete(context.Background(), called.Name, metav1.DeleteOptions{})
			_ = rbac.ClusterRoles().Delete(context.Background(), called.Name, metav1.DeleteOptions{})
		})
	case "namespace":
		if _, err = rbac.Roles(ns).Create(t.Context(), &rbacv1.Role{ObjectMeta: called, Rules: rules},
			metav1.CreateOptions{}); err == nil {
			_, err = rbac.RoleBindings(ns).Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: called,
				RoleRef: rbacv1.RoleRef{Kind: "Role", Name: called.Name}, Subjects: subject}, metav1.CreateOptions{})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if where != "nowhere" {
		awaitRight(t, "system:serviceaccount:"+ns+":"+name, authorizationv1.ResourceAttributes{Namespace: ns, Verb: "list",
			Resource: "pods"})
	}
	return kubeconfigOf(t, ns, &clientcmdapi.AuthInfo{Token: token})
}

// kubeconfigOf writes one for the shared cluster.
func kubeconfigOf(t *testing.T, ns string, who *clientcmdapi.AuthInfo) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: shared.Config.Host,
		CertificateAuthorityData: shared.Config.CAData, CertificateAuthority: shared.Config.CAFile,
		InsecureSkipTLSVerify: shared.Config.Insecure}
	config.AuthInfos["u"] = who
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u", Namespace: ns}
	config.CurrentContext = "x"
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// unwrapped has one space between words.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// A live cluster is asked why a job waits: by an admin, by a person who may only read, by a tenant who may read one
// namespace, and by one who may read nothing.
func TestLiveWhy(t *testing.T) {
	ns := namespace(t)
	noneLeaves(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	stop := live(t, ns)
	submit(t, ns, ns, "train", 2, 2, "1")
	awaitRunning(t, ns, "train", 2)
	submit(t, ns, ns, "large", 3, 3, "1")
	wrote := awaitCondition(t, ns, "large", schedulingv1beta1.PodGroupUnschedulableType)
	stop() // from here on nobody but a verb could write

	before := versions(t, ns)
	admin := shared.Kubeconfig
	for who, config := range map[string]string{"admin": admin, "viewer": reader(t, ns, "viewer", "everywhere")} {
		got := ask(config, "why", "job", "large", "-n", ns, "--scheduler-name", ns, "--exit-code")
		want := "There is room for 2 of the 3 pods that start together"
		if got.code != 10 || !strings.Contains(unwrapped(got.out), want) {
			t.Errorf("as %s exit %d, want 10 and %q:\n%s%s", who, got.code, want, got.out, got.err)
		}
		if _, sentence, _ := strings.Cut(wrote.Message, "unschedulable: "); !strings.Contains(unwrapped(got.out),
			begun(sentence)) {
			t.Errorf("as %s why does not say what the scheduler wrote, %q:\n%s", who, sentence, got.out)
		}
		got = ask(config, "why", "job", "train", "-n", ns, "--scheduler-name", ns, "--exit-code", "-o", "json")
		var a explain.Answer
		if err := json.Unmarshal([]byte(got.out), &a); err != nil {
			t.Fatalf("as %s: %v\n%s%s", who, err, got.out, got.err)
		}
		if got.code != 0 || a.State != explain.Runs || len(a.Places) != 1 || a.Places[0].Pods != 2 ||
			a.Basis.Source != "cluster" {
			t.Errorf("as %s job train is %+v", who, a)
		}
		if got := ask(config, "why", "queue", ns, "--scheduler-name", ns); !strings.Contains(unwrapped(got.out),
			"1 job in it waits, 1 has pods that run") {
			t.Errorf("as %s the queue is\n%s%s", who, got.out, got.err)
		}
		if got := ask(config, "why", "node", ns+"-a", "--scheduler-name", ns); !strings.Contains(unwrapped(got.out),
			"It could still take cpu 2") {
			t.Errorf("as %s the node is\n%s%s", who, got.out, got.err)
		}
	}

	listsOf(t, admin, ns)
	plansOf(t, admin, ns)
	tenant := reader(t, ns, "tenant", "namespace")
	if got := ask(tenant, "jobs"); !strings.Contains(unwrapped(got.out), "large "+ns+" 0/3 WaitsForRoom") {
		t.Errorf("a tenant's jobs are\n%s%s", got.out, got.err)
	}
	for _, verb := range []string{"nodes", "queues"} {
		if got := ask(tenant, verb); got.code != 1 || !strings.Contains(got.err, "cannot be found out: ") {
			t.Errorf("a tenant's %s: exit %d\n%s%s", verb, got.code, got.out, got.err)
		}
	}
	got := ask(tenant, "why", "job", "large", "--scheduler-name", ns, "--exit-code")
	for _, want := range []string{"waits for room", unwrapped(wrote.Message), "you may not read enough of the cluster"} {
		if !strings.Contains(strings.ToLower(unwrapped(got.out)), strings.ToLower(want)) {
			t.Errorf("a tenant is told no %q:\n%s%s", want, got.out, got.err)
		}
	}
	warned := "warning: pods outside namespace " + ns + ": no right to list it; not known: "
	if got.code != 10 || !strings.Contains(got.err, warned) {
		t.Errorf("for a tenant exit %d, stderr\n%s", got.code, got.err)
	}
	got = ask(tenant, "why", "job", "train", "--exit-code")
	if got.code != 0 || !strings.Contains(got.out, "It runs: 2 pods") {
		t.Errorf("a tenant's running job: exit %d\n%s%s", got.code, got.out, got.err)
	}
	if got := ask(tenant, "why", "queue", ns); got.code != 1 || !strings.Contains(got.err, "cannot be found out: ") {
		t.Errorf("a tenant's queue: exit %d\n%s%s", got.code, got.out, got.err)
	}

	got = ask(reader(t, ns, "nobody", "nowhere"), "why", "job", "large")
	if got.code != 1 || got.out != "" || !strings.Contains(got.err, "warning: pods: no right to list it") {
		t.Errorf("one who may read nothing: exit %d, stdout %q, stderr\n%s", got.code, got.out, got.err)
	}
	stranger := kubeconfigOf(t, ns, &clientcmdapi.AuthInfo{Token: "no-token-of-anybody"})
	got = ask(stranger, "why", "job", "large")
	if got.code != 1 || !strings.Contains(got.err, "error: no cluster to ask: ") {
		t.Errorf("one with a bad token: exit %d, stderr\n%s", got.code, got.err)
	}
	if after := versions(t, ns); after != before {
		t.Errorf("the questions changed objects:\n%s\n%s", before, after)
	}
}

// listsOf asks for the lists of the cluster of TestLiveWhy.
func listsOf(t *testing.T, admin, ns string) {
	t.Helper()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"jobs", "-n", ns}, "train " + ns + " 2/2 Runs"},
		{[]string{"jobs", "-A"}, ns + " large " + ns + " 0/3 WaitsForRoom"},
		{[]string{"jobs", "-n", ns, "-o", "name"}, "job/large job/train"},
		{[]string{"nodes", ns + "-a"}, ns + "-a Present 2/110 2 of 4 64Gi of 64Gi"},
		{[]string{"queues", ns, "-o", "jsonpath={.queues[0].allocated.cpu}"}, "2"},
		{[]string{"__complete", "why", "--kubeconfig", admin, "-n", ns, "job", "l"}, "large :4"},
	} {
		got := ask(admin, append(c.args, "--scheduler-name", ns)...)
		if c.args[0] == "__complete" { // what follows is the argument to complete
			got = command(c.args...)
		}
		if got.code != 0 || !strings.Contains(unwrapped(got.out), c.want) {
			t.Errorf("%q: exit %d, no %q in\n%s%s", c.args, got.code, c.want, got.out, got.err)
		}
	}
	missing := ask(admin, "jobs", "lagre", "-n", ns, "--scheduler-name", ns)
	if missing.code != 1 || !strings.Contains(missing.err, `(did you mean "large"?)`) {
		t.Errorf("a job that is not there: exit %d, %s", missing.code, missing.err)
	}
}

// plansOf asks what would happen to two more pods in that cluster.
func plansOf(t *testing.T, admin, ns string) {
	t.Helper()
	pod := func(name, cores string) string {
		return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: " + ns +
			", annotations: {scheduling.volcano.sh/queue-name: " + ns + "}}\nspec:\n  schedulerName: " + ns +
			"\n  containers: [{name: c, image: i, resources: {requests: {cpu: \"" + cores + "\"}}}]\n"
	}
	path := filepath.Join(t.TempDir(), "jobs.yaml")
	if err := os.WriteFile(path, []byte(pod("fits", "1")+pod("giant", "99")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := ask(admin, "plan", "-f", path, "-n", ns, "--scheduler-name", ns)
	for _, want := range []string{"If submitted now: 2 jobs: 1 starts now, 1 can never run",
		ns + "/fits (queue " + ns + ") 1 pod goes to " + ns + "-a.", "asks for more than any of them has"} {
		if !strings.Contains(unwrapped(got.out), want) {
			t.Errorf("the plan has no %q: exit %d\n%s%s", want, got.code, got.out, got.err)
		}
	}
}

// begun is the first words of a sentence: amounts at its end may have changed since it was written.
func begun(sentence string) string {
	words := strings.Fields(sentence)
	text := strings.Join(words[:min(len(words), 10)], " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// versions are the resourceVersions of a namespace's pods and PodGroups.
func versions(t *testing.T, ns string) string {
	t.Helper()
	var out []string
	for _, p := range list(t, ns, "") {
		out = append(out, p.Name+"="+p.ResourceVersion)
	}
	groups, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups.Items {
		out = append(out, g.GetName()+"="+g.GetResourceVersion())
	}
	return strings.Join(out, " ")
}

// What the live scheduler saved answers as the cluster does.
func TestLiveWhyOfADump(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	dir := t.TempDir()
	signals := make(chan os.Signal, 1)
	live(t, ns, func(o *loop.Options) { o.Dump, o.DumpDir = signals, dir })
	submit(t, ns, ns, "large", 9, 9, "1")
	awaitCondition(t, ns, "large", schedulingv1beta1.PodGroupUnschedulableType)
	signals <- os.Interrupt
	var path string
	eventually(t, "the dump", func(context.Context) (bool, error) {
		found, err := filepath.Glob(filepath.Join(dir, "ashlar-recordings", "ashlar-dump-*.json"))
		if len(found) == 1 {
			path = found[0]
		}
		return path != "", err
	}, func() string { return "none" })
	got := ask("", "why", "job", "large", "-n", ns, "--dump", path, "--exit-code")
	if got.code != 12 || !strings.Contains(unwrapped(got.out), "It can never start on these nodes") {
		t.Errorf("exit %d, want 12:\n%s%s", got.code, got.out, got.err)
	}
}
