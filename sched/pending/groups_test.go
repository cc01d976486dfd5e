package pending

import (
	"maps"
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"pgregory.net/rapid"
)

// Groups hold what a map of jobs to keys says, and no group is empty.
func TestGroupsHoldTheJobsThatWereAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var gs Groups[int]
		want := map[ledger.JobID]int{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			j := ledger.JobID(rapid.IntRange(0, 9).Draw(t, "job"))
			gs.Remove(j)
			delete(want, j)
			if rapid.Bool().Draw(t, "add") {
				key := rapid.IntRange(0, 3).Draw(t, "key")
				_, fresh := gs.Add(j, key)
				if known := slices.Contains(slices.Collect(maps.Values(want)), key); fresh == known {
					t.Fatalf("the group of %d is new: %t", key, fresh)
				}
				want[j] = key
			}
			got := map[ledger.JobID]int{}
			for _, g := range gs.All {
				if len(g.Jobs) == 0 {
					t.Fatalf("the group of %d has no job", g.Key)
				}
				for _, j := range g.Jobs {
					got[j] = g.Key
				}
			}
			if !maps.Equal(got, want) {
				t.Fatalf("the groups hold %v, want %v", got, want)
			}
		}
	})
}
