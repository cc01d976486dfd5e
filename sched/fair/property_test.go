package fair

import (
	"cmp"
	"flag"
	"math/big"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMain asks for thousands of cases, unless the command line says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "4000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// drawn is a total and claims: small ones, where ties and rounding are common, or of
// any size an int64 has.
func drawn(t *rapid.T) (int64, []Demand) {
	top, weight := int64(60), int64(5)
	if rapid.Bool().Draw(t, "large") {
		top, weight = most, maxWeight
	}
	amount := rapid.Int64Range(0, top)
	demand := rapid.Custom(func(t *rapid.T) Demand {
		c := Demand{Weight: rapid.Int64Range(1, weight).Draw(t, "weight"), Cap: amount.Draw(t, "cap")}
		if rapid.Bool().Draw(t, "guaranteed") {
			c.Floor = rapid.Int64Range(0, top/4).Draw(t, "floor")
		}
		return c
	})
	return amount.Draw(t, "total"), rapid.SliceOfN(demand, 0, 7).Draw(t, "claims")
}

func floor(x *big.Rat) *big.Int { return new(big.Int).Div(x.Num(), x.Denom()) }

func ceil(x *big.Rat) *big.Int {
	n := new(big.Int).Neg(x.Num())
	return n.Neg(n.Div(n, x.Denom()))
}

// between checks that every amount is its exact share, rounded down or up, when the
// share is known to be at least low and at most slack above it.
func between(t *rapid.T, out []int64, low []*big.Rat, slack *big.Rat) {
	for i, x := range out {
		got, high := big.NewInt(x), new(big.Rat).Add(low[i], slack)
		if got.Cmp(floor(low[i])) < 0 || got.Cmp(ceil(high)) > 0 {
			t.Errorf("claim %d has %d, its exact share is %s", i, x, low[i].FloatString(3))
		}
	}
}

func TestFillRoundsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		between(t, fill(total, demands), exactShares(t, total, demands), new(big.Rat))
	})
}

func TestFillRoundsTheSeedsLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		for i := range demands {
			demands[i].Floor = 0
		}
		between(t, fill(total, demands), seedRounds(total, demands), new(big.Rat))
	})
}

func TestFillIsWhereRoundsWithFloorsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		for i := range demands {
			demands[i].Weight = min(demands[i].Weight, 5)
		}
		between(t, fill(total, demands), floorRounds(total, demands), big.NewRat(1, 1<<62))
	})
}

func TestEverythingIsGivenOutWhileSomebodyAsks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		given, lower, upper := new(big.Int), new(big.Int), new(big.Int)
		for i, x := range fill(total, demands) {
			given.Add(given, big.NewInt(x))
			lower.Add(lower, big.NewInt(demands[i].lower()))
			upper.Add(upper, big.NewInt(demands[i].upper()))
			if x < demands[i].Floor || x > max(demands[i].Floor, demands[i].Cap) {
				t.Errorf("claim %d of %+v has %d", i, demands[i], x)
			}
		}
		want := big.NewInt(total)
		if want.Cmp(upper) > 0 {
			want = upper
		}
		if want.Cmp(lower) < 0 {
			want = lower
		}
		if given.Cmp(want) != 0 {
			t.Errorf("%v given out, want %v", given, want)
		}
	})
}

func TestOrderOfClaimsMattersOnlyForUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		places := make([]int, len(demands))
		for i := range places {
			places[i] = i
		}
		places = rapid.Permutation(places).Draw(t, "places")
		moved := make([]Demand, len(demands))
		for i, p := range places {
			moved[p] = demands[i]
		}
		want, got := fill(total, demands), fill(total, moved)
		for i, p := range places {
			if d := want[i] - got[p]; d < -1 || d > 1 {
				t.Errorf("claim %d has %d, and %d in another order", i, want[i], got[p])
			}
		}
	})
}

func TestOrderOfClaimsNeverMattersWhenTheirNamesDecide(t *testing.T) {
	type named struct {
		name  int
		claim Demand
	}
	byName := func(total int64, rows []named) map[int]int64 {
		rows = slices.Clone(rows)
		slices.SortFunc(rows, func(a, b named) int { return cmp.Compare(a.name, b.name) })
		var demands []Demand
		for _, r := range rows {
			demands = append(demands, r.claim)
		}
		out := map[int]int64{}
		for i, x := range fill(total, demands) {
			out[rows[i].name] = x
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		var rows []named
		for i, c := range demands {
			rows = append(rows, named{i, c})
		}
		want := byName(total, rows)
		for name, x := range byName(total, rapid.Permutation(rows).Draw(t, "rows")) {
			if x != want[name] {
				t.Errorf("queue %d has %d, and %d in another order", name, want[name], x)
			}
		}
	})
}

func TestMoreWeightNeverGetsLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		if len(demands) < 2 {
			return
		}
		demands[1].Floor, demands[1].Cap = demands[0].Floor, demands[0].Cap
		out := fill(total, demands)
		if d := demands[0].Weight - demands[1].Weight; d > 0 && out[0] < out[1] || d < 0 && out[0] > out[1] {
			t.Errorf("%+v has %d and %+v has %d", demands[0], out[0], demands[1], out[1])
		}
		heavier := slices.Clone(demands)
		heavier[0].Weight = rapid.Int64Range(demands[0].Weight, maxWeight).Draw(t, "heavier")
		if x := fill(total, heavier)[0]; x < out[0]-1 {
			t.Errorf("with weight %d instead of %d it has %d instead of %d",
				heavier[0].Weight, demands[0].Weight, x, out[0])
		}
	})
}

func TestScalingAllWeightsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, demands := drawn(t)
		scale := rapid.Int64Range(1, 1000).Draw(t, "scale")
		scaled := slices.Clone(demands)
		for i := range demands {
			demands[i].Weight = min(demands[i].Weight, maxWeight/1000)
			scaled[i].Weight = demands[i].Weight * scale
		}
		if a, b := fill(total, demands), fill(total, scaled); !slices.Equal(a, b) {
			t.Errorf("%v, and %v with weights scaled by %d", a, b, scale)
		}
	})
}

// What a Filler remembers must not show: whatever it was asked before, and however little
// has changed since, it says what one says that is asked for the first time.
func TestAFillerAnswersAsIfAskedForTheFirstTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Filler
		total, demands := drawn(t)
		for range rapid.IntRange(1, 6).Draw(t, "times") {
			switch other, more := drawn(t); {
			case rapid.IntRange(0, 3).Draw(t, "anew") == 0:
				total, demands = other, more
			case len(demands) == 0 || rapid.Bool().Draw(t, "total"):
				total = max(0, total+rapid.Int64Range(-3, min(3, most-total)).Draw(t, "more"))
			case len(more) > 0:
				demands[rapid.IntRange(0, len(demands)-1).Draw(t, "claim")] = more[0]
			}
			out := make([]int64, len(demands))
			f.Fill(total, demands, out)
			if want := fill(total, demands); !slices.Equal(out, want) {
				t.Fatalf("%v of %d among %v, want %v", out, total, demands, want)
			}
		}
	})
}
