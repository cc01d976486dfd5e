package proportion_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/proportion"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// The slow twin: after any history of facts the figures are those of a plugin that works
// all of them out for the first time.
func TestFiguresAreAsIfFoundForTheFirstTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := told(t, someFacts(t))
		for i := range rapid.IntRange(1, 12).Draw(t, "changes") {
			something(t, c, i)
			c.l.ExtendDims()
			if rapid.IntRange(0, 2).Draw(t, "a cycle") > 0 {
				c.asTwin()
			}
		}
		c.asTwin()
	})
}

// something is one change: of a pod, mostly, of a queue, or of a node.
func something(t *rapid.T, c *cluster, i int) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "root"}).Draw(t, "queue")
	switch rapid.IntRange(0, 9).Draw(t, "change") {
	case 0:
		c.tell(model.KindQueue, "", name, nil)
	case 1:
		c.node(someAmounts(t, "offers", 60))
	case 2:
		c.tell(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name}, Weight: 2,
			Parent: rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "parent"), Guarantee: someAmounts(t, "guarantee", 16),
			Capability: someAmounts(t, "capability", 40), State: rapid.SampledFrom([]model.QueueState{model.QueueOpen,
				model.QueueClosed}).Draw(t, "state")})
	case 3:
		c.tell(model.KindPod, "ns", fmt.Sprintf("%s-%d", name, i%3), nil)
	default:
		if name != "root" {
			c.pod(fmt.Sprintf("%s-%d", name, i%3), name, someAmounts(t, "pod", 40),
				rapid.SampledFrom([]string{"", "node"}).Draw(t, "on"))
		}
	}
}

// asTwin opens a cycle and compares. What is told at verbosity 4 is worked out anew, so
// neither tells anything.
func (c *cluster) asTwin() {
	made, _ := proportion.Definition().New(policy.Choice{}, c.l)
	twin := made.(plugin)
	c.p.Open(&trace.Recorder{})
	twin.Open(&trace.Recorder{})
	c.l.Queues.Each(func(q ledger.QueueID) bool {
		got, known := c.p.QueueFigures(q)
		want, should := twin.QueueFigures(q)
		if known != should || !reflect.DeepEqual(got, want) {
			c.t.Fatalf("queue %s: %+v, %v; want %+v, %v", c.l.Queue(q).Name, got, known, want, should)
		}
		for class := range ledger.ClassID(c.l.Classes.Len()) {
			if got, want := c.p.Allocatable(q, class, 50), twin.Allocatable(q, class, 50); got != want {
				c.t.Fatalf("queue %s may take %d more, want %d", c.l.Queue(q).Name, got, want)
			}
		}
		return true
	})
}
