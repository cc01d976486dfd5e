package resource

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestColumnsComeInOrderOfSightAndNamesInOrderOfName(t *testing.T) {
	d := NewDims()
	z, a := d.Intern("z.com/z"), d.Intern("a.com/a")
	if again := d.Intern("z.com/z"); again != z {
		t.Errorf("z.com/z has column %d at second sight, had %d", again, z)
	}
	if _, seen := d.Lookup("never.com/seen"); seen || d.Len() != 5 {
		t.Errorf("looking a name up made a column: %d columns, want 5", d.Len())
	}
	order := []Dim{z, Pods, a, Memory, CPU}
	d.SortByName(order)
	if want := []Dim{CPU, Memory, Pods, a, z}; !slices.Equal(order, want) {
		t.Errorf("sorted by name: %v, want %v", order, want)
	}
}

func TestAListSurvivesBecomingAVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List
		for name, x := range rapid.MapOfN(rapid.SampledFrom([]string{CPUName, MemoryName, PodsName, "x/a", "x/b"}),
			rapid.Int64Range(1, 99), 0, 5).Draw(t, "amounts") {
			l = append(l, Amount{name, x})
		}
		l = Normalize(l)
		d := NewDims()
		for _, name := range rapid.Permutation([]string{"x/b", "x/c", "x/a"}).Draw(t, "seen before") {
			d.Intern(name)
		}
		if got := d.List(d.Vec(l)); !slices.Equal(got, l) {
			t.Fatalf("got %v back, want %v", got, l)
		}
	})
}

func TestNormalizeAddsUpWhatHasOneName(t *testing.T) {
	got := Normalize(List{{"b", 1}, {"a", 2}, {"b", 3}, {"a", 0}})
	if want := (List{{"a", 2}, {"b", 4}}); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFitsSaysWhetherShortNamesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vec := rapid.SliceOfN(rapid.Int64Range(-2, 3), 0, 5)
		need, have := Vec(vec.Draw(t, "need")), Vec(vec.Draw(t, "have"))
		if short := Short(nil, need, have); Fits(need, have) != (len(short) == 0) {
			t.Fatalf("need %v of %v: fits %t, short %v", need, have, Fits(need, have), short)
		}
		if left := have.FitDelta(need); Fits(need, have) != (len(left) == 0 || slices.Min(left) >= 0) {
			t.Fatalf("need %v of %v: fits %t, delta %v", need, have, Fits(need, have), left)
		}
	})
}
