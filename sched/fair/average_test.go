package fair

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

const (
	hour = int64(3_600_000_000_000)
	day  = 24 * hour
)

// precise is the average as a number.
func (u Average) precise() *big.Float {
	x := new(big.Float).SetPrec(300).SetUint64(u.Part)
	x.SetMantExp(x, -64)
	return x.Add(x, new(big.Float).SetPrec(300).SetUint64(u.Whole))
}

func float(u Average) float64 {
	x, _ := u.precise().Float64()
	return x
}

// powerOfHalf is 2^(−num/den) by square roots: a slow oracle of another kind than the tables.
func powerOfHalf(num, den int64) *big.Float {
	whole, rest := num/den, new(big.Int).SetInt64(num%den)
	f := new(big.Float).SetPrec(300).SetInt64(1)
	root := new(big.Float).SetPrec(300).SetFloat64(0.5)
	d := new(big.Int).SetInt64(den)
	for range 100 {
		root.Sqrt(root)
		if rest.Lsh(rest, 1); rest.Cmp(d) >= 0 {
			rest.Sub(rest, d)
			f.Mul(f, root)
		}
	}
	return f.SetMantExp(f, -int(min(whole, 1000)))
}

func TestAnAverageIsTheExactIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		halfLife := rapid.Int64Range(1, 400*day).Draw(t, "half-life")
		elapsed := rapid.Int64Range(0, 3*halfLife+10*day).Draw(t, "elapsed")
		held := rapid.Int64Range(0, 1<<53).Draw(t, "held")
		was := Average{rapid.Uint64Range(0, 1<<53).Draw(t, "whole"), rapid.Uint64().Draw(t, "part")}
		got := was.Toward(held, DecayOver(elapsed, halfLife)).precise()

		a := new(big.Float).SetPrec(300).SetInt64(held)
		gap := new(big.Float).SetPrec(300).Sub(was.precise(), a)
		scale := new(big.Float).Abs(gap)
		want := gap.Mul(gap, powerOfHalf(elapsed, halfLife))
		want.Add(want, a)

		off := new(big.Float).Sub(got, want)
		off.Abs(off)
		bound := scale.SetMantExp(scale, -57) // of what the average is away from what is held
		bound.Add(bound, new(big.Float).SetMantExp(big.NewFloat(1), -60))
		if off.Cmp(bound) > 0 {
			t.Fatalf("the average is %v, want %v", got, want)
		}
	})
}

// TestAnAverageSolvesItsEquation compares with small steps of U' = (a − U)·ln 2/h.
func TestAnAverageSolvesItsEquation(t *testing.T) {
	held := []int64{10, 0, 3, 3, 40, 0}
	got, want := Average{}, 0.0
	for _, a := range held {
		got = got.Toward(a*1000, DecayOver(5*hour, day))
		for range 1_000_000 {
			want += (float64(a)*1000 - want) * math.Ln2 * (5.0 / 24 / 1_000_000)
		}
		if x := float(got); math.Abs(x-want) > 1e-3 {
			t.Fatalf("after holding %d for five hours the average is %v, by small steps %v", a, x, want)
		}
	}
}

func TestWhatIsHeldForEverIsItsOwnAverage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		held := rapid.Int64Range(0, math.MaxInt64).Draw(t, "held")
		elapsed := rapid.Int64Range(0, math.MaxInt64).Draw(t, "elapsed")
		by := DecayOver(elapsed, rapid.Int64Range(1, math.MaxInt64).Draw(t, "half-life"))
		if got := (Average{Whole: uint64(held)}).Toward(held, by); got != (Average{Whole: uint64(held)}) {
			t.Fatalf("a holder of %d has %v after %d ns", held, got, elapsed)
		}
	})
	if got := (Average{}).Toward(10, DecayOver(200*day, day)); got != (Average{Whole: 10}) {
		t.Fatalf("a holder of ten for 200 half-lives has %v", got)
	}
	if got := (Average{Whole: 10}).Toward(0, DecayOver(day, day)); got != (Average{Whole: 5}) {
		t.Fatalf("half of ten is left after a half-life, not %v", got)
	}
}

// TestAnAverageNeverLeavesItsBounds: between what it was and what is held, and nearer to it the longer that lasts.
func TestAnAverageNeverLeavesItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		halfLife := rapid.Int64Range(1, math.MaxInt64).Draw(t, "half-life")
		one := rapid.Int64Range(math.MinInt64, math.MaxInt64).Draw(t, "one time")
		other := rapid.Int64Range(one, math.MaxInt64).Draw(t, "a later one")
		held := rapid.Int64().Draw(t, "held")
		was := Average{rapid.Uint64Range(0, math.MaxInt64).Draw(t, "whole"), rapid.Uint64().Draw(t, "part")}
		a, b := was.Toward(held, DecayOver(one, halfLife)), was.Toward(held, DecayOver(other, halfLife))
		if one <= 0 && a != was {
			t.Fatalf("time that runs backwards made %v of %v", a, was)
		}
		list := []*big.Float{was.precise(), a.precise(), b.precise(),
			(Average{Whole: uint64(max(held, 0))}).precise()}
		for i := range list[1:] {
			if c := list[i].Cmp(list[i+1]); c != 0 && c != list[0].Cmp(list[3]) {
				t.Fatalf("from %v toward %d: %v, then %v", was, held, a, b)
			}
		}
	})
}

func TestARememberedShare(t *testing.T) {
	ten := Average{Whole: 10_000}
	for name, c := range map[string]struct {
		got, want Ratio
	}{
		"no weight is the share of today":        {Remembered(4_000, ten, 8_000, 0), Share(4_000, 8_000)},
		"half of each":                           {Remembered(4_000, Average{Whole: 2_000}, 8_000, 500), Share(3_000, 8_000)},
		"a holder of ten for ever":               {Remembered(10_000, ten, 20_000, 700), Share(1, 2)},
		"a memory alone counts":                  {Remembered(0, ten, 10_000, 250), Share(1, 4)},
		"of nothing deserved it decides nothing": {Remembered(0, ten, 0, 500), Share(0, 0)},
		"what is held of nothing deserved":       {Remembered(5, ten, 0, 500), Share(5, 0)},
	} {
		if c.got.Compare(c.want) != 0 {
			t.Errorf("%s: %v, want %v", name, c.got.Micro(), c.want.Micro())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		held, more := rapid.Int64Range(0, math.MaxInt64).Draw(t, "held"), rapid.Int64Range(0, math.MaxInt64).Draw(t, "more")
		used := Average{rapid.Uint64().Draw(t, "used"), rapid.Uint64().Draw(t, "part")}
		deserved, weight := rapid.Int64Range(1, math.MaxInt64).Draw(t, "deserved"), rapid.Int64Range(1, 999).Draw(t, "weight")
		a, b := Remembered(min(held, more), used, deserved, weight), Remembered(max(held, more), used, deserved, weight)
		if a.Compare(b) > 0 || a.Over() || b.Over() {
			t.Fatalf("who holds more has the smaller share: %v, %v", a.Micro(), b.Micro())
		}
	})
}
