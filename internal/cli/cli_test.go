package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/cli"
)

// asCommand makes the test's binary the command itself, for the one test that starts it.
const asCommand = "ASHLAR_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(cli.OS().Run())
	}
	os.Exit(m.Run())
}

// result is what a command left behind.
type result struct {
	code     int
	out, err string
}

// run runs a command in-process; the first argument is the name it is called by.
func run(stdin string, args ...string) result {
	var out, errs bytes.Buffer
	p := cli.Process{Args: args, In: strings.NewReader(stdin), Out: &out, Err: &errs,
		Env: func(string) string { return "" }, Now: func() time.Time { return time.Unix(0, 0) }}
	code := p.Run()
	return result{code, out.String(), errs.String()}
}

// file writes a file into a folder of the test and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const oneNode = `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  schedulerName: volcano
  containers: [{name: c, image: i, resources: {requests: {cpu: "1", memory: 1Gi}}}]
`

func configMap(name, conf string) string {
	return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: volcano-system}\ndata:\n" +
		"  volcano-scheduler.conf: |\n    " + strings.ReplaceAll(strings.TrimSpace(conf), "\n", "\n    ") + "\n"
}

const quiet = `
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
- plugins:
  - name: predicates
  - name: proportion
  - name: nodeorder
`

// Everything a user can do wrong has its exit code, says what, and prints no report.
func TestWrongUse(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"no such command": {[]string{"ashlar", "simulte"}, 2,
			[]string{`unknown command "simulte"`, "simulate", "See 'ashlar --help'."}},
		"no file": {[]string{"ashlar", "simulate"}, 2,
			[]string{`required flag(s) "filename" not set`, "See 'ashlar simulate --help'."}},
		"a stray argument": {[]string{"ashlar", "simulate", "-f", "-", "x"}, 2, []string{`"x"`}},
		"an unknown flag":  {[]string{"ashlar", "simulate", "--verbose"}, 2, []string{"unknown flag: --verbose"}},
		"an unknown output": {[]string{"ashlar", "simulate", "-f", "-", "-o", "xml"}, 2,
			[]string{`--output "xml": expected table, json or yaml`}},
		"an unreadable time": {[]string{"ashlar", "simulate", "-f", "-", "--until", "soon"}, 2,
			[]string{`--until "soon": expected quiet, or a positive duration`}},
		"a time in the past": {[]string{"ashlar", "simulate", "-f", "-", "--until", "-1s"}, 2, []string{"--until"}},
		"a speed that is no number": {[]string{"ashlar", "web", "--speed", "NaN", "-"}, 2,
			[]string{"--speed NaN: expected 1 to 1000000"}},
		"a level below zero": {[]string{"ashlar", "simulate", "-f", "-", "-v", "-1"}, 2,
			[]string{"-v -1: expected 0 or more"}},
		"an unknown version form": {[]string{"ashlar", "version", "-o", "xml"}, 2,
			[]string{`--output "xml": only json is known`}},
		"usage as kubectl plugin": {[]string{"/usr/bin/kubectl-ashlar", "simulate"}, 2,
			[]string{"See 'kubectl ashlar simulate --help'."}},
		"a file that is not there": {[]string{"ashlar", "simulate", "-f", "nowhere.yaml"}, 1,
			[]string{"nowhere.yaml: cannot be read: no such file or directory"}},
		"no configuration there": {[]string{"ashlar", "simulate", "-f", "-", "--scheduler-conf", "nowhere.conf"}, 1,
			[]string{"nowhere.conf: no such file or directory"}},
		"no cluster to schedule": {[]string{"ashlar", "scheduler", "--leader-elect", "true"}, 1,
			[]string{"no cluster to schedule", "--kubeconfig"}},
		"no cluster as vc": {[]string{"/vc-scheduler", "--logtostderr", "-v=3", "2>&1"}, 1,
			[]string{"no cluster to schedule", "ashlar simulate"}},
		"plugins to be loaded": {[]string{"ashlar", "scheduler", "--plugins-dir=/plugins"}, 1,
			[]string{"compile a plugin in"}},
		"shards": {[]string{"ashlar", "scheduler", "--scheduler-sharding-mode=firm"}, 1,
			[]string{"expected none, soft or hard"}},
		"a scheduler's wrong flag": {[]string{"ashlar", "scheduler", "--sheduler-name=x"}, 2,
			[]string{`unknown flag: --sheduler-name (did you mean "--scheduler-name"?)`}},
		"an unknown adoption": {[]string{"ashlar", "scheduler", "--adopt-ungrouped=perhaps"}, 1,
			[]string{"expected auto, always or never"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(oneNode, c.args...)
			if got.code != c.code {
				t.Errorf("exit code %d, want %d", got.code, c.code)
			}
			for _, want := range c.says {
				if !strings.Contains(got.err, want) {
					t.Errorf("stderr does not say %q:\n%s", want, got.err)
				}
			}
			if got.out != "" {
				t.Errorf("stdout is not empty:\n%s", got.out)
			}
		})
	}
}

func TestBadInputIsToldLineByLine(t *testing.T) {
	path := file(t, "bad.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: v1\nkind: Pod\n"+
		"metadata: {name: p}\nspec:\n  priority: high\n---\nkind: Pod\n")
	got := run("", "ashlar", "simulate", "-f", path)
	if got.code != 1 || got.out != "" {
		t.Errorf("exit code %d and %d bytes of report, want 1 and none", got.code, len(got.out))
	}
	lines := strings.Split(strings.TrimSpace(got.err), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], path+":9: ") || !strings.HasPrefix(lines[1], path+":11: ") {
		t.Errorf("want one line about %s:9 and one about :11, got:\n%s", path, got.err)
	}
}

func TestSemanticFaultsAreProblemsOfTheReport(t *testing.T) {
	got := run(strings.Replace(oneNode, "metadata: {name: p}",
		"metadata: {name: p, annotations: {scheduling.volcano.sh/queue-name: nosuch}}", 1),
		"ashlar", "simulate", "-f", "-")
	if got.code != 0 || !strings.Contains(got.out, "QueueNotFound: queue nosuch does not exist") ||
		!strings.Contains(got.out, "PROBLEMS") {
		t.Errorf("exit code %d, want 0, the reason and a problem in:\n%s", got.code, got.out)
	}
}

func TestTheNameItIsCalledByIsTheOneItTeaches(t *testing.T) {
	for called, want := range map[string]string{"/usr/local/bin/kubectl-ashlar": "kubectl ashlar simulate -f FILE",
		"bin/ashlar": "\n  ashlar simulate -f FILE"} {
		got := run("", called, "simulate", "--help")
		if got.code != 0 || !strings.Contains(got.out, want) || got.err != "" {
			t.Errorf("called as %s, --help exits with %d and does not show %q:\n%s", called, got.code, want, got.out)
		}
	}
}

func TestCompletionAndVersion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ashlar", "completion", "bash"}, "__start_ashlar"},
		{[]string{"ashlar", "version"}, "kubernetes  k8s.io/api"},
		{[]string{"ashlar", "version", "-o", "json"}, `"volcano": "`},
		{[]string{"ashlar"}, "Available Commands:"},
	} {
		if got := run("", c.args...); got.code != 0 || !strings.Contains(got.out, c.want) {
			t.Errorf("%v exits with %d and prints\n%s\nwant 0 and %q", c.args, got.code, got.out, c.want)
		}
	}
}

func TestAsAProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe)
	c.Args = []string{"/vc-scheduler", "--leader-elect=false"}
	c.Env = append(os.Environ(), asCommand+"=1")
	out, err := c.CombinedOutput()
	if c.ProcessState == nil || c.ProcessState.ExitCode() != 1 ||
		!strings.Contains(string(out), "no cluster to schedule") {
		t.Errorf("as vc-scheduler the binary ends with %v and says:\n%s", err, out)
	}
}
