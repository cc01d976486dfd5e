package fair

import (
	"maps"
	"slices"
	"testing"

	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// changingTree is a Tree, of which two dimensions are looked at, with the rows that it should have, under numbers
// without order, and with those that rest.
type changingTree struct {
	t     *rapid.T
	tree  Tree
	dims  [2]int
	rows  map[int32]treeRow
	rests map[int32]treeRow
}

// treeRow is a row: what it is below, and its amounts in each dimension.
type treeRow struct {
	up int32
	in [2]QueueNode
}

// A Tree that was told of one change after another says what settleAll
// says of the rows as they are.
func TestATreeThatChangesIsThatOfItsRows(t *testing.T) {
	rested := 0
	rapid.Check(t, func(t *rapid.T) {
		o := &changingTree{t: t}
		for range rapid.IntRange(1, 2).Draw(t, "trees") {
			o.dims = [2]int{0, rapid.SampledFrom([]int{1, 65}).Draw(t, "the other dimension")}
			o.tree.Clear(o.dims[1] + 1)
			o.rows, o.rests = map[int32]treeRow{}, map[int32]treeRow{}
			places := rapid.Permutation([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).Draw(t, "places")
			for i, r := range drawTree(t) {
				if r.Up >= 0 {
					r.Up = places[r.Up]
				}
				o.rows[places[i]] = treeRow{r.Up, [2]QueueNode{r, o.amounts()}}
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

func (o *changingTree) numbers() []int32 { return slices.Sorted(maps.Keys(o.rows)) }

func (o *changingTree) put(i int32) {
	o.tree.Attach(i, o.rows[i].up)
	for d, b := range o.rows[i].in {
		o.tree.Put(i, o.dims[d], b)
	}
}

// amounts are those of any row.
func (o *changingTree) amounts() QueueNode {
	other := drawTree(o.t)
	return other[rapid.IntRange(0, len(other)-1).Draw(o.t, "other")]
}

// change is a row that changes, with its place or without, or comes; or one that goes with
// all below it, which rest and come again with it, or elsewhere, or do not.
func (o *changingTree) change() {
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
func (o *changingTree) fell(i int32) {
	p := o.rows[i]
	o.tree.Remove(i)
	delete(o.rows, i)
	o.rests[i] = p
	for _, k := range o.numbers() {
		if p, there := o.rows[k]; there && p.up == i {
			o.rest(k)
		}
	}
}

func (o *changingTree) rest(i int32) {
	o.tree.Detach(i)
	o.rests[i] = o.rows[i]
	delete(o.rows, i)
	for _, k := range o.numbers() {
		if p, there := o.rows[k]; there && p.up == i {
			o.rest(k)
		}
	}
}

// uproot takes those that rest below a row away for good.
func (o *changingTree) uproot(i int32) {
	for _, k := range slices.Sorted(maps.Keys(o.rests)) {
		if p, rests := o.rests[k]; rests && p.up == i {
			o.tree.Remove(k)
			delete(o.rests, k)
			o.uproot(k)
		}
	}
}

// again lets a row that is away come again, where the one above it is there, with those
// below it; some of them have other amounts than before, or are gone.
func (o *changingTree) again() {
	for _, i := range slices.Sorted(maps.Keys(o.rests)) {
		p, rests := o.rests[i]
		if _, up := o.rows[p.up]; !rests || !up || rapid.IntRange(0, 2).Draw(o.t, "comes again") == 0 {
			continue
		}
		o.comeAgain(i)
		return
	}
}

func (o *changingTree) comeAgain(i int32) {
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
			o.tree.Remove(k)
			delete(o.rests, k)
			o.uproot(k)
		} else {
			o.comeAgain(k)
		}
	}
}

// below says that a row is another or below it.
func (o *changingTree) below(i, above int32) bool {
	for ; i >= 0; i = o.rows[i].up {
		if i == above {
			return true
		}
	}
	return false
}

func (o *changingTree) agrees() {
	o.tree.Recompute()
	for d := range 2 {
		o.agreesIn(d)
	}
}

func (o *changingTree) agreesIn(d int) {
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
		if got := *o.tree.Limits(i, o.dims[d]); got != want[at[i]] {
			o.t.Fatalf("row %d of %+v is %+v, want %+v", i, o.rows, got, want[at[i]])
		}
		guaranteed := int64(0)
		for _, r := range o.rows { // order-free: a sum
			if r.up == i {
				guaranteed = resource.Sum{}.Plus(guaranteed).Plus(r.in[d].Guarantee).Int64()
			}
		}
		if got := o.tree.ChildGuarantees(i, o.dims[d]); got != guaranteed {
			o.t.Fatalf("the children of row %d are guaranteed %d, want %d", i, got, guaranteed)
		}
		if got := o.tree.Up(i); got != o.rows[i].up {
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
		"all of a guarantee that is covered goes upward": {Upward(8, 10, 10), 8},
		"the covered part of one that is not":            {Upward(8, 40, 10), 2},
		"nothing of one without a guarantee above":       {Upward(8, 40, 0), 0},
		"nothing guaranteed":                             {Upward(0, 0, 0), 0},
		"more than there is may be held":                 {Unfilled(0, 9, most, 0), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}
