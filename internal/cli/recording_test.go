package cli_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// told is a scheduler's engine, and what it was told, as a live scheduler records it.
type told struct {
	*testing.T
	engine  *sched.Engine
	conf    string // "": Volcano's default
	ring    *recording.Ring
	version uint64
	at      time.Duration
}

const train = "team/train"

// recorded is the file of a scheduler that had a gang of two, team/train, wait for a node that came later.
func recorded(t *testing.T) string {
	t.Helper()
	x := recorder(t, "")
	x.node("n1")
	x.cycle()
	x.tell(model.KindPodGroup, "team", "train", &model.PodGroup{MinMember: 2, Queue: "default"})
	for _, name := range []string{"train-0", "train-1"} {
		x.tell(model.KindPod, "team", name, &model.Pod{Group: "train", Ours: true, Index: -1, Spec: &model.Spec{
			Requests: resource.List{{Name: "cpu", Value: 3000}, {Name: "pods", Value: 1}}}})
	}
	x.cycle()
	x.cycle()
	x.node("n2")
	x.cycle()
	return x.file()
}

// recorder is a scheduler that is recorded, with queue default.
func recorder(t *testing.T, configuration string) *told {
	t.Helper()
	chosen := config.Default()
	if configuration != "" {
		parsed, problems := config.Parse(config.Source{}, []byte(configuration), config.Volcano(), config.Strict)
		if chosen = parsed; chosen == nil {
			t.Fatal(problems)
		}
	}
	e, err := sched.New(profile.Local(profile.Of(chosen), ""), sched.WithPlugin(filters.Predicates()),
		sched.WithPlugin(filters.Capacity()), recording.Pace(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	x := &told{T: t, engine: e, conf: configuration, ring: recording.NewRing(1<<20, time.Now)}
	x.tell(model.KindQueue, "", "default", &model.Queue{Weight: 1})
	return x
}

// file writes the recording.
func (x *told) file() string {
	t := x.T
	t.Helper()
	taken, ok := x.ring.Take(x.engine)
	if !ok {
		t.Fatal("nothing is recorded")
	}
	path, err := taken.Write(filepath.Join(t.TempDir(), "private"), "ashlar-recording-7"+recording.Ending,
		recording.Head{Version: "v0.9", Reason: "signal"})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (x *told) node(name string) {
	room := resource.List{{Name: "cpu", Value: 4000}, {Name: "pods", Value: 10}}
	x.tell(model.KindNode, "", name, &model.Node{Allocatable: room, Capacity: room})
}

func (x *told) tell(kind model.Kind, namespace, name string, o model.Object) {
	x.version++
	*o.Common() = model.Meta{Namespace: namespace, Name: name, UID: name}
	f := model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name, Version: x.version, Object: o}
	x.ring.Fact(x.engine.Ledger(), f)
	x.engine.Apply(f)
}

// cycle decides, a second after the last time, and has every binding accepted.
func (x *told) cycle() {
	x.at += time.Second
	now := int64(x.at)
	x.ring.Begin(x.engine, now, recording.About{Version: "v0.9", Period: time.Second, Configuration: x.conf})
	plan, _, next := x.engine.Decide(now)
	x.ring.End(plan.Items, next)
	var receipts []sched.Receipt
	for _, i := range plan.Items {
		receipts = append(receipts, sched.Receipt{Item: i})
	}
	x.ring.Receipts(receipts)
	x.engine.Receive(receipts...)
}

func TestReplayProvesThatARecordingIsDecidedAgain(t *testing.T) {
	got := run("", "ashlar", "replay", recorded(t))
	for _, part := range []string{"v0.9", "signal", "4 cycles", "2 pods bound", "the same, byte for byte"} {
		if got.code != 0 || !strings.Contains(got.out, part) {
			t.Errorf("exit code %d, %q %q; want 0 and %q", got.code, got.out, got.err, part)
		}
	}
	got = run("", "ashlar", "replay", recorded(t), "-o", "json")
	var result struct {
		Cycles, Bound int
		Same          bool
	}
	if err := json.Unmarshal([]byte(got.out), &result); err != nil || got.code != 0 || result.Cycles != 4 ||
		result.Bound != 2 || !result.Same {
		t.Errorf("exit code %d, %v: %s %s", got.code, err, got.out, got.err)
	}
}

// edited is a recording with something else in its text.
func edited(t *testing.T, path, old, with string) string {
	t.Helper()
	text := unzipped(t, path)
	if !strings.Contains(text, old) {
		t.Fatalf("the recording has no %q: %s", old, text)
	}
	out := filepath.Join(t.TempDir(), "edited.jsonl")
	if err := os.WriteFile(out, []byte(strings.Replace(text, old, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// A recording that is decided otherwise than it says shows the first difference, by cycle and item.
func TestReplayShowsTheFirstDifference(t *testing.T) {
	path := edited(t, recorded(t), `{"ID":3,"Kind":"bind","Statement":1,"Pod":"team/train-1","UID":"train-1","Node":"n1"`,
		`{"ID":3,"Kind":"bind","Statement":1,"Pod":"team/train-1","UID":"train-1","Node":"n2"`)
	got := run("", "ashlar", "replay", path)
	for _, part := range []string{"cycle 4", "item 2", `"Node":"n1"`, `"Node":"n2"`} {
		if got.code != 3 || !strings.Contains(got.err, part) {
			t.Errorf("exit code %d, %q; want 3 and %q", got.code, got.err, part)
		}
	}
}

// What came in, what was decided and why is shown cycle by cycle, of a job or a cycle alone if that is asked.
func TestReplayGoesThroughARecordingStepByStep(t *testing.T) {
	path := recorded(t)
	all := run("", "ashlar", "replay", "--step", path)
	for _, part := range []string{"cycle 2 at 1970-01-01T00:00:02.000Z\n", "came      Pod/team/train-0: waits",
		"came      PodGroup/team/train: queue default, minMember 2", "waits     team/train: ", "cycle 4 at",
		"came      Node/n2: cpu 4", "decided   bind team/train-0 to n", "waits     team/train: 2 pods are being bound"} {
		if all.code != 0 || !strings.Contains(all.out, part) {
			t.Errorf("exit code %d, %s %s; want 0 and %q", all.code, all.out, all.err, part)
		}
	}
	job := run("", "ashlar", "replay", "--job", train, path)
	if job.code != 0 || strings.Contains(job.out, "Node/n2") || !strings.Contains(job.out, "bind team/train-1") {
		t.Errorf("of the job alone it shows %s", job.out)
	}
	cycle := run("", "ashlar", "replay", "--cycle", "4", path, "-o", "json")
	var view struct {
		Cycle   int
		Decided []string
	}
	if err := json.Unmarshal([]byte(cycle.out), &view); err != nil || view.Cycle != 4 || len(view.Decided) < 2 {
		t.Errorf("%v: cycle 4 is %s %s", err, cycle.out, cycle.err)
	}
	for _, bad := range [][]string{{"--cycle", "0"}, {"--cycle", "3-2"}, {"--job", "train"}, {"-o", "yaml"}} {
		if got := run("", append([]string{"ashlar", "replay", path}, bad...)...); got.code != 2 {
			t.Errorf("%v: exit code %d, want 2", bad, got.code)
		}
	}
}

// A recording of which the end is missing, as that of a process that was killed, shows what it has and says so. One
// that is no recording any more is refused.
func TestReplayOfARecordingThatWasCut(t *testing.T) {
	text := unzipped(t, recorded(t))
	lines := strings.SplitAfter(text, "\n")
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "cut.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	got := run("", "ashlar", "replay", write(strings.Join(lines[:4], "")+lines[4][:20]))
	if got.code != 0 || !strings.Contains(got.err, "its end is missing") || !strings.Contains(got.out, "2 cycles") {
		t.Errorf("exit code %d, %q %q; want two cycles and a warning", got.code, got.out, got.err)
	}
	for _, bad := range []struct{ text, says string }{
		{lines[0], "cut off"},
		{lines[0] + lines[1][:40], "cut off"},
		{lines[0] + "{}\n", "no Facts"},
		{lines[0] + lines[1] + "nonsense\n", "line 3"},
		{lines[0] + lines[1] + `{"Cycle":{"Number":1,"Now":-4}}` + "\n", "Now is -4"},
		{lines[0] + lines[1] + `{"Cycle":{"Number":1,"Now":4,"Items":[{"Kind":"explode"}]}}` + "\n", "explode"},
		{`{"Recording":9,"Version":"v9"}` + "\n", "v9"},
	} {
		if got := run("", "ashlar", "replay", write(bad.text)); got.code != 1 || !strings.Contains(got.err, bad.says) {
			t.Errorf("%.80q: exit code %d, %q; want 1 and %q", bad.text, got.code, got.err, bad.says)
		}
	}
}

func unzipped(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The history of a job has what came, what was decided and why it waited, and of others nothing.
func TestTheHistoryOfAJob(t *testing.T) {
	path := recorded(t)
	got := run("", "ashlar", "history", "job", train, path)
	order := []string{"train: came (queue default, minMember 2, Pending)", "train-0, train-1: came (waits)",
		"phase of team/train to Inqueue", "waits: it can never start on these nodes", "cycle 4",
		"bind team/train-0 to n2", "bind team/train-1 to n1"}
	at := 0
	for _, part := range order {
		i := strings.Index(got.out[at:], part)
		if got.code != 0 || i < 0 {
			t.Fatalf("exit code %d, %s: no %q after byte %d: %s", got.code, got.err, part, at, got.out)
		}
		at += i
	}
	if strings.Contains(got.out, "n2: cpu") {
		t.Errorf("it tells of a node: %s", got.out)
	}
	if got := run("", "ashlar", "history", "job", "team/other", path); got.code != 1 ||
		!strings.Contains(got.err, "nothing is recorded of job team/other") {
		t.Errorf("of a job that is not there: exit code %d, %s", got.code, got.err)
	}
	if got := run("", "ashlar", "history", "job", "train", path); got.code != 2 {
		t.Errorf("without a namespace: exit code %d, want 2", got.code)
	}
	if got := run("", "ashlar", "history", "job", train, saved(t, "")); got.code != 1 ||
		!strings.Contains(got.err, "no history") {
		t.Errorf("of a state: exit code %d, %s", got.code, got.err)
	}
}
