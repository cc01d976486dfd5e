package fair

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSharesInOrder(t *testing.T) {
	ascending := []struct {
		name  string
		share Ratio
		micro int64
	}{
		{"nothing of something", Share(0, 5), 0},
		{"one of all there can be, which prints as nothing", Share(1, most), 0},
		{"half a millionth is rounded up", Share(1, 2_000_000), 1},
		{"a third", Share(1, 3), 333_333},
		{"two thirds", Share(2, 3), 666_667},
		{"a hair less than all", Share(most-1, most), 1_000_000},
		{"all", Share(7, 7), 1_000_000},
		{"over", Share(3, 2), 1_500_000},
		{"a thousand million", Share(1_000_000_000, 1), MaxMicro},
		{"more than is printed", Share(most, 1), MaxMicro},
		{"one of nothing deserved", Share(1, 0), MaxMicro},
		{"more of nothing deserved", Share(2, 0), MaxMicro},
	}
	for i, a := range ascending {
		if got := a.share.Micro(); got != a.micro {
			t.Errorf("%s: prints as %d millionths, want %d", a.name, got, a.micro)
		}
		for j, b := range ascending {
			want := min(max(i-j, -1), 1)
			if got := a.share.Compare(b.share); got != want {
				t.Errorf("%s to %s: %d, want %d", a.name, b.name, got, want)
			}
		}
	}
}

func TestEqualSharesAreEqualHoweverTheyAreWritten(t *testing.T) {
	tests := map[string][2]Ratio{
		"a half":                           {Share(1, 2), Share(1<<61, 1<<62)},
		"nothing of nothing is nothing":    {Share(0, 0), Share(0, 9)},
		"the zero share is nothing":        {{}, Share(0, 9)},
		"amounts below zero count as zero": {Share(-3, 5), Share(0, -2)},
		"all":                              {Share(most, most), Share(1, 1)},
	}
	for name, tc := range tests {
		if tc[0].Compare(tc[1]) != 0 || tc[1].Compare(tc[0]) != 0 {
			t.Errorf("%s: not equal", name)
		}
	}
}

func TestMaxIsTheShareOfTheDimensionThatIsFurthest(t *testing.T) {
	tests := map[string]struct {
		shares []Ratio
		want   Ratio
	}{
		"no dimension":                   {nil, Share(0, 1)},
		"the larger":                     {[]Ratio{Share(1, 4), Share(2, 4), Share(1, 3)}, Share(1, 2)},
		"nothing deserved is over":       {[]Ratio{Share(most, 1), Share(1, 0)}, Share(1, 0)},
		"nothing of nothing is no share": {[]Ratio{Share(0, 0), Share(1, 9)}, Share(1, 9)},
	}
	for name, tc := range tests {
		if got := Max(tc.shares...); got.Compare(tc.want) != 0 {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

func TestOnlyAShareOfNothingDeservedIsOver(t *testing.T) {
	if !Share(1, 0).Over() || Share(0, 0).Over() || Share(9, 1).Over() {
		t.Error("Over is for something of nothing, and only for that")
	}
}

func TestSharesCompareAndPrintAsFractions(t *testing.T) {
	amount := rapid.Int64Range(0, most)
	rapid.Check(t, func(t *rapid.T) {
		a, c := amount.Draw(t, "a"), amount.Draw(t, "c")
		b, d := max(amount.Draw(t, "b"), 1), max(amount.Draw(t, "d"), 1)
		x, y := big.NewRat(a, b), big.NewRat(c, d)
		if got, want := Share(a, b).Compare(Share(c, d)), x.Cmp(y); got != want {
			t.Errorf("%v to %v is %d, want %d", x, y, got, want)
		}
		micro := x.Mul(x, big.NewRat(1_000_000, 1))
		want := floor(micro.Add(micro, big.NewRat(1, 2)))
		if limit := big.NewInt(MaxMicro); want.Cmp(limit) > 0 {
			want = limit
		}
		if got := Share(a, b).Micro(); want.Cmp(big.NewInt(got)) != 0 {
			t.Errorf("%d of %d prints as %d, want %v", a, b, got, want)
		}
	})
}

func TestSharesHaveOneOrder(t *testing.T) {
	share := rapid.Custom(func(t *rapid.T) Ratio {
		return Share(rapid.Int64Range(0, 4).Draw(t, "allocated"), rapid.Int64Range(0, 3).Draw(t, "deserved"))
	})
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(share, 0, 6).Draw(t, "shares")
		slices.SortFunc(shares, Ratio.Compare)
		for i := range shares {
			for j := range shares[:i] {
				if shares[j].Compare(shares[i]) > 0 || shares[j].Micro() > shares[i].Micro() {
					t.Errorf("%v is sorted before %v", shares[j], shares[i])
				}
			}
		}
	})
}
