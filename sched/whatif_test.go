package sched_test

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// Whatever is said to make a job run makes it run, in a new engine that is told of it; and where it is said to be the
// least, one step less does not do. ASHLAR_WHATIF_CASES says how many clusters are asked about: half of them are in the
// middle of a random history, half are full clusters with gangs that wait.
func TestWhatWouldMakeAJobRunMakesItRun(t *testing.T) {
	cases := 200
	if text := os.Getenv("ASHLAR_WHATIF_CASES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		cases = n
	}
	seen := tally{kinds: map[trace.ChangeKind]int{}}
	for done := 0; done < cases && !t.Failed(); {
		rapid.Check(t, func(t *rapid.T) {
			if done >= cases {
				return // rapid goes on to its own number
			}
			var e *sched.Engine
			var now int64
			if rapid.Bool().Draw(t, "full") {
				e, now = fullCluster(t)
			} else {
				e, now = sched.RandomEngine(t, rapid.SampledFrom([][]string{{"enqueue", "allocate", "backfill"},
					{"enqueue", "allocate", "preempt", "reclaim", "backfill"},
					{"enqueue", "allocate", "gangpreempt", "gangreclaim"}}).Draw(t, "actions")...)
			}
			c, err := e.Copy()
			if err != nil {
				t.Fatal(err)
			}
			search := whatif.New(c, now)
			for _, k := range waitingJobs(e) {
				would, ok := search.Job(k, whatif.Limits{})
				if !ok {
					t.Fatalf("%s waits, and nothing is said of it", k)
				}
				seen.check(t, e, k, now, would)
			}
			done++
		})
	}
	t.Logf("%+v", seen)
}

// tally counts what was said and checked.
type tally struct {
	jobs, soon, nothing, pairs, least, cycles int
	kinds                                     map[trace.ChangeKind]int
}

// check holds what is said of a job against new engines.
func (y *tally) check(t *rapid.T, e *sched.Engine, k ledger.JobKey, now int64, would trace.WouldRun) {
	y.jobs++
	y.cycles += would.Runs
	if is, cycle := starts(t, e, k, now, nil); is != (would.Soon > 0) || is && cycle != would.Soon {
		t.Fatalf("%s starts by itself in cycle %d: %v, and cycle %d is told", k, cycle, is, would.Soon)
	}
	switch {
	case would.Soon > 0:
		y.soon++
	case len(would.Ways) == 0:
		y.nothing++
	}
	for _, way := range would.Ways {
		if is, cycle := starts(t, e, k, now, way.Changes); !is || cycle != way.Cycles {
			t.Fatalf("%s was to start in cycle %d with %+v: %v, in cycle %d", k, way.Cycles, way.Changes, is, cycle)
		}
		if len(way.Changes) > 1 {
			y.pairs++
		}
		for i, change := range way.Changes {
			y.kinds[change.Kind]++
			for _, less := range lessThan(change) {
				changes := slices.Clone(way.Changes)
				if changes[i] = less; less.Kind == "" {
					changes = slices.Delete(changes, i, i+1)
				}
				if is, _ := starts(t, e, k, now, changes); is {
					t.Fatalf("%s was to need %+v, and starts with %+v", k, way.Changes, changes)
				}
				y.least++
			}
		}
	}
}

func waitingJobs(e *sched.Engine) (out []ledger.JobKey) {
	l := e.Ledger()
	l.Jobs.Each(func(j ledger.JobID) bool {
		if job := l.Job(j); job.By[model.Pending] > 0 || job.Exists() && job.AwaitsAdmission() {
			out = append(out, job.Key)
		}
		return true
	})
	slices.SortFunc(out, ledger.JobKey.Compare)
	return out
}

