package fair_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/fair"
)

func TestWeightedShares(t *testing.T) {
	for name, c := range map[string]struct {
		a      fair.Ratio
		weight int64
		b      fair.Ratio
		other  int64
		want   int
	}{
		"equal weights compare the shares":           {fair.Share(1, 2), 1, fair.Share(1, 3), 1, 1},
		"twice the share at twice the weight is due": {fair.Share(2, 3), 2000, fair.Share(1, 3), 1000, 0},
		"more weight goes first at equal shares":     {fair.Share(1, 2), 3, fair.Share(1, 2), 2, -1},
		"nothing held is nothing at any weight":      {fair.Share(0, 5), 1, fair.Share(0, 0), 9, 0},
		"of nothing deserved comes last":             {fair.Share(1, 0), 1 << 40, fair.Share(7, 1), 1, 1},
		"of one whole, less by weight":               {fair.Share(3, 7), 3000, fair.Share(2, 7), 1000, -1},
		"of one whole, as much by weight":            {fair.Share(6, 7), 3000, fair.Share(2, 7), 1000, 0},
		"of one whole, the edge of what there is": {fair.Share(1<<62, 1<<62), 1 << 40, fair.Share(1<<62-1, 1<<62),
			1 << 40, 1},
		"a weight of zero counts as one": {fair.Share(1, 2), 0, fair.Share(1, 2), 1, 0},
	} {
		if got := c.a.CompareWeighted(c.weight, c.b, c.other); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestATolerance(t *testing.T) {
	for name, c := range map[string]struct {
		a, b  fair.Ratio
		micro uint32
		want  bool
	}{
		"smaller is within":                   {fair.Share(1, 3), fair.Share(1, 2), 0, true},
		"equal is within nothing":             {fair.Share(1, 2), fair.Share(2, 4), 0, true},
		"above by a millionth is within one":  {fair.Share(500_001, 1_000_000), fair.Share(1, 2), 1, true},
		"above by a little more is not":       {fair.Share(5_000_011, 10_000_000), fair.Share(1, 2), 1, false},
		"above nothing by a millionth":        {fair.Share(1, 1_000_000), fair.Share(0, 1), 1, true},
		"of nothing deserved is within none":  {fair.Share(1, 0), fair.Share(1000, 1), 1, false},
		"everything is within the undeserved": {fair.Share(1000, 1), fair.Share(1, 0), 1, true},
	} {
		if got := c.a.Within(c.b, c.micro); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// The same in numbers without end.
func TestWeightedSharesAreExact(t *testing.T) {
	amount := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(1<<62, 1<<63-1))
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, d := amount.Draw(t, "a"), amount.Draw(t, "b"), amount.Draw(t, "c"), amount.Draw(t, "d")
		v, w := amount.Draw(t, "weight"), amount.Draw(t, "other")
		x, y := big.NewRat(a, b), big.NewRat(c, d)
		weighted := func(r *big.Rat, w int64) *big.Rat { return new(big.Rat).Quo(r, big.NewRat(w, 1)) }
		if got, want := fair.Share(a, b).CompareWeighted(v, fair.Share(c, d), w),
			weighted(x, v).Cmp(weighted(y, w)); got != want {
			t.Errorf("CompareWeighted = %d, want %d", got, want)
		}
		micro := rapid.Uint32Range(0, 1000).Draw(t, "micro")
		most := new(big.Rat).Add(y, big.NewRat(int64(micro), 1_000_000))
		if got, want := fair.Share(a, b).Within(fair.Share(c, d), micro), x.Cmp(most) <= 0; got != want {
			t.Errorf("Within = %v, want %v", got, want)
		}
	})
}
