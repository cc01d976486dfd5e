package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// What is kept for a job without pods ends at the time that Decide named, also for an engine that was
// made anew in between. With a pod that is too few it ends later, and pods that come and go do not prolong it.
func TestAPromiseLapses(t *testing.T) {
	profile := policy.Profile{Actions: []string{"enqueue", "allocate"},
		Tiers: [][]policy.Choice{{{Plugin: "gang"}, {Plugin: "proportion"}}}}
	version := uint64(0)
	var facts []model.Fact
	tell := func(e *Engine, k model.Kind, namespace, name string, o model.Object) {
		version++
		f := model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: version, Object: o}
		facts = append(facts, f)
		e.Apply(f)
	}
	kept := func(e *Engine) bool { // of its queue's room
		j, _ := e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "job"})
		return e.l.Queue(e.l.Job(j).Queue).InqueueAmount(resource.CPU, false) > 0
	}
	decide := func(e *Engine, now, next int64, keeps bool) {
		t.Helper()
		if _, _, at := e.Decide(now * second); at != next*second || kept(e) != keeps {
			t.Errorf("at %d s: next at %d s, want %d; kept %v", now, at/second, next, kept(e))
		}
	}
	anew := func(c Commitments) *Engine {
		e, err := New(profile)
		if err != nil {
			t.Fatal(err)
		}
		e.Apply(facts...)
		e.Restore(c)
		return e
	}

	e := anew(Commitments{})
	tell(e, model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	tell(e, model.KindNode, "", "n",
		&model.Node{Meta: model.Meta{Name: "n"}, Allocatable: resource.List{{Name: "cpu", Value: 4000},
			{Name: "pods", Value: 10}}})
	tell(e, model.KindPodGroup, "ns", "job", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "job", UID: "job"},
		Queue: "default", MinMember: 2, HasMin: true, MinResources: resource.List{{Name: "cpu", Value: 4000}}})
	decide(e, 10, 70, true)
	e.Checkpoint()
	late := anew(e.LastCheckpoint())
	decide(late, 69, 70, true)
	decide(late, 70, 0, false)
	decide(anew(late.Commitments()), 80, 0, false)

	pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "pod", UID: "pod"}, Ours: true, Group: "job",
		Phase: model.PodPending,
		Spec:  &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}}}}
	tell(e, model.KindPod, "ns", "pod", pod)
	decide(e, 60, 310, true)
	decide(anew(e.Commitments()), 309, 310, true)
	decide(anew(e.Commitments()), 310, 0, false)
	tell(e, model.KindPod, "ns", "pod", nil)
	decide(e, 69, 70, true)
	tell(e, model.KindPod, "ns", "pod", pod)
	decide(e, 300, 310, true)
	decide(anew(e.Commitments()), 310, 0, false)
}

// What is kept for a lost member that nothing makes anew ends like that, also for an engine that was made anew in
// between; the pod that comes has it kept again.
func TestWhatIsKeptForALostMemberLapses(t *testing.T) { lostMember(t, false) }

// While a job is in a backoff nothing is kept for it, and the minute runs on.
func TestThePauseOfAJobKeepsNothingLonger(t *testing.T) { lostMember(t, true) }

