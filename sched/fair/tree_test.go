package fair

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/resource"
)

func settled(rows []QueueNode) []QueueLimits {
	out := make([]QueueLimits, len(rows))
	settleAll(rows, out)
	return out
}

// settleAll fills out as a Tree of these rows does in one dimension, all of it at once: parents stand before their
// children.
func settleAll(rows []QueueNode, out []QueueLimits) {
	guaranteed := make([]resource.Sum, len(rows))
	for _, r := range rows {
		if r.Up >= 0 {
			guaranteed[r.Up] = guaranteed[r.Up].Plus(r.Guarantee)
		}
	}
	for i, r := range rows {
		if r.Up < 0 {
			out[i] = r.top()
		} else {
			r.below(&out[r.Up], guaranteed[r.Up].Int64(), &out[i])
		}
	}
}

func upTo(x int64) Limit { return Limit{Value: x, Bounded: true} }

// The queues of seed 001, §7.1, in cpu.
var seedTree = []QueueNode{
	{Up: -1, Deserved: 100, Guarantee: 40, Capability: upTo(100)}, // root
	{Up: 0, Deserved: 60, Guarantee: 20, Capability: upTo(70)},    // team-a
	{Up: 0, Deserved: 40, Guarantee: 20, Capability: upTo(50)},    // team-b
	{Up: 1, Deserved: 40, Guarantee: 10, Capability: upTo(50)},    // training
	{Up: 1, Deserved: 20, Guarantee: 10, Capability: upTo(30)},    // inference
	{Up: 2, Deserved: 30, Guarantee: 15, Capability: upTo(40)},    // batch
	{Up: 2, Deserved: 10, Guarantee: 5, Capability: upTo(20)},     // interactive
}

