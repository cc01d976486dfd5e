package overcommit_test

import (
	"fmt"
	"reflect"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/overcommit"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

func apply(l *ledger.Ledger, k model.Kind, namespace, name string, o model.Object) {
	l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o})
}

func cpu(x int64) resource.List { return resource.List{{Name: "cpu", Value: x}} }

// group makes a job, with one pod on the node where runs is not empty.
func group(l *ledger.Ledger, name string, phase model.GroupPhase, least, runs resource.List) ledger.JobID {
	apply(l, model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name},
		MinMember: 1, MinResources: least, HasMin: true, Phase: phase})
	if runs != nil {
		apply(l, model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name}, Ours: true, Group: name,
			Node: "node", Phase: model.PodRunning, Spec: &model.Spec{Requests: runs}})
	}
	l.ExtendDims()
	j, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return j
}

// cluster is a node of 10 cpu and 100 bytes.
func cluster(t *testing.T, arguments policy.Arguments) (*ledger.Ledger, policy.JobEnqueueable) {
	t.Helper()
	l := ledger.New()
	apply(l, model.KindNode, "", "node", &model.Node{Meta: model.Meta{Name: "node"},
		Allocatable: resource.List{{Name: "cpu", Value: 10_000}, {Name: "memory", Value: 100}}})
	apply(l, model.KindQueue, "", model.DefaultQueue, &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1})
	p, err := overcommit.Definition().New(policy.Choice{Arguments: arguments}, l)
	if err != nil {
		t.Fatal(err)
	}
	return l, p.(policy.JobEnqueueable)
}

func TestWhatMayBePromised(t *testing.T) {
	short := func(dim string, need, have int64) []trace.Short {
		return []trace.Short{{Dim: dim, Need: need, Have: have}}
	}
	for name, c := range map[string]struct {
		before func(*ledger.Ledger)
		asks   resource.List
		want   []trace.Short
	}{
		"twelve of ten":         {nil, cpu(12_000), nil},
		"not a thousandth more": {nil, cpu(12_001), short("cpu", 12_001, 12_000)},
		"beside what runs": {func(l *ledger.Ledger) { group(l, "runs", model.GroupRunning, cpu(5000), cpu(5000)) },
			cpu(7001), short("cpu", 12_001, 12_000)},
		"beside what was promised": {func(l *ledger.Ledger) { group(l, "let-in", model.GroupInqueue, cpu(5000), nil) },
			cpu(7001), []trace.Short{{Dim: "cpu", Need: 12_001, Have: 12_000, Kept: 5000}}},
		"what a job let in holds counts once": {func(l *ledger.Ledger) {
			group(l, "let-in", model.GroupInqueue, cpu(5000),
				cpu(3000))
		},
			cpu(7000), nil},
		"what waits outside counts for nobody": {func(l *ledger.Ledger) {
			group(l, "pending", model.GroupPending, cpu(9000),
				nil)
		},
			cpu(12_000), nil},
		"another resource is not in the way": {func(l *ledger.Ledger) {
			group(l, "runs", model.GroupRunning, cpu(20_000),
				cpu(20_000))
		},
			resource.List{{Name: "memory", Value: 120}}, nil},
		"both that are short, cpu first": {nil, resource.List{{Name: "cpu", Value: 13_000}, {Name: "memory", Value: 121}},
			[]trace.Short{{Dim: "cpu", Need: 13_000, Have: 12_000}, {Dim: "memory", Need: 121, Have: 120}}},
		"what no node offers is unbounded": {nil, resource.List{{Name: "nvidia.com/gpu", Value: 1 << 59}}, nil},
		"asking for nothing is let in": {func(l *ledger.Ledger) {
			group(l, "runs", model.GroupRunning, cpu(20_000),
				cpu(20_000))
		}, cpu(0), nil},
		"another scheduler's pods are in use": {func(l *ledger.Ledger) {
			apply(l, model.KindPod, "ns", "other", &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "other"},
				Scheduler: "other",
				Node:      "node", Phase: model.PodRunning, Spec: &model.Spec{Requests: cpu(6000)}})
		}, cpu(6001), short("cpu", 12_001, 12_000)},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := cluster(t, nil)
			if c.before != nil {
				c.before(l)
			}
			vote, r := p.VoteEnqueue(group(l, "asks", model.GroupPending, c.asks, nil))
			if (vote == policy.Permit) != (c.want == nil) || !reflect.DeepEqual(r.Shorts, c.want) {
				t.Errorf("vote %d for %+v, want %+v", vote, r, c.want)
			}
			if r.Is() && r.Code != trace.ClusterOvercommitted {
				t.Errorf("the code is %s", r.Code)
			}
		})
	}
}

