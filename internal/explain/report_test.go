package explain

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

func cpu(milli int64) resource.List { return resource.List{{Name: "cpu", Value: milli}} }

// contract is the state behind testdata/contract.json.
func contract() *Report {
	job := sched.JobReport{Namespace: "default", Name: "train", Queue: "a", Phase: model.GroupRunning, MinMember: 3}
	job.Tasks[model.Running] = 3
	return New(sched.Report{
		Queues: []sched.QueueReport{{Name: "a", Parent: "root", Weight: 2, ShareMicro: 1_000_000, Overused: true,
			Deserved: cpu(28_000), Allocated: cpu(28_000), Request: cpu(80_000), Inqueue: cpu(0), Guarantee: cpu(10_000),
			Capability: cpu(50_000), RealCapability: cpu(50_000)}},
		Jobs:     []sched.JobReport{job},
		Pods:     []sched.PodReport{{Namespace: "default", Name: "train-0", Job: "train", Status: model.Running, Node: "n1"}},
		Nodes:    []sched.NodeReport{{Name: "n1", Allocatable: cpu(8_000), Used: cpu(0)}},
		Problems: []sched.Problem{{Object: "Queue/x", Message: "…"}},
	}, Summary{Cycles: 3, VirtualTime: Duration(2 * time.Second), Bound: 10, Pending: 2},
		[]Eviction{{Cycle: 2, Time: Duration(time.Second), Namespace: "default", Name: "b-0", Job: "b", Queue: "b",
			Action: "reclaim", PreemptorJob: "default/train", Reason: "…"}})
}

func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func compact(t *testing.T, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, data); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestJSONIsTheContractToTheByte(t *testing.T) {
	want, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	got := written(t, func(b *bytes.Buffer) error { return contract().JSON(b) })
	if diff := cmp.Diff(compact(t, want), compact(t, []byte(got))); diff != "" {
		t.Errorf("fields, their order or their form changed (-want +got):\n%s", diff)
	}
}

func TestYAMLIsTheSameDocument(t *testing.T) {
	var fromJSON, fromYAML any
	if err := json.Unmarshal([]byte(written(t, func(b *bytes.Buffer) error {
		return contract().JSON(b)
	})), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(written(t, func(b *bytes.Buffer) error {
		return contract().YAML(b)
	})), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
		t.Errorf("YAML differs from JSON (-json +yaml):\n%s", diff)
	}
}

func TestAnEmptyReportHasNoNulls(t *testing.T) {
	got := written(t, func(b *bytes.Buffer) error { return New(sched.Report{}, Summary{}, nil).JSON(b) })
	if strings.Contains(got, "null") {
		t.Errorf("a list or a set of quantities is null:\n%s", got)
	}
}

func TestZeroIsALimitInCapabilitiesOnly(t *testing.T) {
	r := New(sched.Report{Queues: []sched.QueueReport{{Name: "a", Deserved: cpu(0), Capability: cpu(0),
		RealCapability: cpu(0)}}}, Summary{}, nil)
	want := Queue{Name: "a", State: "Open", Deserved: Quantities{}, Allocated: Quantities{}, Request: Quantities{},
		Inqueue: Quantities{},
		Elastic: Quantities{}, Guarantee: Quantities{}, Capability: Quantities{"cpu": "0"},
		RealCapability: Quantities{"cpu": "0"}}
	if diff := cmp.Diff(want, r.Queues[0]); diff != "" {
		t.Errorf("queue (-want +got):\n%s", diff)
	}
}

func TestAJobThatWaitsHasItsCodeAndSentence(t *testing.T) {
	r := New(sched.Report{Jobs: []sched.JobReport{{Name: "j", Reason: trace.Reason{Code: trace.QueueNotFound,
		Queue: "x"}}}}, Summary{}, nil)
	if want := (Reason{Code: "QueueNotFound", Message: "queue x does not exist"}); r.Jobs[0].Reason != want {
		t.Errorf("reason %v, want %v", r.Jobs[0].Reason, want)
	}
}

