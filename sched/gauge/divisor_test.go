package gauge

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The inverse multiplied must be division to the unit, at the edges above all.
func TestADivisorDivides(t *testing.T) {
	edges := []int64{0, 1, 2, 3, 1<<31 - 1, 1 << 31, 1<<62 - 1, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	for _, x := range edges {
		for _, by := range edges[1:] {
			d := divisorOf(by)
			if got := d.divide(x); got != x/by {
				t.Errorf("%d/%d = %d, want %d", x, by, got, x/by)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		by := rapid.Int64Range(1, math.MaxInt64).Draw(t, "by")
		times := rapid.Int64Range(0, math.MaxInt64/by).Draw(t, "times")
		d := divisorOf(by)
		for _, x := range []int64{times * by, max(0, times*by-1), rapid.Int64Range(0, math.MaxInt64).Draw(t, "x")} {
			if got := d.divide(x); got != x/by {
				t.Fatalf("%d/%d = %d, want %d", x, by, got, x/by)
			}
		}
	})
}
