package ledger

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"testing"

	"ashlar.sh/sched/model"
)

const aWhile = int64(1_000_000_000)

// ranFact is a pod that began at a time and took so long, in seconds, as a fact.
func ranFact(name, ns, user string, template uint64, from, took int64) model.Fact {
	p := &model.Pod{Meta: model.Meta{Namespace: ns, Name: name, UID: name}, Ours: true, Template: template,
		Phase: model.PodSucceeded, Started: from * aWhile, Spec: &model.Spec{}, Index: -1}
	if user != "" {
		p.Labels = []model.Label{{Key: model.UserLabel, Value: user}}
	}
	p.SetRare(model.Times{Ended: (from + took) * aWhile})
	return model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: ns, Name: name}, UID: name, Version: 1, Object: p}
}

// tell applies facts in order.
func tell(l *Ledger, facts ...model.Fact) {
	for _, f := range facts {
		l.Apply(f)
	}
}

// guess is what a new pod is expected to take, in seconds.
func guess(l *Ledger, ns, user string, template uint64) int64 {
	name := fmt.Sprint("asks-", l.Changes.StateEpoch())
	f := ranFact(name, ns, user, template, 1, 1)
	f.Object.(*model.Pod).Phase = model.PodPending
	tell(l, f)
	t, _ := l.Tasks.Find(Key{ns, name})
	out := l.Tasks.Runs.Of(l.Task(t)) / aWhile
	f.Object, f.Version = nil, 2
	tell(l, f)
	return out
}

func TestWhatTheLastTwoRunsTook(t *testing.T) {
	edited := func(change func(p *model.Pod)) model.Fact {
		f := ranFact("odd", "ns", "", 7, 900, 50)
		change(f.Object.(*model.Pod))
		return f
	}
	for name, c := range map[string]struct {
		facts []model.Fact
		want  int64
	}{
		"nothing":  {nil, 0},
		"one run":  {[]model.Fact{ranFact("a", "ns", "", 7, 100, 60)}, 60},
		"two runs": {[]model.Fact{ranFact("a", "ns", "", 7, 100, 60), ranFact("b", "ns", "", 7, 200, 20)}, 40},
		"of three the last two": {[]model.Fact{ranFact("a", "ns", "", 7, 100, 60), ranFact("b", "ns", "", 7, 200, 20),
			ranFact("c", "ns", "", 7, 300, 80)}, 50},
		"another template":            {[]model.Fact{ranFact("a", "ns", "", 8, 100, 60)}, 0},
		"another namespace":           {[]model.Fact{ranFact("a", "other", "", 7, 100, 60)}, 0},
		"another user":                {[]model.Fact{ranFact("a", "ns", "bob", 7, 100, 60)}, 0},
		"one that failed":             {[]model.Fact{edited(func(p *model.Pod) { p.Phase = model.PodFailed })}, 0},
		"one that was asked to leave": {[]model.Fact{edited(func(p *model.Pod) { p.Deleting = true })}, 0},
		"one that is not ours":        {[]model.Fact{edited(func(p *model.Pod) { p.Ours = false })}, 0},
		"no template":                 {[]model.Fact{edited(func(p *model.Pod) { p.Template = 0 })}, 0},
		"it ended before it began":    {[]model.Fact{edited(func(p *model.Pod) { p.Started = math.MaxInt64 })}, 0},
		"nothing says when it began":  {[]model.Fact{edited(func(p *model.Pod) { p.Started = 0 })}, 0},
		"it began before the epoch":   {[]model.Fact{edited(func(p *model.Pod) { p.Started = math.MinInt64 })}, 0},
		"nothing says when it ended":  {[]model.Fact{edited(func(p *model.Pod) { p.Times = nil })}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := New()
			tell(l, c.facts...)
			l.Tasks.Runs.Begin(1000 * aWhile)
			if got := guess(l, "ns", "", 7); got != c.want {
				t.Errorf("%d s, want %d s", got, c.want)
			}
		})
	}
}

