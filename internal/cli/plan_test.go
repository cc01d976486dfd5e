package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
)

// busy is a node of 4 cores that a pod of priority 0 holds, a queue, and a class that goes before.
const busy = `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100
---
apiVersion: v1
kind: Pod
metadata: {name: holds, uid: h, annotations: {DURATION}, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  schedulerName: volcano
  nodeName: n1
  containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
`

func planned(cores, class string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: new}
spec:
  schedulerName: volcano
  priorityClassName: %s
  containers: [{name: c, image: i, resources: {requests: {cpu: %q}}}]
`, class, cores)
}

const evicting = `
actions: "enqueue, allocate, preempt, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: predicates
  - name: proportion
`

const byRoom = `
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: predicates
`

func plan(t *testing.T, cluster, jobs, conf string) (result, explain.Plan) {
	t.Helper()
	args := []string{"ashlar", "plan", "-f", file(t, "jobs.yaml", jobs), "--on", file(t, "cluster.yaml", cluster),
		"--scheduler-conf", file(t, "conf", conf)}
	var p explain.Plan
	got := run("", append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(got.out), &p); err != nil {
		t.Fatalf("%v\n%s%s", err, got.out, got.err)
	}
	return run("", args...), p
}

func TestAPlan(t *testing.T) {
	forEver := strings.ReplaceAll(busy, "DURATION", "")
	anHour := strings.ReplaceAll(busy, "DURATION", "ashlar.sh/duration: 1h")
	for name, c := range map[string]struct {
		cluster, jobs, conf string
		state               explain.State
		says                []string
		after               time.Duration // until it starts; -1: it does not
		evicted             int
	}{
		"there is room": {forEver, planned("1", `""`), byRoom, explain.Starts,
			[]string{"If submitted now: 1 job: 1 starts now", "1 pod goes to n1."}, 0, 0},
		"no room, and nothing ends": {forEver, planned("2", `""`), byRoom, explain.WaitsForRoom,
			[]string{"1 waits", "it lacks cpu (on n1: 2 asked, 1 free)", "would run if - ", "after default/holds ends"}, -1, 0},
		"no room for an hour": {anHour, planned("2", `""`), byRoom, explain.WaitsForRoom,
			[]string{"1 starts later", "starts after 1h0m", "on n1; until then: "}, time.Hour, 0},
		"it can never run": {forEver, planned("5", `""`), byRoom, explain.Never,
			[]string{"1 can never run", "asks for more than any of them has (cpu: 5 asked, 4 on the largest)"}, -1, 0},
		"at the expense of another": {forEver, planned("2", "high"), evicting, explain.WaitsForRoom,
			[]string{"1 starts later", "WOULD BE EVICTED default/holds",
				"preempt: makes room on node n1 for default/new of job default/new (queue default, priority 100 against 0)",
				"permitted by tier 1"}, 0, 1},
	} {
		got, p := plan(t, c.cluster, c.jobs, c.conf)
		for _, want := range c.says {
			if !strings.Contains(unwrapped(got.out), want) {
				t.Errorf("%s: it does not say %q:\n%s%s", name, want, got.out, got.err)
			}
		}
		if len(p.Jobs) != 1 || p.Jobs[0].State != c.state || len(p.Evictions) != c.evicted {
			t.Errorf("%s: the plan is %+v", name, p)
			continue
		}
		switch after := p.Jobs[0].StartsAfter; {
		case c.after < 0 && after != nil:
			t.Errorf("%s: it starts after %s, want never", name, after)
		case c.after >= 0 && (after == nil || time.Duration(*after) < c.after || time.Duration(*after) > c.after+time.Minute):
			t.Errorf("%s: it starts after %v, want %s or little more", name, after, c.after)
		}
	}
}

// What would make a job run that does not start is looked for, of so many jobs and for so long as it is said.
func TestAPlanTriesChanges(t *testing.T) {
	cluster, conf := strings.ReplaceAll(busy, "DURATION", ""), file(t, "conf", byRoom)
	var jobs strings.Builder
	for i := range 12 {
		fmt.Fprintf(&jobs, "---%s", strings.ReplaceAll(planned("2", `""`), "name: new", fmt.Sprintf("name: new-%02d", i)))
	}
	for within, want := range map[string]int{"1m": 10, "0": 0} {
		got := run("", "ashlar", "plan", "-f", file(t, "jobs.yaml", jobs.String()), "--on", file(t, "cluster.yaml", cluster),
			"--scheduler-conf", conf, "--would-run", within, "-o", "json")
		var p explain.Plan
		if err := json.Unmarshal([]byte(got.out), &p); err != nil {
			t.Fatalf("%v\n%s%s", err, got.out, got.err)
		}
		tried := 0
		for _, j := range p.Jobs {
			if len(j.Changes) > 0 {
				tried++
			}
		}
		if tried != want || strings.Contains(strings.Join(p.Notes, ""), "to the end for 10 of 12") != (want > 0) {
			t.Errorf("--would-run %s: changes for %d jobs, want %d; %q", within, tried, want, p.Notes)
		}
	}
}

// A file of ten thousand jobs is planned in bounded time, and told in a bounded text.
func TestAPlanOfManyJobs(t *testing.T) {
	var jobs strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&jobs, "---%s", strings.ReplaceAll(planned("1", `""`), "name: new", fmt.Sprintf("name: new-%d", i)))
	}
	args := []string{"ashlar", "plan", "-f", file(t, "jobs.yaml", jobs.String()), "--on", quickstart}
	got := run("", args...)
	if got.code != 0 || !strings.HasPrefix(got.out, "If submitted now: 10000 jobs: ") ||
		!strings.Contains(got.out, "more\n") || strings.Count(got.out, "\n") > 200 {
		t.Errorf("exit %d, %d lines:\n%.2000s%s", got.code, strings.Count(got.out, "\n"), got.out, got.err)
	}
}

func TestWrongUseOfPlan(t *testing.T) {
	job := file(t, "job.yaml", planned("1", `""`))
	foreign := file(t, "foreign.yaml", strings.ReplaceAll(planned("1", `""`), "volcano", "other"))
	malformed := file(t, "malformed.yaml", "kind: [")
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{nil, "name the jobs with -f", 2},
		{[]string{"-f", job, "--on", quickstart, "--dump", "x"}, "--dump and --on: give one of them", 2},
		{[]string{"-f", job, "--on", quickstart, "-o", "wide"}, `--output "wide": expected text, json, yaml`, 2},
		{[]string{"-f", job, "--on", quickstart, "--until", "-1s"}, "--until -1s: expected 0 or more", 2},
		{[]string{"-f", job}, "error: no cluster to ask: ", 1},
		{[]string{"-f", malformed, "--on", quickstart}, "malformed.yaml:1", 1},
		{[]string{"-f", foreign, "--on", quickstart}, "no job for scheduler volcano is in it", 1},
		{[]string{"-f", job, "--on", "nowhere.yaml"}, "nowhere.yaml", 1},
	} {
		got := run("", append([]string{"ashlar", "plan"}, c.args...)...)
		if got.code != c.code || got.out != "" || !strings.Contains(got.err, c.want) {
			t.Errorf("%q: exit %d, want %d with %q; stdout %q, stderr %q", c.args, got.code, c.code, c.want, got.out, got.err)
		}
	}
}
