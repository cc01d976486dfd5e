package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gpuNode is a node with a slice of so many devices.
func gpuNode(name string, gpus int) string {
	var list []string
	for i := range gpus {
		list = append(list, fmt.Sprintf("{name: gpu-%d, attributes: {model: {string: a100}}}", i))
	}
	return `---
apiVersion: v1
kind: Node
metadata: {name: ` + name + `}
status: {allocatable: {cpu: "64", memory: 64Gi, pods: "110"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: ` + name + `-gpus}
spec: {driver: gpu.example.com, nodeName: ` + name + `, pool: {name: ` + name +
		`, generation: 1, resourceSliceCount: 1}, devices: [` + strings.Join(list, ", ") + `]}
`
}

const gpuClass = `---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: two-gpus, namespace: default}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: 2}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: default}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
`

// trains is a Volcano job of so many workers, all or none, with two devices each.
func trains(name string, workers int, annotations string) string {
	return fmt.Sprintf(`---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: %s, namespace: default}
spec:
  minAvailable: %d
  tasks:
  - name: worker
    replicas: %d
    template:
      metadata: {annotations: {%s}}
      spec:
        resourceClaims: [{name: gpu, resourceClaimTemplateName: two-gpus}]
        containers: [{name: c, resources: {requests: {cpu: "1"}, claims: [{name: gpu}]}}]
`, name, workers, workers, annotations)
}

func using(name, claim string) string {
	return `---
apiVersion: v1
kind: Pod
metadata: {name: ` + name + `, namespace: default}
spec: {schedulerName: volcano, resourceClaims: [{name: gpu, resourceClaimName: ` + claim +
		`}], containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
`
}

// What a cluster would do with resource claims can be told from files: gangs get all their
// devices or none, templates make claims, and pods that end give devices back.
func TestDevicesAreAllocatedInASimulation(t *testing.T) {
	two := gpuNode("n1", 8) + gpuNode("n2", 8)
	for name, c := range map[string]struct {
		input   string
		running string            // how many pods of each job run at the end
		reasons map[string]string // substrings of the reason of each waiting job
	}{
		"a gang has devices for all": {input: two + gpuClass + trains("a", 8, ""), running: "a 8"},
		"or for none": {input: two + gpuClass + trains("a", 9, ""), running: "a 0",
			reasons: map[string]string{"a": "none of 2 nodes takes it: 2 have 0 of class gpu.example.com free, 2 asked"}},
		"of two gangs one": {input: two + gpuClass + trains("a", 6, "") + trains("b", 6, ""), running: "a 6 b 0"},
		"and the other when the first has ended": {input: two + gpuClass + trains("a", 6, `"ashlar.sh/duration": 60s`) +
			trains("b", 6, ""),
			running: "a 0 b 6"},
		"pods that share a claim share its device": {input: gpuNode("n1", 1) + gpuClass + using("p", "shared") +
			using("q", "shared"), running: "p 1 q 1"},
		"a template that is missing": {input: two + strings.ReplaceAll(gpuClass, "two-gpus", "another") +
			trains("a", 1, ""), running: "a 0",
			reasons: map[string]string{"a": "resource claim gpu (to be made from template two-gpus) is not there"}},
		"a class that is missing": {input: two + strings.ReplaceAll(gpuClass,
			"metadata: {name: gpu.example.com}", "metadata: {name: npu}") + trains("a", 1, ""), running: "a 0",
			reasons: map[string]string{"a": "class gpu.example.com, which does not exist"}},
		"a claim that is missing": {input: two + using("p", "nowhere"), running: "p 0",
			reasons: map[string]string{"p": "resource claim nowhere is not there"}},
		"without an allocator": {input: two + gpuClass + trains("a", 1, "") + `---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data:
  volcano-scheduler.conf: |
    actions: "enqueue, allocate"
    tiers:
    - plugins:
      - name: gang
      - {name: predicates, arguments: {predicate.DynamicResourceAllocationEnable: false}}
`, running: "a 0",
			reasons: map[string]string{"a": "2 cannot meet its resource claims (gpu, which this scheduler does not allocate)"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cluster.yaml")
			if err := os.WriteFile(file, []byte(c.input), 0o600); err != nil {
				t.Fatal(err)
			}
			got := run("", "ashlar", "simulate", "-f", file, "-o", "json", "--audit")
			if got.code != 0 {
				t.Fatalf("exit code %d: %s%s", got.code, got.out, got.err)
			}
			var report struct {
				Jobs []struct {
					Name   string
					Tasks  map[string]int
					Reason struct{ Message string }
				}
				Problems []struct{ Object, Message string }
			}
			if err := json.Unmarshal([]byte(got.out), &report); err != nil {
				t.Fatal(err)
			}
			var running []string
			for _, j := range report.Jobs {
				running = append(running, fmt.Sprint(j.Name, " ", j.Tasks["Running"]))
				if !strings.Contains(j.Reason.Message, c.reasons[j.Name]) {
					t.Errorf("%s waits because %q, want %q", j.Name, j.Reason.Message, c.reasons[j.Name])
				}
			}
			if is := strings.Join(running, " "); is != c.running {
				t.Errorf("running are %q, want %q", is, c.running)
			}
			if len(report.Problems) > 0 {
				t.Errorf("problems: %+v", report.Problems)
			}
		})
	}
}

