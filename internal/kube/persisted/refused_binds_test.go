package persisted_test

import (
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/kube/persisted"
)

func sample() persisted.RefusedBinds {
	return persisted.RefusedBinds{UID: "life", Controller: "owner", Tries: 7,
		Next:   time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
		Pod:    "g-3",
		Answer: "denied", Never: &persisted.NeverComplete{MinMember: 4, Bound: persisted.Digest([]string{"a", "b"}),
			Waiting: persisted.Digest([]string{"c"})}}
}

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	want := sample()
	got, err := persisted.ReadRefusedBinds(want.Text())
	if err != nil || got.Text() != want.Text() {
		t.Fatalf("read %+v, %v; want %+v", got, err, want)
	}
	want.Never = nil
	if without, err := persisted.ReadRefusedBinds(want.Text()); err != nil || without.Never != nil || without.Tries != 7 {
		t.Errorf("without its claim it reads %+v, %v", without, err)
	}
}

// A text of another client, or of a newer version, is no record.
func TestWhatIsNoRecordSaysNothing(t *testing.T) {
	good := sample().Text()
	for name, text := range map[string]string{
		"nothing":        "",
		"garbage":        "yes",
		"another shape":  `["a"]`,
		"cut short":      good[:len(good)-3],
		"two of them":    good + good,
		"no PodGroup":    strings.Replace(good, `"uid":"life"`, `"uid":""`, 1),
		"no tries":       strings.Replace(good, `"tries":7`, `"tries":0`, 1),
		"no time":        strings.Replace(good, "2030-01-02T03:04:05Z", "0001-01-01T00:00:00Z", 1),
		"an odd time":    strings.Replace(good, "2030-01-02T03:04:05Z", "soon", 1),
		"an odd number":  strings.Replace(good, `"tries":7`, `"tries":99999999999`, 1),
		"a newer field":  strings.Replace(good, `"tries":7`, `"tries":7,"though":"it ran"`, 1),
		"a newer claim":  strings.Replace(good, `"minMember":4`, `"minMember":4,"unless":"x"`, 1),
		"far too long":   strings.Replace(good, "denied", strings.Repeat("x", 5000), 1),
		"deeply nested":  strings.Repeat("[", 4000),
		"not even UTF-8": "\xff\xfe",
	} {
		if r, err := persisted.ReadRefusedBinds(text); err == nil {
			t.Errorf("%s is read as %+v", name, r)
		}
	}
	long := sample()
	long.Answer = strings.Repeat("no ", 5000)
	if _, err := persisted.ReadRefusedBinds(long.Text()); err != nil {
		t.Errorf("what was written of a long answer is not read: %v", err)
	}
}

// A claim is about exactly the members that it was made about.
func TestAClaimHoldsForItsMembersOnly(t *testing.T) {
	n := sample().Never
	for name, c := range map[string]struct {
		min            int32
		bound, waiting []string
		want           bool
	}{
		"as it was":                   {4, []string{"b", "a"}, []string{"c"}, true},
		"the one that waited is new":  {4, []string{"a", "b"}, []string{"d"}, false},
		"the one that waited is gone": {4, []string{"a", "b"}, nil, false},
		"one that was bound is gone":  {4, []string{"a"}, []string{"c"}, false},
		"one more is bound":           {4, []string{"a", "b", "c"}, nil, false},
		"one more waits":              {4, []string{"a", "b"}, []string{"c", "d"}, false},
		"another minimum":             {3, []string{"a", "b"}, []string{"c"}, false},
		"the same letters":            {4, []string{"ab"}, []string{"c"}, false},
	} {
		if got := n.Holds(c.min, c.bound, c.waiting); got != c.want {
			t.Errorf("%s: it holds %t", name, got)
		}
	}
	var none *persisted.NeverComplete
	nothing := persisted.NeverComplete{MinMember: 4, Bound: persisted.Digest(nil),
		Waiting: persisted.Digest([]string{"c"})}
	if none.Holds(4, []string{"a"}, nil) || nothing.Holds(4, nil, []string{"c"}) {
		t.Error("a claim about no pods holds")
	}
}
