package bench

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// BenchmarkRecording is BenchmarkChurn with everything that is done with the engine recorded, in turns with the same
// engine unrecorded: the ratio of the best of each is what recording costs. The turns are short, a millisecond, so that
// of many some are undisturbed on a busy machine: -benchtime 400x.
func BenchmarkRecording(b *testing.B) {
	const events, batch = 200, 10
	w := steady(b)
	x := &recorded{world: w, ring: recording.NewRing(64<<20, time.Now)}
	w.Checkpoint()
	best := [2]time.Duration{}
	round := 0
	b.ResetTimer()
	for range b.N {
		for turn := range 2 {
			x.on = turn != round/2%2 // each comes first as often
			with := 0
			if x.on {
				with = 1
			}
			began := time.Now()
			for at := 0; at < events/2; at += batch / 2 {
				for i := at; i < at+batch/2; i++ {
					x.put(model.KindPod, "bench", fmt.Sprintf("churn-%d", i), waitingPod(i))
					x.put(model.KindPod, "bench", fmt.Sprintf("job-%d-%d", (round*events/2+i)/20%5000, i%20), nil)
				}
				x.cycle(b, batch/2)
			}
			if took := time.Since(began); best[with] == 0 || took < best[with] {
				best[with] = took
			}
			b.StopTimer()
			x.on = false
			w.restore(round, events/2)
			round++
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(best[0].Nanoseconds())/1000/events, "µs/event-without")
	b.ReportMetric(float64(best[1].Nanoseconds())/1000/events, "µs/event-with")
	b.ReportMetric(100*(best[1].Seconds()/best[0].Seconds()-1), "%-more")
}

func waitingPod(i int) *model.Pod {
	name := fmt.Sprintf("churn-%d", i)
	return &model.Pod{Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, Ours: true, Spec: small}
}

// recorded is a world of which the ring is told where it is on, as the live scheduler tells it.
type recorded struct {
	*world
	ring *recording.Ring
	on   bool
}

func (x *recorded) put(k model.Kind, ns, name string, o model.Object) {
	x.version++
	f := model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: x.version, Object: o}
	if x.on {
		x.ring.Fact(x.Ledger(), f)
	}
	x.Apply(f)
}

func (x *recorded) cycle(b testing.TB, want int) {
	x.now += int64(time.Second)
	if x.on {
		x.ring.Begin(x.Engine, x.now, recording.About{})
	}
	plan, _, next := x.Decide(x.now)
	x.Checkpoint()
	if x.on {
		x.ring.End(plan.Items, next)
	}
	bound := 0
	var receipts []sched.Receipt
	for _, i := range plan.Items {
		if i.Kind == sched.BindPod {
			bound++
		}
		receipts = append(receipts, sched.Receipt{Item: i})
	}
	if bound != want {
		b.Fatalf("bound %d pods of %d", bound, want)
	}
	if x.on {
		x.ring.Receipts(receipts)
	}
	x.Receive(receipts...)
}

// BenchmarkRecordingHeap is what the recorder of 64 MiB, the default, adds to the heap of an engine with 5 000 nodes
// and 100 000 pods, once it has dropped what it held first: the heap in use after collection with it, less that without
// it. Pods come, are bound, run, finish and are deleted: of jobs of 20 with one template, or each in a job of its own.
func BenchmarkRecordingHeap(b *testing.B) {
	for _, members := range []int{20, 1} {
		b.Run(fmt.Sprintf("members=%d", members), func(b *testing.B) {
			for range b.N {
				b.ReportMetric(heapOfRecording(b, steady(b), 64<<20, 40_000, members)/(1<<20), "MiB")
			}
		})
	}
}

// What a recorder takes of the heap is what it may take, however much comes and goes: its own count of bytes is right.
func TestARecordingTakesOfTheHeapWhatItMay(t *testing.T) {
	for _, members := range []int{20, 1} {
		if mib := heapOfRecording(t, newWorld(t, 100), 8<<20, 12_000, members) / (1 << 20); mib < 7 || mib > 8 {
			t.Errorf("jobs of %d pods: it takes %.1f MiB, of 8", members, mib)
		}
	}
}

// heapOfRecording is what recording so many pods adds to the heap, in bytes.
func heapOfRecording(b testing.TB, w *world, limit int64, pods, members int) float64 {
	clock := func() time.Time { return time.Unix(0, w.now) } // this machine's would be too slow for parts to begin
	x := &recorded{world: w, ring: recording.NewRing(limit, clock), on: true}
	for i := range pods / members {
		x.life(b, fmt.Sprintf("life-%d", i), members)
	}
	with := held()
	x.ring = nil
	without := held()
	runtime.KeepAlive(x)
	return float64(int64(with - without))
}

// life is all that a job goes through.
func (x *recorded) life(b testing.TB, job string, members int) {
	tell := func(node string, phase model.Phase) {
		for i := range members {
			name := fmt.Sprintf("%s-%d", job, i)
			x.put(model.KindPod, "bench", name, &model.Pod{Meta: model.Meta{Namespace: "bench", Name: name,
				UID: name}, Ours: true, Group: job, Index: int64(i), Node: node, Phase: phase,
				Spec: small})
		}
	}
	x.put(model.KindPodGroup, "bench", job, &model.PodGroup{Meta: model.Meta{Namespace: "bench", Name: job, UID: job},
		MinMember: int32(members), Phase: model.GroupInqueue})
	tell("", model.PodPending)
	x.cycle(b, members)
	for _, phase := range []model.Phase{model.PodRunning, model.PodSucceeded} {
		tell(host(0), phase)
		x.cycle(b, 0)
	}
	for i := range members {
		x.put(model.KindPod, "bench", fmt.Sprintf("%s-%d", job, i), nil)
	}
	x.put(model.KindPodGroup, "bench", job, nil)
	x.cycle(b, 0)
}
