package fair

import (
	"testing"

	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// The slow twin: a LiveTree that was told of one change after another says what Tree
// says of the rows as they are.
func TestALiveTreeIsTheTreeOfItsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var live LiveTree
		for range rapid.IntRange(1, 2).Draw(t, "trees") {
			rows := drawTree(t)
			live.Clear()
			for i, r := range rows {
				live.Put(i, r)
			}
			agrees(t, &live, rows)
			for range rapid.IntRange(0, 12).Draw(t, "changes") {
				other := drawTree(t)
				i := rapid.IntRange(0, len(rows)-1).Draw(t, "row")
				up := rows[i].Up
				rows[i] = other[min(i, len(other)-1)]
				rows[i].Up = up
				live.Put(i, rows[i])
				if rapid.Bool().Draw(t, "looked at") {
					agrees(t, &live, rows)
				}
			}
			agrees(t, &live, rows)
		}
	})
}

func agrees(t *rapid.T, live *LiveTree, rows []Branch) {
	live.Settle()
	for i, want := range settled(rows) {
		got := *live.Bough(int32(i))
		if got != want || live.Branch(int32(i)) != rows[i] {
			t.Fatalf("row %d of %+v is %+v, want %+v", i, rows, got, want)
		}
	}
	for i := range rows {
		promised := int64(0)
		for _, r := range rows {
			if r.Up == int32(i) {
				promised = resource.Sum{}.Plus(promised).Plus(r.Guarantee).Int64()
			}
		}
		if got := live.Promised(int32(i)); got != promised {
			t.Fatalf("row %d promised %d, want %d", i, got, promised)
		}
	}
}

func TestWhatIsKeptFree(t *testing.T) {
	for name, c := range map[string]struct{ got, want int64 }{
		"what a guarantee lacks":                         {Unfilled(10, 20, 4, 0), 6},
		"nothing of one that is filled":                  {Unfilled(10, 20, 14, 0), 0},
		"what those below lack, when brothers borrowed":  {Unfilled(10, 20, 8, 5), 5},
		"not what cannot be held":                        {Unfilled(10, 11, 8, 5), 3},
		"all of a promise that is covered goes upward":   {Upward(8, 10, 10), 8},
		"the covered part of one that is not":            {Upward(8, 40, 10), 2},
		"nothing of a promise without a guarantee above": {Upward(8, 40, 0), 0},
		"nothing promised":                               {Upward(0, 0, 0), 0},
		"more than there is may be held":                 {Unfilled(0, 9, most, 0), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}
