package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Two nodes of four cores: old holds one for a minute, gang needs both from second 5 on, and small, which comes at
// second 10, has the other for a hundred seconds.
const oneIsPassed = `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "4", pods: "10"}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: old}
spec: {template: {metadata: {annotations: {ashlar.sh/duration: 60s}},
  spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 4}}}]}}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: gang, annotations: {ashlar.sh/submit-at: 5s}}
spec: {minAvailable: 2, schedulerName: volcano, tasks: [{name: w, replicas: 2,
  template: {metadata: {annotations: {ashlar.sh/duration: 60s}},
  spec: {containers: [{name: c, resources: {requests: {cpu: 4}}}]}}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: small, annotations: {ashlar.sh/submit-at: 10s}}
spec: {template: {metadata: {annotations: {ashlar.sh/duration: 100s}},
  spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 4}}}]}}}
`

// The report of a simulation says how long jobs waited behind later ones: gang from second 10 on, until small has ended
// at second 111; or, where the run ends before, until then.
func TestASimulationSaysHowLongJobsWaitedBehindLaterOnes(t *testing.T) {
	for name, c := range map[string]struct {
		args         []string
		longest, out string
	}{
		"until all is quiet": {nil, "1m41s", "1 job waited behind jobs of the same queue that came later: 1m41s at most " +
			"(default/gang)"},
		"until a time":   {[]string{"--until", "80s"}, "1m10s", "1m10s at most (default/gang)"},
		"none is passed": {[]string{"--until", "9s"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"ashlar", "simulate", "-f", "-"}, c.args...)
			text := run(oneIsPassed, args...)
			if text.code != 0 || !strings.Contains(text.out, c.out) ||
				strings.Contains(text.out, "came later") != (c.out != "") {
				t.Errorf("the report says otherwise than %q (exit code %d, %s):\n%s", c.out, text.code, text.err, text.out)
			}
			var d struct {
				Summary struct {
					Passed *struct {
						Jobs         int
						Longest, Job string
					}
				}
			}
			if err := json.Unmarshal([]byte(run(oneIsPassed, append(args, "-o", "json")...).out), &d); err != nil {
				t.Fatal(err)
			}
			switch p := d.Summary.Passed; {
			case c.longest == "" && p != nil:
				t.Errorf("none is passed, and the document says %+v", *p)
			case c.longest != "" && (p == nil || p.Jobs != 1 || p.Longest != c.longest || p.Job != "default/gang"):
				t.Errorf("the document says %+v, want %s of default/gang", p, c.longest)
			}
		})
	}
}
