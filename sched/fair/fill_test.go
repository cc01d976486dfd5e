package fair

import (
	"math"
	"slices"
	"testing"
)

const most = math.MaxInt64

func TestFill(t *testing.T) {
	tests := map[string]struct {
		total  int64
		claims []Demand
		want   []int64
	}{
		"seed 000 §15: what C does not ask for goes to A and B by weight": {
			100, []Demand{{2, 10, 50}, {3, 0, 60}, {5, 20, 30}}, []int64{28, 42, 30},
		},
		"seed 004, deserved: three that ask for enough get their weights": {
			100, []Demand{{3, 20, 50}, {2, 10, 80}, {5, 30, most}}, []int64{30, 20, 50},
		},
		"decision 1: a guarantee is a floor, not a head start": {
			100, []Demand{{1, 30, most}, {1, 0, most}, {2, 0, 10}}, []int64{45, 45, 10},
		},
		"a guarantee above the level is kept, and the others share the rest": {
			100, []Demand{{1, 80, 90}, {1, 0, 90}}, []int64{80, 20},
		},
		"an idle queue keeps its guarantee": {
			100, []Demand{{1, 30, 0}, {1, 0, most}}, []int64{30, 70},
		},
		"guarantees beyond the total are all that is guaranteed": {
			100, []Demand{{1, 80, 90}, {1, 40, 90}, {5, 0, 90}}, []int64{80, 40, 0},
		},
		"everyone has what he asks for and the rest stays free": {
			100, []Demand{{1, 0, 10}, {9, 5, 20}}, []int64{10, 20},
		},
		"units that do not divide go to the largest remainder": {
			10, []Demand{{1, 0, most}, {2, 0, most}, {3, 0, most}}, []int64{2, 3, 5},
		},
		"among equal remainders the earlier is first": {
			101, []Demand{{1, 0, most}, {1, 0, most}, {1, 0, most}}, []int64{34, 34, 33},
		},
		"a queue at its cap gets no left-over unit": {
			10, []Demand{{1, 0, 3}, {1, 0, most}, {1, 0, most}}, []int64{3, 4, 3},
		},
		"a weight below one counts as one": {
			10, []Demand{{0, 0, most}, {-7, 0, most}}, []int64{5, 5},
		},
		"amounts below zero count as zero":    {10, []Demand{{1, -5, -9}, {1, 0, most}}, []int64{0, 10}},
		"nothing to share leaves the floors":  {0, []Demand{{1, 7, 9}, {1, 0, 9}}, []int64{7, 0}},
		"a total below zero is nothing":       {-4, []Demand{{1, 7, 9}, {1, 0, 9}}, []int64{7, 0}},
		"no other to share with":              {10, nil, nil},
		"one queue without limit has it all":  {most, []Demand{{maxWeight, 0, most}}, []int64{most}},
		"the largest amounts do not overflow": {most, []Demand{{1, 0, most}, {1, 0, most}}, []int64{most/2 + 1, most / 2}},
		"floors with a sum above int64 stand": {most, []Demand{{1, most, most}, {1, most, most}}, []int64{most, most}},
	}
	var f Filler
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			out := make([]int64, len(tc.claims))
			f.Fill(tc.total, tc.claims, out)
			if !slices.Equal(out, tc.want) {
				t.Errorf("got %v, want %v", out, tc.want)
			}
		})
	}
}

func TestTenThousandQueuesOfTheLargestWeightShareTheLargestTotal(t *testing.T) {
	demands := make([]Demand, 10_000)
	for i := range demands {
		demands[i] = Demand{Weight: maxWeight - int64(i%3), Floor: int64(i), Cap: most - int64(i)}
	}
	out := fill(most, demands)
	left := int64(most)
	for _, x := range out {
		left -= x
	}
	if left != 0 {
		t.Errorf("%d units are not given out", left)
	}
}

func TestFillAllocatesOnlyOnce(t *testing.T) {
	demands := manyClaims(100)
	out := make([]int64, len(demands))
	var f Filler
	f.Fill(1<<40, demands, out)
	if n := testing.AllocsPerRun(10, func() { f.Fill(1<<36, demands, out) }); n != 0 {
		t.Errorf("%v allocations in a later call", n)
	}
}

// A demand with a guarantee is met twice by the level, so that is the harder half.
func BenchmarkFillFiveDimensionsOfThousandQueues(b *testing.B) {
	for name, every := range map[string]int{"all guaranteed": 1, "one in ten guaranteed": 10} {
		b.Run(name, func(b *testing.B) {
			demands := manyClaims(1000)
			for i := range demands {
				if i%every != 0 {
					demands[i].Floor = 0
				}
			}
			out := make([]int64, len(demands))
			var f Filler
			f.Fill(1<<40, demands, out)
			b.ReportAllocs()
			for b.Loop() {
				for range 5 {
					f.Fill(1<<40, demands, out)
				}
			}
		})
	}
}

// manyClaims are n claims of which no two are alike.
func manyClaims(n int) []Demand {
	x := uint64(1)
	next := func(bound uint64) int64 {
		x = x*6364136223846793005 + 1442695040888963407
		return int64((x >> 33) % bound)
	}
	demands := make([]Demand, n)
	for i := range demands {
		floor := next(1 << 29)
		demands[i] = Demand{Weight: 1 + next(100), Floor: floor, Cap: floor + next(1<<31)}
	}
	return demands
}

func fill(total int64, demands []Demand) []int64 {
	out := make([]int64, len(demands))
	new(Filler).Fill(total, demands, out)
	return out
}
