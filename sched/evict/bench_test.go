package evict_test

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// full is a cluster of which every GPU is held by a job of one pod of low priority, eight
// a node, in queue low or, if only one queue is wanted, in that of the preemptors.
type full struct {
	l      *ledger.Ledger
	set    *policy.Set
	search *evict.Search
	n      uint64
}

func newFull(b *testing.B, nodes int, queue string) *full {
	f := &full{l: ledger.New()}
	set, err := policy.Build(policy.Profile{Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
		{{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}}}}, plugins.All(), f.l)
	if err != nil {
		b.Fatal(err)
	}
	for i, value := range []int32{1, 2, 100} {
		name := fmt.Sprintf("c%d", i)
		f.put(model.KindPriorityClass, "", name, &model.PriorityClass{Meta: model.Meta{Name: name}, Value: value})
	}
	for _, q := range []string{"default", "low"} {
		f.put(model.KindQueue, "", q, &model.Queue{Meta: model.Meta{Name: q}, Weight: 1, Reclaimable: true})
	}
	for i := range nodes {
		name := fmt.Sprintf("node-%05d", i)
		f.put(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name}, Allocatable: gpus(8, 110)})
		for k := range 8 {
			f.job(fmt.Sprintf("old-%d-%d", i, k), queue, fmt.Sprintf("c%d", (i+k)%2), 1, 1, name, int64(1000+(i*7+k)%500))
		}
	}
	f.set, f.search = set, evict.NewSearch(&session.Session{L: f.l, NodeIndex: class.New(f.l, set), Policy: set,
		Pending: pending.New(f.l, class.New(f.l, set), set)})
	return f
}

// open begins a cycle: what queues deserve follows from what is asked for by now.
func (f *full) open() {
	f.l.ExtendDims()
	f.set.At(1)
	f.set.Open(&trace.Recorder{}, policy.NoStopwatch{})
}

func gpus(n, pods int64) resource.List {
	return resource.List{{Name: "cpu", Value: 8000 * n}, {Name: "memory", Value: n << 34},
		{Name: "nvidia.com/gpu", Value: n * 1000}, {Name: "pods", Value: pods}}
}

func (f *full) put(k model.Kind, ns, name string, o model.Object) {
	f.n++
	f.l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: f.n, Object: o})
}

var specs = map[int64]*model.Spec{}

// job is a gang of pods of so many GPUs each, on a node or waiting.
func (f *full) job(name, queue, priority string, members int, each int64, node string, started int64) ledger.JobID {
	f.put(model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name}, Queue: queue,
		MinMember: int32(members), PriorityClass: priority, Phase: model.GroupInqueue})
	if specs[each] == nil {
		specs[each] = &model.Spec{Requests: gpus(each, 1)}
	}
	for i := range members {
		pod := fmt.Sprintf("%s-%d", name, i)
		p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: pod}, Ours: true, Group: name, Preemptable: true,
			Spec: specs[each],
			Node: node, Started: started, Index: int64(i)}
		if node != "" {
			p.Phase = model.PodRunning
		}
		f.put(model.KindPod, "ns", pod, p)
	}
	j, _ := f.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return j
}

func (f *full) tasks(j ledger.JobID) (out []ledger.TaskID) {
	f.l.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool { out = append(out, t); return true })
	return out
}

// BenchmarkPreemptor is one preemptor on a full cluster, with a hundred others of its kind in
// the same statement: ns/op is for all of them, ns/preemptor for one.
func BenchmarkPreemptor(b *testing.B) {
	preempt := evict.Options{Action: "preempt", Scope: evict.SameQueue, WholeGangs: true}
	sampled := preempt
	sampled.Sample = evict.Sample{On: true, Percent: 10, Least: 1, AtMost: 100}
	reclaim := evict.Options{Action: "reclaim", Scope: evict.OtherQueues, WholeGangs: true}
	for _, c := range []struct {
		name, queue       string
		rule              evict.Options
		members           int
		gpus              int64
		nodes, preemptors int
		took              bool
	}{
		{"one GPU", "default", preempt, 1, 1, 1000, 100, true},
		{"one GPU", "default", preempt, 1, 1, 5000, 100, true},
		{"a whole node", "default", preempt, 1, 8, 1000, 100, true},
		{"a whole node", "default", preempt, 1, 8, 5000, 100, true},
		{"more than a node has", "default", preempt, 1, 9, 1000, 100, false},
		{"more than a node has", "default", preempt, 1, 9, 5000, 100, false},
		{"one GPU, a sample of nodes", "default", sampled, 1, 1, 1000, 100, true},
		{"one GPU, a sample of nodes", "default", sampled, 1, 1, 5000, 100, true},
		{"one GPU of another queue", "low", reclaim, 1, 1, 1000, 100, true},
		{"one GPU of another queue", "low", reclaim, 1, 1, 5000, 100, true},
		{"a gang of 64 whole nodes", "default", preempt, 64, 8, 4096, 1, true},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.nodes), func(b *testing.B) {
			f := newFull(b, c.nodes, c.queue)
			var jobs []ledger.JobID
			for i := range c.preemptors {
				jobs = append(jobs, f.job(fmt.Sprintf("preemptor-%d", i), "default", "c2", c.members, c.gpus, "", 0))
			}
			var all [][]ledger.TaskID
			for _, j := range jobs {
				all = append(all, f.tasks(j))
			}
			f.open()
			b.ReportAllocs()
			for b.Loop() {
				f.l.Try(func(*ledger.Tx) bool {
					for i, j := range jobs {
						if f.search.Take(c.rule, j, all[i]) != c.took {
							b.Fatalf("victims found: %v", !c.took)
						}
					}
					return false
				})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.preemptors), "ns/preemptor")
		})
	}
}

// BenchmarkFirstPreemptor is the first preemptor of its kind ever.
func BenchmarkFirstPreemptor(b *testing.B) {
	for _, nodes := range []int{1000, 5000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			f := newFull(b, nodes, "default")
			var jobs []ledger.JobID
			for i := range 40 {
				specs[int64(100+i)] = &model.Spec{Requests: resource.List{{Name: "cpu", Value: int64(100 + i)},
					{Name: "nvidia.com/gpu", Value: 1000}, {Name: "pods", Value: 1}}}
				jobs = append(jobs, f.job(fmt.Sprintf("preemptor-%d", i), "default", "c2", 1, int64(100+i), "", 0))
			}
			rule := evict.Options{Action: "preempt", Scope: evict.SameQueue, WholeGangs: true}
			i := 0
			f.open()
			for b.Loop() {
				j := jobs[i%len(jobs)]
				i++
				f.search.Forget()
				f.l.Try(func(*ledger.Tx) bool {
					if !f.search.Take(rule, j, f.tasks(j)) {
						b.Fatal("no victim was found")
					}
					return false
				})
			}
		})
	}
}
