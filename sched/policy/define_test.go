package policy_test

import (
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

type several struct {
	tree   bool
	weight int64
	wait   int64
	by     string
}

func (a *several) AddArguments(s *policy.ArgumentSet) {
	s.Hierarchy(&a.tree)
	s.Int(&a.weight, "weight", 3, "how much").AtLeast(0).AtMost(10)
	s.Duration(&a.wait, "wait", 60_000_000_000, "how long").Above(0)
	s.OneOf(&a.by, "by", []string{"age", "size"}, "which order")
}

// The constructor gets the arguments as fields, and the definition describes them.
func TestArgumentsAreFields(t *testing.T) {
	var got several
	d := policy.Define("p", "a test", func(a several, _ *ledger.Ledger) (policy.JobOrder, error) {
		got = a
		return good{},
			nil
	})
	if _, err := d.New(policy.Choice{}, nil); err != nil || got != (several{weight: 3, wait: 60_000_000_000, by: "age"}) {
		t.Errorf("without arguments: %+v (%v)", got, err)
	}
	given := policy.Choice{Hierarchy: true, Arguments: policy.Arguments{"weight": "10", "wait": "1s", "by": "size"}}
	if _, err := d.New(given, nil); err != nil || got != (several{true, 10, 1_000_000_000, "size"}) {
		t.Errorf("with arguments: %+v (%v)", got, err)
	}
	for key, c := range map[string][2]string{
		"weight": {"11", "argument weight: must be at least 0 and at most 10, not 11"},
		"wait":   {"0s", "argument wait: must be above 0s, not 0s"},
		"by":     {"luck", `argument by: must be one of age, size, not "luck"`},
	} {
		if _, err := d.New(policy.Choice{Arguments: policy.Arguments{key: c[0]}},
			nil); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %s", key, err, c[1])
		}
	}
	if a := d.Arguments[1]; len(d.Arguments) != 3 || a.Key != "wait" || a.Default != "1m0s" || a.Bounds != "above 0s" ||
		a.Meaning != "how long" {
		t.Errorf("described as %+v", d.Arguments)
	}
}

type copied struct{ grace int64 }

func (a copied) AddArguments(s *policy.ArgumentSet) {
	s.Int(&a.grace, "grace", 0, "how long")
}

type twice struct{ grace, delay int64 }

func (a *twice) AddArguments(s *policy.ArgumentSet) {
	s.Int(&a.grace, "grace", 0, "how long")
	s.Int(&a.delay, "grace", 0, "how late")
}

// Arguments that could never arrive are an error at start, and not defaults for ever.
func TestArgumentsThatCannotArrive(t *testing.T) {
	byCopy := policy.Define("p", "a test", func(copied, *ledger.Ledger) (policy.JobOrder, error) { return good{}, nil })
	if _, err := byCopy.New(policy.Choice{}, nil); err == nil || !strings.Contains(err.Error(),
		"must have a pointer receiver") {
		t.Errorf("fields of a copy are set: %v", err)
	}
	doubled := policy.Define("p", "a test", func(twice, *ledger.Ledger) (policy.JobOrder, error) { return good{}, nil })
	if _, err := doubled.New(policy.Choice{}, nil); err == nil || !strings.Contains(err.Error(), `names "grace" twice`) {
		t.Errorf("a key is there twice: %v", err)
	}
}
