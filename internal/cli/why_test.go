package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
)

func TestWhyOfFiles(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
		code int // of --exit-code
	}{
		{[]string{"job", "tune"}, []string{"job default/tune  waits for room\n",
			"There is room for 2 of the 4 pods that start together", "4 lack nvidia.com/gpu (on gpu-1: 1 asked, 0 free)",
			"1 has taint dedicated=infra:NoSchedule", "ok  queue      queue research is open"}, 10},
		{[]string{"job", "train"}, []string{"job default/train  starts now\n", "3 pods go to gpu-1 ×2, gpu-2"}, 0},
		{[]string{"job", "train", "--at", "quiet"}, []string{"job default/train  runs\n",
			"It runs: 3 pods on gpu-1 ×2, gpu-2"}, 0},
		{[]string{"j", "default/nightly-2"}, []string{"waits for its queue\n",
			"Queue batch has no room for its minResources (cpu: 10 with it, 6 allowed).", "NO  admission"}, 11},
		{[]string{"job/nightly-2"}, []string{"waits for its queue\n"}, 11},
		{[]string{"po", "tune-worker-0"}, []string{"There is room for it on node gpu-2, but its gang cannot start",
			"of job tune, which waits for room; 4 of its pods start together or not at all"}, 10},
		{[]string{"q", "batch"}, []string{"queue batch  open\n", "cpu: batch holds 6 of at most 6 (its own)",
			"1 job in it waits (QueueQuotaInsufficient)"}, 0},
		{[]string{"q", "reserach"}, []string{"queue reserach  closed\n",
			"Queue reserach does not exist; 1 job names it: default/evaluate"}, 0},
		{[]string{"no", "gpu-1"}, []string{"node gpu-1  present\n",
			"It could still take cpu 6, memory 28Gi, pods 107; 3 pods hold cpu 10"}, 0},
	} {
		got := run("", append(append([]string{"ashlar", "why"}, c.args...), "-f", quickstart, "--exit-code")...)
		if got.code != c.code || got.err != "" {
			t.Errorf("why %q: exit %d, want %d; stderr %q", c.args, got.code, c.code, got.err)
		}
		for _, want := range c.want {
			if !strings.Contains(unwrapped(got.out), unwrapped(want)) {
				t.Errorf("why %q says no %q:\n%s", c.args, want, got.out)
			}
		}
	}
}

// unwrapped has one space between words, wherever the line was broken.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestWhyAsADocument(t *testing.T) {
	got := run("", "ashlar", "why", "job", "tune", "-f", quickstart, "-o", "json")
	var a explain.Answer
	d := json.NewDecoder(strings.NewReader(got.out))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		t.Fatalf("%v\n%s", err, got.out)
	}
	if a.State != explain.WaitsForRoom || a.Reason == nil || a.Reason.Code != "GangIncomplete" ||
		a.Basis.Source != "files" {
		t.Errorf("the answer is %+v", a)
	}
	yaml := run("", "ashlar", "why", "job", "tune", "-f", quickstart, "-o", "yaml")
	if yaml.code != 0 || !strings.Contains(yaml.out, "\nstate: WaitsForRoom\n") {
		t.Errorf("as YAML, exit %d:\n%s", yaml.code, yaml.out)
	}
}

func TestWhyOfWhatIsNotThere(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"job", "trian"}, `error: there is no job "trian" in namespace default (did you mean "train"?)`, 1},
		{[]string{"job", "tune", "-n", "elsewhere"}, "namespace default has one: -n default", 1},
		{[]string{"pod", "tune-worker-9"}, `did you mean "tune-worker-`, 1},
		{[]string{"queue", "researhc"}, `error: there is no queue "researhc" (did you mean "research"?)`, 1},
		{[]string{"node", "gpu-9"}, `did you mean "gpu-`, 1},
		{[]string{"jbo", "train"}, `"jbo" is none of job, pod, queue, node and eviction (did you mean "job"?)`, 2},
		{[]string{"job"}, "expected what is asked about", 2},
		{[]string{"job", "train", "-o", "jsn"}, `--output "jsn": expected text, json, yaml or jsonpath=TEMPLATE`, 2},
		{[]string{"job", "train", "--at", "soon"}, `--at "soon": expected quiet, or a duration`, 2},
		{[]string{"job", "train", "--dump", "x"}, "--dump and --filename: give one of them", 2},
	} {
		got := run("", append(append([]string{"ashlar", "why"}, c.args...), "-f", quickstart)...)
		if got.code != c.code || got.out != "" || !strings.Contains(got.err, c.want) {
			t.Errorf("why %q: exit %d, want %d with %q; stdout %q, stderr %q", c.args, got.code, c.code, c.want, got.out,
				got.err)
		}
	}
}

func TestWhyNeedsSomethingToAsk(t *testing.T) {
	got := run("", "ashlar", "why", "job", "train")
	if got.code != 1 || !strings.Contains(got.err, "error: no cluster to ask: ") ||
		!strings.Contains(got.err, "or ask files (see --help)") {
		t.Errorf("exit %d, stderr %q", got.code, got.err)
	}
}

// A job that can never start is told so first, and what is missing now after it.
func TestWhyNever(t *testing.T) {
	got := run(oneNode+`
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec:
  schedulerName: volcano
  containers: [{name: c, image: i, resources: {requests: {cpu: "17500m"}}}]
`, "ashlar", "why", "job", "large", "-f", "-", "--exit-code")
	want := "it can never start on these nodes: default/large asks for more than any of them has (cpu: 17.5 asked, 4 " +
		"on the largest)"
	if got.code != 12 || !strings.Contains(strings.ToLower(unwrapped(got.out)), want) {
		t.Errorf("exit %d, want 12 and %q:\n%s%s", got.code, want, got.out, got.err)
	}
}
