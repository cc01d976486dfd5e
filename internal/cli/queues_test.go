package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const (
	workedExample = "../../examples/queues/by-weight.yaml" // seed 000, §15
	teams         = "../../examples/queues/tree.yaml"      // seed 001, §7, and its table 7.2
)

// golden compares what a command printed with a file of testdata.
func golden(t *testing.T, name string, got result) {
	t.Helper()
	if got.code != 0 || got.err != "" {
		t.Fatalf("exit code %d: %s", got.code, got.err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got.out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.out); diff != "" {
		t.Errorf("%s changed; if it is right, run the test with -update (-want +got):\n%s", name, diff)
	}
}

func TestQueuesOfTheSeedsExamples(t *testing.T) {
	for name, args := range map[string][]string{
		"queues-worked-example.txt": {"-f", workedExample},
		"queues-why-a.txt":          {"-f", workedExample, "--why", "a"},
		"queues-why-c.txt":          {"-f", workedExample, "c", "--why"},
		"queues-teams-before.txt":   {"-f", teams, "--at", "0s"},
		"queues-teams-after.txt":    {"-f", teams, "-o", "wide"},
		"queues-why-training.txt":   {"-f", teams, "--why", "training"},
		"queues-why-root.txt":       {"-f", teams, "--why", "root"},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, run("", append([]string{"ashlar", "queues"}, args...)...)) })
	}
}

// standing is what a script reads of the queues.
type standing struct {
	Kind   string
	Cycles int
	Queues []struct {
		Name, Parent, State, ClosedBy string
		Share                         float64
		Turn, Waiting                 int
		Deserved, RealCapability      map[string]string
	}
	Next []string
	Why  []struct {
		Queue     string
		Resources []struct {
			Resource, Deserved, Request string
			Levels                      []struct{ Queue, Above, ChildGuarantees, RealCapability string }
			Rounds                      []struct {
				Number      int
				TotalWeight int
				Remaining   string
				Given       string
				Deserved    string
				Met         bool
			}
		}
	}
}

func read(t *testing.T, got result, decode func([]byte, any) error) standing {
	t.Helper()
	var s standing
	if err := decode([]byte(got.out), &s); err != nil {
		t.Fatalf("exit code %d: %v\n%s%s", got.code, err, got.err, got.out)
	}
	return s
}

func TestQueuesForScripts(t *testing.T) {
	args := []string{"ashlar", "queues", "-f", workedExample, "--why", "-o"}
	s := read(t, run("", append(args, "json")...), json.Unmarshal)
	if diff := cmp.Diff(s, read(t, run("", append(args, "yaml")...), func(b []byte, v any) error {
		return yaml.Unmarshal(b, v)
	})); diff != "" {
		t.Errorf("YAML differs from JSON (-json +yaml):\n%s", diff)
	}
	if s.Kind != "QueueReport" || len(s.Queues) != 5 || len(s.Why) != 5 {
		t.Fatalf("kind %q with %d queues and %d reasons, want QueueReport with 5 and 5", s.Kind, len(s.Queues), len(s.Why))
	}
	if a := s.Queues[0]; a.Name != "a" || a.Parent != "root" || a.State != "Open" || a.Turn != 1 || a.Waiting != 1 ||
		a.Deserved["cpu"] != "28" || a.RealCapability["cpu"] != "50" || a.Share != 1 {
		t.Errorf("queue a is %+v", a)
	}
	if diff := cmp.Diff([]string{"a", "b"}, s.Next); diff != "" {
		t.Errorf("served next (-want +got):\n%s", diff)
	}
	cpu := s.Why[0].Resources[0]
	if s.Why[0].Queue != "a" || cpu.Resource != "cpu" || cpu.Deserved != "28" || cpu.Request != "80" ||
		len(cpu.Rounds) != 2 {
		t.Fatalf("why a: %+v", s.Why[0])
	}
	if r := cpu.Rounds[1]; r.Number != 2 || r.TotalWeight != 5 || r.Remaining != "20" || r.Given != "8" ||
		r.Deserved != "28" || r.Met {
		t.Errorf("a's second round is %+v", r)
	}
	if l := cpu.Levels[1]; l.Queue != "a" || l.Above != "100" || l.ChildGuarantees != "30" || l.RealCapability != "50" {
		t.Errorf("what a may hold is %+v", l)
	}
	if strings.Contains(run("", append(args, "json")...).out, "null") {
		t.Error("a list is null")
	}
}

