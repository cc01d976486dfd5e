package cli_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the expected texts anew")

const quickstart = "../../examples/quickstart"

// What `make run` prints.
func TestQuickstart(t *testing.T) {
	got := run("", "ashlar", "simulate", "-f", quickstart)
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.err)
	}
	golden := filepath.Join("testdata", "quickstart.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got.out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.out); diff != "" {
		t.Errorf("the report changed; if it is right, run the test with -update (-want +got):\n%s", diff)
	}
	if got.err != "" {
		t.Errorf("the default configuration has something to complain about:\n%s", got.err)
	}
}

// document is what a script reads of the report.
type document struct {
	Kind    string
	Summary struct{ Cycles, Bound, Pending int }
	Jobs    []struct {
		Name   string
		Reason struct{ Code, Message string }
	}
	Pods []struct{ Name, Status, Node string }
}

func TestOutputsAreTheSameDocument(t *testing.T) {
	asJSON := run("", "ashlar", "simulate", "-f", quickstart, "-o", "json")
	asYAML := run("", "ashlar", "simulate", "-f", quickstart, "-o", "yaml")
	var a, b document
	if err := json.Unmarshal([]byte(asJSON.out), &a); err != nil {
		t.Fatalf("-o json is not JSON: %v\n%s", err, asJSON.out)
	}
	if err := yaml.Unmarshal([]byte(asYAML.out), &b); err != nil {
		t.Fatalf("-o yaml is not YAML: %v\n%s", err, asYAML.out)
	}
	if a.Kind != "SimulationReport" || a.Summary.Bound == 0 || len(a.Jobs) == 0 {
		t.Errorf("the document lacks a kind, binds or jobs: %+v", a)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("YAML differs from JSON (-json +yaml):\n%s", diff)
	}
}

func TestEveryJobThatWaitsInTheQuickstartSaysWhy(t *testing.T) {
	var d document
	if err := json.Unmarshal([]byte(run("", "ashlar", "simulate", "-f", quickstart, "-o", "json").out), &d); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, j := range d.Jobs {
		if j.Reason.Code != "" {
			got[j.Name] = j.Reason.Code
			if j.Reason.Message == "" {
				t.Errorf("%s waits for %s without a message", j.Name, j.Reason.Code)
			}
		}
	}
	want := map[string]string{"evaluate": "QueueNotFound", "nightly-2": "QueueQuotaInsufficient", "tune": "GangIncomplete"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what each job waits for (-want +got):\n%s", diff)
	}
}

func TestWhichConfigurationHolds(t *testing.T) {
	const without = "actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: gang\n"
	for name, c := range map[string]struct {
		input string
		flag  string
		bound int
	}{
		"Volcano's default places the pod":  {oneNode, "", 1},
		"the ConfigMap's does not":          {oneNode + configMap("conf", without), "", 0},
		"the flag's goes before":            {oneNode + configMap("conf", without), quiet, 1},
		"and settles which of two is meant": {oneNode + configMap("a", without) + configMap("b", without), quiet, 1},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"ashlar", "simulate", "-f", "-", "-o", "json"}
			if c.flag != "" {
				args = append(args, "--scheduler-conf", file(t, "scheduler.conf", c.flag))
			}
			got := run(c.input, args...)
			var d document
			if err := json.Unmarshal([]byte(got.out), &d); err != nil {
				t.Fatalf("exit code %d: %v\n%s", got.code, err, got.err)
			}
			if d.Summary.Bound != c.bound {
				t.Errorf("%d pods bound, want %d\n%s", d.Summary.Bound, c.bound, got.err)
			}
		})
	}
}

func TestBadConfigurations(t *testing.T) {
	conf := file(t, "scheduler.conf",
		"actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gagn\n  - name: proportion\n    enableJobOdrer: false\n")
	beyond := file(t, "beyond.conf",
		"actions: \"allocate\"\ntiers:\n- plugins:\n  - name: nodeorder\n    arguments: {leastrequested.weight: -1}\n")
	for name, c := range map[string]struct {
		input string
		args  []string
		says  []string
	}{
		"two ConfigMaps are named both": {oneNode + configMap("a", quiet) + configMap("b", quiet), nil,
			[]string{"volcano-system/a", "volcano-system/b", "--scheduler-conf"}},
		"every mistake in a file has its line": {oneNode, []string{"--scheduler-conf", conf},
			[]string{conf + ":4: ", "gagn", conf + ":6: ", "enableJobOdrer"}},
		"a value outside its bounds has its line": {oneNode, []string{"--scheduler-conf", beyond},
			[]string{beyond +
				":5: argument \"leastrequested.weight\" of plugin nodeorder: must be at least 0 and at most 100000, not -1"}},
		"a mistake in a ConfigMap has the line of the manifest": {oneNode +
			configMap("a", "actions: \"allocate\"\ntires: []"), nil,
			[]string{"-:20: ", "tires"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(c.input, append([]string{"ashlar", "simulate", "-f", "-"}, c.args...)...)
			if got.code != 1 || got.out != "" {
				t.Errorf("exit code %d and %d bytes of report, want 1 and none", got.code, len(got.out))
			}
			for _, want := range c.says {
				if !strings.Contains(got.err, want) {
					t.Errorf("stderr does not say %q:\n%s", want, got.err)
				}
			}
		})
	}
}

func TestLogLinesGoToStderrAfterTheVirtualTime(t *testing.T) {
	got := run(oneNode, "ashlar", "simulate", "-f", "-", "-v", "3", "--scheduler-conf", file(t, "scheduler.conf", quiet))
	for _, want := range []string{"0s     Try to allocate resource to 1 Queues\n",
		"0s     Binding Task <default/p> to node <n1>\n", "0s     Committing operations ...\n"} {
		if !strings.Contains(got.err, want) {
			t.Errorf("stderr lacks %q:\n%s", want, got.err)
		}
	}
	if strings.Contains(got.err, "Enter Allocate") {
		t.Errorf("-v 3 prints a line of level 5:\n%s", got.err)
	}
	if strings.Contains(got.out, "Binding Task") {
		t.Errorf("the log is in the report:\n%s", got.out)
	}
}

func TestUntilStopsTheClock(t *testing.T) {
	timed := strings.Replace(oneNode, "metadata: {name: p}", "metadata: {name: p, annotations: {ashlar.sh/submit-at: 1h}}",
		1)
	for _, c := range []struct {
		name  string
		until string
		bound int
		extra string
	}{
		{"before the pod appears", "59m", 0, ""},
		{"before the pod appears, with a log", "59m", 0, "-v=3"},
		{"when the pod appears", "1h", 1, ""},
		{"quiet", "quiet", 1, "--audit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"ashlar", "simulate", "-f", "-", "-o", "json", "--until", c.until}
			if c.extra != "" {
				args = append(args, c.extra)
			}
			got := run(timed, args...)
			var d document
			if err := json.Unmarshal([]byte(got.out), &d); err != nil {
				t.Fatalf("exit code %d: %v\n%s", got.code, err, got.err)
			}
			if d.Summary.Bound != c.bound {
				t.Errorf("%d pods bound, want %d", d.Summary.Bound, c.bound)
			}
		})
	}
}

func TestSchedulerNameSaysWhosePodsAreOurs(t *testing.T) {
	got := run(oneNode, "ashlar", "simulate", "-f", "-", "--scheduler-name", "other", "--scheduler-name", "third")
	if !strings.Contains(got.out, "1 pod of other schedulers, left alone: p") {
		t.Errorf("volcano's pod is not left alone:\n%s", got.out)
	}
}