// starts tells a new engine of changes and says in which cycle, of three, the job has pods bound, and its minimum
// with them. Evicted pods go, gates open, and phases are written.
func starts(t *rapid.T, e *sched.Engine, k ledger.JobKey, now int64, changes []trace.Change) (is bool, cycle int) {
	f := sched.Again(t, e)
	for _, c := range changes {
		id, there := f.Ledger().Jobs.Find(k)
		if !there {
			t.Fatalf("%s is not there any more", k)
		}
		facts := whatif.Facts(f, id, c)
		if len(facts) == 0 {
			return false, 0
		}
		f.Apply(facts...)
	}
	for cycle = 1; cycle <= 3; cycle++ {
		plan, _, _ := f.Decide(now)
		bound := false
		for _, i := range slices.Clone(plan.Items) {
			task, there := f.Ledger().Tasks.Find(i.Pod)
			mine := there && f.Ledger().Task(task).Job != ledger.NoJob &&
				f.Ledger().Job(f.Ledger().Task(task).Job).Key == k
			id, known := f.Ledger().Jobs.Find(k)
			letIn := i.Kind == sched.SetPhase && i.Phase == model.GroupInqueue && !k.Adopted && known &&
				i.Group == (ledger.Key{Namespace: k.Namespace, Name: k.Name}) && f.Ledger().Job(id).Tasks == 0
			if letIn {
				return true, cycle
			}
			bound = bound || mine && i.Kind == sched.BindPod
			follow(f, i)
		}
		if id, there := f.Ledger().Jobs.Find(k); there && bound {
			if job := f.Ledger().Job(id); job.Ready() < job.MinMember && len(job.Subs) == 0 {
				t.Fatalf("%s has %d of %d", k, job.Ready(), job.MinMember)
			}
			return true, cycle
		}
	}
	return false, 0
}

// follow shows an item carried out.
func follow(f *sched.Engine, i sched.Item) {
	pod, _ := f.Ledger().Fact(model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace, Name: i.Pod.Name})
	switch i.Kind {
	case sched.EvictPod:
		if pod.Object != nil {
			pod.Object = nil
			f.Apply(pod)
		}
	case sched.OpenGate:
		p := *pod.Object.(*model.Pod)
		p.Gated, p.QueueGate = false, model.QueueGateOpen
		pod.Object = &p
		f.Apply(pod)
	case sched.SetPhase:
		group, there := f.Ledger().Fact(model.Ref{Kind: model.KindPodGroup, Namespace: i.Group.Namespace,
			Name: i.Group.Name})
		if there {
			g := *group.Object.(*model.PodGroup)
			g.Phase = i.Phase
			group.Object = &g
			f.Apply(group)
		}
	}
}

// lessThan is a change with one step less, in each way that it may be less, if it is said to be the least; a change of
// no kind stands for leaving it out.
func lessThan(c trace.Change) (out []trace.Change) {
	if !c.Least {
		return nil
	}
	less := c
	switch c.Kind {
	case trace.ChangeGang:
		less.To++
	case trace.ChangeWeight:
		less.To--
	case trace.ChangeNodes:
		less.Count--
	case trace.ChangeRequest:
		less.To += whatif.Step1(c.Text)
	case trace.ChangeCapability, trace.ChangeDeserved, trace.ChangeQuota:
		less.Amounts = slices.Clone(c.Amounts)
		less.Amounts[0].To -= whatif.Step1(c.Amounts[0].Dim)
	case trace.ChangeRoom:
		less.Where = slices.Clone(c.Where)
		less.Where[0].Amount -= whatif.Step1(c.Where[0].Dim)
		if less.Where[0].Amount <= 0 {
			return []trace.Change{{}}
		}
	case trace.ChangeEnd:
		for i := range c.Jobs {
			one := c
			if one.Jobs = slices.Delete(slices.Clone(c.Jobs), i, i+1); len(one.Jobs) == 0 {
				one = trace.Change{}
			}
			out = append(out, one)
		}
		return out
	default:
		return nil
	}
	if less.Kind == trace.ChangeGang && less.To >= c.From || less.Kind == trace.ChangeWeight && less.To <= c.From ||
		less.Kind == trace.ChangeNodes && less.Count == 0 || less.Kind == trace.ChangeRequest && less.To >= c.From ||
		len(less.Amounts) > 0 && less.Amounts[0].To <= less.Amounts[0].From {
		less = trace.Change{}
	}
	return []trace.Change{less}
}
