package bench

import (
	"fmt"
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

func (x *recorded) cycle(b *testing.B, want int) {
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
