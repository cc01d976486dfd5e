package policy_test

import (
	"cmp"
	"fmt"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// byName serves queues in the order of their names.
type byName struct {
	l       *ledger.Ledger
	reverse bool
}

// CompareQueues implements policy.QueueOrder.
func (p byName) CompareQueues(a, b ledger.QueueID) int {
	if p.reverse {
		a, b = b, a
	}
	return cmp.Compare(p.l.Queue(a).Name, p.l.Queue(b).Name)
}

type byNameArguments struct{ reverse bool }

func (a *byNameArguments) AddArguments(s *policy.ArgumentSet) {
	s.Bool(&a.reverse, "reverse", false, "the last name first")
}

// A plugin that orders queues: an argument, a constructor that returns an extension point, and one method.
// extend.Main(plugin) is the whole command with it; sched.WithPlugin(plugin) is an engine with it.
func ExampleDefine() {
	plugin := policy.Define("byname", "queues by name", func(a byNameArguments, l *ledger.Ledger) (policy.QueueOrder,
		error) {
		return byName{l, a.reverse}, nil
	})

	l := ledger.New()
	for _, name := range []string{"blue", "red"} {
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: name}, UID: name, Version: 1,
			Object: &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1}})
	}
	l.ExtendDims()
	chosen := policy.Choice{Plugin: "byname", Arguments: policy.Arguments{"reverse": "true"}}
	set, err := policy.Build(policy.Profile{Tiers: [][]policy.Choice{{chosen}}}, []policy.Definition{plugin}, l)
	if err != nil {
		fmt.Println(err)
		return
	}
	blue, _ := l.Queues.Find("blue")
	red, _ := l.Queues.Find("red")
	fmt.Println("red before blue:", set.CompareQueues(red, blue) < 0)
	// Output: red before blue: true
}

// nightly serves one queue before all others for some hours after midnight, UTC.
type nightly struct {
	l     *ledger.Ledger
	queue string
	lasts int64 // nanoseconds
	night bool  // it is night in the present cycle
}

// queueOrderByTime is what nightly is: the compiler checks both.
type queueOrderByTime interface {
	policy.QueueOrder
	policy.Clock
}

// At implements policy.Clock: it takes the time of the cycle, and returns when the order changes next.
func (p *nightly) At(now int64) (next int64) {
	const day = int64(24 * time.Hour)
	midnight := now - now%day
	if p.night = now-midnight < p.lasts; p.night {
		return midnight + p.lasts
	}
	return midnight + day
}

// CompareQueues implements policy.QueueOrder. It leaves queues that are equal for it to the plugins after it.
func (p *nightly) CompareQueues(a, b ledger.QueueID) int {
	if !p.night {
		return 0
	}
	return policy.FalseFirst(p.l.Queue(a).Name != p.queue, p.l.Queue(b).Name != p.queue)
}

type nightlyArguments struct {
	queue string
	lasts int64
}

func (a *nightlyArguments) AddArguments(s *policy.ArgumentSet) {
	s.Text(&a.queue, "nightly.queue", "batch", "the queue that is first at night")
	s.Duration(&a.lasts, "nightly.lasts", int64(6*time.Hour), "how long the night is, from midnight").
		Above(0).AtMost(int64(24 * time.Hour))
}

// A plugin that orders queues by the time of day. The engine has no clock: it tells the plugin the time of each cycle,
// and decides again when the plugin says that its answers change.
func ExampleClock() {
	plugin := policy.Define("nightly", "one queue first at night",
		func(a nightlyArguments, l *ledger.Ledger) (queueOrderByTime, error) {
			return &nightly{l: l, queue: a.queue, lasts: a.lasts}, nil
		})

	l := ledger.New()
	for _, name := range []string{"batch", "alpha"} {
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: name}, UID: name, Version: 1,
			Object: &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1}})
	}
	l.ExtendDims()
	profile := policy.Profile{Tiers: [][]policy.Choice{{{Plugin: "nightly"}}}}
	set, err := policy.Build(profile, []policy.Definition{plugin}, l)
	if err != nil {
		fmt.Println(err)
		return
	}
	batch, _ := l.Queues.Find("batch")
	alpha, _ := l.Queues.Find("alpha")
	for _, hour := range []time.Duration{2, 8} {
		next := set.At(int64(hour * time.Hour))
		fmt.Printf("at %d: batch before alpha: %t; again at %v\n", hour, set.CompareQueues(batch, alpha) < 0,
			time.Duration(next))
	}
	_, err = plugin.New(policy.Choice{Arguments: policy.Arguments{"nightly.lasts": "25h"}}, l)
	fmt.Println(err)
	// Output:
	// at 2: batch before alpha: true; again at 6h0m0s
	// at 8: batch before alpha: false; again at 24h0m0s
	// argument nightly.lasts: must be above 0s and at most 24h0m0s, not 25h
}
