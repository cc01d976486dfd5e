package traces_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

const (
	nodeHead = "name,cpu_milli,memory_mib,gpu_count,gpu_model\n"
	jobHead  = "job,queue,user,submit_s,duration_s,members,min_members," +
		"cpu_milli_per_member,memory_mib_per_member,gpu_per_member,priority,type\n"
	oneNode = nodeHead + "n,64000,262144,8,\n"
	oneJob  = jobHead + "j,,,0,10,1,1,,,1,,\n"
)

func read(nodes, jobs string) (*traces.Trace, error) {
	return traces.Read(traces.File{Name: "nodes.csv", Reader: strings.NewReader(nodes)},
		traces.File{Name: "jobs.csv", Reader: strings.NewReader(jobs)})
}

func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // into memory
	z.Close()
	return b.String()
}

// What is wrong with a row, as the user reads it.
func TestEveryKindOfBadRowIsNamedWithItsLine(t *testing.T) {
	tests := map[string]struct{ nodes, jobs, want string }{
		"no name of a job": {jobs: ",,,0,10,1,1,,,1,,", want: "jobs.csv:2: job: missing: every row needs a name"},
		"a name given twice": {jobs: "j,,,0,10,1,1,,,1,,\nj,,,1,10,1,1,,,1,,",
			want: `jobs.csv:3: job "j": the name is taken, by line 2`},
		"too few cells":          {jobs: "j,,,0,10", want: "jobs.csv:2: 5 cells: the header has 12"},
		"no members":             {jobs: "j,,,0,10,,1,,,1,,", want: "jobs.csv:2: members: missing: expected 1 or more"},
		"no minimum":             {jobs: "j,,,0,10,1,,,,1,,", want: "jobs.csv:2: min_members: missing: expected 1 or more"},
		"zero members":           {jobs: "j,,,0,10,0,1,,,1,,", want: "jobs.csv:2: members 0: expected 1 or more"},
		"more needed than there": {jobs: "j,,,0,10,2,3,,,1,,", want: "jobs.csv:2: min_members 3: more than the 2 members"},
		"absurdly many members": {jobs: "j,,,0,10,1000000,1,,,1,,",
			want: "jobs.csv:2: members 1000000: absurd: more than 10000 members"},
		"half a member": {jobs: "j,,,0,10,1.5,1,,,1,,", want: "jobs.csv:2: members 1.5: finer than whole members"},
		"a negative submission": {jobs: "j,,,-5,10,1,1,,,1,,",
			want: "jobs.csv:2: submit_s -5: negative: expected seconds, 0 or more"},
		"a negative duration": {jobs: "j,,,0,-0.5,1,1,,,1,,",
			want: "jobs.csv:2: duration_s -0.5: negative: expected seconds, 0 or more"},
		"a duration in words": {jobs: "j,,,0,1h,1,1,,,1,,",
			want: `jobs.csv:2: duration_s "1h": not a number: expected seconds, such as 4 or 0.5`},
		"an exponent": {jobs: "j,,,0,1e3,1,1,,,1,,",
			want: `jobs.csv:2: duration_s "1e3": not a number: expected seconds, such as 4 or 0.5`},
		"a duration of ages": {jobs: "j,,,0,99999999999999999999,1,1,,,1,,",
			want: "jobs.csv:2: duration_s 99999999999999999999: absurd: more than 3162240000 seconds"},
		"unordered submissions": {jobs: "j,,,7.5,10,1,1,,,1,,\nk,,,7,10,1,1,,,1,,",
			want: "jobs.csv:3: submit_s 7: before the row above, 7.5: rows are in the order of submission"},
		"a negative request": {jobs: "j,,,0,10,1,1,-1,,1,,",
			want: "jobs.csv:2: cpu_milli_per_member -1: negative: expected thousandths of a core, 0 or more"},
		"an absurd request": {jobs: "j,,,0,10,1,1,,100000001,1,,",
			want: "jobs.csv:2: memory_mib_per_member 100000001: absurd: more than 100000000 MiB"},
		"too fine a share": {jobs: "j,,,0,10,1,1,,,0.0005,,",
			want: "jobs.csv:2: gpu_per_member 0.0005: finer than 0.001 GPUs"},
		"a priority in words": {jobs: "j,,,0,10,1,1,,,1,high,", want: `jobs.csv:2: priority "high": not a whole number`},
		"an absurd priority": {jobs: "j,,,0,10,1,1,,,1,2000000000,",
			want: "jobs.csv:2: priority 2000000000: absurd: expected -2147483648 to 1000000000"},
		"the root queue": {jobs: "j,root,,0,10,1,1,,,1,,",
			want: "jobs.csv:2: queue root: it is the parent of the others and takes no jobs"},
		"a stray quotation mark": {jobs: `j,"x"y,,0,10,1,1,,,1,,`,
			want: `jobs.csv:2: column 5: a quotation mark (") is missing or out of place`},
		"a quotation mark inside": {jobs: `j,x"y,,0,10,1,1,,,1,,`,
			want: `jobs.csv:2: column 4: a quotation mark (") within a cell that does not begin with one`},
		"no job at all":     {jobs: "", want: "jobs.csv:1: no job follows the header"},
		"no name of a node": {nodes: ",64000,262144,8,", want: "nodes.csv:2: name: missing: every row needs a name"},
		"a node given twice": {nodes: "n,1,1,8,\nn,1,1,8,",
			want: `nodes.csv:3: name "n": the name is taken, by line 2`},
		"a negative node": {nodes: "n,-1,1,8,",
			want: "nodes.csv:2: cpu_milli -1: negative: expected thousandths of a core, 0 or more"},
		"a node that lacks a cell": {nodes: "m,1,1,8,\nn,1,,8,",
			want: "nodes.csv:3: memory_mib: missing, and the nodes before have it: a resource is recorded for all nodes or " +
				"for none"},
		"a node that has one more": {nodes: "m,,1,8,\nn,4,1,8,",
			want: "nodes.csv:3: cpu_milli 4: the nodes before have none: a resource is recorded for all nodes or for none"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			nodes, jobs := oneNode, jobHead+tt.jobs
			if tt.nodes != "" {
				nodes, jobs = nodeHead+tt.nodes, oneJob
			}
			trace, err := read(nodes, jobs)
			if err == nil || trace != nil {
				t.Fatalf("read, with %d items; want %q", len(trace.Items), tt.want)
			}
			if err.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestATableThatCannotBeReadIsNamed(t *testing.T) {
	whole := packed(oneJob)
	damaged := []byte(whole)
	damaged[len(damaged)-8] ^= 0xff
	tests := map[string]struct{ jobs, want string }{
		"an empty file": {"", "jobs.csv:1: the file is empty"},
		"a column missing": {strings.Replace(jobHead, "user,", "", 1), `jobs.csv:1: no column "user": expected ` +
			strings.TrimSpace(strings.TrimSuffix(jobHead, "\n"))},
		"a column twice": {strings.Replace(jobHead, "user", "queue", 1), `jobs.csv:1: column "queue" is there twice`},
		"an unknown column": {strings.Replace(jobHead, "type", "colour", 1),
			`jobs.csv:1: column "colour" is not known: expected ` + strings.TrimSpace(jobHead) + ",gpu_model"},
		"gzip cut short":      {whole[:len(whole)-12], "jobs.csv:3: gzip is cut short here: fetch the file again"},
		"gzip without a head": {whole[:5], "jobs.csv:1: gzip is cut short here: fetch the file again"},
		"gzip damaged":        {string(damaged), "jobs.csv:3: gzip is damaged: fetch the file again"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := read(oneNode, tt.jobs); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// A short table can ask for more pods than any memory holds; it is told once.
func TestATraceOfAbsurdlyManyPodsIsRefused(t *testing.T) {
	var rows strings.Builder
	for i := range 600 {
		fmt.Fprintf(&rows, "j%d,,,0,1,10000,1,,,1,,\n", i)
	}
	_, err := read(oneNode, jobHead+rows.String())
	if want := "jobs.csv:502: members 10000: absurd: more than 5000000 pods with those above"; err == nil ||
		err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestFaultsOfBothTablesAreToldTwentyAndThenCounted(t *testing.T) {
	var rows strings.Builder
	for i := range 30 {
		fmt.Fprintf(&rows, "j%d,,,0,-1,1,1,,,1,,\n", i)
	}
	_, err := read(nodeHead+"n,-1,1,8,\n", jobHead+rows.String())
	var faults traces.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("got %v", err)
	}
	lines := faults.Lines()
	if len(lines) != 21 || !strings.HasPrefix(lines[0], "nodes.csv:2: ") ||
		!strings.HasPrefix(lines[19], "jobs.csv:20: ") || lines[20] != "and 11 more" {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
}

func TestAJobBecomesAGangWhosePodsShareASpec(t *testing.T) {
	trace, err := read(nodeHead+"n,64000,262144,8,V100\n",
		packed(strings.TrimSuffix(jobHead, "\n")+",gpu_model\n"+
			"g,team,ann,1.5,60,2,2,4000,1024,0.46,7,LS,V100|P100\n"+"h,,,1.5,,1,1,,,,,,\n"+
			"i,team,,2,0,1,1,4000,1024,0.46,,,V100|P100\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]sim.Item{}
	for _, i := range trace.Items {
		got[i.Fact.Ref.String()] = i
	}
	spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 4000}, {Name: "memory", Value: 1 << 30},
		{Name: traces.GPU, Value: 460}},
		Affinity: []model.Term{{All: []model.Requirement{{Key: traces.ModelLabel, Op: model.In,
			Values: []string{"P100", "V100"}}}}}}
	g1 := got["Pod/trace/g-1"]
	want := sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "trace", Name: "g-1"},
		Object: &model.Pod{
			Meta: model.Meta{Created: 1_500_000_000}, Ours: true, Scheduler: "volcano", Group: "g", Owner: "g", Index: 1,
			Priority:    7,
			HasPriority: true, PriorityClass: "trace-priority-7", Preemptable: true,
			Times: &model.Times{Lasts: int64(time.Minute)}, Spec: spec}},
		SubmitAt: 1500 * time.Millisecond, Duration: time.Minute, HasDuration: true, Owned: true, Where: "jobs.csv:2"}
	template := g1.Fact.Object.(*model.Pod).Template
	want.Fact.Object.(*model.Pod).Template = template
	if i := got["Pod/trace/i-0"].Fact.Object.(*model.Pod).Template; template == 0 || i != template {
		t.Errorf("pods that ask for the same are of templates %x and %x", template, i)
	}
	if h := got["Pod/trace/h-0"].Fact.Object.(*model.Pod).Template; h == template {
		t.Errorf("pods that ask for other things are of one template, %x", h)
	}
	if diff := cmp.Diff(want, g1); diff != "" {
		t.Errorf("a member of the gang (-want +got):\n%s", diff)
	}
	group := got["PodGroup/trace/h"].Fact.Object.(*model.PodGroup)
	ann, _ := model.LabelValue(got["PodGroup/trace/g"].Fact.Object.(*model.PodGroup).Labels, model.UserLabel)
	if ann != "ann" || len(group.Labels) != 0 {
		t.Errorf("the user of a job is %q, and one without has labels %v", ann, group.Labels)
	}
	if group.Queue != "default" || group.Created != 1_500_000_001 {
		t.Errorf("the second job of a moment is in queue %q, created at %d", group.Queue, group.Created)
	}
	h, i := got["Pod/trace/h-0"], got["Pod/trace/i-0"]
	if h.HasDuration || !h.Fact.Object.(*model.Pod).Spec.BestEffort() {
		t.Errorf("a job without duration and requests: %+v", h)
	}
	if !i.HasDuration || i.Fact.Object.(*model.Pod).Spec != g1.Fact.Object.(*model.Pod).Spec {
		t.Error("pods that ask for the same do not share a spec, or a duration of 0 is none")
	}
	if diff := cmp.Diff([]string{"team", "default"}, trace.Queues); diff != "" || trace.Jobs[0].User != "ann" {
		t.Errorf("queues (-want +got):\n%s, user %q", diff, trace.Jobs[0].User)
	}
}

// A resource that the nodes do not record is not limited, so no pod may request it.
func TestAResourceThatTheNodesDoNotRecordIsNotAskedFor(t *testing.T) {
	trace, err := read(nodeHead+"n,,,8,\n", jobHead+"j,,,0,10,1,1,4000,1024,2,,\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(resource.List{{Name: traces.GPU, Value: 2000}}, trace.Jobs[0].Spec.Requests); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever bytes come, reading ends with a trace or with faults that name a line.
func FuzzRead(f *testing.F) {
	f.Add([]byte(oneNode), []byte(oneJob))
	f.Add([]byte(oneNode), []byte(packed(oneJob)))
	f.Add([]byte(nodeHead+"n,1,1,1,A\n"), []byte(strings.TrimSuffix(jobHead, "\n")+
		",gpu_model\nj,q,u,0.5,,9,3,1,2,0.25,-1,x,A|B\n"))
	f.Fuzz(func(t *testing.T, nodes, jobs []byte) {
		trace, err := read(string(nodes), string(jobs))
		var faults traces.Faults
		if err == nil {
			for _, j := range trace.Jobs {
				if j.Name == "" || j.Members < j.MinMembers || j.MinMembers < 1 || j.Submit < 0 || j.Duration < 0 || j.Spec == nil {
					t.Errorf("a job that cannot be: %+v", j)
				}
			}
			return
		}
		if !errors.As(err, &faults) || trace != nil || len(faults.First) == 0 || len(faults.First) > 20 {
			t.Fatalf("got %v with a trace: %t", err, trace != nil)
		}
		for _, line := range faults.First {
			if !strings.HasPrefix(line, "nodes.csv:") && !strings.HasPrefix(line, "jobs.csv:") {
				t.Errorf("%q names no line", line)
			}
		}
	})
}
