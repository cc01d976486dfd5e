package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// run has a pod of a job, of four cores, at a moment of its life.
func (x *told) run(job string, priority int32, phase model.Phase, node string) {
	x.tell(model.KindPod, "team", job+"-0", &model.Pod{Group: job, Ours: true, Index: -1, Phase: phase, Node: node,
		Priority: priority, HasPriority: true,
		Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 4000}, {Name: "pods", Value: 1}}}})
}

// until decides once a second.
func (x *told) until(second int) {
	for x.at < time.Duration(second)*time.Second {
		x.cycle()
	}
}

// evening is the recording of a scheduler with one node: urgent came after lazy and was served first, as its class
// says. Each ran for ten seconds.
func evening(t *testing.T) string {
	t.Helper()
	x := recorder(t, "")
	x.node("n1")
	for _, name := range []string{"now", "lazy", "urgent"} {
		group := &model.PodGroup{MinMember: 1, Queue: "default"}
		if name == "urgent" {
			group.PriorityClass = name
		}
		x.tell(model.KindPodGroup, "team", name, group)
	}
	x.tell(model.KindPriorityClass, "", "urgent", &model.PriorityClass{Value: 1000})
	x.run("now", 0, model.PodRunning, "n1")
	x.until(2)
	x.run("lazy", 0, model.PodPending, "")
	x.until(4)
	x.run("urgent", 1000, model.PodPending, "")
	x.until(10)
	x.run("now", 0, model.PodSucceeded, "n1")
	x.until(11)
	x.run("urgent", 1000, model.PodRunning, "n1")
	x.until(21)
	x.run("urgent", 1000, model.PodSucceeded, "n1")
	x.until(22)
	x.run("lazy", 0, model.PodRunning, "n1")
	x.until(32)
	x.run("lazy", 0, model.PodSucceeded, "n1")
	x.until(34)
	return x.file()
}

const byAge = `actions: "enqueue, allocate"
tiers:
- plugins: [{name: gang}]
- plugins: [{name: predicates}, {name: proportion}, {name: nodeorder}]
`

// What came while a scheduler was recorded is decided by another configuration: by age, and not by priority.
func TestCompareOnARecording(t *testing.T) {
	path, conf := evening(t), file(t, "by-age.conf", byAge)
	got := run("", "ashlar", "compare", "--dump", path, conf, "--exit-code")
	for _, part := range []string{"A is that of the input.", "team/lazy", "team/urgent", "earlier", "later",
		"With B jobs start: 1 earlier (median 11s), 1 later (median 11s).", "1 of 3 jobs fare the same."} {
		if got.code != 3 || !strings.Contains(got.out, part) {
			t.Errorf("exit code %d, no %q in %s %s", got.code, part, got.out, got.err)
		}
	}
	if strings.Contains(got.out, "team/now") {
		t.Errorf("now runs already, by both: %s", got.out)
	}
	if got := run("", "ashlar", "compare", "--dump", path, conf, conf); !strings.Contains(got.out, "3 of 3 jobs fare") {
		t.Errorf("with itself: %s %s", got.out, got.err)
	}
	if got := run("", "ashlar", "compare", "--dump", path, conf, "--most", "1"); !strings.Contains(got.out,
		"... and 1 more jobs") {
		t.Errorf("of one job: %s %s", got.out, got.err)
	}
}

// A run is saved, as by another version, and compared later.
func TestCompareSavedRuns(t *testing.T) {
	path, conf := evening(t), file(t, "by-age.conf", byAge)
	old, other := filepath.Join(t.TempDir(), "old.json"), filepath.Join(t.TempDir(), "new.json")
	for _, args := range [][]string{{"--save", old}, {"--save", other, conf}} {
		if got := run("", append([]string{"ashlar", "compare", "--dump", path}, args...)...); got.code != 0 || got.out != "" {
			t.Fatalf("exit code %d, %s %s", got.code, got.out, got.err)
		}
	}
	direct := run("", "ashlar", "compare", "--dump", path, conf, "-o", "json")
	for _, args := range [][]string{{old, other}, {"--dump", path, old, conf}} {
		got := run("", append([]string{"ashlar", "compare", "-o", "json"}, args...)...)
		var now, want struct{ Jobs, Starts, Evictions any }
		if err := json.Unmarshal([]byte(got.out), &now); err != nil || json.Unmarshal([]byte(direct.out), &want) != nil {
			t.Fatalf("%v: %v %s %s", args, err, got.out, got.err)
		}
		a, b := text(t, now), text(t, want)
		if got.code != 0 || a != b {
			t.Errorf("%v: %s\nwant %s", args, a, b)
		}
	}
	if got := run("", "ashlar", "compare", "--dump", path, old); !strings.Contains(got.out, "3 of 3 jobs fare the same") {
		t.Errorf("the saved run and now: %s %s", got.out, got.err)
	}
	bad := file(t, "bad.json", `{"kind": "Queue"}`)
	for want, args := range map[int][][]string{
		1: {{"--dump", path, bad}, {"--dump", path, filepath.Join(t.TempDir(), "none")}},
		2: {{old}, {"--dump", path, old, other}, {"--dump", path, conf, conf, conf}, {"--dump", path},
			{"--dump", path, "--save", old, conf, conf}, {"--dump", path, "-f", conf, conf},
			{"--dump", path, conf, "--until", "soon"}},
	} {
		for _, a := range args {
			if got := run("", append([]string{"ashlar", "compare"}, a...)...); got.code != want || got.err == "" {
				t.Errorf("%v: exit code %d, want %d: %s %s", a, got.code, want, got.out, got.err)
			}
		}
	}
}

func text(t *testing.T, of any) string {
	t.Helper()
	out, err := json.MarshalIndent(of, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A trace is compared as files are.
func TestCompareOnATrace(t *testing.T) {
	nodes := file(t, "nodes.csv", "name,cpu_milli,memory_mib,gpu_count,gpu_model\nn1,4000,8192,,\n")
	jobs := file(t, "jobs.csv", "job,queue,user,submit_s,duration_s,members,min_members,cpu_milli_per_member,"+
		"memory_mib_per_member,gpu_per_member,priority,type\na,q,u,0,60,1,1,4000,,,0,\nb,q,u,10,30,1,1,4000,,,0,\n")
	conf := file(t, "by-age.conf", byAge)
	got := run("", "ashlar", "compare", "--trace-nodes", nodes, "--trace-jobs", jobs, conf)
	if got.code != 0 || !strings.Contains(got.out, "2 of 2 jobs fare the same") {
		t.Errorf("exit code %d: %s %s", got.code, got.out, got.err)
	}
}
