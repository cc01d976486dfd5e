package explain

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// preempted is a plan of two victims, and the nodes that were not chosen for it.
func preempted() []*trace.Eviction {
	one := &trace.Eviction{Action: "preempt", Task: "ml/old-0", Job: "ml/old", Queue: "default", Preemptor: "ml/new-0",
		PreemptorJob:   "ml/new",
		PreemptorQueue: "default", Node: "n1", Priority: 1, PreemptorPriority: 100, Tier: 1,
		PermittedBy: []string{"priority", "gang"},
		Lost:        resource.List{{Name: "cpu", Value: 2000}, {Name: "memory", Value: 4 * gi}, {Name: "pods", Value: 1}},
		Ran:         int64(90 * time.Second), NodesTried: 3, NodesRuledOut: 4, Steps: 7,
		Alternatives: []trace.Alternative{
			{Node: "n2", Priority: 1, Sum: 2, Victims: 2},
			{Node: "n3", Priority: 1, Sum: 3, Victims: 3},
			{Node: "n4", Priority: 50, Sum: 50, Victims: 1, AtLeast: true},
			{Node: "n5", Priority: 1, Sum: 2, Victims: 2, AtLeast: true},
		}}
	two := *one
	two.Task, two.Alternatives, two.Ran, two.Whole = "ml/old-1", nil, 0, true
	return []*trace.Eviction{one, &two}
}

func TestAnEvictionNamesItsPreemptorAndItsRule(t *testing.T) {
	list := preempted()
	reclaimed := trace.Eviction{Action: "reclaim", Task: "ml/a-0", Job: "ml/a", Queue: "a", Preemptor: "ml/b-0",
		PreemptorJob: "ml/b", PreemptorQueue: "b",
		Node: "n1", Priority: 100, PreemptorPriority: 1, Whole: true, Tier: 2, PermittedBy: []string{"proportion"}}
	within := *list[0]
	within.Job = within.PreemptorJob
	for _, c := range []struct {
		name   string
		record *trace.Eviction
		want   string
	}{
		{"a surplus member", list[0],
			"preempt: makes room on node n1 for ml/new-0 of job ml/new (queue default, priority 100 against 1); " +
				"permitted by tier 1 (priority, gang); its job keeps its minimum"},
		{"a whole gang", list[1], "preempt: makes room on node n1 for ml/new-0 of job ml/new (queue default, priority 100 " +
			"against 1); " +
			"permitted by tier 1 (priority, gang); its job goes as a whole"},
		{"for no other pod", &trace.Eviction{Action: "shuffle", Task: "ml/a-0", Job: "ml/a", Queue: "a", Node: "n1",
			Purpose: "n1 is busier than most"},
			"shuffle: leaves node n1: n1 is busier than most; its job keeps its minimum"},
		{"within a job", &within, "preempt: makes room on node n1 for ml/new-0 of the same job (queue default, priority " +
			"100 against 1); " +
			"permitted by tier 1 (priority, gang); its job keeps its minimum"},
		{"a reclaim is no matter of priority", &reclaimed,
			"reclaim: makes room on node n1 for ml/b-0 of job ml/b (queue b, which takes back its due from queue a); " +
				"permitted by tier 2 (proportion); its job goes as a whole"},
	} {
		if got := Evicted(c.record); got != c.want {
			t.Errorf("%s is told as\n  %s\nwant\n  %s", c.name, got, c.want)
		}
	}
}

func TestTheRecordSaysWhyOtherNodesLostAndWhatIsLost(t *testing.T) {
	list := preempted()
	got := NewEvictions(list)
	want := []Alternative{
		{Node: "n2", Why: "it would cost as much: its victims started no later, or its name comes later", Tried: true,
			HighestPriority: 1, PrioritySum: 2, Victims: 2},
		{Node: "n3", Why: "it would cost 3 victims with priorities of 3 in all, not 2 with 2", Tried: true,
			HighestPriority: 1, PrioritySum: 3, Victims: 3},
		{Node: "n4", Why: "not tried: it would cost at least a victim of priority 50, not 1", HighestPriority: 50,
			PrioritySum: 50, Victims: 1},
		{Node: "n5", Why: "not tried: it could not cost less", HighestPriority: 1, PrioritySum: 2, Victims: 2},
	}
	if diff := cmp.Diff(want, got[0].Record.Alternatives); diff != "" {
		t.Errorf("why others lost (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Quantities{"cpu": "180", "memory": "360Gi"}, got[0].Record.LostSeconds); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Quantities{"cpu": "180", "memory": "360Gi"}, TotalLost(list)); diff != "" {
		t.Errorf("lost in all; of the second it is not known for how long it ran (-want +got):\n%s", diff)
	}
}

func TestLossesBeyondAllNumbersAreWrittenAsTheMost(t *testing.T) {
	r := trace.Eviction{Lost: resource.List{{Name: "memory", Value: 1 << 62}}, Ran: 1 << 62}
	if got := TotalLost([]*trace.Eviction{&r, &r})["memory"]; got != Quantity("memory", 1<<63-1) {
		t.Errorf("lost %s", got)
	}
}

func TestTextOfEvictions(t *testing.T) {
	list := preempted()
	r := &Report{Evictions: NewEvictions(list), Summary: Summary{Lost: TotalLost(list)}}
	for i := range r.Evictions {
		r.Evictions[i].Time = Duration(2 * time.Minute)
	}
	const want = `EVICTED PODS
  TIME  POD       QUEUE    PRIORITY  HELD                 RAN  ACTION   FOR
  2m0s  ml/old-0  default         1  2 cpu, 4Gi memory  1m30s  preempt  ml/new-0
  2m0s  ml/old-1  default         1  2 cpu, 4Gi memory      -  preempt  ml/new-0
  2m0s preempt: room on n1 for ml/new-0 (priority 100 against 1); permitted by tier 1: priority,
  gang; 3 nodes tried, 4 ruled out
    not n2: it would cost as much: its victims started no later, or its name comes later
    not n3: it would cost 3 victims with priorities of 3 in all, not 2 with 2
    not n4: not tried: it would cost at least a victim of priority 50, not 1
    not n5: not tried: it could not cost less
  Lost in all: 180 cpu·s, 360Gi memory·s.
`
	p := &page{width: 100}
	p.evicted(r)
	if diff := cmp.Diff(want, p.out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestManyPlansAreCounted(t *testing.T) {
	r := &Report{}
	for i := range mostPlans + 3 {
		r.Evictions = append(r.Evictions, Eviction{Namespace: "x", Name: "v", PreemptorJob: "x/j", Time: Duration(i),
			Reason: "because"})
	}
	var out bytes.Buffer
	if err := r.Text(&out, Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "… and 3 more: -o json has all.") {
		t.Errorf("all of %d plans are told:\n%s", mostPlans+3, out.String())
	}
}

// A PodGroup and both queues are told which queue takes, and which one loses.
func TestEvictionsNameBothQueues(t *testing.T) {
	for want, got := range map[string]string{
		"shuffle: 1 pod evicted":                                                      EvictedOf("shuffle", 1, "", ""),
		"preempt: 2 pods evicted for a job of its own queue, a":                       EvictedOf("preempt", 2, "a", "a"),
		"reclaim: 3 pods evicted from queue b, for queue a, which takes back its due": EvictedOf("reclaim", 3, "b", "a"),
		"reclaim: 3 pods of queue b evicted for queue a, which takes back its due":    EvictedBetween("reclaim", 3, "b", "a"),
	} {
		if got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
