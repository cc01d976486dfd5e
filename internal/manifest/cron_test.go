package manifest

import (
	"strings"
	"testing"

	"ashlar.sh/sched/model"
)

const cronJobs = `apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, annotations: {scheduling.volcano.sh/queue-name: research, other: x}}
spec:
  schedule: "0 1 * * *"
  suspend: true
  jobTemplate:
    spec: {parallelism: 2, template: {spec: {schedulerName: volcano, containers: [{name: c, image: i}]}}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: CronJob
metadata: {name: weekly}
spec:
  schedule: "0 1 * * 0"
  jobTemplate:
    metadata: {labels: {a: b}}
    spec:
      queue: research
      minAvailable: 1
      tasks: [{name: w, replicas: 2, template: {spec: {containers: [{name: c, image: i}]}}}]
`

// A CronJob stands for one run of it where that is asked for, with what it says itself of queue and gang; otherwise it
// makes nothing, as long as its time has not come.
func TestOneRunOfACronJob(t *testing.T) {
	s, errs := Load([]string{"-"}, strings.NewReader(cronJobs))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if w := s.Expand(); len(w.Items) > 0 || w.Skipped["CronJob"] != 2 {
		t.Errorf("there are %s, and %v was left out", refs(w), w.Skipped)
	}
	s.RunCronJobs()
	w := s.Expand()
	if got := refs(w); got != "Pod/default/nightly-next-0 Pod/default/nightly-next-1 Pod/default/weekly-next-w-0 "+
		"Pod/default/weekly-next-w-1 PodGroup/default/weekly-next" {
		t.Errorf("there are %s", got)
	}
	if got := item(t, w, "Pod/default/nightly-next-0"); got.Where.Line != 1 ||
		got.Fact.Object.(*model.Pod).Adopt.Queue != "research" {
		t.Errorf("a run is %+v", got)
	}
	if got := item(t, w, "PodGroup/default/weekly-next"); got.Fact.Object.(*model.PodGroup).Queue != "research" {
		t.Errorf("a gang is %+v", got)
	}
}

// What is wrong within a CronJob is told with its line, as in a Job.
func TestAMistakeInACronJob(t *testing.T) {
	_, errs := Load([]string{"-"}, strings.NewReader(strings.ReplaceAll(cronJobs, "replicas: 2", "replicas: two")))
	if len(errs) != 1 || errs[0].Where.Line != 20 || !strings.Contains(errs[0].Error(), "replicas") {
		t.Errorf("it is told %v", errs)
	}
}