// The pods of a job are one run: that of the pod that ended last. A job made again under its name is another one.
func TestAJobIsOneRun(t *testing.T) {
	member := func(name, owner string, from, took int64) model.Fact {
		f := ranFact(name, "ns", "", 7, from, took)
		p := f.Object.(*model.Pod)
		p.Group, p.OwnerID = "train", owner
		return f
	}
	l := New()
	tell(l, member("a-0", "Job/1", 100, 50), member("a-1", "Job/1", 100, 58), member("a-2", "Job/1", 100, 54))
	l.Tasks.Runs.Begin(1000 * aWhile)
	if got := guess(l, "ns", "", 7); got != 58 {
		t.Errorf("a run took %d s, want 58 s", got)
	}
	tell(l, member("b-0", "Job/2", 300, 10), member("b-1", "Job/2", 300, 8))
	l.Tasks.Runs.Begin(1000 * aWhile)
	if got := guess(l, "ns", "", 7); got != 34 {
		t.Errorf("two runs took %d s, want 34 s", got)
	}
}

// A user is the label of the PodGroup before that of the pod, whichever of both is seen first.
func TestAUserIsWhatThePodGroupSays(t *testing.T) {
	group := &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, MinMember: 1,
		Labels: []model.Label{{Key: model.UserLabel, Value: "ann"}}}
	pod := ranFact("a", "ns", "bob", 7, 100, 60)
	pod.Object.(*model.Pod).Group = "g"
	facts := []model.Fact{pod, {Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "g"}, UID: "g", Version: 1,
		Object: group}}
	for _, order := range [][]model.Fact{{facts[0], facts[1]}, {facts[1], facts[0]}} {
		l := New()
		tell(l, order...)
		l.Tasks.Runs.Begin(1000 * aWhile)
		if ann, bob := guess(l, "ns", "ann", 7), guess(l, "ns", "bob", 7); ann != 60 || bob != 0 {
			t.Errorf("ann's take %d s and bob's %d s, want 60 s and nothing", ann, bob)
		}
	}
}

// The order of facts, facts that are seen again, and a copy that is restored make no difference.
func TestRunsAreTheSameInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewSource(7))
	for range 200 {
		var facts []model.Fact
		for i := range 40 {
			f := ranFact(fmt.Sprintf("p%d", i), fmt.Sprintf("ns%d", random.Intn(2)), "", uint64(1+random.Intn(3)),
				int64(100+random.Intn(5)), int64(1+random.Intn(5)))
			f.Object.(*model.Pod).OwnerID = fmt.Sprintf("Job/%d", random.Intn(6))
			facts = append(facts, f)
		}
		one := New()
		tell(one, facts...)
		one.Tasks.Runs.Begin(1000 * aWhile)
		other := New()
		half := New()
		tell(half, facts[:20]...)
		half.Tasks.Runs.Begin(1000 * aWhile)
		random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
		tell(other, facts...)
		other.Tasks.Runs.Restore(half.Tasks.Runs.Saved())
		other.Tasks.Runs.Begin(1000 * aWhile)
		if a, b := one.Tasks.Runs.Saved(), other.Tasks.Runs.Saved(); !reflect.DeepEqual(a, b) {
			t.Fatalf("%v, in another order %v", a, b)
		}
	}
}

// What a copy that follows has is what is remembered, through changes, a clock that is put back and forgetting.
func TestACopyFollowsRuns(t *testing.T) {
	l := New()
	var c RunsCopy
	for i := range int64(300) {
		f := ranFact(fmt.Sprint("p", i), "ns", "", uint64(1+i%7), 100+i, 1+i%13)
		f.Object.(*model.Pod).OwnerID = fmt.Sprint("Job/", i)
		tell(l, f)
		if i%10 == 0 {
			l.Tasks.Runs.Begin((1000 - 2*i) * aWhile)
			c.Follow(l.Tasks.Runs.TakeChanges())
			if a, b := l.Tasks.Runs.Saved(), c.Saved(); !reflect.DeepEqual(a, b) {
				t.Fatalf("remembered are %v, the copy has %v", a, b)
			}
		}
	}
}

