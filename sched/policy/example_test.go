package policy_test

import (
	"cmp"
	"fmt"

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
	plugin := policy.Define("byname", "queues by name", func(a byNameArguments, l *ledger.Ledger) (policy.QueueOrder, error) {
		return byName{l, a.reverse}, nil
	})

	l := ledger.New()
	for _, name := range []string{"blue", "red"} {
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: name}, UID: name, Version: 1,
			Object: &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1}})
	}
	l.Settle()
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
