package recording

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Step is what was done with an engine, in this order: facts were applied, receipts were received, and more that not
// every step has. Steps on a State, one after the other, give the engine that the scheduler had.
type Step struct {
	Facts    []model.Fact    `json:",omitempty"`
	Receipts []sched.Receipt `json:",omitempty"`
	// Remade: the engine was made anew, of another configuration.
	Remade *Remade `json:",omitempty"`
	Cycle  *Cycle  `json:",omitempty"`
}

// Remade is the configuration that held from then on.
type Remade struct {
	Configuration string `json:",omitempty"` // the text; "": Volcano's default
	UTCOffset     string `json:",omitempty"`
}

// Cycle is one call of Engine.Decide and its result.
type Cycle struct {
	Number uint64 // from 1, in the life of a scheduler's recorder
	Now    int64  // nanoseconds since the epoch
	Items  []sched.Item
	Next   int64
	Took   int64 // nanoseconds for which it was decided; 0: that is not known
	// Open: there is no result; the cycle panicked.
	Open bool
}

// itemText is an item as it is saved.
type itemText struct {
	ID        uint64
	Kind      string
	Statement uint64           `json:",omitempty"`
	Pod       string           `json:",omitempty"`
	UID       string           `json:",omitempty"`
	Node      string           `json:",omitempty"`
	Chosen    ledger.Chosen    `json:",omitempty"`
	After     []uint64         `json:",omitempty"`
	Group     string           `json:",omitempty"`
	Phase     model.GroupPhase `json:",omitempty"`
	Action    string           `json:",omitempty"`
	Preemptor string           `json:"For,omitempty"`
	Why       *trace.Eviction  `json:",omitempty"`
	Evictions []uint64         `json:",omitempty"`
}

// receiptText is a receipt as it is saved, with as much of its item as an engine reads.
type receiptText struct {
	Item    itemText
	Outcome string
	Refused string `json:",omitempty"`
	Denials int32  `json:",omitempty"`
}

var outcomes = []string{"done", "failed", "missing", "withdrawn", "forgone"}

// OutcomeName is an outcome as one word.
func OutcomeName(o sched.Outcome) string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return "unknown"
}

func textOf(i sched.Item) itemText {
	return itemText{ID: i.ID, Kind: i.Kind.String(), Statement: i.Statement, Pod: keyText(i.Pod), UID: i.UID, Node: i.Node,
		Chosen: i.Chosen, After: i.After, Group: keyText(i.Group), Phase: i.Phase, Action: i.Action,
		Preemptor: keyText(i.Preemptor), Why: i.Record,
		Evictions: i.Evictions}
}

func (t itemText) item() (i sched.Item, err error) {
	i = sched.Item{ID: t.ID, Statement: t.Statement, UID: t.UID, Node: t.Node, Chosen: t.Chosen, After: t.After,
		Phase:  t.Phase,
		Action: t.Action, Record: t.Why, Evictions: t.Evictions}
	for k := sched.BindPod; ; k++ {
		if k > sched.WithdrawEviction {
			return i, fmt.Errorf("the kind of an item is %q, which this version does not know", t.Kind)
		}
		if k.String() == t.Kind {
			i.Kind = k
			break
		}
	}
	if t.Phase > model.GroupCompleted {
		return i, fmt.Errorf("the phase of an item is %d, which this version does not know", t.Phase)
	}
	for _, k := range []struct {
		to   *ledger.Key
		text string
	}{{&i.Pod, t.Pod}, {&i.Group, t.Group}, {&i.Preemptor, t.Preemptor}} {
		if k.text == "" {
			continue
		}
		namespace, name, ok := strings.Cut(k.text, "/")
		if !ok {
			return i, fmt.Errorf("%q: expected namespace/name", k.text)
		}
		*k.to = ledger.Key{Namespace: namespace, Name: name}
	}
	return i, nil
}

// keyText is a key as namespace/name, "" for none.
func keyText(k ledger.Key) string {
	if k == (ledger.Key{}) {
		return ""
	}
	return k.Namespace + "/" + k.Name
}

// stepText is a step as it is saved; factText is model.Fact or savedFact.
type stepText[factText any] struct {
	Facts    []factText    `json:",omitempty"`
	Receipts []receiptText `json:",omitempty"`
	Remade   *Remade       `json:",omitempty"`
	Cycle    *cycleText    `json:",omitempty"`
}

type cycleText struct {
	Number uint64
	Now    int64
	Items  []itemText `json:",omitempty"`
	Next   int64      `json:",omitempty"`
	Took   int64      `json:",omitempty"`
	Open   bool       `json:",omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (s *Step) MarshalJSON() ([]byte, error) {
	t := stepText[model.Fact]{Facts: s.Facts, Remade: s.Remade}
	for _, r := range s.Receipts {
		t.Receipts = append(t.Receipts, receiptText{Item: textOf(r.Item), Outcome: OutcomeName(r.Outcome),
			Refused: r.Refused, Denials: r.Denials})
	}
	if c := s.Cycle; c != nil {
		t.Cycle = &cycleText{Number: c.Number, Now: c.Now, Next: c.Next, Took: c.Took, Open: c.Open}
		for _, i := range c.Items {
			t.Cycle.Items = append(t.Cycle.Items, textOf(i))
		}
	}
	return json.Marshal(t)
}

// UnmarshalJSON implements json.Unmarshaler. Facts of kinds that are not known are left out.
func (s *Step) UnmarshalJSON(data []byte) error {
	var t stepText[savedFact]
	if err := json.Unmarshal(data, &t); err != nil {
		return err
	}
	*s = Step{Remade: t.Remade}
	for _, r := range t.Facts {
		f, known, err := r.fact()
		if err != nil {
			return fmt.Errorf("%s: %w", r.Ref, err)
		}
		if known {
			s.Facts = append(s.Facts, f)
		}
	}
	for _, r := range t.Receipts {
		i, err := r.Item.item()
		if err != nil {
			return err
		}
		outcome := slices.Index(outcomes, r.Outcome)
		if outcome < 0 {
			return fmt.Errorf("the outcome of an item is %q, which this version does not know", r.Outcome)
		}
		s.Receipts = append(s.Receipts, sched.Receipt{Item: i, Outcome: sched.Outcome(outcome), Refused: r.Refused,
			Denials: r.Denials})
	}
	if c := t.Cycle; c != nil {
		s.Cycle = &Cycle{Number: c.Number, Now: c.Now, Next: c.Next, Took: c.Took, Open: c.Open}
		for _, x := range c.Items {
			i, err := x.item()
			if err != nil {
				return err
			}
			s.Cycle.Items = append(s.Cycle.Items, i)
		}
	}
	return nil
}
