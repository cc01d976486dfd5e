package loop

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// passing is a loop with two nodes of four cores, g1 of which has devices, in a time that a test sets.
type passing struct {
	*loop
	t       *testing.T
	version uint64
	queue   string // of jobs that come
	class   string // their priority class
}

func newPassing(t *testing.T) *passing {
	t.Helper()
	x := &passing{t: t, queue: "ml"}
	x.loop = (&loop{metrics: newMetrics(), began: time.Now()}).wire()
	x.anew()
	return x
}

// anew begins with an empty engine.
func (x *passing) anew() {
	x.t.Helper()
	var err error
	x.engine, err = sched.New(policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{{{Plugin: "priority"},
		{Plugin: "gang"}, {Plugin: "predicates"}}}})
	if err != nil {
		x.t.Fatal(err)
	}
	for _, q := range []string{"ml", "other"} {
		x.put(&model.Queue{Meta: model.Meta{Name: q}, Weight: 1})
	}
	room := resource.List{{Name: "cpu", Value: 4000}, {Name: "pods", Value: 10}}
	x.put(&model.Node{Meta: model.Meta{Name: "c1"}, Allocatable: room})
	x.put(&model.Node{Meta: model.Meta{Name: "g1"},
		Allocatable: append(room[:2:2], resource.Amount{Name: "nvidia.com/gpu", Value: 1000})})
}

func (x *passing) put(o model.Object) {
	x.version++
	c := o.Common()
	c.UID = fmt.Sprint(x.version)
	x.engine.Apply(model.Fact{Ref: kindAndName(o), UID: c.UID, Version: x.version, Object: o})
}

func kindAndName(o model.Object) model.Ref {
	c := o.Common()
	return model.Ref{Kind: model.Kind(strings.TrimPrefix(fmt.Sprintf("%T", o), "*model.")), Namespace: c.Namespace,
		Name: c.Name}
}

// remove takes a job of one pod away.
func (x *passing) remove(name string) {
	x.version++
	for _, r := range []model.Ref{{Kind: model.KindPod, Namespace: "ns", Name: name + "-0"},
		{Kind: model.KindPodGroup, Namespace: "ns", Name: name}} {
		x.engine.Apply(model.Fact{Ref: r, Version: x.version})
	}
}

func gpu(p *model.Pod) {
	p.Spec.Requests = append(p.Spec.Requests, resource.Amount{Name: "nvidia.com/gpu", Value: 1000})
}

// job makes a job of pods of four cores each, of which one fits on a node, so many seconds after the start.
func (x *passing) job(name string, after time.Duration, pods int, node string, change func(*model.Pod)) {
	created := x.began.Add(after).UnixNano()
	x.put(&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, Created: created}, Queue: x.queue,
		PriorityClass: x.class, MinMember: int32(pods)})
	for i := range pods {
		p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprint(name, "-", i), Created: created}, Ours: true,
			Group: name, Index: int64(i), Node: node, PriorityClass: x.class,
			Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 4000}, {Name: "pods", Value: 1}}}}
		if node != "" {
			p.Phase, p.Started = model.PodRunning, created
		}
		if change != nil {
			change(p)
		}
		x.put(p)
	}
}

// at waits until so long after the start, decides, and looks.
func (x *passing) at(after time.Duration) {
	<-time.After(after - time.Since(x.began))
	plan, _, _ := x.engine.Decide(x.now())
	x.background.passed.started(plan.Items)
	x.background.passed.figures()
}

// want is for how long the job of a queue that was passed first has waited since.
func (x *passing) want(queue string, want time.Duration) {
	x.t.Helper()
	got, there := sum(x.t, x.loop, "ashlar_queue_longest_passed_seconds", "queue_name", queue)
	if d := time.Duration(got * 1e9); !there || d != want {
		x.t.Errorf("queue %s: %v (there: %t), want %v", queue, d, there, want)
	}
}

// gang came first and needs both nodes. small comes later and starts: from then on gang is passed, also once small has
// ended, until it starts itself.
func TestAJobIsPassedFromTheFirstLaterStartOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newPassing(t)
		x.job("old", 0, 1, "c1", nil)
		x.job("gang", time.Second, 2, "", nil)
		x.at(2 * time.Second)
		x.want("ml", 0)
		x.job("small", 10*time.Second, 1, "", nil)
		x.at(10 * time.Second)
		x.want("ml", 0)
		x.at(time.Minute)
		x.want("ml", 50*time.Second)
		x.remove("small")
		x.job("next", time.Minute, 1, "g1", nil)
		x.at(2 * time.Minute)
		x.want("ml", 110*time.Second)
		x.remove("next")
		x.remove("old")
		x.at(3 * time.Minute)
		if got, there := sum(t, x.loop, "ashlar_queue_longest_passed_seconds"); there {
			t.Errorf("nothing waits: %v", got)
		}
	})
}

// What does not pass a job: what was made before it, jobs of other queues and of a higher priority, and what runs where
// its own pods could not. A job that is gated waits for no room.
func TestWhatPassesNoJob(t *testing.T) {
	for name, c := range map[string]struct {
		waits  func(*model.Pod) // change of the job that waits
		queue  string           // of the one that starts
		class  string           // of the one that starts
		made   time.Duration    // when that was made
		passed time.Duration
	}{
		"a later job passes it":       {made: 2 * time.Second, passed: 50 * time.Second},
		"made at the same time":       {made: time.Second},
		"of another queue":            {made: 2 * time.Second, queue: "other"},
		"of a higher priority":        {made: 2 * time.Second, class: "high"},
		"where its pods could not be": {made: 2 * time.Second, waits: gpu},
		"the job that waits is gated": {made: 2 * time.Second, waits: func(p *model.Pod) { p.Gated = true }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newPassing(t)
				x.put(&model.PriorityClass{Meta: model.Meta{Name: "high"}, Value: 100})
				x.job("old", 0, 1, "g1", nil)
				x.job("waits", time.Second, 2, "", c.waits)
				x.queue, x.class = cmp.Or(c.queue, x.queue), c.class
				x.job("starts", c.made, 1, "", nil)
				x.at(10 * time.Second)
				if x.engine.Ledger().Node(x.engine.Ledger().Nodes.Named("c1")).Tasks != 1 {
					t.Fatal("the later job has not started")
				}
				x.at(time.Minute)
				x.want("ml", c.passed)
			})
		})
	}
}

// A scheduler that begins knows what passed a job by the pods that are there.
func TestAfterARestartPodsShowWhatPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newPassing(t)
		x.job("waits", time.Second, 2, "", nil)
		x.job("old", 0, 1, "g1", nil)
		x.job("runs", 30*time.Second, 1, "c1", nil)
		x.at(time.Hour)
		x.want("ml", time.Hour-30*time.Second)
		x.background.passed = passedJobs{l: x.loop}
		x.at(2 * time.Hour)
		x.want("ml", 2*time.Hour-30*time.Second)
	})
}
