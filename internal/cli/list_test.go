package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
)

func TestJobsOfFiles(t *testing.T) {
	got := run("", "ashlar", "jobs", "-f", quickstart)
	for _, want := range []string{
		"NAMESPACE NAME QUEUE PODS STATE AGE START REASON",
		"default train research 3/3 Starts - - -",
		"default tune research 0/4 WaitsForRoom - - GangIncomplete",
		"default nightly-2 batch 0/2 WaitsForQueue - - QueueQuotaInsufficient",
	} {
		if !strings.Contains(unwrapped(got.out), want) {
			t.Errorf("jobs has no line %q:\n%s%s", want, got.out, got.err)
		}
	}
	bare := run("", "ashlar", "jobs", "-f", quickstart, "--no-headers", "-n", "default", "train")
	if want := "train   research   3/3   Starts   -   -   -\n"; bare.out != want {
		t.Errorf("one job without a head is %q, want %q", bare.out, want)
	}
	wide := run("", "ashlar", "jobs", "-f", quickstart, "-o", "wide", "train")
	if want := "gpu-1 ×2, gpu-2"; !strings.Contains(wide.out, want) {
		t.Errorf("wide has no %q:\n%s", want, wide.out)
	}
}

func TestListsAsDocuments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"jobs", "-o", "name", "train", "tune"}, "job/train\njob/tune\n"},
		{[]string{"nodes", "-o", "name", "gpu-1"}, "node/gpu-1\n"},
		{[]string{"queues", "-o", "name", "batch"}, "queue/batch\n"},
		{[]string{"jobs", "-o", `jsonpath={range .items[?(@.state=="WaitsForQueue")]}{.name} {end}`},
			"evaluate nightly-2 "},
		{[]string{"nodes", "-o", "jsonpath={.items[0].room.cpu}"}, "5"},
		{[]string{"queues", "-o", "jsonpath={.next[*]}"}, "research batch"},
		{[]string{"why", "job", "tune", "-o", "jsonpath={.state}"}, "WaitsForRoom"},
		{[]string{"nodes", "--no-headers", "infra-1"}, "infra-1   Present   0/110   4 of 4   16Gi of 16Gi\n"},
	} {
		got := run("", append(append([]string{"ashlar"}, c.args...), "-f", quickstart)...)
		if got.code != 0 || got.out != c.want {
			t.Errorf("%q: exit %d, %q, want %q; stderr %q", c.args, got.code, got.out, c.want, got.err)
		}
	}
	var list explain.JobList
	got := run("", "ashlar", "jobs", "-f", quickstart, "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &list); err != nil || len(list.Items) != 7 || list.Kind != "JobList" {
		t.Errorf("the list has %d jobs of kind %s, error %v", len(list.Items), list.Kind, err)
	}
	if yaml := run("", "ashlar", "nodes", "-f", quickstart, "-o", "yaml"); !strings.Contains(yaml.out, "kind: NodeList") {
		t.Errorf("as YAML\n%s", yaml.out)
	}
}

func TestListsByLabel(t *testing.T) {
	input := strings.ReplaceAll(oneNode, "{name: n1}", "{name: n1, labels: {pool: a}}") + strings.ReplaceAll(
		"---"+strings.Split(oneNode, "---")[0], "{name: n1}", "{name: n2, labels: {pool: b}}")
	if got := run(input, "ashlar", "nodes", "-f", "-", "-l", "pool=b", "-o", "name"); got.out != "node/n2\n" {
		t.Errorf("nodes of pool b are %q, %q", got.out, got.err)
	}
	labelled := strings.ReplaceAll(oneNode, "{name: p}", "{name: p, labels: {team: x}}")
	if got := run(labelled, "ashlar", "jobs", "-f", "-", "-l", "team in (x, y)", "-o", "name"); got.out != "job/p\n" {
		t.Errorf("jobs of team x are %q, %q", got.out, got.err)
	}
	got := run(labelled, "ashlar", "jobs", "-f", "-", "-l", "team=z")
	if got.out != "" || got.err != "No resources found.\n" || got.code != 0 {
		t.Errorf("jobs of nobody: exit %d, %q, %q", got.code, got.out, got.err)
	}
}

func TestWrongUseOfLists(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"jobs", "trian"}, `there is no job "trian" in namespace default (did you mean "train"?)`, 1},
		{[]string{"nodes", "gpu-3"}, `there is no node "gpu-3" (did you mean "gpu-1"?)`, 1},
		{[]string{"jobs", "-o", "jsonpath={.items["}, "--output jsonpath: unterminated array", 2},
		{[]string{"jobs", "-o", "csv"}, `--output "csv": expected table, wide, json, yaml, name or jsonpath=TEMPLATE`, 2},
		{[]string{"jobs", "-l", "a=="}, `--selector "a==": `, 0},
		{[]string{"jobs", "-l", "a in ("}, `--selector "a in (": `, 2},
		{[]string{"jobs", "--watch"}, "--watch: files and dumps do not change", 2},
	} {
		got := run("", append(append([]string{"ashlar"}, c.args...), "-f", quickstart)...)
		if got.code != c.code || c.code > 0 && !strings.Contains(got.err, c.want) {
			t.Errorf("%q: exit %d, want %d with %q; stderr %q", c.args, got.code, c.code, c.want, got.err)
		}
	}
}