func TestAJobIsAskedForWhatItDoesNotHold(t *testing.T) {
	l, p := cluster(t, nil)
	j := group(l, "asks", model.GroupPending, cpu(12_000), cpu(8000))
	if vote, r := p.VoteEnqueue(j); vote != policy.Permit {
		t.Errorf("8 of its 12 cpu are in use by itself, and still: %+v", r)
	}
}

func TestTheVoteFollowsTheCluster(t *testing.T) {
	l, p := cluster(t, nil)
	j := group(l, "asks", model.GroupPending, cpu(10_000), nil)
	if vote, _ := p.VoteEnqueue(j); vote != policy.Permit {
		t.Fatal("an idle cluster refuses")
	}
	group(l, "runs", model.GroupRunning, cpu(3000), cpu(3000))
	if vote, _ := p.VoteEnqueue(j); vote != policy.Reject {
		t.Error("what runs since the last vote does not count")
	}
}

func TestTheFactor(t *testing.T) {
	for text, c := range map[string]struct {
		most  int64
		noted bool
	}{
		"1": {10_000, false}, "1.0": {10_000, false}, "2.125": {21_250, false}, "1.001": {10_010, false},
		"0.999": {12_000, true}, "0": {12_000, true}, "-3": {12_000, true},
	} {
		l, p := cluster(t, policy.Arguments{"overcommit-factor": text})
		for asks, want := range map[int64]policy.Vote{c.most: policy.Permit, c.most + 1: policy.Reject} {
			if vote, _ := p.VoteEnqueue(group(l, "asks", model.GroupPending, cpu(asks), nil)); vote != want {
				t.Errorf("factor %s: %d has vote %d", text, asks, vote)
			}
			group(l, "asks", model.GroupPending, cpu(0), nil)
		}
		if noted := len(p.(policy.Problems).Problems()) > 0; noted != c.noted {
			t.Errorf("factor %s: noted %v", text, noted)
		}
	}
	if _, err := overcommit.Definition().New(policy.Choice{Arguments: policy.Arguments{"overcommit-factor": "much"}},
		ledger.New()); err == nil {
		t.Error("a factor that is no number is taken")
	}
}

// TestAQueueIsPromisedItsPart lets jobs of several queues ask one after the other. Whichever came
// first and whatever it keeps, no job is refused if its queue keeps no more with it than its part by
// weight, and all together are promised at most twice what may be.
func TestAQueueIsPromisedItsPart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l, p := cluster(t, nil)
		total := int64(0)
		weights := rapid.SliceOfN(rapid.Int64Range(1, 4), 1, 5).Draw(r, "weights")
		for q, w := range weights {
			name := fmt.Sprint("q", q)
			apply(l, model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name}, Weight: int32(w)})
			total += w
		}
		put := func(name string, q int, phase model.GroupPhase, asks int64) ledger.JobID {
			apply(l, model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name},
				Queue: fmt.Sprint("q", q), MinMember: 1, MinResources: cpu(asks), HasMin: true, Phase: phase})
			l.ExtendDims()
			j, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
			return j
		}
		for q := range weights {
			put(fmt.Sprint("waits", q), q, model.GroupPending, 1) // each queue asks
		}
		p.(policy.Opener).Open(nil)
		keeps, all := map[int]int64{}, int64(0)
		for i := range rapid.IntRange(1, 30).Draw(r, "jobs") {
			q, asks := rapid.IntRange(0, len(weights)-1).Draw(r, "queue"), rapid.Int64Range(1, 9000).Draw(r, "asks")
			name := fmt.Sprint("job", i)
			vote, _ := p.VoteEnqueue(put(name, q, model.GroupPending, asks))
			if fits, mine := all+asks <= 12_000, keeps[q]+asks <= 12_000*weights[q]/total; (vote == policy.Permit) != (fits ||
				mine) {
				r.Fatalf("vote %d for %d of q%d, which keeps %d with weight %d of %d; all keep %d",
					vote, asks, q, keeps[q], weights[q], total, all)
			}
			if vote == policy.Permit {
				put(name, q, model.GroupInqueue, asks)
				keeps[q], all = keeps[q]+asks, all+asks
			}
		}
		if all > 24_000 {
			r.Fatalf("%d promised of 12000", all)
		}
	})
}
