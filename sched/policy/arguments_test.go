package policy_test

import (
	"strings"
	"testing"

	"ashlar.sh/sched/policy"
)

type amounts struct{ share, wait int64 }

func (a *amounts) AddArguments(s *policy.ArgumentSet) {
	s.Decimal(&a.share, "share", 7, "a part")
	s.Duration(&a.wait, "wait", 7, "how long").Aliased("waiting")
}

func read(arguments policy.Arguments) (amounts, error) {
	return policy.Read[amounts](policy.Choice{Arguments: arguments})
}

func TestDecimalArguments(t *testing.T) {
	for text, want := range map[string]int64{"1.2": 1200, "1": 1000, "0.001": 1, "-1.5": -1500, "12.345": 12_345,
		"3.": 3000} {
		if got, err := read(policy.Arguments{"share": text}); err != nil || got.share != want {
			t.Errorf("%q is read as %d (%v), want %d", text, got.share, err, want)
		}
	}
	for _, text := range []string{"", ".", "much", "1.2345", "1.-2", "1e3", "99999999999999999999"} {
		if got, err := read(policy.Arguments{"share": text}); err == nil {
			t.Errorf("%q is read as %d", text, got.share)
		}
	}
	if got, err := read(nil); err != nil || got.share != 7 {
		t.Errorf("without the argument: %d (%v)", got.share, err)
	}
}

func TestDurationArguments(t *testing.T) {
	for _, key := range []string{"wait", "waiting"} {
		if got, err := read(policy.Arguments{key: "1m30s"}); err != nil || got.wait != 90_000_000_000 {
			t.Errorf("%s: 1m30s is read as %d (%v)", key, got.wait, err)
		}
	}
	if _, err := read(policy.Arguments{"wait": "90"}); err == nil || !strings.Contains(err.Error(), `not "90"`) {
		t.Errorf("a number without a unit is a duration: %v", err)
	}
}

// A key that the struct does not name is an error, and not ignored.
func TestAnArgumentThatIsNot(t *testing.T) {
	if _, err := read(policy.Arguments{"wiat": "1s"}); err == nil || !strings.Contains(err.Error(),
		"argument wiat: there is no") {
		t.Errorf("an unknown key: %v", err)
	}
}