func TestProblemsFoundEarlierTakeTheirPlace(t *testing.T) {
	r := New(sched.Report{Problems: []sched.Problem{{Object: "Queue/a"}, {Object: "Queue/c"}}}, Summary{}, nil)
	r.AddProblem("Queue/b", "given twice")
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.Object)
	}
	if diff := cmp.Diff([]string{"Queue/a", "Queue/b", "Queue/c"}, got); diff != "" {
		t.Errorf("order of problems (-want +got):\n%s", diff)
	}
}

func TestWhyNothingIsEvictedIsPartOfTheReason(t *testing.T) {
	r := New(sched.Report{Jobs: []sched.JobReport{{Name: "j", Reason: trace.Reason{Code: trace.NoNodes, Task: "x/j-0",
		Evicting: &trace.Reason{Code: trace.NoVictims, Text: "preempt", Task: "x/j-0", Need: 2,
			Nodes: []trace.NodeCount{{Code: trace.VictimKept, Count: 2}}}}}}}, Summary{}, nil)
	want := Reason{Code: "NoNodes",
		Message: `x/j-0: the cluster has no nodes; preempt: no pod may be evicted for it: 2 pods are marked ` +
			`preemptable: "false"`,
		Evicting: &Evicting{Action: "preempt", Code: "NoVictims",
			Message: `no pod may be evicted for it: 2 pods are marked preemptable: "false"`}}
	if diff := cmp.Diff(want, r.Jobs[0].Reason); diff != "" {
		t.Errorf("reason (-want +got):\n%s", diff)
	}
}

// A document that is read back is the same: clients of the scheduler read them.
func TestSharesAndDurationsAreReadBack(t *testing.T) {
	for _, s := range []Share{0, 1, -1, 500_000, 1_333_333, -2_500_001, 123_456_789_012} {
		data, err := json.Marshal(s)
		var got Share
		if err != nil || json.Unmarshal(data, &got) != nil || got != s {
			t.Errorf("%s is read as %s", data, got)
		}
	}
	for _, d := range []Duration{0, Duration(time.Millisecond), Duration(90*time.Second + 5)} {
		data, err := json.Marshal(d)
		var got Duration
		if err != nil || json.Unmarshal(data, &got) != nil || got != d {
			t.Errorf("%s is read as %s", data, got)
		}
	}
	var s Share
	if json.Unmarshal([]byte(`"much"`), &s) == nil {
		t.Error("a text is taken for a share")
	}
}

// When a job came, which member's reason stops a gang, and where in the network a node is.
func TestWhatThePageGroupsBy(t *testing.T) {
	r := New(sched.Report{
		Jobs: []sched.JobReport{
			{Name: "gang", Created: int64(90 * time.Second), Reason: trace.Reason{Code: trace.GangIncomplete, Need: 2,
				Cause: &trace.Reason{Code: trace.QueueCapability}}},
			{Name: "alone", Reason: trace.Reason{Code: trace.NotEnoughResources}}},
		Nodes: []sched.NodeReport{{Name: "n1", HyperNodes: []string{"rack", "hall"}}}}, Summary{}, nil)
	if got := r.Jobs[0]; got.Created != "1970-01-01T00:01:30Z" || got.Reason.Cause != "QueueCapability" {
		t.Errorf("the gang came at %q and is stopped by %q", got.Created, got.Reason.Cause)
	}
	if got := r.Jobs[1]; got.Created != "" || got.Reason.Cause != "" {
		t.Errorf("the job alone came at %q and is stopped by %q", got.Created, got.Reason.Cause)
	}
	if got := r.Nodes[0].HyperNodes; !slices.Equal(got, []string{"rack", "hall"}) {
		t.Errorf("the node is in %v", got)
	}
}