func TestTheSeedsTree(t *testing.T) {
	want := []QueueLimits{
		{upTo(100), upTo(100), 40, 100},
		{upTo(70), upTo(70), 20, 60},
		{upTo(50), upTo(50), 20, 40},
		{upTo(50), upTo(50), 10, 40},
		{upTo(30), upTo(30), 10, 20},
		{upTo(40), upTo(40), 15, 30},
		{upTo(20), upTo(20), 5, 10},
	}
	if got := settled(seedTree); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRecompute(t *testing.T) {
	top := func(x int64) QueueNode { return QueueNode{Up: -1, Deserved: x, Capability: upTo(x)} }
	tests := map[string]struct {
		rows []QueueNode
		want QueueLimits // of the last row
	}{
		"without a capability it may hold what its siblings' guarantees leave": {
			[]QueueNode{top(100), {Guarantee: 30}, {Guarantee: 20, Deserved: 10}}, QueueLimits{upTo(100), upTo(70), 20, 20}},
		"the guarantees of its parent's siblings count too": {
			[]QueueNode{top(100), {Guarantee: 30}, {Guarantee: 20}, {Up: 2, Deserved: 90}},
			QueueLimits{upTo(100), upTo(70), 0, 70}},
		"it inherits its parent's capability": {
			[]QueueNode{top(100), {Capability: upTo(60)}, {Up: 1}}, QueueLimits{upTo(60), upTo(60), 0, 0}},
		"a capability above its parent's is of no use": {
			[]QueueNode{top(100), {Capability: upTo(60)}, {Up: 1, Capability: upTo(80)}}, QueueLimits{upTo(80), upTo(60), 0, 0}},
		"deserved is clipped to realCapability": {
			[]QueueNode{top(100), {Deserved: 80, Capability: upTo(60)}}, QueueLimits{upTo(60), upTo(60), 0, 60}},
		"deserved is raised to the guarantee": {
			[]QueueNode{top(100), {Deserved: 5, Guarantee: 20}}, QueueLimits{upTo(100), upTo(100), 20, 20}},
		"a guarantee above what its parent can hold is cut down": {
			[]QueueNode{top(100), {Capability: upTo(30)}, {Up: 1, Guarantee: 50}}, QueueLimits{upTo(30), upTo(30), 30, 30}},
		"under a top without a limit only capabilities bound": {
			[]QueueNode{{Up: -1}, {Guarantee: 30}, {Capability: upTo(50)}, {Up: 2, Guarantee: 20}},
			QueueLimits{upTo(50), upTo(50), 20, 20}},
		"under a top without a limit nothing else does": {
			[]QueueNode{{Up: -1}, {Guarantee: 30}, {Deserved: 7}}, QueueLimits{Limit{}, Limit{}, 0, 7}},
		"where the cluster has nothing no queue has anything": {
			[]QueueNode{top(0), {Guarantee: 30, Deserved: 40}}, QueueLimits{upTo(0), upTo(0), 0, 0}},
		"the largest amounts are held at the edge": {
			[]QueueNode{top(most), {Guarantee: most}, {Guarantee: most, Deserved: most}},
			QueueLimits{upTo(most), upTo(most), most, most}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			out := settled(tc.rows)
			if got := out[len(out)-1]; got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// drawTree is a tree of any shape, parents first.
func drawTree(t *rapid.T) []QueueNode {
	top := int64(60)
	if rapid.Bool().Draw(t, "large") {
		top = most
	}
	amount := rapid.Int64Range(0, top)
	limit := func(name string) (l Limit) {
		if rapid.Bool().Draw(t, name+" named") {
			l = upTo(amount.Draw(t, name))
		}
		return l
	}
	rows := []QueueNode{{Up: -1, Capability: limit("top")}}
	for i := range rapid.IntRange(1, 9).Draw(t, "queues") {
		r := QueueNode{Up: int32(rapid.IntRange(0, i).Draw(t, "up")), Deserved: amount.Draw(t, "deserved"),
			Capability: limit("capability")}
		if rapid.Bool().Draw(t, "guaranteed") {
			r.Guarantee = r.Capability.Clip(rapid.Int64Range(0, top/4).Draw(t, "guarantee"))
		}
		rows = append(rows, r)
	}
	return rows
}

func TestNoQueueMayHoldMoreThanItsParent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawTree(t)
		out := settled(rows)
		for i, r := range rows[1:] {
			b, up := out[i+1], out[r.Up]
			if up.Real.Bounded && (!b.Real.Bounded || b.Real.Value > up.Real.Value) {
				t.Errorf("queue %d may hold %v, its parent %v", i+1, b.Real, up.Real)
			}
			if b.Real.Clip(b.Deserved) != b.Deserved || b.Deserved < b.Guarantee || b.Guarantee > r.Guarantee {
				t.Errorf("queue %d of %+v: %+v", i+1, r, b)
			}
			if r.Capability.Bounded && b.Real.Value > r.Capability.Value {
				t.Errorf("queue %d may hold %v above its capability %v", i+1, b.Real, r.Capability)
			}
		}
	})
}

// Whatever one queue takes, all its siblings can still be given what they are
// guaranteed, unless their parent guaranteed more than it can hold.
func TestGuaranteesOfSiblingsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawTree(t)
		out := settled(rows)
		for i, r := range rows[1:] {
			up := out[r.Up].Real
			others, all := new(big.Int), new(big.Int)
			for j, s := range rows[1:] {
				if s.Up == r.Up {
					all.Add(all, big.NewInt(s.Guarantee))
					if i != j {
						others.Add(others, big.NewInt(s.Guarantee))
					}
				}
			}
			if !up.Bounded || all.Cmp(big.NewInt(up.Value)) > 0 {
				continue
			}
			if kept := others.Add(others, big.NewInt(out[i+1].Real.Value)); kept.Cmp(big.NewInt(up.Value)) > 0 {
				t.Errorf("queue %d may hold %d, with its siblings' guarantees %v of %d", i+1, out[i+1].Real.Value, kept, up.Value)
			}
			if out[i+1].Real.Value < r.Guarantee && out[i+1].Capability.Clip(r.Guarantee) == r.Guarantee {
				t.Errorf("queue %d is guaranteed %d and may hold %d", i+1, r.Guarantee, out[i+1].Real.Value)
			}
		}
	})
}

func TestMoreGuaranteeNeverLowersWhatOneMayHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawTree(t)
		i := rapid.IntRange(1, len(rows)-1).Draw(t, "queue")
		before := settled(rows)[i]
		rows[i].Guarantee = rows[i].Capability.Clip(rapid.Int64Range(rows[i].Guarantee, most).Draw(t, "more"))
		after := settled(rows)[i]
		if after.Real.Value < before.Real.Value || after.Real.Bounded != before.Real.Bounded {
			t.Errorf("with a guarantee of %d it may hold %v, before %v", rows[i].Guarantee, after.Real, before.Real)
		}
	})
}

func TestTheOrderOfSiblingsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawTree(t)
		// Places that keep parents first: queue by queue, one of those of which the parent has one.
		place, moved := []int{0}, []QueueNode{rows[0]}
		at := map[int32]int32{0: 0}
		left := make([]int, len(rows)-1)
		for i := range left {
			left[i] = i + 1
		}
		for len(left) > 0 {
			ready := slices.DeleteFunc(slices.Clone(left), func(i int) bool { _, ok := at[rows[i].Up]; return !ok })
			i := rapid.SampledFrom(ready).Draw(t, "next")
			left = slices.DeleteFunc(left, func(x int) bool { return x == i })
			r := rows[i]
			r.Up = at[r.Up]
			at[int32(i)] = int32(len(moved))
			place, moved = append(place, i), append(moved, r)
		}
		want, got := settled(rows), settled(moved)
		for p, i := range place {
			if got[p] != want[i] {
				t.Errorf("queue %d: %+v, in another order %+v", i, want[i], got[p])
			}
		}
	})
}
