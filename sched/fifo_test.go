package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// TestAFIFOQueueIsServedInOrder: on equal nodes all jobs compete, and start in the order in which they came, whatever
// they ask for, unless a job is larger than the cluster.
func TestAFIFOQueueIsServedInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(least, most int) int { return rapid.IntRange(least, most).Draw(t, "n") }
		nodes, cpu := n(1, 4), n(2, 4)
		s := newGangCluster(t, n(0, 1) == 1, nodes, cpu)
		s.tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1, FIFO: true})
		var names []string
		started := 0 // jobs that have started; all before these have, too
		for i := range 120 {
			if n(0, 2) == 0 && i < 80 {
				name, per := fmt.Sprintf("j%03d", i), n(1, cpu)
				members := n(1, nodes*(cpu/per))
				if n(0, 9) == 0 {
					s.submit("huge"+name, nodes*(cpu/per)+1, per, 10)
				}
				s.submit(name, members, per, int64(n(1, 20)))
				names = append(names, name)
			}
			s.cycle()
			for started < len(names) && s.ends[names[started]+"-0"] > 0 {
				started++
			}
			for _, later := range names[started:] {
				if s.ends[later+"-0"] > 0 {
					t.Fatalf("%s has started and %s, which came before it, has not: %+v", later, names[started],
						s.e.Report().Jobs)
				}
			}
			for started < len(names) && s.pods[names[started]+"-0"].Phase == model.PodSucceeded {
				started++
			}
		}
	})
}

// TestWhatNeverStartsHoldsNoOtherBack: a job of which it is said that it can never start is no reason why another one
// waits.
func TestWhatNeverStartsHoldsNoOtherBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		e := engine(t, w.profile("enqueue", "allocate"), somePace(t))
		w.begin()
		for i := range w.queues {
			if q := w.queues[i]; q != nil {
				c := *q
				c.FIFO = true
				w.queues[i] = &c
				w.tell(model.KindQueue, "", c.Name, c.UID, &c)
			}
		}
		for range rapid.IntRange(2, 8).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			e.Receive(receipts...)
			plan, _ := answers(t, e, w.now)
			w.learn(plan)
			reasons := map[string]trace.Reason{}
			e.l.Jobs.Each(func(id ledger.JobID) bool {
				reasons[e.l.Jobs.Called(id)] = e.JobReason(id)
				return true
			})
			for name, r := range reasons {
				ahead := reasons[r.Root().Text]
				if r.Root().Code == trace.BehindJob && ahead.Never != nil {
					t.Fatalf("%s waits for ever behind %s: %+v, %+v", name, r.Root().Text, *ahead.Never, r.Root())
				}
			}
		}
	})
}