// Seed 001, §7.2: one task of 10 cpu in training moves the shares of all above it.
func TestSharesOfTheTreeBeforeAndAfter(t *testing.T) {
	for at, want := range map[string]map[string]float64{
		"0s":    {"training": 0.75, "team-a": 0.75, "root": 0.75},
		"quiet": {"training": 1, "team-a": 0.916667, "root": 0.85},
	} {
		s := read(t, run("", "ashlar", "queues", "-f", teams, "--at", at, "-o", "json"), json.Unmarshal)
		for _, q := range s.Queues {
			if share, asked := want[q.Name]; asked && q.Share != share {
				t.Errorf("at %s the share of %s is %v, want %v", at, q.Name, q.Share, share)
			}
		}
	}
}

func TestANamedQueueIsShownWithThoseBelowIt(t *testing.T) {
	s := read(t, run("", "ashlar", "queues", "-f", teams, "team-a", "-o", "json"), json.Unmarshal)
	var names []string
	for _, q := range s.Queues {
		names = append(names, q.Name)
	}
	if diff := cmp.Diff([]string{"inference", "team-a", "training"}, names); diff != "" {
		t.Errorf("queues (-want +got):\n%s", diff)
	}
}

func TestWhyAQueueTakesNoJobs(t *testing.T) {
	world := string(must(os.ReadFile(teams))) + "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n" +
		"metadata: {name: team-a}\nspec: {weight: 1, deserved: {cpu: \"60\"}}\nstatus: {state: Closed}\n" +
		"---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: lost}\n" +
		"spec: {weight: 1, parent: nowhere}\n"
	for queue, want := range map[string][]string{
		"team-a":   {"team-a (closed)", "training (closed by team-a)", "It takes no jobs: queue team-a has child queues"},
		"training": {"It takes no jobs: queue training is closed", "WHY QUEUE training DESERVES"},
		"lost":     {"queue lost hangs below queue nowhere", "It takes no part in sharing"},
	} {
		got := run(world, "ashlar", "queues", "-f", "-", "--why", queue)
		for _, text := range want {
			if got.code != 0 || !strings.Contains(got.out, text) {
				t.Errorf("%s: exit code %d, and no %q in:\n%s%s", queue, got.code, text, got.out, got.err)
			}
		}
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// Every console block of the page is what the command prints.
func TestTheQueuesPageShowsWhatIsPrinted(t *testing.T) {
	t.Chdir("../..")
	page := string(must(os.ReadFile("docs/queues.md")))
	blocks := strings.Split(page, "```")
	shown := 0
	for i := 1; i < len(blocks); i += 2 {
		command, want, isRun := strings.Cut(strings.TrimPrefix(blocks[i], "\n"), "\n")
		if !isRun || !strings.HasPrefix(command, "$ ashlar ") {
			continue
		}
		shown++
		got := run("", strings.Fields(strings.TrimPrefix(command, "$ "))...)
		if *update {
			blocks[i] = "\n" + command + "\n" + got.out
		} else if diff := cmp.Diff(want, got.out); diff != "" {
			t.Errorf("%s prints something else (-update writes it; -page +got):\n%s", command, diff)
		}
	}
	if shown < 3 {
		t.Errorf("the page shows %d commands, want at least 3", shown)
	}
	if *update {
		if err := os.WriteFile("docs/queues.md", []byte(strings.Join(blocks, "```")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWrongUseOfQueues(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no cluster": {nil, 1, "no cluster to ask: there is no kubeconfig"},
		"two names":  {[]string{"-f", teams, "a", "b"}, 2, "accepts at most 1 queue, received 2"},
		"an unknown output": {[]string{"-f", teams, "-o", "csv"}, 2,
			`--output "csv": expected table, wide, json, yaml, name or jsonpath=TEMPLATE`},
		"an unreadable time": {[]string{"-f", teams, "--at", "soon"}, 2, `--at "soon": expected quiet, or a duration`},
		"a time in the past": {[]string{"-f", teams, "--at", "-1s"}, 2, "--at"},
		"a misspelled queue": {[]string{"-f", teams, "traning"}, 1,
			`there is no queue "traning" (did you mean "training"?)`},
		"a queue unlike any":  {[]string{"-f", teams, "--why", "xyz"}, 1, `there is no queue "xyz"`},
		"a file not there":    {[]string{"-f", "nowhere.yaml"}, 1, "nowhere.yaml: cannot be read"},
		"a bad configuration": {[]string{"-f", teams, "--scheduler-conf", "nowhere.conf"}, 1, "nowhere.conf: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			got := run("", append([]string{"ashlar", "queues"}, c.args...)...)
			if got.code != c.code || got.out != "" || !strings.Contains(got.err, c.says) {
				t.Errorf("exit code %d, want %d; stdout %q; stderr does not say %q:\n%s", got.code, c.code, got.out, c.says,
					got.err)
			}
		})
	}
}
