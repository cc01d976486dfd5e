package cli_test

import (
	"strings"
	"testing"
)

// What a job is told of pods that may not be evicted for it names the queues, budgets and jobs of its own namespace
// only: its tenant need not know of the others. A pod on a node of one core is kept by a budget of its namespace, or by
// the guarantee of its queue.
func TestWhyNamesNoQueueOrBudgetOfAnotherNamespace(t *testing.T) {
	for _, c := range []struct {
		about, action, queue, holder string
		names, bare                  string
	}{
		{"a budget", "preempt", "theirs", "red", "red/precious", "1 pod is kept by the disruption budget of its namespace"},
		{"a budget", "preempt", "theirs", "blue", "blue/precious", "1 pod is kept by the disruption budget blue/precious"},
		{"a guarantee", "reclaim", "ours", "red", "queue theirs", "1 pod is guaranteed to its own queue"},
		{"a guarantee", "reclaim", "ours", "blue", "queue theirs", "1 pod is guaranteed to queue theirs"},
	} {
		files := file(t, "cluster.yaml", configMap("conf", strings.NewReplacer("backfill", c.action,
			"proportion", map[string]string{"preempt": "proportion", "reclaim": "capacity"}[c.action]).Replace(quiet)+
			"  - name: pdb\n")+`---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "1", memory: 8Gi, pods: "110"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: theirs}
spec: {weight: 1, guarantee: {resource: {cpu: "`+map[bool]string{true: "1", false: "0"}[c.action == "reclaim"]+`"}}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: ours}
spec: {weight: 1, deserved: {cpu: "1"}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: precious, namespace: `+c.holder+`}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
`+corePod(c.holder, "web", "theirs", "", "n1")+corePod("blue", "train", c.queue, "high", ""))
		got := unwrapped(run("", "ashlar", "why", "job", "train", "-n", "blue", "-f", files).out)
		if !strings.Contains(got, c.bare) {
			t.Errorf("%s of %s: no %q in\n%s", c.about, c.holder, c.bare, got)
		}
		if foreign := c.holder == "red"; foreign && strings.Contains(got, c.names) {
			t.Errorf("%s of %s is named: %s", c.about, c.holder, got)
		}
	}
}

// corePod is a pod of one core without a PodGroup.
func corePod(namespace, name, queue, class, node string) string {
	return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: " + namespace +
		", labels: {app: " + name + "}, annotations: {scheduling.volcano.sh/queue-name: " + queue + "}}\nspec:\n" +
		"  schedulerName: volcano\n  priorityClassName: \"" + class + "\"\n  nodeName: \"" + node + "\"\n" +
		"  containers: [{name: c, image: i, resources: {requests: {cpu: \"1\", memory: 1Gi}}}]\n"
}

// A verb that lacks its file says which is expected.
func TestVerbsSayWhichArgumentsTheyExpect(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"snapshot", "expected the file that is to be written: snapshot FILE; 0 arguments were given"},
		{"replay", "expected the file that a scheduler saved: replay FILE; 0 arguments were given"},
		{"replay a b", "replay FILE; 2 arguments were given"},
		{"history job a/b f g", "expected a job, and for a recording its file: history job NAMESPACE/NAME [FILE]"},
	} {
		got := run("", append([]string{"ashlar"}, strings.Fields(c.args)...)...)
		if got.code != 2 || !strings.Contains(got.err, c.want) {
			t.Errorf("%s: exit %d, %q; want %q", c.args, got.code, got.err, c.want)
		}
	}
}

// One object that comes later is told of in the singular.
func TestSnapshotTellsOfTheOneThatComesLater(t *testing.T) {
	later := strings.Replace(oneNode, "metadata: {name: p}",
		"metadata: {name: p, annotations: {ashlar.sh/submit-at: 5m}}", 1)
	got := run(later, "ashlar", "snapshot", "-f", "-", t.TempDir()+"/state.json")
	if want := "1 object comes later than the first cycle: it is not in the snapshot"; !strings.Contains(got.err, want) {
		t.Errorf("exit %d, stderr %q, want %q", got.code, got.err, want)
	}
}
