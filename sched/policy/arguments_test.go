package policy_test

import (
	"testing"

	"ashlar.sh/sched/policy"
)

func TestDecimalArguments(t *testing.T) {
	for text, want := range map[string]int64{"1.2": 1200, "1": 1000, "0.001": 1, "-1.5": -1500, "12.345": 12_345, "3.": 3000} {
		if got, err := (policy.Arguments{"key": text}).Milli("key", 7); err != nil || got != want {
			t.Errorf("%q is read as %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "much", "1.2345", "1.-2", "1e3", "99999999999999999999"} {
		if got, err := (policy.Arguments{"key": text}).Milli("key", 7); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	if got, err := (policy.Arguments{}).Milli("key", 7); err != nil || got != 7 {
		t.Errorf("without the argument: %d (%v)", got, err)
	}
}

func TestDurationArguments(t *testing.T) {
	if got, err := (policy.Arguments{"key": "1m30s"}).Duration("key", 7); err != nil || got != 90_000_000_000 {
		t.Errorf("1m30s is read as %d (%v)", got, err)
	}
	if got, err := (policy.Arguments{}).Duration("key", 7); err != nil || got != 7 {
		t.Errorf("without the argument: %d (%v)", got, err)
	}
	if _, err := (policy.Arguments{"key": "90"}).Duration("key", 7); err == nil {
		t.Error("a number without a unit is a duration")
	}
}
