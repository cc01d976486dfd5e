package fair

import (
	"maps"
	"slices"
	"testing"

	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// orchard is a LiveTree with the rows that it should have, under numbers without order.
type orchard struct {
	t    *rapid.T
	live LiveTree
	rows map[int32]Branch
}

// The slow twin: a LiveTree that was told of one change after another says what Tree
// says of the rows as they are.
func TestALiveTreeIsTheTreeOfItsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &orchard{t: t}
		for range rapid.IntRange(1, 2).Draw(t, "trees") {
			o.live.Clear()
			o.rows = map[int32]Branch{}
			places := rapid.Permutation([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).Draw(t, "places")
			for i, r := range drawTree(t) {
				if r.Up >= 0 {
					r.Up = places[r.Up]
				}
				o.rows[places[i]] = r
			}
			for _, i := range o.numbers() {
				o.live.Put(i, o.rows[i])
			}
			o.agrees()
			for range rapid.IntRange(0, 12).Draw(t, "changes") {
				o.change()
				if rapid.Bool().Draw(t, "looked at") {
					o.agrees()
				}
			}
			o.agrees()
		}
	})
}

func (o *orchard) numbers() []int32 { return slices.Sorted(maps.Keys(o.rows)) }

// change is a row that changes, with its place or without, comes, or goes with all below it.
func (o *orchard) change() {
	other := drawTree(o.t)
	b := other[rapid.IntRange(0, len(other)-1).Draw(o.t, "other")]
	i := rapid.SampledFrom(o.numbers()).Draw(o.t, "row")
	b.Up = o.rows[i].Up
	switch rapid.IntRange(0, 4).Draw(o.t, "change") {
	case 0:
		if b.Up < 0 {
			return
		}
		gone := slices.DeleteFunc(o.numbers(), func(k int32) bool { return !o.below(k, i) })
		for _, k := range gone {
			o.live.Remove(k)
			delete(o.rows, k)
		}
		return
	case 1:
		fresh := rapid.Int32Range(0, 14).Draw(o.t, "fresh")
		if _, there := o.rows[fresh]; !there {
			b.Up, i = i, fresh
		}
	case 2, 3:
		up := rapid.SampledFrom(o.numbers()).Draw(o.t, "up")
		if b.Up >= 0 && !o.below(up, i) {
			b.Up = up
		}
	}
	o.rows[i] = b
	o.live.Put(i, b)
}

// below says that a row is another or below it.
func (o *orchard) below(i, above int32) bool {
	for ; i >= 0; i = o.rows[i].Up {
		if i == above {
			return true
		}
	}
	return false
}

func (o *orchard) agrees() {
	o.live.Settle()
	var rows []Branch
	at := map[int32]int32{-1: -1}
	for len(rows) < len(o.rows) {
		for _, i := range o.numbers() {
			up, known := at[o.rows[i].Up]
			if _, done := at[i]; known && !done {
				at[i] = int32(len(rows))
				r := o.rows[i]
				r.Up = up
				rows = append(rows, r)
			}
		}
	}
	want := settled(rows)
	for _, i := range o.numbers() {
		if got := *o.live.Bough(i); got != want[at[i]] {
			o.t.Fatalf("row %d of %+v is %+v, want %+v", i, o.rows, got, want[at[i]])
		}
		promised := int64(0)
		for _, r := range o.rows { // order-free: a sum
			if r.Up == i {
				promised = resource.Sum{}.Plus(promised).Plus(r.Guarantee).Int64()
			}
		}
		if got := o.live.Promised(i); got != promised {
			o.t.Fatalf("row %d promised %d, want %d", i, got, promised)
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
