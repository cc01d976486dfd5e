package cli_test

import (
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
)

const cronJob = `apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, annotations: {scheduling.volcano.sh/queue-name: QUEUE}}
spec:
  schedule: "0 1 * * *"
  jobTemplate:
    spec:
      template:
        spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: "9"}}}]}
`

// lint and plan judge the next run of a CronJob, at the place of the CronJob.
func TestCronJobsAreJudged(t *testing.T) {
	jobs := file(t, "cron.yaml", strings.ReplaceAll(cronJob, "QUEUE", "missing"))
	r, _ := linted(t, jobs, "--on", file(t, "cluster.yaml", lintCluster))
	if got := foundBy(r, "job-queue"); len(got) != 1 || got[0].File != jobs || got[0].Line != 1 ||
		!strings.Contains(got[0].Object, "nightly-next") {
		t.Errorf("the queue that does not exist is not told: %+v", r.Findings)
	}
	_, p := plan(t, roomFor8, strings.ReplaceAll(cronJob, "QUEUE", "research"), byRoom)
	if len(p.Jobs) != 1 || p.Jobs[0].Name != "nightly-next" || p.Jobs[0].State != explain.Never ||
		p.Jobs[0].Queue != "research" {
		t.Errorf("the plan is %+v", p.Jobs)
	}
}

// lint says of which objects it does not judge the pods.
func TestLintSaysWhosePodsItDoesNotJudge(t *testing.T) {
	r, _ := linted(t, file(t, "jobs.yaml", `apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: a}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: b}
---
apiVersion: v1
kind: Secret
metadata: {name: c}
`))
	const want = "pods that controllers make of 1 DaemonSet, 1 RayCluster"
	if got := strings.Join(r.Unchecked, "; "); !strings.Contains(got, want) || strings.Contains(got, "Secret") {
		t.Errorf("unchecked is %q, want %q in it", got, want)
	}
}
