package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const twoNodes = `apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}
`

const disks = `---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  storageClassName: local
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  local: {path: /disk}
  nodeAffinity:
    required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n2]}]}]}
status: {phase: Available}
`

func claiming(name string, extra string) string {
	return `---
apiVersion: v1
kind: Pod
metadata: {name: ` + name + `, annotations: {` + extra + `}}
spec:
  schedulerName: volcano
  containers: [{name: c, resources: {requests: {cpu: "1"}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: ` + name + `}}]
`
}

func claimed(name string) string {
	return `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ` + name + `, namespace: default}
spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`
}

// Volumes count if the input has any: a pod goes where its volume is, keeps it from others
// for good, and a pod with a missing claim says so.
func TestVolumesAreHeededInASimulation(t *testing.T) {
	for name, c := range map[string]struct {
		input   string
		nodes   map[string]string
		reasons map[string]string // substrings of the reason of each waiting job
		problem string
	}{
		"a pod goes where its volume is, and another that comes later finds none": {
			input: twoNodes + disks + claimed("a") + claimed("b") + claiming("a", "") +
				claiming("b", `"ashlar.sh/submit-at": 10s`),
			nodes:   map[string]string{"a": "n2", "b": ""},
			reasons: map[string]string{"b": "didn't find available persistent volumes"}},
		"a claim that is not there": {
			input: twoNodes + disks + claiming("a", ""), nodes: map[string]string{"a": ""},
			reasons: map[string]string{"a": `"a" not found`}},
		"where the input knows of no volumes, room alone counts": {
			input: twoNodes + claiming("a", ""), nodes: map[string]string{"a": "n"}, problem: "1 pod names a claim"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cluster.yaml")
			if err := os.WriteFile(file, []byte(c.input), 0o600); err != nil {
				t.Fatal(err)
			}
			got := run("", "ashlar", "simulate", "-f", file, "-o", "json", "--audit")
			if got.code != 0 {
				t.Fatalf("exit code %d: %s", got.code, got.err)
			}
			var report struct {
				Pods []struct{ Name, Node string }
				Jobs []struct {
					Name   string
					Reason struct{ Message string }
				}
				Problems []struct{ Message string }
			}
			if err := json.Unmarshal([]byte(got.out), &report); err != nil {
				t.Fatal(err)
			}
			for _, p := range report.Pods {
				if want := c.nodes[p.Name]; want == "" && p.Node != "" || !strings.HasPrefix(p.Node, want) {
					t.Errorf("pod %s is on %q, want %q", p.Name, p.Node, want)
				}
			}
			for _, j := range report.Jobs {
				if !strings.Contains(j.Reason.Message, c.reasons[j.Name]) {
					t.Errorf("%s waits because %q, want %q", j.Name, j.Reason.Message, c.reasons[j.Name])
				}
			}
			told := false
			for _, p := range report.Problems {
				told = told || c.problem != "" && strings.Contains(p.Message, c.problem)
			}
			if told != (c.problem != "") {
				t.Errorf("the problems are %v, want %q", report.Problems, c.problem)
			}
		})
	}
}

// What seed 003 §5.2 prints of a task that is refused before any node is asked.
func TestARefusalBeforeAnyNodeIsInTheLog(t *testing.T) {
	got := run(twoNodes+disks+claiming("a", ""), "ashlar", "simulate", "-f", "-", "-v", "3")
	want := "0s     PrePredicate for task default/a failed for: persistentvolumeclaim \"a\" not found\n"
	if !strings.Contains(got.err, want) {
		t.Errorf("stderr lacks %q:\n%s", want, got.err)
	}
}
