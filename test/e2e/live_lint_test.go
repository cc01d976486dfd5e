package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The live cluster is looked at as the rights of an admin, a tenant and one who may read nothing allow; files are tried
// on it, and nothing of theirs is made.
func TestLiveLint(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "2")
	queue(t, ns)
	submit(t, ns, ns, "giant", 1, 1, "99")
	jobs := filepath.Join(t.TempDir(), "jobs.yaml")
	text := "apiVersion: v1\nkind: Pod\nmetadata: {name: huge, namespace: " + ns + ", annotations: {" +
		"scheduling.volcano.sh/queue-name: " + ns + "}}\nspec:\n  schedulerName: " + ns +
		"\n  containers: [{name: c, image: i, resources: {requests: {cpu: \"50\"}}}]\n"
	if err := os.WriteFile(jobs, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	again, conf := filepath.Join(t.TempDir(), "again.yaml"), filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	text = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: giant, namespace: " + ns + "}\n" +
		"spec: {queue: " + ns + "-missing, minAvailable: 1, schedulerName: " + ns +
		", tasks: [{name: w, replicas: 1, template: {spec: {containers: [{name: c, image: i}]}}}]}\n"
	if err := os.WriteFile(again, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(conf, []byte("actions: \"allocate\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := versions(t, ns)
	tenant := reader(t, ns, "linter", "namespace")
	for _, c := range []struct {
		who, config string
		args        []string
		code        int
		want, not   string
	}{
		{"admin", shared.Kubeconfig, nil, 1, "PodGroup/" + ns + "/giant: error: it can never start on these nodes", ""},
		{"admin", shared.Kubeconfig, []string{jobs, "--live"}, 1, jobs + ":1: error: Pod/" + ns + "/huge: it can never start",
			"giant"},
		{"admin", shared.Kubeconfig, []string{again, "--live"}, 1,
			again + ":1: error: PodGroup/" + ns + "/giant: queue " + ns + "-missing does not exist", "given twice"},
		{"admin", shared.Kubeconfig, []string{again, conf, "--live"}, 1, conf + ":1: warning: there are no plugins",
			"given twice"},
		{"tenant", tenant, nil, 0, "not looked at: whether jobs can run", "giant: error"},
		{"nobody", reader(t, ns, "blind", "nowhere"), nil, 1, "error: nothing of the cluster may be read", "giant"},
	} {
		got := ask(c.config, append([]string{"lint", "-n", ns, "--scheduler-name", ns}, c.args...)...)
		all := got.out + got.err
		if got.code != c.code || !strings.Contains(all, c.want) || c.not != "" && strings.Contains(all, c.not) {
			t.Errorf("as %s, %q: exit %d, want %d with %q and without %q:\n%s", c.who, c.args, got.code, c.code, c.want, c.not,
				all)
		}
	}
	if after := versions(t, ns); after != before {
		t.Errorf("looking changed objects:\n%s\n%s", before, after)
	}
}
