package fair

import (
	"maps"
	"slices"
	"testing"

	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// orchard is a LiveTree, of which two dimensions are looked at, with the rows that it should have, under numbers
// without order, and with those that rest.
type orchard struct {
	t     *rapid.T
	live  LiveTree
	dims  [2]int
	rows  map[int32]plant
	rests map[int32]plant
}

// plant is a row: what it is below, and its amounts in each dimension.
type plant struct {
	up int32
	in [2]QueueNode
}

// The slow twin: a LiveTree that was told of one change after another says what Tree
// says of the rows as they are.
func TestALiveTreeIsTheTreeOfItsRows(t *testing.T) {
	rested := 0
	rapid.Check(t, func(t *rapid.T) {
		o := &orchard{t: t}
		for range rapid.IntRange(1, 2).Draw(t, "trees") {
			o.dims = [2]int{0, rapid.SampledFrom([]int{1, 65}).Draw(t, "the other dimension")}
			o.live.Clear(o.dims[1] + 1)
			o.rows, o.rests = map[int32]plant{}, map[int32]plant{}
			places := rapid.Permutation([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).Draw(t, "places")
			for i, r := range drawTree(t) {
				if r.Up >= 0 {
					r.Up = places[r.Up]
				}
				o.rows[places[i]] = plant{r.Up, [2]QueueNode{r, o.amounts()}}
			}
			for _, i := range o.numbers() {
				o.put(i)
			}
			o.agrees()
			for range rapid.IntRange(0, 12).Draw(t, "changes") {
				o.change()
				rested += len(o.rests)
				if rapid.Bool().Draw(t, "looked at") {
					o.agrees()
				}
			}
			o.agrees()
		}
	})
	if rested == 0 {
		t.Error("no row ever rested: this shows too little")
	}
}

func (o *orchard) numbers() []int32 { return slices.Sorted(maps.Keys(o.rows)) }

func (o *orchard) put(i int32) {
	o.live.Attach(i, o.rows[i].up)
	for d, b := range o.rows[i].in {
		o.live.Put(i, o.dims[d], b)
	}
}

// amounts are those of any row.
func (o *orchard) amounts() QueueNode {
	other := drawTree(o.t)
	return other[rapid.IntRange(0, len(other)-1).Draw(o.t, "other")]
}

// change is a row that changes, with its place or without, or comes; or one that goes with
// all below it, which rest and come again with it, or elsewhere, or do not.
func (o *orchard) change() {
	i := rapid.SampledFrom(o.numbers()).Draw(o.t, "row")
	p := o.rows[i]
	switch rapid.IntRange(0, 6).Draw(o.t, "change") {
	case 0:
		if p.up >= 0 {
			o.fell(i)
		}
		return
	case 1:
		fresh := rapid.Int32Range(0, 14).Draw(o.t, "fresh")
		if _, there := o.rows[fresh]; !there {
			delete(o.rests, fresh)
			o.uproot(fresh)
			p.up, i = i, fresh
		}
	case 2, 3:
		up := rapid.SampledFrom(o.numbers()).Draw(o.t, "up")
		if p.up >= 0 && !o.below(up, i) {
			p.up = up
		}
	case 4:
		o.again()
		return
	}
	p.in[rapid.IntRange(0, 1).Draw(o.t, "dimension")] = o.amounts()
	o.rows[i] = p
	o.put(i)
}

// fell takes a row away; those below it rest, each after the one above it.
func (o *orchard) fell(i int32) {
	p := o.rows[i]
	o.live.Remove(i)
	delete(o.rows, i)
	o.rests[i] = p
	for _, k := range o.numbers() {
		if p, there := o.rows[k]; there && p.up == i {
			o.rest(k)
		}
	}
}

func (o *orchard) rest(i int32) {
	o.live.Detach(i)
	o.rests[i] = o.rows[i]
	delete(o.rows, i)
	for _, k := range o.numbers() {
		if p, there := o.rows[k]; there && p.up == i {
			o.rest(k)
		}
	}
}

// uproot takes those that rest below a row away for good.
func (o *orchard) uproot(i int32) {
	for _, k := range slices.Sorted(maps.Keys(o.rests)) {
		if p, rests := o.rests[k]; rests && p.up == i {
			o.live.Remove(k)
			delete(o.rests, k)
			o.uproot(k)
		}
	}
}

// again lets a row that is away come again, where the one above it is there, with those
// below it; some of them have other amounts than before, or are gone.
func (o *orchard) again() {
	for _, i := range slices.Sorted(maps.Keys(o.rests)) {
		p, rests := o.rests[i]
		if _, up := o.rows[p.up]; !rests || !up || rapid.IntRange(0, 2).Draw(o.t, "comes again") == 0 {
			continue
		}
		o.comeAgain(i)
		return
	}
}

func (o *orchard) comeAgain(i int32) {
	p := o.rests[i]
	delete(o.rests, i)
	if rapid.IntRange(0, 3).Draw(o.t, "as it was") == 0 {
		p.in[rapid.IntRange(0, 1).Draw(o.t, "dimension")] = o.amounts()
	}
	o.rows[i] = p
	o.put(i)
	for _, k := range slices.Sorted(maps.Keys(o.rests)) {
		if p, rests := o.rests[k]; !rests || p.up != i {
			continue
		}
		if rapid.IntRange(0, 4).Draw(o.t, "gone") == 0 {
			o.live.Remove(k)
			delete(o.rests, k)
			o.uproot(k)
		} else {
			o.comeAgain(k)
		}
	}
}

// below says that a row is another or below it.
func (o *orchard) below(i, above int32) bool {
	for ; i >= 0; i = o.rows[i].up {
		if i == above {
			return true
		}
	}
	return false
}

func (o *orchard) agrees() {
	o.live.Settle()
	for d := range 2 {
		o.agreesIn(d)
	}
}

func (o *orchard) agreesIn(d int) {
	var rows []QueueNode
	at := map[int32]int32{-1: -1}
	for len(rows) < len(o.rows) {
		for _, i := range o.numbers() {
			up, known := at[o.rows[i].up]
			if _, done := at[i]; known && !done {
				at[i] = int32(len(rows))
				r := o.rows[i].in[d]
				r.Up = up
				rows = append(rows, r)
			}
		}
	}
	want := settled(rows)
	for _, i := range o.numbers() {
		if got := *o.live.Limits(i, o.dims[d]); got != want[at[i]] {
			o.t.Fatalf("row %d of %+v is %+v, want %+v", i, o.rows, got, want[at[i]])
		}
		promised := int64(0)
		for _, r := range o.rows { // order-free: a sum
			if r.up == i {
				promised = resource.Sum{}.Plus(promised).Plus(r.in[d].Guarantee).Int64()
			}
		}
		if got := o.live.Promised(i, o.dims[d]); got != promised {
			o.t.Fatalf("row %d promised %d, want %d", i, got, promised)
		}
		if got := o.live.Up(i); got != o.rows[i].up {
			o.t.Fatalf("row %d is below %d, want %d", i, got, o.rows[i].up)
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