// Devices that no pod asks for are told, too: what is offered is of interest before the first claim.
func TestDevicesThatNoPodAsksFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, []byte(gpuNode("n1", 4)+gpuClass), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"gpu.example.com": {"simulate", "-f", file},
		`"free": 4`:       {"simulate", "-f", file, "-o", "json"},
		"gpu-3: free":     {"why", "node", "n1", "-f", file},
		`"allocated": 0`:  {"nodes", "-f", file, "-o", "json"},
	} {
		if got := run("", append([]string{"ashlar"}, args...)...); !strings.Contains(got.out, want) {
			t.Errorf("%v: exit %d, no %q in\n%s%s", args, got.code, want, got.out, got.err)
		}
	}
}

// When a job starts that waits for devices is told from files, too: they are free once the pods that have them have
// ended.
func TestWhenAJobStartsThatWaitsForDevices(t *testing.T) {
	const ends = "2100-01-01T00:01:30Z" // its limit, and its grace
	holder := using("holder", "shared") + "status: {phase: Running, startTime: \"2100-01-01T00:00:00Z\"}\n"
	holder = strings.Replace(holder, "spec: {", "spec: {nodeName: n1, activeDeadlineSeconds: 60, ", 1)
	const shared = "metadata: {name: shared, namespace: default}\n"
	claimed := strings.Replace(gpuClass, shared, shared+
		"status: {reservedFor: [{resource: pods, name: holder, uid: holder-uid}], allocation: {devices: "+
		"{results: [{request: gpu, driver: gpu.example.com, pool: n1, device: gpu-0}]}}}\n", 1)
	holder = strings.Replace(holder, "{name: holder, ", "{name: holder, uid: holder-uid, ", 1)
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	input := gpuNode("n1", 2) + claimed + holder + trains("waits", 1, "")
	if err := os.WriteFile(file, []byte(input), 0o600); err != nil {
		t.Fatal(err)
	}
	got := run("", "ashlar", "why", "job", "waits", "-f", file, "-o", "json", "--would-run", "20s")
	var answer struct {
		Summary string
		Start   struct{ Latest, Unknown, Message string }
	}
	if err := json.Unmarshal([]byte(got.out), &answer); err != nil {
		t.Fatalf("exit code %d: %v: %s%s", got.code, err, got.out, got.err)
	}
	if answer.Start.Latest != ends {
		t.Errorf("it starts %+v, want at %s: %s", answer.Start, ends, got.out)
	}
}
