package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const (
	traceNodes = "name,cpu_milli,memory_mib,gpu_count,gpu_model\na,,,2,\nb,,,2,\n"
	traceJobs  = "job,queue,user,submit_s,duration_s,members,min_members," +
		"cpu_milli_per_member,memory_mib_per_member,gpu_per_member,priority,type\n"
)

// traced runs simulate on a trace.
func traced(t *testing.T, nodes, jobs string, more ...string) result {
	t.Helper()
	return run("", append([]string{"ashlar", "simulate", "--trace-nodes", file(t, "nodes.csv", nodes), "--trace-jobs",
		file(t, "jobs.csv", jobs)}, more...)...)
}

// figures is what a script reads of a trace's run.
type figures struct {
	Kind     string
	Makespan float64
	All      struct {
		Jobs, Started, Finished int
		Delay, Completion       struct{ Mean float64 }
	}
	Queues  []struct{ Name string }
	Waiting []struct {
		Code, Example, Message string
		Jobs                   int
	}
}

func TestATraceIsReplayedAndSummedUp(t *testing.T) {
	jobs := traceJobs + "first,,,0,10,2,2,,,2,,\nsecond,,,3,10,1,1,,,0.5,,\n"
	var f figures
	got := traced(t, traceNodes, jobs, "-o", "json", "--audit")
	if err := json.Unmarshal([]byte(got.out), &f); err != nil || got.code != 0 {
		t.Fatalf("exit code %d, %v: %s%s", got.code, err, got.err, got.out)
	}
	// The first holds all until 11; the second is bound then, starts at 12 and ends at 22.
	if f.Kind != "TraceReport" || f.Makespan != 22 || f.All.Finished != 2 || f.All.Delay.Mean != 4 ||
		f.All.Completion.Mean != 15 {
		t.Errorf("%+v", f)
	}
	var same figures
	if err := yaml.Unmarshal([]byte(traced(t, traceNodes, jobs, "-o", "yaml").out), &same); err != nil ||
		same.Makespan != f.Makespan {
		t.Errorf("-o yaml says %+v, %v", same, err)
	}
	if got := traced(t, traceNodes, jobs, "-o", "csv"); !strings.Contains(got.out, "all,,completion_mean_s,15\n") {
		t.Errorf("-o csv says\n%s", got.out)
	}
	if got := traced(t, traceNodes, jobs); !strings.Contains(got.out, "2 jobs: 2 started, 2 finished, 0 wait") {
		t.Errorf("the table says\n%s", got.out)
	}
}

