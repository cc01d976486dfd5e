package policy

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// judge is a plugin with one opinion about everything.
type judge struct{ Opinion }

func (j judge) Reclaimable(Preemptor, Unit) Opinion { return j.Opinion }

func (j judge) Preemptive(Preemptor) (trace.Reason, bool) { return j.Reason, j.Vote != Reject }

var (
	yes   = judge{Opinion{Vote: Permit}}
	mute  = judge{}
	no    = judge{Opinion{Vote: Reject, Reason: trace.Reason{Code: trace.VictimOfNoUse}}}
	guard = judge{Opinion{Vote: Reject, Guard: true, Reason: trace.Reason{Code: trace.VictimGuaranteed}}}
)

// setOf is a profile with judges in tiers; off takes the first out of its points.
func setOf(t *testing.T, tiers [][]judge, off ...Point) *Set {
	t.Helper()
	var p Profile
	var known []Definition
	for _, tier := range tiers {
		var choices []Choice
		for _, j := range tier {
			name := string(rune('a' + len(known)))
			known = append(known, Definition{Name: name, New: func(Choice, *ledger.Ledger) (any, error) { return j, nil }})
			choices = append(choices, Choice{Plugin: name, Off: off})
			off = nil
		}
		p.Tiers = append(p.Tiers, choices)
	}
	s, err := Build(p, known, ledger.New())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Decision 11: inside a tier all must agree, the first tier that permits decides, and a
// guard holds everywhere.
func TestReclaimable(t *testing.T) {
	for name, tc := range map[string]struct {
		tiers [][]judge
		off   []Point
		tier  int
		why   trace.Code
	}{
		"nobody is asked":                       {nil, nil, NoTier, trace.None},
		"everybody abstains":                    {[][]judge{{mute}, {mute}}, nil, NoTier, trace.None},
		"one permits":                           {[][]judge{{mute, yes}}, nil, 0, trace.None},
		"one objects in the same tier":          {[][]judge{{yes, no}}, nil, NoTier, trace.VictimOfNoUse},
		"an objection is not of the next tier":  {[][]judge{{yes, no}, {yes}}, nil, 1, trace.None},
		"a later objection is too late":         {[][]judge{{yes}, {no}}, nil, 0, trace.None},
		"a guard is never too late":             {[][]judge{{yes}, {guard}}, nil, NoTier, trace.VictimGuaranteed},
		"a guard that its flag turns off":       {[][]judge{{guard}, {yes}}, []Point{PointReclaimable}, 1, trace.None},
		"another point's flag turns off no one": {[][]judge{{guard}, {yes}}, []Point{PointPreemptive}, NoTier, trace.VictimGuaranteed},
	} {
		t.Run(name, func(t *testing.T) {
			tier, why := setOf(t, tc.tiers, tc.off...).Eviction.Reclaimable(Preemptor{}, Unit{})
			if tier != tc.tier || why.Code != tc.why {
				t.Errorf("tier %d, %q; want tier %d, %q", tier, why.Code, tc.tier, tc.why)
			}
		})
	}
}

func TestPreemptiveNeedsAll(t *testing.T) {
	for name, tc := range map[string]struct {
		tiers [][]judge
		off   []Point
		may   bool
	}{
		"nobody is asked":                 {nil, nil, true},
		"all agree":                       {[][]judge{{yes}, {mute}}, nil, true},
		"one objects, in whatever tier":   {[][]judge{{yes}, {no}}, nil, false},
		"one objects that is turned off":  {[][]judge{{no}, {yes}}, []Point{PointPreemptive}, true},
		"the flag of another point holds": {[][]judge{{no}, {yes}}, []Point{PointReclaimable}, false},
	} {
		t.Run(name, func(t *testing.T) {
			why, may := setOf(t, tc.tiers, tc.off...).Eviction.Preemptive(Preemptor{})
			if may != tc.may || why.Is() == tc.may {
				t.Errorf("may: %t, %q; want %t", may, why.Code, tc.may)
			}
		})
	}
}
