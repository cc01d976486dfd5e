package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cluster is a node with room for one pod, and objects beside it.
func cluster(more ...string) string {
	return strings.Join(append([]string{`
apiVersion: v1
kind: Node
metadata: {name: n1, creationTimestamp: "2026-01-01T00:00:00Z"}
status: {allocatable: {cpu: "1", pods: "110"}}
`}, more...), "---\n")
}

// podOf is a pod with a core, which came at a moment; "" does not say when. Its status is in JSON.
func podOf(name, came, priority, node, status string) string {
	created := ""
	if came != "" {
		created = fmt.Sprintf("creationTimestamp: %q, ", came)
	}
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {%sname: %s, namespace: d}
spec: {schedulerName: volcano, nodeName: %q, priority: %s, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
status: %s
`, created, name, node, priority, status)
}

// large is a job for which overcommit sees no room, and that may wait for an hour; it came at a moment.
func large(came string) string {
	return fmt.Sprintf(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: large, namespace: d, creationTimestamp: %q, annotations: {sla-waiting-time: 1h}}
spec: {minMember: 1, minResources: {cpu: "9"}}
`, came)
}

// placed are the pods with a node, in order of their names.
func placed(t *testing.T, input string, args ...string) (pods []string) {
	t.Helper()
	got := run(input, append([]string{"ashlar", "simulate", "-f", "-", "-o", "json"}, args...)...)
	var d struct {
		Pods []struct{ Name, Node string }
	}
	if err := json.Unmarshal([]byte(got.out), &d); got.code != 0 || err != nil {
		t.Fatalf("exit code %d: %v\n%s", got.code, err, got.err)
	}
	for _, p := range d.Pods {
		if p.Node != "" {
			pods = append(pods, p.Name)
		}
	}
	return pods
}

// conf is a file with a configuration of two tiers.
func conf(t *testing.T, actions string, plugins ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	text := "actions: \"" + actions + "\"\ntiers:\n- plugins:\n"
	for _, p := range plugins {
		text += "  - name: " + p + "\n"
	}
	text += "- plugins:\n  - name: predicates\n  - name: overcommit\n  - name: proportion\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAClustersFilesBeginAtTheirNewestMoment(t *testing.T) {
	t.Run("a job that waits for longer than its deadline is let in, and no other", func(t *testing.T) {
		sla := conf(t, "enqueue, allocate", "sla")
		for came, want := range map[string]string{"2026-01-01T08:00:00Z": "Inqueue", "2026-01-01T08:30:00Z": "Pending"} {
			in := cluster(large(came), podOf("ended", "2026-01-01T09:15:00Z", "0", "n1", "{phase: Succeeded}"))
			got := run(in, "ashlar", "simulate", "-f", "-", "-o", "json", "--scheduler-conf", sla, "--until", "5s")
			var d struct {
				Jobs []struct{ Name, Phase string }
			}
			if err := json.Unmarshal([]byte(got.out), &d); err != nil {
				t.Fatalf("%v\n%s", err, got.err)
			}
			i := slices.IndexFunc(d.Jobs, func(j struct{ Name, Phase string }) bool { return j.Name == "large" })
			if i < 0 || d.Jobs[i].Phase != want {
				t.Errorf("created at %s: want %s in %+v", came, want, d.Jobs)
			}
		}
	})
	t.Run("what has no timestamp comes now, after all that has one", func(t *testing.T) {
		in := cluster(podOf("a-new-one", "", "0", "", "{}"), podOf("b-there", "2026-01-01T08:00:00Z", "0", "", "{}"))
		if got := placed(t, in); strings.Join(got, " ") != "b-there" {
			t.Errorf("on nodes: %v", got)
		}
	})
	t.Run("a pod that ran for its minimum run time can be evicted at once, and no other", func(t *testing.T) {
		preempt := conf(t, "enqueue, allocate, preempt", "priority", "gang", "minruntime")
		promise := "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n" +
			"metadata: {name: default, annotations: {ashlar.sh/min-runtime: 1h}}\nspec: {weight: 1}\n"
		important := podOf("important", "2026-01-01T08:30:00Z", "5", "", "{}")
		for began, want := range map[string]string{"2026-01-01T07:00:00Z": "important", "2026-01-01T08:00:00Z": "runs"} {
			runs := podOf("runs", "2026-01-01T07:00:00Z", "0", "n1", fmt.Sprintf("{phase: Running, startTime: %q}", began))
			got := placed(t, cluster(promise, runs, important), "--scheduler-conf", preempt, "--until", "5s")
			if strings.Join(got, " ") != want {
				t.Errorf("runs since %s: on nodes: %v", began, got)
			}
		}
	})
	t.Run("a year that no clock reaches does not count", func(t *testing.T) {
		in := cluster(podOf("a-new-one", "", "0", "", "{}"), podOf("b-there", "2026-01-01T08:00:00Z", "0", "", "{}"),
			podOf("c-wrong", "9999-01-01T09:00:00Z", "0", "", "{}"))
		if got := placed(t, in); strings.Join(got, " ") != "b-there" {
			t.Errorf("on nodes: %v", got)
		}
	})
}
