package fair

import "testing"

func TestRealCapability(t *testing.T) {
	tests := map[string]struct {
		total, guarantees, guarantee int64
		capability                   Limit
		want                         int64
	}{
		"what no guarantee keeps, and its own":           {100, 50, 20, Limit{}, 70},
		"capability bounds it":                           {100, 50, 20, Limit{60, true}, 60},
		"a capability above it changes nothing":          {100, 50, 20, Limit{80, true}, 70},
		"a capability of zero is zero":                   {100, 0, 0, Limit{0, true}, 0},
		"guarantees beyond the total leave it its own":   {100, 150, 20, Limit{}, 20},
		"without guarantees it is the whole":             {100, 0, 0, Limit{}, 100},
		"nothing in the cluster leaves it its guarantee": {0, 30, 30, Limit{}, 30},
		"the largest amounts are held at the edge":       {most, 0, most, Limit{}, most},
		"guarantees held at the edge leave it its own":   {most, most, 5, Limit{}, 5},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := RealCapability(tc.total, tc.guarantees, tc.guarantee, tc.capability); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}
