package fair

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func sameRounds(t *testing.T, got, want []Round) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			t.Fatalf("%d rounds, want %d: %+v", len(got), len(want), got)
		}
		a, b := got[i], want[i]
		if a.TotalWeight != b.TotalWeight || a.Remaining != b.Remaining || a.Left != b.Left ||
			a.Correction != b.Correction || !slices.Equal(a.Steps, b.Steps) {
			t.Errorf("round %d\n got %+v\nwant %+v", i+1, a, b)
		}
	}
}

// Seed 000, §15: 100 cpu among A, B and C.
func TestExplainSeed000Section15(t *testing.T) {
	rounds := Explain(100, []QueueDemand{
		{Weight: 2, Floor: 10, RealCapability: Limit{50, true}, Request: 80},
		{Weight: 3, Request: 60},
		{Weight: 5, Floor: 20, Request: 30},
	})
	sameRounds(t, rounds, []Round{
		{TotalWeight: 10, Remaining: 100, Left: 20, Steps: []Step{
			{Demand: 0, Given: 20, Capped: 20, Asked: 20, Value: 20},
			{Demand: 1, Given: 30, Capped: 30, Asked: 30, Value: 30},
			{Demand: 2, Given: 50, Capped: 50, Asked: 30, Value: 30, Met: true},
		}},
		{TotalWeight: 5, Remaining: 20, Left: 0, Steps: []Step{
			{Demand: 0, Given: 8, Capped: 28, Asked: 28, Value: 28},
			{Demand: 1, Given: 12, Capped: 42, Asked: 42, Value: 42},
		}},
	})
}

// Seed 004, the example of deserved: 30, 20 and 50 of 100, when all ask for enough.
func TestExplainSeed004Deserved(t *testing.T) {
	rounds := Explain(100, []QueueDemand{
		{Weight: 3, Floor: 20, RealCapability: Limit{50, true}, Request: 100},
		{Weight: 2, Floor: 10, RealCapability: Limit{80, true}, Request: 100},
		{Weight: 5, Floor: 30, Request: 100},
	})
	sameRounds(t, rounds, []Round{
		{TotalWeight: 10, Remaining: 100, Left: 0, Steps: []Step{
			{Demand: 0, Given: 30, Capped: 30, Asked: 30, Value: 30},
			{Demand: 1, Given: 20, Capped: 20, Asked: 20, Value: 20},
			{Demand: 2, Given: 50, Capped: 50, Asked: 50, Value: 50},
		}},
	})
}

func TestExplainShowsWhatCutsAndWhatRaises(t *testing.T) {
	rounds := Explain(100, []QueueDemand{
		{Weight: 1, RealCapability: Limit{10, true}, Request: 90},
		{Weight: 1, Floor: 20, Request: 5},
	})
	sameRounds(t, rounds, []Round{
		{TotalWeight: 2, Remaining: 100, Left: 70, Steps: []Step{
			{Demand: 0, Given: 50, Capped: 10, Asked: 10, Value: 10},
			{Demand: 1, Given: 50, Capped: 50, Asked: 5, Value: 20, Met: true},
		}},
		{TotalWeight: 1, Remaining: 70, Left: 70, Steps: []Step{
			{Demand: 0, Given: 70, Capped: 10, Asked: 10, Value: 10, Met: true},
		}},
	})
}

// Decision 1: the rounds alone would give A 47, because its guarantee came first.
func TestExplainSettlesAHeadStart(t *testing.T) {
	rounds := Explain(100, []QueueDemand{
		{Weight: 1, Floor: 30, Request: 100}, {Weight: 1, Request: 100}, {Weight: 2, Request: 10},
	})
	last := rounds[len(rounds)-1]
	sameRounds(t, []Round{last}, []Round{{Correction: true, Remaining: 1, Steps: []Step{
		{Demand: 0, Given: -2, Capped: 45, Asked: 45, Value: 45, Met: true},
		{Demand: 1, Given: 3, Capped: 45, Asked: 45, Value: 45, Met: true},
	}}})
}

func TestExplainWithoutDemands(t *testing.T) {
	if rounds := Explain(100, nil); rounds != nil {
		t.Errorf("got %+v", rounds)
	}
}

func TestExplainEndsWithWhatFillGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		var stakes []QueueDemand
		for _, c := range demands {
			s := QueueDemand{Weight: c.Weight, Floor: c.Floor, Request: c.Cap}
			if rapid.Bool().Draw(t, "limited") {
				s.RealCapability = Limit{rapid.Int64Range(0, max(total, 0)).Draw(t, "limit"), true}
			}
			stakes = append(stakes, s)
		}
		shown, demands := make([]int64, len(stakes)), demands[:0]
		for _, r := range Explain(total, stakes) {
			for _, s := range r.Steps {
				shown[s.Demand] = s.Value
			}
		}
		for _, s := range stakes {
			demands = append(demands, s.Demand())
		}
		if want := fill(total, demands); !slices.Equal(shown, want) {
			t.Errorf("shown %v, filled %v", shown, want)
		}
	})
}
