package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
)

const roomFor8 = `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "110"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 1}
`

// podThere is a pod that a cluster has, of cpu cores; waiting without a node.
func podThere(name, node, phase, owner, annotations string) string {
	return fmt.Sprintf(`
---
apiVersion: v1
kind: Pod
metadata:
  name: %s
  uid: uid-%[1]s
  annotations: {%s}
  ownerReferences: [%s]
spec:
  schedulerName: volcano
  nodeName: %q
  tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]
  containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
status: {phase: %s}
`, name, annotations, owner, node, phase)
}

func controller(apiVersion, kind, name string) string {
	return fmt.Sprintf("{apiVersion: %s, kind: %s, name: %s, controller: true, uid: u}", apiVersion, kind, name)
}

// ofTrain is a Volcano Job of four workers as a cluster has it: its PodGroup has the name that a newer version of
// Volcano gives it.
func ofTrain(phases ...string) string {
	const group = "train-0f8fad5b-d9cb-469f-a165-70867728950e"
	own, text := controller("batch.volcano.sh/v1alpha1", "Job", "train"), ""
	for i, phase := range phases {
		node := "n1"
		if phase == "Pending" {
			node = ""
		}
		text += podThere(fmt.Sprintf("train-worker-%d", i), node, phase, own,
			"scheduling.k8s.io/group-name: "+group+", volcano.sh/task-spec: worker")
	}
	return text + `
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: ` + group + `, ownerReferences: [` + own + `]}
spec: {minMember: 4, queue: default, minTaskMember: {worker: 4}}
status: {phase: Running}
`
}

func trainOf(members, replicas int, queue, cpu string) string {
	return fmt.Sprintf(`
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  schedulerName: volcano
  queue: %s
  minAvailable: %d
  tasks:
  - name: worker
    replicas: %d
    minAvailable: %d
    template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: %q}}}]}}
`, queue, members, replicas, members, cpu)
}

func webOf(replicas int, cpu string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: %q}}}]}
`, replicas, cpu)
}

// ofWeb is a Deployment's pods, for which Volcano's controller has made a PodGroup.
func ofWeb(nodes ...string) string {
	text := ""
	for i, node := range nodes {
		phase := "Running"
		if node == "" {
			phase = "Pending"
		}
		text += podThere(fmt.Sprintf("web-5-%c", 'a'+i), node, phase, controller("apps/v1", "ReplicaSet", "web-5"),
			"scheduling.k8s.io/group-name: podgroup-u")
	}
	return text + `
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: podgroup-u, ownerReferences: [` + controller("apps/v1", "ReplicaSet", "web-5") + `]}
spec: {minMember: 1, queue: default}
status: {phase: Running}
`
}

// A job of the file that the cluster has already is planned as the file would make it: what runs of it goes on, and the
// first line says that it exists. It is no second job beside the first.
func TestAPlanOfAJobThatExists(t *testing.T) {
	bare := func(cpu, more string) string {
		return strings.ReplaceAll(planned(cpu, `""`), "schedulerName: volcano", "schedulerName: volcano\n  "+more)
	}
	allOfTrain := ofTrain("Running", "Running", "Running", "Running")
	const twoOfFour = "which exists already, 2 of 4 pods running: "
	for name, c := range map[string]struct {
		cluster, file string
		says          []string
		outcome       string // of the one job
		placed        int    // pods that the plan binds
	}{
		"a lower minimum": {ofTrain("Running", "Running", "Pending", "Pending"), trainOf(2, 4, "default", "1"),
			[]string{"If applied now: 1 job, " + twoOfFour + "1 runs already", "Volcano Job exists already, 2 of 4 pods " +
				"running. By the file: minMember 2, now 4; minimum of task worker 2, now 4.", "2 pods go to n1 ×2."}, "", 2},
		"more pods": {allOfTrain, trainOf(4, 6, "default", "1"),
			[]string{"4 of 4 pods running: 1 runs already", "By the file: 2 pods more.", "2 pods go to n1 ×2."}, "", 2},
		"fewer pods": {ofTrain("Running", "Running", "Pending", "Pending"), trainOf(1, 1, "default", "1"),
			[]string{"1 runs already", "3 pods less"}, "", 0},
		"nothing else": {allOfTrain, trainOf(4, 4, "default", "1"),
			[]string{"1 runs already", "Nothing changes that scheduling depends on."}, "", 0},
		"another queue": {ofTrain("Running", "Running", "Pending", "Pending"), trainOf(2, 4, "research", "1"),
			[]string{twoOfFour, "To change it would be refused (queue research, now default), so nothing changes: " +
				"delete it first, or plan it under another name."}, "default", 2},
		"another request": {allOfTrain, trainOf(4, 4, "default", "2"),
			[]string{"would be refused (cpu of its pods 2, now 1)"}, "default", 0},
		"one that has ended": {ofTrain("Succeeded", "Succeeded", "Succeeded", "Succeeded"), trainOf(4, 4, "default", "1"),
			[]string{"0 of 4 pods running: 1 has run already", "It has ended and is not run again by applying its file: " +
				"delete it first."}, "", 0},
		"a Deployment with a PodGroup of a controller": {ofWeb("n1", ""), webOf(3, "1"),
			[]string{"1 of 2 pods running: 1 runs already", "Deployment exists already, 1 of 2 pods running. By the file: 1 " +
				"pod more.", "2 pods go to n1 ×2."}, "", 2},
		"a Deployment of another request": {ofWeb("n1", ""), webOf(2, "2"),
			[]string{"By the file: cpu of its pods 2, now 1. 1 pod stays as before until its controller replaces it, " +
				"which is not planned"}, "", 1},
		"a pod": {podThere("new", "n1", "Running", "", ""), planned("1", `""`),
			[]string{"1 of 1 pod running: 1 runs already", "Pod exists already. Nothing changes"}, "", 0},
		"a pod of another request": {podThere("new", "", "Pending", "", ""), planned("2", `""`),
			[]string{"would be refused (cpu of its pods 2, now 1)", "1 pod goes to n1"}, "", 1},
		"a pod that tolerates more": {podThere("new", "", "Pending", "", ""), bare("1", "tolerations: [{key: x}]"),
			[]string{"Pod exists already. By the file: toleration x.", "1 pod goes to n1"}, "", 1},
		"a Job of the name of a Deployment": {ofWeb("n1", "n1"), `
