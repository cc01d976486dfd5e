package numaaware

import (
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

func nodes(p model.NUMAPolicy, free ...int32) *model.NUMA {
	r := &model.NUMA{Static: true, Policy: p}
	for i, x := range free {
		r.Nodes = append(r.Nodes, model.NUMANode{ID: int32(i), CPUs: 8, Usable: 8, Free: x})
	}
	return r
}

// firm are containers with so many cpus each, that hold their place.
func firm(sizes ...int32) []use {
	return with(nil, ledger.Firm, sizes)
}

func leaving(used []use, sizes ...int32) []use {
	return with(used, ledger.Leaving, sizes)
}

// with are containers that are there, and more that sit in a way.
func with(used []use, how ledger.Hold, sizes []int32) []use {
	var in ledger.InUse[size]
	for _, u := range used {
		for hold, n := range u.By {
			in.Add(0, u.Of, ledger.Hold(hold), n)
		}
	}
	for _, s := range sizes {
		in.Add(0, size(s), how, 1)
	}
	return in.On(0)
}

func TestANodeTakesWhomItsKubeletWillNotTurnAway(t *testing.T) {
	single, restricted := model.NUMASingle, model.NUMARestricted
	for _, c := range []struct {
		name   string
		node   *model.NUMA
		used   []use
		cores  []int32
		future bool
		want   bool
	}{
		{"an empty node", nodes(single, 8, 8), nil, []int32{8}, false, true},
		{"free cpus, but on two NUMA nodes", nodes(single, 4, 4), firm(4, 4), []int32{6}, false, false},
		{"one of the containers finds no NUMA node", nodes(single, 4, 0), firm(4, 8), []int32{2, 4}, false, false},
		{"each container finds a NUMA node", nodes(single, 8, 8), nil, []int32{6, 6}, false, true},
		{"all that is there is in the report", nodes(single, 2, 8), firm(6), []int32{8}, false, true},
		{"who is not in the report may lie on either NUMA node", nodes(single, 8, 8), firm(2), []int32{8}, false, true},
		{"two of them on both NUMA nodes", nodes(single, 8, 8), firm(2, 2), []int32{8}, false, false},
		{"as many as fit, of one size", nodes(single, 8, 8), firm(4, 4, 4), []int32{4}, false, true},
		{"one more than fit", nodes(single, 8, 8), firm(4, 4, 4, 4), []int32{4}, false, false},
		{"it would take the place of one that is not in the report", nodes(single, 8, 8), firm(8, 4), []int32{4}, false,
			false},
		{"of one that is, it cannot", nodes(single, 0, 4), firm(8, 4), []int32{4}, false, true},
		{"as few NUMA nodes as can be are all of them", nodes(restricted, 6, 6), firm(2, 2), []int32{12}, false, true},
		{"it needs two and one is too full", nodes(restricted, 4, 4), firm(4, 4), []int32{10}, false, false},
		{"one NUMA node would do on an empty node", nodes(restricted, 4, 4), firm(4, 4), []int32{6}, false, false},
		{"they go, from whichever NUMA node", nodes(single, 0, 0), leaving(firm(4), 4, 8), []int32{8}, true, true},
		{"they go, and the others may be on both", nodes(single, 0, 0), leaving(firm(4, 4), 4, 4), []int32{8}, true, false},
		{"they have not gone yet", nodes(single, 0, 0), leaving(firm(4), 4, 8), []int32{8}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := new(plugin).safe(c.node, c.used, c.cores, c.future); got != c.want {
				t.Errorf("safe: %v, want %v", got, c.want)
			}
		})
	}
}

// kubelet plays a kubelet with a topology manager: it places containers one after the other
// on as few NUMA nodes as the policy wants, those of the lowest numbers, or turns a pod away.
type kubelet struct {
	policy model.NUMAPolicy
	cpus   []int32
	free   []int32
}

// admit places a container; false: its pod is turned away.
func (k *kubelet) admit(size int32) bool {
	least := k.fewest(k.cpus, size)
	got := k.fewest(k.free, size)
	if got == 0 || k.policy == model.NUMASingle && bitCount(got) != 1 || bitCount(got) != bitCount(least) {
		return false
	}
	for i := range k.free {
		if got&(1<<i) != 0 {
			taken := min(size, k.free[i])
			k.free[i] -= taken
			size -= taken
		}
	}
	return true
}

// fewest is the narrowest set of NUMA nodes with room, of those the lowest as a number; 0: none.
func (k *kubelet) fewest(room []int32, size int32) (best int) {
	for set := 1; set < 1<<len(room); set++ {
		sum := int32(0)
		for i, x := range room {
			if set&(1<<i) != 0 {
				sum += x
			}
		}
		if sum >= size && (best == 0 || bitCount(set) < bitCount(best)) {
			best = set
		}
	}
	return best
}

func bitCount(x int) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

// A pod that is let onto a node is admitted by its kubelet, whatever of them it sees first, and
// whichever of them a report tells of by the time the next one comes.
func TestAnyKubeletAdmitsWhatWasPlaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "nodes")
		k := &kubelet{policy: rapid.SampledFrom([]model.NUMAPolicy{model.NUMASingle, model.NUMARestricted}).Draw(t, "policy")}
		for range n {
			k.cpus = append(k.cpus, int32(rapid.IntRange(2, 8).Draw(t, "cpus")))
		}
		k.free = slices.Clone(k.cpus)
		report := slices.Clone(k.free)
		b := &containerCounts{}
		var bound [][]int32 // not seen by the kubelet yet
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0: // the kubelet sees one of them
				if len(bound) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(bound)-1).Draw(t, "seen")
				for _, size := range bound[i] {
					if !k.admit(size) {
						t.Fatalf("a pod with containers of %v cpus is turned away: %v of %v free, by the report %v, and %v are still "+
							"to come", bound[i], k.free, k.cpus, report, bound)
					}
				}
				bound = slices.Delete(bound, i, i+1)
			case 1: // a report
				report = slices.Clone(k.free)
			default: // a pod comes
				var cores []int32
				total, left := int32(0), int32(0)
				for range rapid.IntRange(1, 2).Draw(t, "containers") {
					cores = append(cores, int32(rapid.IntRange(1, 9).Draw(t, "cores")))
					total += cores[len(cores)-1]
				}
				for i := range k.cpus {
					left += k.cpus[i]
				}
				for _, u := range b.use.On(0) {
					left -= int32(u.Of) * u.By[ledger.Firm]
				}
				slices.Sort(cores)
				node := &model.NUMA{Static: true, Policy: k.policy}
				for i := range k.cpus {
					node.Nodes = append(node.Nodes, model.NUMANode{ID: int32(i), CPUs: k.cpus[i], Usable: k.cpus[i], Free: report[i]})
				}
				p := &plugin{}
				if total > left || !p.safe(node, b.use.On(0), cores, false) {
					continue
				}
				for _, cpus := range cores {
					b.use.Add(0, size(cpus), ledger.Firm, 1)
				}
				bound = append(bound, cores)
			}
		}
		for len(bound) > 0 {
			i := rapid.IntRange(0, len(bound)-1).Draw(t, "seen at last")
			for _, size := range bound[i] {
				if !k.admit(size) {
					t.Fatalf("a pod with containers of %v cpus is turned away: %v of %v free, by the report %v", bound[i], k.free,
						k.cpus, report)
				}
			}
			bound = slices.Delete(bound, i, i+1)
		}
	})
}
