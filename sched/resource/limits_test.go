package resource

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// bounds is the obvious form of Limits: what is not in the map has no bound.
type bounds map[Dim]int64

func drawLimits(t *rapid.T, name string) (Limits, bounds) {
	l, b := Limits{}, bounds{}
	for d, x := range rapid.MapOfN(rapid.IntRange(0, 6), rapid.Int64Range(-3, 9), 0, 5).Draw(t, name) {
		l = l.With(Dim(d), x)
		b[Dim(d)] = x
	}
	return l, b
}

func TestLimitsBoundWhatTheyNameAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, inA := drawLimits(t, "a")
		b, inB := drawLimits(t, "b")
		tighter := a.Min(b)
		for d := range Dim(8) {
			x, named := inA[d]
			if got, ok := a.Bound(d); ok != named || got != x {
				t.Fatalf("dimension %d is bounded by %d %t, want %d %t", d, got, ok, x, named)
			}
			y, other := inB[d]
			want, either := x, named || other
			if other && (!named || y < x) {
				want = y
			}
			if got, ok := tighter.Bound(d); ok != either || got != want {
				t.Fatalf("the tighter bound of dimension %d is %d %t, want %d %t", d, got, ok, want, either)
			}
		}
		if a.Empty() != (len(inA) == 0) {
			t.Fatalf("Empty is %t with bounds %v", a.Empty(), inA)
		}
	})
}

func TestWithLeavesTheLimitsItWasCalledOnAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, inA := drawLimits(t, "a")
		d := Dim(rapid.IntRange(0, 6).Draw(t, "dimension"))
		a.With(d, 100)
		x, named := inA[d]
		if got, ok := a.Bound(d); ok != named || got != x {
			t.Fatalf("dimension %d became %d %t, was %d %t", d, got, ok, x, named)
		}
	})
}

func TestWhatIsClippedExceedsNoBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, b := drawLimits(t, "limits")
		v := Vec(rapid.SliceOfN(rapid.Int64Range(-5, 15), 0, 8).Draw(t, "vector"))
		over := []Dim{}
		for d, x := range v {
			if bound, named := b[Dim(d)]; named && x > bound {
				over = append(over, Dim(d))
			}
		}
		if got := l.Short([]Dim{}, v); !slices.Equal(got, over) {
			t.Fatalf("%v exceeds %v in %v, want %v", v, b, got, over)
		}
		clipped := l.Clip(v.Clone())
		for d, x := range clipped {
			want := v[d]
			if slices.Contains(over, Dim(d)) {
				want = b[Dim(d)]
			}
			if x != want {
				t.Fatalf("dimension %d is clipped to %d, want %d", d, x, want)
			}
		}
	})
}

func TestAZeroCapabilityIsALimitAndAMissingOneIsNot(t *testing.T) {
	d := NewDims()
	l := d.Limits(List{{MemoryName, 0}})
	if short := l.Short(nil, Vec{1000, 1}); !slices.Equal(short, []Dim{Memory}) {
		t.Errorf("1000 cpu and 1 byte exceed a capability of no memory in %v, want memory alone", short)
	}
}
