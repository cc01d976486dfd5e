package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// waitingForRoom is a node of 4 cpus that a pod with a guess and a limit holds, and a pod that waits for it.
const waitingForRoom = `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: busy, annotations: {ashlar.sh/duration: 5m}}
spec:
  nodeName: n1
  activeDeadlineSeconds: 600
  terminationGracePeriodSeconds: 0
  containers: [{name: c, resources: {requests: {cpu: "4"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: next}
spec: {containers: [{name: c, resources: {requests: {cpu: "4"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: late, annotations: {ashlar.sh/submit-at: 2m}}
spec: {containers: [{name: c, resources: {requests: {cpu: "4"}}}]}
`

func TestARunThatIsStoppedEstimatesStarts(t *testing.T) {
	files := file(t, "cluster.yaml", waitingForRoom)
	got := run("", "ashlar", "simulate", "-f", files, "--until", "1m")
	words := strings.Join(strings.Fields(got.out), " ")
	if want := "It starts between 1970-01-01T00:05:00Z and 1970-01-01T00:10:00Z if nothing new comes, by guesses and by " +
		"limits of how long pods run."; got.code != 0 || !strings.Contains(words, want) {
		t.Errorf("exit code %d: %s\n%s", got.code, got.err, got.out)
	}
	var report struct {
		Jobs []struct {
			Name  string
			Start *struct{ Earliest, Latest, Source, Unknown string }
		}
	}
	got = run("", "ashlar", "simulate", "-f", files, "--until", "3m", "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatal(err, got.err)
	}
	seen := 0
	for _, j := range report.Jobs {
		switch s := j.Start; {
		case j.Name == "next" && s != nil && s.Earliest == "1970-01-01T00:05:00Z" && s.Source == "declared",
			j.Name == "late" && s != nil && s.Unknown == "EndsUnknown",
			j.Name == "busy" && s == nil:
			seen++
		}
	}
	if seen != 3 {
		t.Errorf("%+v", report.Jobs)
	}
	if got := run("", "ashlar", "simulate", "-f", files); strings.Contains(got.out, "starts") {
		t.Errorf("when all is quiet nothing starts any more:\n%s", got.out)
	}
}

// What a Volcano Job says of how long it runs counts where nothing else is said, and is told with where it is from.
func TestAVolcanoJobSaysHowLongItRuns(t *testing.T) {
	job := func(estimate string) string {
		return `
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  minAvailable: 1
  schedulerName: volcano
  runningEstimate: ` + estimate + `
  tasks: [{replicas: 1, name: w, template: {spec: {containers: [{name: c, resources: {requests: {cpu: "4"}}}]}}}]
`
	}
	files := file(t, "cluster.yaml", `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", pods: "10"}}`+job("20m"))
	got := run("", "ashlar", "simulate", "-f", files, "--until", "1m", "-o", "json")
	if !strings.Contains(got.out, `"expected": "20m0s",`) || !strings.Contains(got.out, `"source": "runningEstimate"`) {
		t.Errorf("%s\n%s", got.err, got.out)
	}
	files = file(t, "cluster.yaml", job("-20m"))
	got = run("", "ashlar", "simulate", "-f", files, "--until", "1m")
	if !strings.Contains(got.out, "spec.runningEstimate: -20m0s is negative: it is left out") {
		t.Errorf("%s\n%s", got.err, got.out)
	}
}
