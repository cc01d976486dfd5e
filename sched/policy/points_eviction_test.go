package policy

import (
	"fmt"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// oneOpinion is a plugin with one opinion about everything.
type oneOpinion struct{ Opinion }

func (j oneOpinion) Reclaimable(Preemptor, Unit) Opinion { return j.Opinion }

func (j oneOpinion) Preemptive(Preemptor) (trace.Reason, bool) { return j.Reason, j.Vote != Reject }

var (
	yes   = oneOpinion{Opinion{Vote: Permit}}
	mute  = oneOpinion{}
	no    = oneOpinion{Opinion{Vote: Reject, Reason: trace.Reason{Code: trace.VictimOfNoUse}}}
	guard = oneOpinion{Opinion{Vote: Reject, Guard: true, Reason: trace.Reason{Code: trace.VictimGuaranteed}}}
	let   = oneOpinion{Opinion{Vote: Permit, Guard: true}} // a guard that permits
	equal = oneOpinion{Opinion{Vote: Reject, Guard: true, EqualPriority: true,
		Reason: trace.Reason{Code: trace.VictimNotLower}}}
	lift = oneOpinion{Opinion{Vote: Permit, EqualPriority: true}}
)

// setOf is a profile with judges in tiers; off takes the first out of its points.
func setOf(t *testing.T, tiers [][]oneOpinion, off ...Point) *Set {
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
		tiers [][]oneOpinion
		off   []Point
		tier  int
		why   trace.Code
		by    string // the plugins that permitted it, of the tier that decided first; then tier:plugins of others
	}{
		"no plugin is asked":                   {nil, nil, NoTier, trace.None, ""},
		"all abstain":                          {[][]oneOpinion{{mute}, {mute}}, nil, NoTier, trace.None, ""},
		"one permits":                          {[][]oneOpinion{{mute, yes}}, nil, 0, trace.None, "b"},
		"two permit, and one between them":     {[][]oneOpinion{{yes, mute, yes}}, nil, 0, trace.None, "a,c"},
		"one objects in the same tier":         {[][]oneOpinion{{yes, no}}, nil, NoTier, trace.VictimOfNoUse, ""},
		"an objection is not of the next tier": {[][]oneOpinion{{yes, no}, {yes}}, nil, 1, trace.None, "c"},
		"a later objection is too late":        {[][]oneOpinion{{yes}, {no}}, nil, 0, trace.None, "a"},
		"a guard is never too late":            {[][]oneOpinion{{yes}, {guard}}, nil, NoTier, trace.VictimGuaranteed, ""},
		"a guard that its flag turns off": {[][]oneOpinion{{guard}, {yes}}, []Point{PointReclaimable}, 1, trace.None,
			"b"},
		"a guard of a later tier had to permit": {[][]oneOpinion{{yes}, {yes, let}, {mute, let}}, nil, 0, trace.None,
			"a 2:c 3:e"},
		"a guard of a tier before, in which another objects": {[][]oneOpinion{{let, no}, {yes}}, nil, 1, trace.None,
			"c 1:a"},
		"what lifts a guard between equals": {[][]oneOpinion{{equal}, {yes}, {lift}}, nil, 1, trace.None, "b 3:c"},
		"there was nothing to lift":         {[][]oneOpinion{{yes}, {lift}}, nil, 0, trace.None, "a"},
		"another point's flag turns off nothing": {[][]oneOpinion{{guard}, {yes}}, []Point{PointPreemptive}, NoTier,
			trace.VictimGuaranteed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ev := &setOf(t, tc.tiers, tc.off...).Eviction
			judged, why := ev.Reclaimable(Preemptor{}, Unit{})
			names, others := ev.Permitting(true, judged)
			by := strings.Join(names, ",")
			for _, p := range others {
				by += fmt.Sprintf(" %d:%s", p.Tier, strings.Join(p.Plugins, ","))
			}
			if judged.Tier != tc.tier || why.Code != tc.why || by != tc.by {
				t.Errorf("tier %d, %q, permitted by %q; want tier %d, %q, %q", judged.Tier, why.Code, by, tc.tier, tc.why, tc.by)
			}
		})
	}
}

func TestPreemptiveNeedsAll(t *testing.T) {
	for name, tc := range map[string]struct {
		tiers [][]oneOpinion
		off   []Point
		may   bool
	}{
		"no plugin is asked":              {nil, nil, true},
		"all agree":                       {[][]oneOpinion{{yes}, {mute}}, nil, true},
		"one objects, in whatever tier":   {[][]oneOpinion{{yes}, {no}}, nil, false},
		"one objects that is turned off":  {[][]oneOpinion{{no}, {yes}}, []Point{PointPreemptive}, true},
		"the flag of another point holds": {[][]oneOpinion{{no}, {yes}}, []Point{PointReclaimable}, false},
	} {
		t.Run(name, func(t *testing.T) {
			why, may := setOf(t, tc.tiers, tc.off...).Eviction.Preemptive(Preemptor{})
			if may != tc.may || why.Is() == tc.may {
				t.Errorf("may: %t, %q; want %t", may, why.Code, tc.may)
			}
		})
	}
}

// both has an opinion, and an order of jobs, which is asked without regard to tiers.
type both struct{ oneOpinion }

func (both) CompareJobs(ledger.JobID, ledger.JobID) int { return 0 }

// A plugin that is named in two tiers is one plugin: it is asked in each tier, under the flags of that tier, where
// answers combine by tier, and once elsewhere. The arguments of the last tier hold, as in Volcano.
func TestAPluginInTwoTiers(t *testing.T) {
	var with []Arguments
	known := []Definition{{Name: "a", New: func(c Choice, _ *ledger.Ledger) (any, error) {
		with = append(with, c.Arguments)
		return both{yes}, nil
	}}}
	off := func(points ...Point) Choice {
		return Choice{Plugin: "a", Off: points, Arguments: Arguments{"weight": "1"}}
	}
	second := Choice{Plugin: "a", Arguments: Arguments{"weight": "2"}}
	for name, c := range map[string]struct {
		first Choice
		tier  int
	}{
		"in both":              {off(), 0},
		"off in the first":     {off(PointReclaimable), 1},
		"all off in the first": {off(PointReclaimable, PointJobOrder), 1},
	} {
		t.Run(name, func(t *testing.T) {
			with = nil
			s, err := Build(Profile{Tiers: [][]Choice{{c.first}, {second}}}, known, ledger.New())
			if err != nil {
				t.Fatal(err)
			}
			if judged, _ := s.Eviction.Reclaimable(Preemptor{}, Unit{}); judged.Tier != c.tier {
				t.Errorf("the unit may be evicted by tier %d, want %d", judged.Tier, c.tier)
			}
			if len(s.jobOrder) != 1 || len(with) != 1 || with[0]["weight"] != "2" {
				t.Errorf("asked for an order %d times; made with %v", len(s.jobOrder), with)
			}
		})
	}
}
