package resource

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// amount draws any int64, its edges often.
func amount() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64(), rapid.Int64Range(-10, 10),
		rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1, 1 << 62, -1 << 62}))
}

// exactly is the sum as a big integer.
func (s Sum) exactly() *big.Int {
	x := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return x.Add(x, new(big.Int).SetUint64(s.lo))
}

// clamped is x held at the edges of int64.
func clamped(x *big.Int) int64 {
	switch {
	case x.IsInt64():
		return x.Int64()
	case x.Sign() < 0:
		return math.MinInt64
	default:
		return math.MaxInt64
	}
}

func TestASumIsExactWhateverItsHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want := Sum{}, new(big.Int)
		for _, x := range rapid.SliceOfN(amount(), 1, 50).Draw(t, "amounts") {
			if rapid.Bool().Draw(t, "plus") {
				s, want = s.Plus(x), want.Add(want, big.NewInt(x))
			} else {
				s, want = s.Minus(x), want.Sub(want, big.NewInt(x))
			}
			if s.exactly().Cmp(want) != 0 {
				t.Fatalf("the sum is %v, want %v", s.exactly(), want)
			}
			if s.Int64() != clamped(want) {
				t.Fatalf("%v reads as %d, want %d", want, s.Int64(), clamped(want))
			}
		}
	})
}

func TestSumsOfSumsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Sum {
			s := Sum{}
			for _, x := range rapid.SliceOfN(amount(), 0, 8).Draw(t, name) {
				s = s.Plus(x)
			}
			return s
		}
		a, b := draw("a"), draw("b")
		if got, want := a.PlusSum(b, 1).exactly(), new(big.Int).Add(a.exactly(), b.exactly()); got.Cmp(want) != 0 {
			t.Fatalf("a + b is %v, want %v", got, want)
		}
		if got, want := a.PlusSum(b, -1).exactly(), new(big.Int).Sub(a.exactly(), b.exactly()); got.Cmp(want) != 0 {
			t.Fatalf("a - b is %v, want %v", got, want)
		}
	})
}

func TestTakingAwayUndoesAddingToTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vecs := rapid.SliceOfN(rapid.SliceOfN(amount(), 0, 6), 1, 20).Draw(t, "vectors")
		base := Sums{}.Add(vecs[0])
		s := base.Clone()
		for _, v := range vecs {
			s = s.Add(v)
		}
		slices.Reverse(vecs)
		for _, v := range vecs {
			s = s.Sub(v)
		}
		if !s.Equal(base) || !base.Equal(s) {
			t.Fatalf("got %v back, want %v", s, base)
		}
		if grown := s.AddAt(Dim(len(s)), 1); grown.Equal(base) {
			t.Fatalf("%v counts as equal to %v", grown, base)
		}
		for d, x := range s.Vec(nil) {
			if x != base.Get(Dim(d)) {
				t.Fatalf("dimension %d reads as %d, want %d", d, x, base.Get(Dim(d)))
			}
		}
	})
}

func TestMulDivIsExactAndHeldAtTheEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, num := amount().Draw(t, "x"), max(0, amount().Draw(t, "num"))
		den := max(1, amount().Draw(t, "den"))
		want := new(big.Int).Mul(big.NewInt(x), big.NewInt(num))
		want.Quo(want, big.NewInt(den))
		if got := MulDiv(x, num, den); got != clamped(want) {
			t.Fatalf("%d·%d/%d is %d, want %d", x, num, den, got, clamped(want))
		}
	})
}
