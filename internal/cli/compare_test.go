package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

const twoJobs = `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: long}
spec: {minMember: 1}
---
apiVersion: v1
kind: Pod
metadata:
  name: long-0
  creationTimestamp: "2026-01-01T00:00:00Z"
  annotations: {scheduling.k8s.io/group-name: long, ashlar.sh/duration: 60s}
spec:
  schedulerName: volcano
  containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 1000
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: short, annotations: {ashlar.sh/submit-at: 10s}}
spec: {minMember: 1, priorityClassName: urgent}
---
apiVersion: v1
kind: Pod
metadata:
  name: short-0
  annotations: {scheduling.k8s.io/group-name: short, ashlar.sh/submit-at: 10s, ashlar.sh/duration: 5s}
spec:
  schedulerName: volcano
  priorityClassName: urgent
  containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}]
`

// Two configurations on one input: which job starts earlier, which is evicted, which fares the same.
func TestCompare(t *testing.T) {
	const tiers = "\ntiers:\n- plugins: [{name: priority}, {name: gang, enablePreemptable: false}]\n" +
		"- plugins: [{name: predicates}, {name: proportion}, {name: nodeorder}]\n"
	input := file(t, "in.yaml", twoJobs)
	calm := file(t, "calm.conf", "actions: \"enqueue, allocate\""+tiers)
	hasty := file(t, "hasty.conf", "actions: \"enqueue, allocate, preempt\""+tiers)
	args := []string{"ashlar", "compare", "-f", input, "--scheduler-conf", calm, "--scheduler-conf"}
	got := run("", append(args, hasty)...)
	for _, part := range []string{"default/short", "s earlier", "default/long", "0 of 2 jobs fare the same"} {
		if got.code != 0 || !strings.Contains(got.out, part) {
			t.Errorf("exit code %d, no %q in %s %s", got.code, part, got.out, got.err)
		}
	}
	got = run("", append(args, hasty, "-o", "json", "--exit-code")...)
	var d struct {
		Jobs []struct {
			Job  string
			Same bool
			A, B struct {
				Started string
				Evicted int
			}
		}
	}
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != 3 || len(d.Jobs) != 2 {
		t.Fatalf("exit code %d, %v: %s %s", got.code, err, got.out, got.err)
	}
	fates := map[string]int{}
	for i, j := range d.Jobs {
		fates[j.Job] = i
	}
	short := d.Jobs[fates["default/short"]]
	if short.Same || short.A.Started == short.B.Started || short.B.Started == "" {
		t.Errorf("of short it says %+v, want another start", short)
	}
	long := d.Jobs[fates["default/long"]]
	if long.Same || long.A.Evicted != 0 || long.B.Evicted == 0 {
		t.Errorf("of long it says %+v, want that B evicts it", long)
	}
	if got := run("", append(args, calm, "--exit-code")...); got.code != 0 || strings.Contains(got.out, "default/short") {
		t.Errorf("with itself: exit code %d, %s", got.code, got.out)
	}
	state := filepath.Join(t.TempDir(), "state.json")
	if got := run("", "ashlar", "snapshot", "-f", input, state); got.code != 0 {
		t.Fatal(got.err)
	}
	got = run("", "ashlar", "compare", "--dump", state, "--scheduler-conf", calm, "--scheduler-conf", hasty)
	if got.code != 0 || !strings.Contains(got.out, "The only job fares the same.") {
		t.Errorf("of a snapshot, in which long alone is: exit code %d, %s %s", got.code, got.out, got.err)
	}
	for _, bad := range [][]string{{"-f", input}, {"--scheduler-conf", calm, "--scheduler-conf", calm}} {
		if got := run("", append([]string{"ashlar", "compare"}, bad...)...); got.code != 2 {
			t.Errorf("%v: exit code %d, want 2", bad, got.code)
		}
	}
}