func lostMember(t *testing.T, backsOff bool) {
	t.Helper()
	profile := policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{{{Plugin: "gang"},
		{Plugin: "predicates"}, {Plugin: "proportion"}}}}
	e := engine(t, profile)
	version, facts := uint64(0), []model.Fact(nil)
	tell := func(k model.Kind, name string, o model.Object) {
		version++
		ns := ""
		if k == model.KindPod || k == model.KindPodGroup {
			ns = "ns"
		}
		f := model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: version, Object: o}
		facts = append(facts, f)
		e.Apply(f)
	}
	pod := func(name, node string, phase model.Phase) {
		tell(model.KindPod, name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
			Group: "job", Node: node,
			Phase: phase, Spec: &model.Spec{Requests: units(1000, 0, 1)}})
	}
	tell(model.KindQueue, "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	tell(model.KindNode, "n", &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: units(4000, 0, 10)})
	tell(model.KindPodGroup, "job",
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "job", UID: "job"}, Queue: "default",
			MinMember: 3, HasMin: true, MinResources: resource.List{{Name: "cpu", Value: 3000}}})
	for _, name := range []string{"a", "b", "c"} {
		pod(name, "n", model.PodRunning)
	}
	decide := func(e *Engine, now, keeps int64) {
		t.Helper()
		e.Decide(now * second)
		j, _ := e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "job"})
		if kept := e.l.Queue(e.l.Job(j).Queue).InqueueAmount(resource.CPU, false); kept != keeps {
			t.Errorf("at %d s its queue keeps %d, want %d", now, kept, keeps)
		}
	}
	anew := func(c Commitments) *Engine {
		e := engine(t, profile)
		e.Apply(facts...)
		e.Restore(c)
		return e
	}
	decide(e, 10, 0)
	backoff := model.Backoff{Meta: model.Meta{Namespace: "ns", Name: "job", UID: "job"}, NotBefore: 50 * second, Tries: 1}
	if backsOff {
		e.Apply(model.Fact{Ref: backoff.Ref(), UID: "job", Version: 1, Object: &backoff})
		pod("c", "n", model.PodFailed)
		decide(e, 20, 0)
		decide(e, 50, 1000)
		decide(e, 80, 0)
		return
	}
	pod("c", "n", model.PodFailed)
	decide(e, 20, 1000)
	decide(e, 79, 1000)
	decide(anew(e.Commitments()), 79, 1000)
	decide(anew(e.Commitments()), 80, 0)
	decide(e, 80, 0)
	decide(anew(e.Commitments()), 90, 0)
	tell(model.KindPod, "other", &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "other", UID: "other"}, Node: "n",
		Phase: model.PodRunning, Spec: &model.Spec{Requests: units(2000, 0, 1)}}) // another scheduler's
	pod("d", "", model.PodPending)
	for _, each := range []*Engine{anew(e.Commitments()), e} {
		each.Decide(100 * second)
		j, _ := each.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "job"})
		if kept := each.l.Queue(each.l.Job(j).Queue).InqueueAmount(resource.CPU, false); kept != 1000 {
			t.Errorf("of what is kept for the pod that came its queue has %d, want 1000", kept)
		}
	}
}

// emptyJobs is a cluster of ten cpus in which queues keep all they can for jobs that never run: PodGroups
// without pods, or with one pod that no node takes, made anew before what is kept for them lapses.
type emptyJobs struct {
	t       *rapid.T
	e       *Engine
	version uint64
	now     int64
	queues  int
	groups  map[string]int64 // when each goes
	made    int
}

func (h *emptyJobs) tell(k model.Kind, namespace, name string, o model.Object) {
	h.version++
	h.e.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name,
		Version: h.version, Object: o})
}

func (h *emptyJobs) group(name, queue string, cpu int64) {
	h.tell(model.KindPodGroup, "ns", name,
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name, Created: h.now},
			Queue: queue, MinMember: 2, HasMin: true, MinResources: resource.List{{Name: "cpu", Value: cpu * 1000}},
			Phase: model.GroupPending})
}

// make has each queue with fewer than three PodGroups make one, and removes the PodGroups of which the time is over.
func (h *emptyJobs) make() {
	for name, at := range h.groups {
		if at <= h.now {
			h.tell(model.KindPodGroup, "ns", name, nil)
			h.tell(model.KindPod, "ns", name, nil)
			delete(h.groups, name)
		}
	}
	for q := range 3 * h.queues {
		h.made++
		name := fmt.Sprint("false-", h.made)
		h.group(name, fmt.Sprint("emptyJobs-", q%h.queues), rapid.Int64Range(1, 12).Draw(h.t, "keeps"))
		h.groups[name] = h.now + rapid.Int64Range(10, 70).Draw(h.t, "stands")*second
		if rapid.Bool().Draw(h.t, "pod") {
			h.tell(model.KindPod, "ns", name,
				&model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name, Created: h.now}, Ours: true, Group: name,
					Phase: model.PodPending,
					Spec: &model.Spec{Requests: units(1000, 0, 1),
						Affinity: []model.Term{{All: []model.Requirement{{Key: "none", Op: model.Exists}}}}}})
		}
	}
}

