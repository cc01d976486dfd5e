package model

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func anyTime() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3),
		rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64 - 1, math.MaxInt64, 1 << 62, -1 << 62}))
}

func held(x *big.Int) int64 {
	switch {
	case x.IsInt64():
		return x.Int64()
	case x.Sign() < 0:
		return math.MinInt64
	default:
		return math.MaxInt64
	}
}

func TestTimesEndAndNeverWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyTime().Draw(t, "a"), anyTime().Draw(t, "b")
		x, y := big.NewInt(a), big.NewInt(b)
		if got, want := After(a, b), held(new(big.Int).Add(x, y)); got != want {
			t.Errorf("%d after %d is %d, want %d", b, a, got, want)
		}
		if got, want := Between(a, b), held(new(big.Int).Sub(y, x)); got != want {
			t.Errorf("between %d and %d lie %d, want %d", a, b, got, want)
		}
	})
}