apiVersion: batch/v1
kind: Job
metadata: {name: web}
spec: {template: {spec: {schedulerName: volcano, containers: [{name: c, image: i}]}}}
`, []string{"If submitted now: 1 job: 1 starts now"}, "", 1},
		"a Volcano Job of the name of another PodGroup": {strings.ReplaceAll(ofWeb("n1", "n1"), "podgroup-u", "train"),
			trainOf(2, 2, "default", "1"), []string{"If submitted now: 1 job: 1 starts now", "default/train-new"}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			got, p := plan(t, roomFor8+c.cluster, c.file, byRoom)
			for _, want := range c.says {
				if !strings.Contains(unwrapped(got.out), want) {
					t.Errorf("it does not say %q:\n%s%s", want, got.out, got.err)
				}
			}
			if len(p.Jobs) != 1 || c.outcome != "" && p.Jobs[0].Queue != c.outcome || boundOf(p.Jobs[0]) != c.placed {
				t.Errorf("%d jobs, want one with %d pods placed: %+v", len(p.Jobs), c.placed, p.Jobs)
			}
		})
	}
}

func boundOf(j explain.PlannedJob) (n int) {
	for _, place := range j.StartsOn {
		n += place.Pods
	}
	return n
}

// Of a saved state it is told the same.
func TestAPlanOfAJobThatASavedStateHas(t *testing.T) {
	state := file(t, "state.json", "")
	cluster := file(t, "cluster.yaml", roomFor8+ofTrain("Running", "Running", "Pending", "Pending"))
	if got := run("", "ashlar", "snapshot", "-f", cluster, state); got.code != 0 {
		t.Fatal(got.err)
	}
	got := run("", "ashlar", "plan", "-f", file(t, "train.yaml", trainOf(2, 5, "default", "1")), "--dump", state)
	for _, want := range []string{"If applied now: 1 job, which exists already, 2 of 4 pods running: 1 runs already",
		"By the file: minMember 2, now 4; minimum of task worker 2, now 4; 1 pod more.", "3 pods go to n1 ×3."} {
		if got.code != 0 || !strings.Contains(unwrapped(got.out), want) {
			t.Errorf("exit code %d, want %q:\n%s%s", got.code, want, got.out, got.err)
		}
	}
}