// A job of a queue that keeps nothing else is let in within as many minutes as there are other queues,
// and two, whatever these keep; an engine made anew decides the same at each step.
func TestALargeJobIsLetInWhateverOthersKeep(t *testing.T) {
	waited := 0
	rapid.Check(t, func(t *rapid.T) {
		h := &emptyJobs{t: t, now: 1000 * second, queues: rapid.IntRange(1, 3).Draw(t, "queues"), groups: map[string]int64{}}
		h.e = engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
			{{Plugin: "gang"}, {Plugin: "overcommit"}}, {{Plugin: "predicates"}, {Plugin: "nodeorder"}}}})
		h.tell(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n"},
			Allocatable: resource.List{{Name: resource.CPUName, Value: 10_000}, {Name: resource.PodsName, Value: 110}}})
		for q := range h.queues {
			h.tell(model.KindQueue, "", fmt.Sprint("emptyJobs-", q),
				&model.Queue{Meta: model.Meta{Name: fmt.Sprint("emptyJobs-", q)}, Weight: 1})
		}
		h.tell(model.KindQueue, "", "mine", &model.Queue{Meta: model.Meta{Name: "mine"}, Weight: 1})
		begun := h.now + 100*second
		for ; ; h.now += 10 * second {
			h.make()
			if h.now == begun {
				h.group("large", "mine", rapid.Int64Range(1, 10).Draw(t, "asks"))
			}
			other := again(t, h.e)
			_, was := answers(t, h.e, h.now)
			_, is := answers(t, other, h.now)
			same(t, "an engine restored from facts and commitments decides otherwise", was, is)
			if j, ok := h.e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "large"}); ok && h.e.l.Job(j).Admitted() {
				break
			}
			if h.now > begun {
				waited++
			}
			if h.now > begun+int64(h.queues+2)*60*second {
				t.Fatalf("it waits since %d s", (h.now-begun)/second)
			}
		}
	})
	if waited == 0 {
		t.Error("no job ever waited: this shows nothing")
	}
}

// A job that was created decades after the time of the cycle, as where a clock is wrong, is not waited
// for: no cycle is due only because it will have waited long enough then.
func TestAJobCreatedDecadesAheadIsNotWaitedFor(t *testing.T) {
	e, err := New(policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "gang"}, {Plugin: "overcommit"}}, {{Plugin: "predicates"}}}})
	if err != nil {
		t.Fatal(err)
	}
	h := &emptyJobs{e: e, now: 1_735_689_600 * second}
	h.tell(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n"},
		Allocatable: resource.List{{Name: resource.CPUName, Value: 10_000}, {Name: resource.PodsName, Value: 110}}})
	for _, queue := range []string{"others", "mine"} {
		h.tell(model.KindQueue, "", queue, &model.Queue{Meta: model.Meta{Name: queue}, Weight: 1})
	}
	h.group("kept", "others", 6)
	h.tell(model.KindPod, "ns", "kept", &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "kept", UID: "kept"},
		Ours: true, Group: "kept",
		Phase: model.PodPending, Spec: &model.Spec{Requests: units(1000, 0, 1)}})
	e.Decide(10 * second)
	h.group("large", "mine", 7)
	_, _, next := e.Decide(20 * second)
	if j, ok := e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "large"}); !ok || e.l.Job(j).Admitted() {
		t.Fatal("the large job does not wait: this shows nothing")
	}
	if next > 1000*second {
		t.Errorf("the next cycle is due at %d s", next/second)
	}
}
