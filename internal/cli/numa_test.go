package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// twoSockets is Volcano's guide to numa-aware: node-1 has twelve cpus a NUMA node, node-2
// twenty, and a job's task of sixteen asks for as few NUMA nodes as can be.
func twoSockets() string {
	var b strings.Builder
	for name, each := range map[string]int{"node-1": 12, "node-2": 20} {
		cpus := `{"kind":"Numatopology","apiVersion":"nodeinfo.volcano.sh/v1alpha1","metadata":{"name":"` + name +
			`"},"spec":{` +
			`"policies":{"CPUManagerPolicy":"static","TopologyManagerPolicy":"best-effort"},"cpuDetail":{`
		for i := range 2 * each {
			numa, _ := json.Marshal(i / each)
			id, _ := json.Marshal(i)
			cpus += `"` + string(id) + `":{"numa":` + string(numa) + `,"core":` + string(id) + `},`
		}
		all, _ := json.Marshal(2*each - 1)
		room, _ := json.Marshal(2 * each)
		b.WriteString("---\n" + strings.TrimSuffix(cpus, ",") + `},"numares":{"cpu":{"allocatable":"0-` + string(all) +
			`"}}}}` + "\n")
		b.WriteString("---\n" + `{"kind":"Node","apiVersion":"v1","metadata":{"name":"` + name +
			`"},"status":{"allocatable":{"cpu":` +
			string(room) + `,"memory":"64Gi","pods":110}}}` + "\n")
	}
	return b.String() + `---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: vj-test}
spec:
  schedulerName: volcano
  minAvailable: 1
  tasks:
  - replicas: 1
    name: test
    topologyPolicy: best-effort
    template:
      spec:
        containers: [{name: running, image: alpine, resources: {limits: {cpu: 16, memory: 100Mi}}}]
        restartPolicy: OnFailure
`
}

func TestNUMANodesAreHeededInASimulation(t *testing.T) {
	conf := func(plugin string) string {
		return file(t, "scheduler.conf",
			"actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: binpack\n"+
				plugin)
	}
	for name, c := range map[string]struct{ conf, node string }{
		"with the plugin on one NUMA node":     {conf("  - name: numa-aware\n    arguments: {weight: 10}\n"), "node-2"},
		"without it where the node fills most": {conf(""), "node-1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(twoSockets(), "ashlar", "simulate", "-f", "-", "-o", "json", "--scheduler-conf", c.conf)
			var report struct{ Pods []struct{ Node string } }
			if err := json.Unmarshal([]byte(got.out), &report); err != nil || len(report.Pods) != 1 ||
				report.Pods[0].Node != c.node {
				t.Errorf("the pod is where %+v says (%v), want %s\n%s", report, err, c.node, got.err)
			}
		})
	}
}
