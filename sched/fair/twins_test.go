package fair

import (
	"math/big"

	"pgregory.net/rapid"
)

// The twins say the same as Fill, slowly and obviously. All are in exact numbers.

func rat(x int64) *big.Rat { return new(big.Rat).SetInt64(x) }

func clamp(x, lower, upper *big.Rat) *big.Rat {
	if x.Cmp(lower) < 0 {
		return lower
	}
	if x.Cmp(upper) > 0 {
		return upper
	}
	return x
}

// exactShares is the definition: the level is searched by halves down to 1/2^80; there
// it is known which demands take, hence the level at which they take all that the others leave;
// and that level is checked. (Where none takes, any level there is as good.)
func exactShares(t *rapid.T, total int64, demands []Demand) []*big.Rat {
	shares := func(level *big.Rat) ([]*big.Rat, *big.Rat) {
		out, sum := make([]*big.Rat, len(demands)), new(big.Rat)
		for i, c := range demands {
			x := new(big.Rat).Mul(level, rat(c.weight()))
			out[i] = clamp(x, rat(c.lower()), rat(c.upper()))
			sum.Add(sum, out[i])
		}
		return out, sum
	}
	if out, sum := shares(new(big.Rat)); sum.Cmp(rat(total)) >= 0 {
		return out
	}
	if out, sum := shares(rat(most)); sum.Cmp(rat(total)) <= 0 {
		return out
	}
	near := halve(total, demands)
	rest, weight := rat(total), new(big.Rat)
	for _, c := range demands {
		x := new(big.Rat).Mul(near, rat(c.weight()))
		switch {
		case x.Cmp(rat(c.upper())) >= 0:
			rest.Sub(rest, rat(c.upper()))
		case x.Cmp(rat(c.lower())) < 0:
			rest.Sub(rest, rat(c.lower()))
		default:
			weight.Add(weight, rat(c.weight()))
		}
	}
	level := near
	if weight.Sign() > 0 {
		level = rest.Quo(rest, weight)
	}
	out, sum := shares(level)
	if sum.Cmp(rat(total)) != 0 {
		t.Fatalf("the twin itself is wrong: it gives out %v of %d", sum, total)
	}
	return out
}

const fraction = 80

// halve is the highest level, in 1/2^80, at which total suffices.
func halve(total int64, demands []Demand) *big.Rat {
	fine := func(x int64) *big.Int { return new(big.Int).Lsh(big.NewInt(x), fraction) }
	level := new(big.Int)
	for bit := 63 + fraction; bit >= 0; bit-- {
		try, sum := new(big.Int).SetBit(level, bit, 1), new(big.Int)
		for _, c := range demands {
			x := new(big.Int).Mul(try, big.NewInt(c.weight()))
			if low := fine(c.lower()); x.Cmp(low) < 0 {
				x = low
			}
			if high := fine(c.upper()); x.Cmp(high) > 0 {
				x = high
			}
			sum.Add(sum, x)
		}
		if sum.Cmp(fine(total)) <= 0 {
			level = try
		}
	}
	return new(big.Rat).SetFrac(level, fine(1))
}

// seedRounds is the loop of seed 000, §4, to its end: for claims without floors.
func seedRounds(total int64, demands []Demand) []*big.Rat {
	out, met := make([]*big.Rat, len(demands)), make([]bool, len(demands))
	for i := range out {
		out[i] = new(big.Rat)
	}
	for remaining := rat(total); remaining.Sign() > 0; {
		weight, moved := new(big.Rat), new(big.Rat)
		for i, c := range demands {
			if !met[i] {
				weight.Add(weight, rat(c.weight()))
			}
		}
		if weight.Sign() == 0 {
			break
		}
		for i, c := range demands {
			if met[i] {
				continue
			}
			x := new(big.Rat).Mul(remaining, rat(c.weight()))
			x.Add(out[i], x.Quo(x, weight))
			x = clamp(x, new(big.Rat), rat(c.upper()))
			met[i] = x.Cmp(rat(c.upper())) == 0
			moved.Add(moved, new(big.Rat).Sub(x, out[i]))
			out[i] = x
		}
		remaining = new(big.Rat).Sub(remaining, moved)
	}
	return out
}

// floorRounds is the same loop with floors that are no head start: in every round the
// level, not the queue's figure, rises by what remains over the weight of the unmet,
// and a queue below the level gets nothing. It comes ever closer from below.
func floorRounds(total int64, demands []Demand) []*big.Rat {
	fine := func(x int64) *big.Int { return new(big.Int).Lsh(big.NewInt(x), fraction) }
	level, out := new(big.Int), make([]*big.Int, len(demands))
	for {
		remaining, weight := fine(total), int64(0)
		for i, c := range demands {
			out[i] = new(big.Int).Mul(level, big.NewInt(c.weight()))
			if low := fine(c.lower()); out[i].Cmp(low) < 0 {
				out[i] = low
			}
			if high := fine(c.upper()); out[i].Cmp(high) >= 0 {
				out[i] = high
			} else {
				weight += c.weight()
			}
			remaining.Sub(remaining, out[i])
		}
		if weight == 0 || remaining.Cmp(big.NewInt(weight)) < 0 {
			break
		}
		level.Add(level, remaining.Quo(remaining, big.NewInt(weight)))
	}
	shares := make([]*big.Rat, len(out))
	for i := range out {
		shares[i] = new(big.Rat).SetFrac(out[i], fine(1))
	}
	return shares
}
