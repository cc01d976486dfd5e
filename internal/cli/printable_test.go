package cli_test

import (
	"strings"
	"testing"
)

// No API server checks the queue that a PodGroup names, and the PodGroup that a pod names.
func TestNamesDoNotSteerATerminal(t *testing.T) {
	path := file(t, "steers.yaml", `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: waits, namespace: red}
spec: {minMember: 1, queue: "q\e]0;title\a\e[2J"}
---
apiVersion: v1
kind: Pod
metadata: {name: waits-0, namespace: red, annotations: {scheduling.k8s.io/group-name: waits}}
spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 1}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: strays, namespace: red, annotations: {scheduling.k8s.io/group-name: "x\e[2J\nblue  forged  default"}}
spec: {schedulerName: "volcano", containers: [{name: c, resources: {requests: {cpu: 1}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: red}
spec: {schedulerName: "other\e[2J", nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1}}}]}
`)
	for _, c := range [][]string{{"jobs", "-A"}, {"jobs", "-A", "-o", "wide"}, {"jobs", "-A", "-o", "name"},
		{"queues"}, {"nodes"}, {"why", "job", "waits", "-n", "red"}, {"why", "pod", "waits-0", "-n", "red"},
		{"why", "pod", "strays", "-n", "red"}, {"why", "node", "n1"}, {"simulate"}} {
		got := run("", append(append([]string{"ashlar"}, c...), "-f", path)...)
		if got.out == "" || strings.ContainsAny(got.out+got.err, "\x1b\a") ||
			strings.Contains(got.out, "\nblue  forged") && c[0] == "jobs" {
			t.Errorf("%q: %q, %q", c, got.out, got.err)
		}
	}
}
