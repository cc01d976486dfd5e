package fair

import "ashlar.sh/sched/resource"

// QueueDemand is a Demand with its Cap still in its two parts, so that Explain can show what
// each of them cut off.
type QueueDemand struct {
	Weight         int64
	Floor          int64
	RealCapability Limit
	Request        int64
}

// Demand puts the parts together.
func (s QueueDemand) Demand() Demand {
	return Demand{Weight: s.Weight, Floor: s.Floor, Cap: s.RealCapability.Clip(s.Request)}
}

// Round is one round of the loop of seed 000, §4, in one dimension.
type Round struct {
	// TotalWeight is that of the stakes that were not met before; zero in a correction.
	TotalWeight int64
	// Remaining is what there was to share in this round, Left what it left.
	Remaining, Left int64
	// Correction marks a last round in which nothing is shared by weight: the rounds
	// stopped short of the water level, and its figures replace theirs.
	Correction bool
	// Steps has one entry for every stake that was not met before, in order; in
	// a correction, for every demand of which the figure changes.
	Steps []Step
}

// Step is what a round did to one stake.
type Step struct {
	// QueueDemand is its index.
	Demand int
	// Given is its part of what remained, rounded down; in a correction, the change,
	// which may be negative.
	Given int64
	// Capped is what it had and was given, within realCapability; Asked is that
	// within request; Value is that raised to the floor: deserved after this round.
	Capped, Asked, Value int64
	// Met says that it takes no part in later rounds: it has what it requests, or it
	// could not grow.
	Met bool
}

// Explain returns the rounds by which total is divided, in whole units, to show the
// arithmetic; it decides nothing. The last Value of each stake is what Fill gives it.
// The seed's rounds alone may end elsewhere: they do not give out what does not
// divide, they count a floor as a head start, and they can give more than total
// beside floors. Where that happens a last round corrects it.
func Explain(total int64, stakes []QueueDemand) []Round {
	deserved := make([]int64, len(stakes))
	met := make([]bool, len(stakes))
	var rounds []Round
	for remaining := max(total, 0); ; {
		r := share(remaining, stakes, deserved, met)
		if r.TotalWeight == 0 {
			break
		}
		rounds = append(rounds, r)
		if r.Left == 0 {
			break
		}
		remaining = r.Left
	}
	return appendCorrection(rounds, total, stakes, deserved)
}

// share is one round: it updates deserved and met.
func share(remaining int64, stakes []QueueDemand, deserved []int64, met []bool) Round {
	r := Round{Remaining: remaining}
	for i, s := range stakes {
		if !met[i] {
			r.TotalWeight += s.Demand().weight()
		}
	}
	left := resource.Sum{}.Plus(remaining)
	for i, s := range stakes {
		if met[i] {
			continue
		}
		step := Step{Demand: i, Given: resource.MulDiv(remaining, s.Demand().weight(), r.TotalWeight)}
		step.Capped = s.RealCapability.Clip(resource.Sum{}.Plus(deserved[i]).Plus(step.Given).Int64())
		step.Asked = min(step.Capped, s.Request)
		step.Value = max(step.Asked, s.Floor, 0)
		step.Met = s.Request <= step.Value || step.Value == deserved[i]
		left = left.Plus(deserved[i]).Minus(step.Value)
		deserved[i], met[i] = step.Value, step.Met
		r.Steps = append(r.Steps, step)
	}
	r.Left = max(left.Int64(), 0)
	return r
}

// appendCorrection appends a last round where the rounds differ from the water level.
func appendCorrection(rounds []Round, total int64, stakes []QueueDemand, deserved []int64) []Round {
	demands := make([]Demand, len(stakes))
	for i, s := range stakes {
		demands[i] = s.Demand()
	}
	exact := make([]int64, len(stakes))
	new(Filler).Fill(total, demands, exact)
	r := Round{Correction: true}
	left := resource.Sum{}.Plus(max(total, 0))
	for i, x := range exact {
		left = left.Minus(x)
		if x != deserved[i] {
			r.Steps = append(r.Steps, Step{
				Demand: i, Given: x - deserved[i], Capped: x, Asked: x, Value: x, Met: true,
			})
		}
	}
	if len(r.Steps) == 0 {
		return rounds
	}
	r.Remaining, r.Left = rounds[len(rounds)-1].Left, max(left.Int64(), 0)
	return append(rounds, r)
}
