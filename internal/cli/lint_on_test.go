package cli_test

import (
	"os"
	"strings"
	"testing"

	"ashlar.sh/internal/lint"
)

// lintCluster has a node, a queue, and a PodGroup and a pod of older versions of jobs.
const lintCluster = `apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 4, pods: 10}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: q}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: train}
spec: {minMember: 1, queue: q}
---
apiVersion: v1
kind: Pod
metadata:
  name: web-1-a
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, controller: true, uid: x}]
spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1}}}]}
`

// volcanoJob is one of a queue, of which a pod asks for some cores.
func volcanoJob(name, queue, cores string) string {
	return "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: " + name + "}\nspec: {queue: " + queue +
		", minAvailable: 1, tasks: [{name: w, replicas: 1, template: {spec: {containers: [{name: c, " +
		"resources: {requests: {cpu: " + cores + "}}}]}}}]}\n"
}

func foundBy(r lint.Report, rule string) (out []lint.Finding) {
	for _, f := range r.Findings {
		if f.Rule == rule {
			out = append(out, f)
		}
	}
	return out
}

// What a cluster has of a job, from before, does not hide what its file says now.
func TestAFileIsJudgedAndNotWhatTheClusterHasOfIt(t *testing.T) {
	cluster := file(t, "cluster.yaml", lintCluster)
	jobs := file(t, "job.yaml", volcanoJob("train", "missing", "1")+"---\napiVersion: apps/v1\nkind: Deployment\n"+
		"metadata: {name: web}\nspec: {replicas: 1, template: {spec: {schedulerName: volcano, containers: [{name: c, "+
		"resources: {requests: {cpu: 9}}}]}}}\n")
	r, _ := linted(t, jobs, "--on", cluster)
	if got := foundBy(r, "job-queue"); len(got) != 1 || got[0].File != jobs || got[0].Line != 1 ||
		got[0].Message != "queue missing does not exist" {
		t.Errorf("the queue that does not exist is not told: %+v", r.Findings)
	}
	if got := foundBy(r, "job-never-runs"); len(got) != 1 || got[0].File != jobs || got[0].Line != 6 {
		t.Errorf("the Deployment that can never run is not told: %+v", r.Findings)
	}
}

// A file that lies in the folder of the cluster is judged, too, and it is not given twice.
func TestAFileOfTheClustersFolderIsJudged(t *testing.T) {
	cluster := file(t, "cluster.yaml", lintCluster)
	dir := strings.TrimSuffix(cluster, "/cluster.yaml")
	if err := os.WriteFile(dir+"/job.yaml", []byte(volcanoJob("other", "missing", "1")), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	r, _ := linted(t, "job.yaml", "--on", dir)
	if len(r.Findings) != 1 || r.Findings[0].Rule != "job-queue" || r.Findings[0].File != "job.yaml" {
		t.Errorf("it finds %+v", r.Findings)
	}
	if r, _ := linted(t, cluster, "--on", cluster); len(foundBy(r, "object-twice")) > 0 {
		t.Errorf("of a file on itself it finds %+v", r.Findings)
	}
}

// What is given twice is named where it is given the second time: workloads, too, of which nothing but pods is kept.
func TestWhatIsGivenTwiceIsNamed(t *testing.T) {
	const group = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: g}\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n"
	for object, text := range map[string]string{"Job/default/train": volcanoJob("train", "q", "1"),
		"PodGroup/default/g": group, "Pod/default/p": pod} {
		one, two := file(t, "one.yaml", text), file(t, "two.yaml", text)
		for _, args := range [][]string{{one, two}, {one, two, "--on", file(t, "c.yaml", lintCluster)}} {
			r, _ := linted(t, args...)
			if got := foundBy(r, "object-twice"); len(got) != 1 || got[0].Object != object || got[0].File != two ||
				got[0].Line != 1 || got[0].Message != "is given twice: "+two+":1 replaces "+one+":1" {
				t.Errorf("%q: it finds %+v", args, r.Findings)
			}
		}
	}
}

// That a job can never run is told once, and its queue beside it.
func TestEachMistakeOfAJobIsToldByItself(t *testing.T) {
	r, _ := linted(t, file(t, "job.yaml", volcanoJob("train", "missing", "9")), "--on",
		file(t, "cluster.yaml", lintCluster))
	queue, never := foundBy(r, "job-queue"), foundBy(r, "job-never-runs")
	if len(queue) != 1 || queue[0].Message != "queue missing does not exist" || len(never) != 1 {
		t.Errorf("it finds %+v", r.Findings)
	}
}

// Without nodes among the input nothing is said of whether they have room, whatever a job waits for.
func TestWithoutNodesNoJobIsTooLarge(t *testing.T) {
	r, _ := linted(t, file(t, "job.yaml", volcanoJob("train", "missing", "1")))
	if len(r.Findings) > 0 || len(r.Unchecked) != 1 {
		t.Errorf("it finds %+v, and does not look at %q", r.Findings, r.Unchecked)
	}
}

// Standard input cannot be both what is judged and the cluster.
func TestStandardInputIsNotBoth(t *testing.T) {
	for _, args := range [][]string{{"-", "--on", "-"}, {"-", "-"}} {
		got := run(lintCluster, append([]string{"ashlar", "lint"}, args...)...)
		if got.code == 0 || !strings.Contains(got.out+got.err, "standard input is read once") {
			t.Errorf("%q: exit %d\n%s%s", args, got.code, got.out, got.err)
		}
	}
}