// A run that another clock says will end in a hundred years is not the last one for a hundred years.
func TestRunsOfAnotherClock(t *testing.T) {
	l := New()
	tell(l, ranFact("odd", "ns", "", 7, 3_000_000_000, 500))
	l.Tasks.Runs.Begin(1000 * aWhile)
	tell(l, ranFact("a", "ns", "", 7, 1100, 40), ranFact("b", "ns", "", 7, 1200, 20))
	l.Tasks.Runs.Begin(2000 * aWhile)
	if got := guess(l, "ns", "", 7); got != 30 {
		t.Errorf("%d s, want 30 s", got)
	}
}

// A tenant that runs ever new templates makes itself forgotten, and no other.
func TestRunsAreBounded(t *testing.T) {
	l := New()
	tell(l, ranFact("old", "modest", "", 7, 1, 60))
	for i := range int64(2 * mostRuns) {
		tell(l, ranFact(fmt.Sprint("p", i), "greedy", "", uint64(100+i), 100+i, 5))
		if i%1000 == 0 {
			l.Tasks.Runs.Begin(1_000_000 * aWhile)
		}
	}
	l.Tasks.Runs.Begin(1_000_000 * aWhile)
	if n := len(l.Tasks.Runs.Saved()); n > mostRuns || n < runsAfterTrim {
		t.Errorf("%d are remembered, want %d to %d", n, runsAfterTrim, mostRuns)
	}
	if got := guess(l, "modest", "", 7); got != 60 {
		t.Errorf("another tenant's is %d s, want 60 s", got)
	}
	if got := guess(l, "greedy", "", uint64(100+2*mostRuns-1)); got != 5 {
		t.Errorf("its last one is %d s, want 5 s", got)
	}
}

// Where there are more namespaces with runs than runs are remembered, each keeps its last one, and a cycle costs what
// is new in it.
func TestRunsOfVeryManyNamespaces(t *testing.T) {
	l := New()
	runs := &l.Tasks.Runs
	for i := range int64(2 * mostRuns) {
		tell(l, ranFact(fmt.Sprint("p", i), fmt.Sprint("ns", i), "", 7, 1, 60))
	}
	runs.Begin(1_000_000 * aWhile)
	for i := range int64(3) {
		tell(l, ranFact(fmt.Sprint("more", i), "ns9", "", uint64(100+i), 100+i, 5+i))
		runs.Begin(1_000_000 * aWhile)
	}
	if n := len(runs.Saved()); n != 2*mostRuns {
		t.Errorf("%d are remembered, want one of each of %d namespaces", n, 2*mostRuns)
	}
	if got := guess(l, "ns9", "", 102); got != 7 {
		t.Errorf("the last one of a namespace is %d s, want 7 s", got)
	}
	at, i := 1_000_000*aWhile, int64(0)
	if n := testing.AllocsPerRun(20, func() { runs.Begin(at) }); n > 0 {
		t.Errorf("a cycle without news allocates %v times", n)
	}
	if n := testing.AllocsPerRun(20, func() {
		i++
		runs.add(RunKey{Namespace: "ns9", Template: uint64(200 + i)}, Run{Job: 1, Ended: at - aWhile + i, Took: 9})
		runs.Begin(at)
	}); n > 50 {
		t.Errorf("a cycle with one run allocates %v times", n)
	}
}

func TestASharePerNamespace(t *testing.T) {
	for _, c := range []struct {
		counts    []int
		all, want int
	}{{[]int{10}, 4, 4}, {[]int{1, 10}, 4, 3}, {[]int{5, 5, 1}, 7, 3}, {[]int{2, 2}, 9, 5}, {[]int{3, 3, 3}, 2, 1}} {
		if got := shareOf(c.counts, c.all); got != c.want {
			t.Errorf("of %v within %d: %d, want %d", c.counts, c.all, got, c.want)
		}
	}
}
