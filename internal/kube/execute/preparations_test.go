package execute_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/component-helpers/storage/volume"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// A gang's minimum waits for a volume; a member above it comes in a statement of its own, which needs nothing: in the
// same plan, in a later one, or in one that was decided before the receipts of the minimum were taken.
func TestMembersAboveTheMinimumAreBoundAfterIt(t *testing.T) {
	const inTheSamePlan, later, beforeTheReceipts, whileTheyArePutOff, afterThem = 0, 1, 2, 3, 4
	for name, c := range map[string]struct {
		comes int
		made  bool // the volume is, after a minute
		want  sched.Outcome
	}{
		"in the same plan":                {inTheSamePlan, true, sched.Done},
		"in the same plan, in vain":       {inTheSamePlan, false, sched.Failed},
		"in a later plan":                 {later, true, sched.Done},
		"in a later plan, in vain":        {later, false, sched.Failed},
		"the minimum was bound meanwhile": {beforeTheReceipts, true, sched.Done},
		"it failed meanwhile":             {beforeTheReceipts, false, sched.Failed},
		"it failed, which is put off":     {whileTheyArePutOff, false, sched.Failed},
		"it is known that it failed":      {afterThem, false, sched.Done}, // what was decided then is right
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, in := newServer(), newStore()
				in.patches(s.kube, new([]string))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				carrier := s.carrierWith(ctx, in)
				bind := func(id, statement uint64, pod string) sched.Item {
					return sched.Item{ID: id, Kind: sched.BindPod, Statement: statement, Node: "n", UID: "life",
						Pod: ledger.Key{Namespace: "ns", Name: pod}}
				}
				minimum, above := bind(1, 9, "p"), bind(2, 10, "q")
				minimum.Chosen, above.After = has, []uint64{9}
				plan := []sched.Item{minimum}
				if c.comes == inTheSamePlan {
					plan = append(plan, above)
				}
				carrier.Execute(plan)
				if c.comes == later {
					carrier.Execute([]sched.Item{above})
				}
				<-time.After(time.Minute) // of the bubble
				if s.posts.Load() > 0 {
					t.Error("a member was bound while the minimum waited for its volume")
				}
				in.alone(func() {
					if c.made {
						in.bindsClaim("v")
					} else {
						in.claim(func(c *corev1.PersistentVolumeClaim) { delete(c.Annotations, volume.AnnSelectedNode) })
					}
				})
				outcomes := map[uint64]sched.Outcome{}
				take := func(want int) {
					for len(outcomes) < want {
						<-carrier.Wake()
						for _, r := range carrier.Receipts() {
							outcomes[r.Item.ID] = r.Outcome
						}
					}
				}
				switch c.comes {
				case beforeTheReceipts:
					<-time.After(time.Minute)
					carrier.Execute([]sched.Item{above})
				case whileTheyArePutOff: // until 0.2 s after the failure; what others have is taken meanwhile
					synctest.Wait()
					<-time.After(100 * time.Millisecond)
					if r := carrier.Receipts(); len(r) > 0 {
						t.Errorf("there are receipts already: %+v", r)
					}
					carrier.Execute([]sched.Item{above})
				case afterThem:
					take(1)
					<-time.After(time.Minute)
					carrier.Receipts()
					carrier.Execute([]sched.Item{above})
				}
				if take(2); outcomes[2] != c.want {
					t.Errorf("the member above the minimum is %v, want %v", outcomes[2], c.want)
				}
				carrier.WaitForStatuses(ctx)
			})
		})
	}
}

// Statements that fail with an earlier one are answered with it, however long its receipts are put off: a gang of which
// some members were free again, and others not, would be decided in parts that wait for each other, and never start.
func TestWhatFailsWithAMinimumIsAnsweredWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, in := newServer(), newStore()
		in.patches(s.kube, new([]string))
		carrier := execute.New(t.Context(), execute.Options{Storage: in,
			Clients: execute.Clients{Fast: []kubernetes.Interface{s.kube}, Slow: s.kube, Events: s.kube, Groups: s.volcano,
				Figures: s.volcano}})
		minimum, second, third := bindingOf("p", 1), bindingOf("q", 2), bindingOf("r", 3)
		minimum.UID, minimum.Chosen = "life", has
		second.After, third.After = []uint64{1}, []uint64{2}
		carrier.Execute([]sched.Item{minimum})
		<-time.After(time.Minute) // of the bubble
		in.alone(func() {
			in.claim(func(c *corev1.PersistentVolumeClaim) { delete(c.Annotations, volume.AnnSelectedNode) })
		})
		var got []string
		take := func() {
			for _, r := range carrier.Receipts() {
				got = append(got, r.Item.Pod.Name)
			}
		}
		for _, later := range []sched.Item{second, third} { // while the receipt of the minimum is put off
			synctest.Wait()
			<-time.After(50 * time.Millisecond)
			carrier.Execute([]sched.Item{later})
			take()
		}
		synctest.Wait()
		if take(); len(got) > 0 {
			t.Errorf("%v have receipts before the minimum has its own, want none", got)
		}
		<-carrier.Wake()
		if take(); len(got) != 3 {
			t.Errorf("%v have receipts with the minimum, want all three", got)
		}
		carrier.WaitForStatuses(t.Context())
	})
}