func TestMisspeltVerbsAreSuggested(t *testing.T) {
	for typed, want := range map[string]string{"jobz": "jobs", "wyh": "why", "nods": "nodes", "plam": "plan"} {
		if got := run("", "ashlar", typed); got.code != 2 || !strings.Contains(got.err, "Did you mean this?") ||
			!strings.Contains(got.err, "\t"+want+"\n") {
			t.Errorf("for %s exit %d, stderr %q, want %s suggested", typed, got.code, got.err, want)
		}
	}
}

// A misspelt verb of vcctl is taken for a name, of which there is none: the verb is offered. A file that is an argument
// where a flag is needed is offered with the flag.
func TestWhatVcctlAndFilesWereMeant(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"queue", "lst"}, 1, `Nor is "lst" a verb of ashlar queues (did you mean "list"?).`},
		{[]string{"queue", "gte", "batch"}, 2, `(did you mean "get"?)`},
		{[]string{"job", "lsit"}, 1, `Nor is "lsit" a verb of ashlar jobs (did you mean "list"?).`},
		{[]string{"job", "veiw", "tune"}, 1, `(did you mean "view"?)`},
		{[]string{"job", "tuna"}, 1, `(did you mean "tune"?)`},
	} {
		got := run("", append(append([]string{"ashlar"}, c.args...), "-f", quickstart)...)
		if got.code != c.code || !strings.Contains(got.err, c.says) {
			t.Errorf("%v: exit code %d, want %d with %s\n%s", c.args, got.code, c.code, c.says, got.err)
		}
	}
	for _, verb := range []string{"simulate", "plan"} {
		if got := run("", "ashlar", verb, "bad.yaml"); got.code != 2 ||
			!strings.Contains(got.err, `unexpected argument "bad.yaml": files are named with -f (did you mean "-f bad.yaml"?)`) {
			t.Errorf("%s: exit code %d: %s", verb, got.code, got.err)
		}
	}
}

func TestNamesAreCompleted(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"why", "-f", quickstart, ""}, []string{"job", "pod", "queue", "node", "eviction"}},
		{[]string{"why", "-f", quickstart, "job", "t"}, []string{"tail", "train", "tune"}},
		{[]string{"why", "-f", quickstart, "q", "re"}, []string{"research"}},
		{[]string{"jobs", "-f", quickstart, "train", "tr"}, nil},
		{[]string{"nodes", "-f", quickstart, "gpu"}, []string{"gpu-1", "gpu-2"}},
		{[]string{"queues", "-f", quickstart, "w"}, []string{"web"}},
		{[]string{"why", "job", "t"}, nil}, // no cluster: nothing, and no complaint
	} {
		got := run("", append([]string{"ashlar", "__complete"}, c.args...)...)
		lines := strings.Split(strings.TrimSpace(got.out), "\n")
		if have := lines[:len(lines)-1]; strings.Join(have, " ") != strings.Join(c.want, " ") {
			t.Errorf("%q is completed by %q, want %q", c.args, have, c.want)
		}
	}
}

// What fingers know of vcctl does the same.
func TestTheVerbsOfVcctl(t *testing.T) {
	for _, c := range []struct{ theirs, ours []string }{
		{[]string{"job", "list"}, []string{"jobs"}},
		{[]string{"job", "view", "tune"}, []string{"why", "job", "tune", "--would-run", "0"}},
		{[]string{"job", "view", "-N", "tune", "-n", "default"}, []string{"why", "job", "tune", "--would-run", "0"}},
		{[]string{"job", "view", "--name", "tune"}, []string{"why", "job", "tune", "--would-run", "0"}},
		{[]string{"queue", "list"}, []string{"queues"}},
		{[]string{"queue", "get", "batch"}, []string{"queues", "batch"}},
		{[]string{"queue", "get", "-n", "batch"}, []string{"queues", "batch"}},
		{[]string{"queue", "get", "--name", "batch"}, []string{"queues", "batch"}},
	} {
		theirs := run("", append(append([]string{"ashlar"}, c.theirs...), "-f", quickstart)...)
		ours := run("", append(append([]string{"ashlar"}, c.ours...), "-f", quickstart)...)
		if theirs != ours || ours.code != 0 {
			t.Errorf("%q prints\n%+v\nand %q\n%+v", c.theirs, theirs, c.ours, ours)
		}
	}
}

func TestAsAPluginOfKubectl(t *testing.T) {
	got := run("", "/usr/bin/kubectl-ashlar", "why", "--help")
	for _, want := range []string{"kubectl ashlar why job|pod|queue|node|eviction NAME",
		"kubectl ashlar why job train -n research"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("the help has no %q:\n%s", want, got.out)
		}
	}
	if got := run("", "/usr/bin/kubectl-ashlar", "why"); !strings.Contains(got.err, "See 'kubectl ashlar why --help'.") {
		t.Errorf("stderr is %q", got.err)
	}
}