// With estimates each second the job that waits has one, and starts when it said: when the first ends.
func TestEstimatesOfATraceAreSummedUp(t *testing.T) {
	jobs := traceJobs + "first,,,0,10,2,2,,,2,,\nsecond,,,3,10,1,1,,,2,,\n"
	var f struct {
		Estimates *struct {
			Jobs   int
			Inside float64
			Most   float64
		}
	}
	got := traced(t, traceNodes, jobs, "--trace-estimate-every", "1s", "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &f); err != nil || f.Estimates == nil || f.Estimates.Jobs != 1 ||
		f.Estimates.Inside != 1 || f.Estimates.Most != 0 {
		t.Errorf("%v %s: %+v", err, got.err, f.Estimates)
	}
	for _, bad := range [][]string{{"simulate", "-f", quickstart, "--trace-estimate-every", "1h"},
		{"simulate", "--trace-nodes", "n", "--trace-jobs", "j", "--trace-estimate-every", "1ms"}} {
		if got := run("", append([]string{"ashlar"}, bad...)...); got.code != 2 ||
			!strings.Contains(got.err, "--trace-estimate-every") {
			t.Errorf("exit code %d: %s", got.code, got.err)
		}
	}
}

// What is known of run times decides whether third passes gang, which needs the node that first has, too. By its true
// run time it does not: it ends after first. With one limit for both it counts as ended when first does.
func TestATraceMayHaveOneLimitForAll(t *testing.T) {
	jobs := traceJobs + "first,,,0,100,1,1,,,2,,\ngang,,,1,10,2,2,,,2,,\nthird,,,2,200,1,1,,,2,,\n"
	conf := filepath.Join("..", "..", "examples", "traces", "planned.conf")
	for durations, passes := range map[string]bool{"enforced": false, "1s": false, "48h": true} {
		got := traced(t, traceNodes, jobs, "--scheduler-conf", conf, "--trace-durations", durations, "-o", "csv")
		if got.code != 0 || strings.Contains(got.out, "\ngang,1,delay_max_s,0\n") != passes ||
			strings.Contains(got.out, "\ngang,2,delay_max_s,202\n") != passes {
			t.Errorf("%s: exit code %d, %s: that it passes is not %t in\n%.900s", durations, got.code, got.err, passes, got.out)
		}
	}
	for _, bad := range []string{"soon", "0s", "-1h"} {
		if got := traced(t, traceNodes, jobs, "--trace-durations", bad); got.code != 2 ||
			!strings.Contains(got.err, "expected declared, enforced, unknown, or a limit such as 48h") {
			t.Errorf("%s: exit code %d: %s", bad, got.code, got.err)
		}
	}
}

func TestARunIsDrawn(t *testing.T) {
	page := filepath.Join(t.TempDir(), "report.html")
	got := traced(t, traceNodes, traceJobs+"a,ml,ann,0,10,2,2,,,2,,\n", "--report-html", page)
	text, err := os.ReadFile(page)
	if err != nil || got.code != 0 || !strings.Contains(got.out, "1 job: 1 started") {
		t.Fatalf("exit code %d, %v: %s%s", got.code, err, got.err, got.out)
	}
	for _, part := range []string{"<h1>jobs</h1>", "Utilisation: nvidia.com/gpu", "Delay by gang size"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	got = traced(t, traceNodes, traceJobs+"a,ml,ann,0,10,2,2,,,2,,\n", "--report-html",
		filepath.Join(page, "below-a-file"))
	if got.code != 1 || !strings.Contains(got.err, "writing the page") || !strings.Contains(got.err, "not a directory") {
		t.Errorf("exit code %d: %s", got.code, got.err)
	}
	if got := run("", "ashlar", "simulate", "-f", quickstart, "--report-html", page); got.code != 2 ||
		!strings.Contains(got.err, "only a trace's run is drawn") {
		t.Errorf("exit code %d: %s", got.code, got.err)
	}
}

// A gang larger than the cluster waits, a job without a duration runs on, and both are
// told; the run ends all the same.
func TestATraceEndsWithJobsThatNeverDo(t *testing.T) {
	var f figures
	got := traced(t, traceNodes, traceJobs+"huge,,,0,10,3,3,,,2,,\nforever,,,1,,1,1,,,1,,\n", "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &f); err != nil {
		t.Fatalf("%v: %s%s", err, got.err, got.out)
	}
	if f.All.Jobs != 2 || f.All.Started != 1 || f.All.Finished != 0 || len(f.Waiting) != 1 {
		t.Fatalf("%+v", f)
	}
	if w := f.Waiting[0]; w.Jobs != 1 || w.Example != "huge" || !strings.Contains(w.Message, "3") {
		t.Errorf("waiting jobs: %+v", w)
	}
}

// Where jobs take room back, the report counts the evictions, and an evicted job has
// its whole work before it again: low runs from 1 to 11 in vain and from 33 to 133.
func TestEvictionsAreCounted(t *testing.T) {
	conf := file(t, "preempt.conf",
		"actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins: [{name: priority}, {name: gang}]\n"+
			"- plugins: [{name: predicates}]\n")
	var f struct {
		Evictions int
		Makespan  float64
		All       struct{ Finished int }
		Queues    []struct {
			Name       string
			Completion struct{ Mean float64 }
		}
	}
	got := traced(t, "name,cpu_milli,memory_mib,gpu_count,gpu_model\na,,,2,\n",
		traceJobs+"low,q,,0,100,1,1,,,2,1,\nhigh,q,,10,20,1,1,,,2,9,\n", "--scheduler-conf", conf, "-o", "json", "--audit")
	if err := json.Unmarshal([]byte(got.out), &f); err != nil {
		t.Fatalf("%v: %s%s", err, got.err, got.out)
	}
	if f.Evictions != 1 || f.All.Finished != 2 || f.Makespan != 133 {
		t.Errorf("%+v", f)
	}
}

// What no cluster of this size, or no queue as it stands, can take does not end the run: the
// job waits, and the report says for what.
func TestAJobThatCannotRunWaitsWithItsReason(t *testing.T) {
	queue := func(name, rest string) string {
		return "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: " + name + "}\n" + rest + "\n---\n"
	}
	queues := file(t, "queues.yaml", queue("shut", "spec: {weight: 1}\nstatus: {state: Closed}")+
		queue("team", "spec: {weight: 1}")+
		queue("leaf", "spec: {weight: 1, parent: team}")+queue("small", "spec: {weight: 1, capability: {nvidia.com/gpu: 1}}"))
	head := strings.TrimSuffix(traceJobs, "\n") + ",gpu_model\n"
	for name, c := range map[string]struct{ row, code string }{
		"a gang larger than the cluster": {"x,,,0,10,3,3,,,2,,,", "can never start on these nodes"},
		"a member larger than any node":  {"x,,,0,10,1,1,,,3,,,", "nvidia.com/gpu: 3 asked, 2 on the largest"},
		"a GPU model that no node has":   {"x,,,0,10,1,1,,,1,,,H100", "each of the 2 lacks a label that"},
		"a queue that is closed":         {"x,shut,,0,10,1,1,,,1,,,", "QueueNotOpen"},
		"a queue that is others' parent": {"x,team,,0,10,1,1,,,1,,,", "QueueNotLeaf"},
		"a queue that may not have so many": {"x,small,,0,10,1,1,,,2,,,",
			"capability of queue small allows (nvidia.com/gpu: 2 asked, 1 allowed)"},
	} {
		t.Run(name, func(t *testing.T) {
			var f figures
			got := traced(t, traceNodes, head+c.row+"\nnext,,,1,10,1,1,,,1,,,\n", "-f", queues, "-o", "json", "--audit")
			if err := json.Unmarshal([]byte(got.out), &f); err != nil {
				t.Fatalf("%v: %s%s", err, got.err, got.out)
			}
			if f.All.Finished != 1 || len(f.Waiting) != 1 || f.Waiting[0].Example != "x" ||
				!strings.Contains(f.Waiting[0].Code+f.Waiting[0].Message, c.code) {
				t.Errorf("want %s: %+v", c.code, f)
			}
		})
	}
}

func TestATraceStopsAtAVirtualTime(t *testing.T) {
	got := traced(t, traceNodes, traceJobs+"a,,,0,10,1,1,,,1,,\nb,,,60,10,1,1,,,1,,\n", "--until", "30s")
	if !strings.Contains(got.out, "2 jobs: 1 started, 1 finished, 1 wait") {
		t.Errorf("%s%s", got.err, got.out)
	}
}

// Queues of a trace that -f describes are as it says, and so is the configuration there.
func TestFilesGiveATraceQueuesAndAConfiguration(t *testing.T) {
	queue := "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: small}\n" +
		"spec: {capability: {nvidia.com/gpu: \"1\"}}\n"
	files := file(t, "queues.yaml", queue+configMap("c", quiet))
	var f figures
	got := traced(t, traceNodes, traceJobs+"a,small,,0,10,1,1,,,2,,\nb,made,,0,10,1,1,,,2,,\n", "-f", files, "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &f); err != nil {
		t.Fatalf("%v: %s%s", err, got.err, got.out)
	}
	if f.All.Started != 1 || len(f.Waiting) != 1 || f.Waiting[0].Example != "a" || len(f.Queues) != 2 {
		t.Errorf("%+v", f)
	}
}

func TestABadTraceIsRefusedLineByLine(t *testing.T) {
	tests := map[string]struct {
		got  result
		code int
		want []string
	}{
		"bad rows of both tables": {traced(t, traceNodes+"c,,,x,\n", traceJobs+"a,,,0,-1,1,1,,,1,,\n"), 1,
			[]string{`nodes.csv:4: gpu_count "x": not a number`, "jobs.csv:2: duration_s -1: negative"}},
		"a file that is not there": {run("", "ashlar", "simulate", "--trace-nodes", "nowhere.csv", "--trace-jobs",
			"nowhere.csv.gz"), 1,
			[]string{"nowhere.csv: no such file or directory", "nowhere.csv.gz: no such file or directory"}},
		"jobs without nodes": {run("", "ashlar", "simulate", "--trace-jobs", "jobs.csv"), 2, []string{"trace-nodes"}},
		"csv of no trace": {run("", "ashlar", "simulate", "-f", quickstart, "-o", "csv"), 2,
			[]string{"only a trace's figures are printed as CSV"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.got.code != tt.code || tt.got.out != "" {
				t.Errorf("exit code %d, want %d; on stdout: %s", tt.got.code, tt.code, tt.got.out)
			}
			for _, part := range tt.want {
				if !strings.Contains(tt.got.err, part) {
					t.Errorf("it does not say %q:\n%s", part, tt.got.err)
				}
			}
		})
	}
}

// Filling: two nodes of two GPUs, asked for three times over by jobs that never leave.
func TestAClusterIsFilledInRandomOrders(t *testing.T) {
	jobs := traceJobs + "a,,,0,10,1,1,,,1,,\nb,,,7,10,1,1,,,1,,\nc,,,9,10,1,1,,,1,,\n"
	var one struct {
		Kind  string
		All   struct{ Jobs, Finished int }
		Loads []struct{ Requested, Allocated float64 }
	}
	got := traced(t, traceNodes, jobs, "--trace-fill", "300", "-o", "json", "--audit")
	if err := json.Unmarshal([]byte(got.out), &one); err != nil {
		t.Fatalf("exit code %d, %v: %s%s", got.code, err, got.err, got.out)
	}
	if one.Kind != "TraceReport" || one.All.Jobs < 6 || one.All.Finished != 0 || len(one.Loads) != 6 ||
		one.Loads[5].Requested != 1.3 || one.Loads[5].Allocated != 1 {
		t.Errorf("%+v", one)
	}
	again := traced(t, traceNodes, jobs, "--trace-fill", "300", "--trace-seed", "1", "-o", "json", "--audit")
	if again.out != got.out {
		t.Error("a seed of 1 is not what holds without one")
	}
	var many struct {
		Kind  string
		Loads []struct {
			Requested float64
			Allocated struct{ Mean, Min, Max float64 }
		}
		Runs []struct{ Seed uint64 }
	}
	got = traced(t, traceNodes, jobs, "--trace-fill", "300", "--trace-seed", "7,8,9", "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &many); err != nil {
		t.Fatalf("exit code %d, %v: %s%s", got.code, err, got.err, got.out)
	}
	if many.Kind != "TraceFillReport" || len(many.Loads) != 6 || len(many.Runs) != 3 || many.Runs[2].Seed != 9 ||
		many.Loads[5].Allocated.Mean != 1 || many.Loads[0].Allocated.Min > many.Loads[0].Allocated.Mean {
		t.Errorf("%+v", many)
	}
	if got := traced(t, traceNodes, jobs, "--trace-fill", "300", "--trace-seed", "7,8"); !strings.Contains(got.out,
		"over 2 runs (seeds 7, 8)") || !strings.Contains(got.out, "130.00") {
		t.Errorf("the table says\n%s", got.out)
	}
	if got := traced(t, traceNodes, jobs, "--trace-fill", "300", "--trace-seed", "7,8", "-o",
		"csv"); !strings.Contains(got.out, "load,130,allocated_mean,1.000000\n") ||
		!strings.Contains(got.out, "seed,8,allocated_at_130,1.000000\n") {
		t.Errorf("-o csv says\n%s", got.out)
	}
}

func TestFillingThatCannotBeMeantIsRefused(t *testing.T) {
	none := traceJobs + "a,,,0,10,1,1,,,,,\n"
	tests := map[string]struct {
		got  result
		code int
		want string
	}{
		"a seed without filling": {traced(t, traceNodes, none, "--trace-seed", "1"), 2, "give --trace-fill"},
		"more than ten times":    {traced(t, traceNodes, none, "--trace-fill", "1001"), 2, "expected 1 to 1000 percent"},
		"less than nothing":      {traced(t, traceNodes, none, "--trace-fill", "-1"), 2, "expected 1 to 1000 percent"},
		"no trace": {run("", "ashlar", "simulate", "-f", quickstart, "--trace-fill", "130"), 2,
			"give --trace-nodes"},
		"a page of several": {traced(t, traceNodes, none, "--trace-fill", "130", "--trace-seed", "1,2",
			"--report-html", "x.html"), 2, "give one --trace-seed"},
		"jobs that ask for no GPU": {traced(t, traceNodes, none, "--trace-fill", "130"), 1,
			"error: --trace-fill: no job asks for a GPU"},
		"the same with two seeds": {traced(t, traceNodes, none, "--trace-fill", "130", "--trace-seed", "1,2"), 1,
			"error: --trace-fill: no job asks for a GPU"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.got.code != tt.code || tt.got.out != "" || !strings.Contains(tt.got.err, tt.want) {
				t.Errorf("exit code %d, want %d and %q: %s%s", tt.got.code, tt.code, tt.want, tt.got.err, tt.got.out)
			}
		})
	}
}
