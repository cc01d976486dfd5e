package sched

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// limitCluster is a small empty cluster with racks, rows of racks and rows of those, and one gang that
// says how far apart its members, and those of its sub-groups, may be.
type limitCluster struct {
	cores, places []int64 // by node
	trees         [][]int // by tier: of each node its domain, -1: none
	group         *model.PodGroup
	pods          []*model.Pod
	sub           []string // by pod: its sub-group, "" for none
	policy        []int    // by pod: the policy of its sub-group
}

func drawYard(t *rapid.T) *limitCluster {
	n := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
	y := &limitCluster{}
	for range n("nodes", 1, 5) {
		y.cores = append(y.cores, int64(n("cores", 0, 3)))
		y.places = append(y.places, int64([]int{110, 1, 2, 3}[n("places", 0, 3)]))
	}
	y.drawTree(t)
	topology := func(name string) *model.Topology {
		switch k := n(name, 0, 5); k {
		case 0, 1, 2:
			return &model.Topology{Hard: true, Highest: int32(k + 1)}
		case 3:
			return &model.Topology{Highest: -1}
		default:
			return nil
		}
	}
	y.group = &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang", Created: 1},
		MinMember: int32(n("min", 1, 5)), Phase: model.GroupInqueue, Topology: topology("of the job")}
	for i := range n("policies", 0, 2) {
		p := model.SubGroups{Name: fmt.Sprintf("p%d", i), Size: int32(n("size", 1, 3)), Min: int32(n("groups", 0, 2))}
		p.Topology = topology("of a policy")
		if n("keys", 0, 3) > 0 {
			p.Keys = []string{"part"}
		}
		if i == 0 && n("selects", 0, 1) == 0 {
			p.Selector = []model.Requirement{{Key: "kind", Op: model.In, Values: []string{"a"}}}
		}
		y.group.SubGroups = append(y.group.SubGroups, p)
	}
	hard := func(p model.SubGroups) bool { return p.Topology != nil && p.Topology.Hard }
	if !slices.ContainsFunc(y.group.SubGroups, hard) {
		y.group.Topology = &model.Topology{Hard: true, Highest: int32(n("limit", 1, 3))}
	}
	if n("roles", 0, 3) == 3 {
		y.group.MinTaskMember = []model.RoleMin{{Role: "r0", Min: 1}, {Role: "r1", Min: int32(n("of a role", 0, 2))}}
	}
	for i := range n("pods", 1, 5) {
		cores := int64(n("asks", 0, 2))
		spec := &model.Spec{Requests: resource.List{{Name: resource.PodsName, Value: 1}}}
		if cores > 0 {
			spec.Requests = cpu(cores, 1)
		}
		name, kind := fmt.Sprintf("p%d", i), []string{"a", "b"}[n("kind", 0, 1)]
		y.pods = append(y.pods, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
			Ours: true, Group: "gang", Role: fmt.Sprintf("r%d", n("role", 0, 1)), Preemptable: true, Spec: spec,
			Labels: []model.Label{{Key: "kind", Value: kind}, {Key: "part", Value: fmt.Sprint(n("part", 0, 2))}}})
	}
	y.divide()
	return y
}

// drawTree puts nodes into domains of three tiers; some are in none, and some domains of a
// tier are in none of the next.
func (y *limitCluster) drawTree(t *rapid.T) {
	most := rapid.IntRange(0, 3).Draw(t, "tiers")
	for tier := range most {
		at := make([]int, len(y.cores))
		for i := range at {
			at[i] = rapid.IntRange(-1, 2-tier).Draw(t, "domain")
		}
		for i := range at { // what shares a domain shares those above it
			for k := range i {
				if tier > 0 && y.trees[tier-1][i] >= 0 && y.trees[tier-1][i] == y.trees[tier-1][k] {
					at[i] = at[k]
				}
				if tier > 1 && y.trees[tier-2][i] >= 0 && y.trees[tier-2][i] == y.trees[tier-2][k] {
					at[i] = at[k]
				}
			}
		}
		y.trees = append(y.trees, at)
	}
}

// divide finds each pod's sub-group.
func (y *limitCluster) divide() {
	for _, p := range y.pods {
		sub, of := "", -1
		for i, s := range y.group.SubGroups {
			kind, _ := model.LabelValue(p.Labels, "kind")
			if of >= 0 || len(s.Selector) > 0 && kind != "a" {
				continue
			}
			sub, of = s.Name, i
			if len(s.Keys) > 0 {
				part, _ := model.LabelValue(p.Labels, "part")
				sub += "-" + part
			}
		}
		y.sub, y.policy = append(y.sub, sub), append(y.policy, of)
	}
}

// highest is the tier above the highest that there is: the cluster's.
func (y *limitCluster) highest() int32 {
	top := int32(0)
	for tier, at := range y.trees {
		if slices.Max(at) >= 0 {
			top = int32(tier + 1)
		}
	}
	return top + 1
}

// near says that nodes are as near each other as is asked.
func (y *limitCluster) near(ask *model.Topology, nodes []int) bool {
	if ask == nil || !ask.Hard || len(nodes) == 0 || ask.Highest >= y.highest() {
		return true
	}
	for tier := range min(int(ask.Highest), len(y.trees)) {
		at := y.trees[tier]
		if d := at[nodes[0]]; d >= 0 && !slices.ContainsFunc(nodes, func(n int) bool { return at[n] != d }) {
			return true
		}
	}
	return false
}

// within says that an assignment of pods to nodes (-1: none) keeps every limit, and that of
// each sub-group as many have a place as have to start together.
func (y *limitCluster) within(at []int) bool {
	var all []int
	subs := map[string][]int{}
	for i, n := range at {
		if n >= 0 {
			all = append(all, n)
			subs[y.sub[i]] = append(subs[y.sub[i]], n)
		}
	}
	if !y.near(y.group.Topology, all) {
		return false
	}
	for i, n := range at {
		if n < 0 || y.policy[i] < 0 {
			continue
		}
		p, nodes := &y.group.SubGroups[y.policy[i]], subs[y.sub[i]]
		if len(nodes) < int(p.Size) || !y.near(p.Topology, nodes) {
			return false
		}
	}
	return true
}

// meets says that an assignment has the gang's minimums.
func (y *limitCluster) meets(at []int) bool {
	have, sized := int32(0), map[int]map[string]int32{}
	roles := map[string]int32{}
	for i, n := range at {
		if n < 0 {
			continue
		}
		have++
		roles[y.pods[i].Role]++
		if of := y.policy[i]; of >= 0 {
			if sized[of] == nil {
				sized[of] = map[string]int32{}
			}
			sized[of][y.sub[i]]++
		}
	}
	least := int32(0)
	for _, r := range y.group.MinTaskMember {
		least += r.Min
	}
	for _, r := range y.group.MinTaskMember {
		if least <= y.group.MinMember && roles[r.Role] < r.Min {
			return false
		}
	}
	for i, p := range y.group.SubGroups {
		groups := int32(0)
		for _, of := range sized[i] { // order-free: a count
			if of >= p.Size {
				groups++
			}
		}
		if groups < p.Min {
			return false
		}
	}
	return have >= y.group.MinMember
}

// canStart tries every assignment.
func (y *limitCluster) canStart(at []int) bool {
	i := len(at)
	if i == len(y.pods) {
		return y.meets(at) && y.within(at)
	}
	for n := range y.cores {
		if y.fits(append(at, n)) && y.canStart(append(at, n)) {
			return true
		}
	}
	return y.canStart(append(at, -1))
}

// fits says that no node holds more than it has.
func (y *limitCluster) fits(at []int) bool {
	for n := range y.cores {
		cores, places := int64(0), int64(0)
		for i, on := range at {
			if on == n {
				places++
				for _, a := range y.pods[i].Spec.Requests {
					if a.Name == resource.CPUName {
						cores += a.Value / 1000
					}
				}
			}
		}
		if cores > y.cores[n] || places > y.places[n] {
			return false
		}
	}
	return true
}

// engine is one that knows the limitCluster.
func (y *limitCluster) engine(t rapid.TB) *Engine {
	e := engine(t, policy.Profile{Actions: []string{"allocate", "backfill"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}},
		{{Plugin: "predicates"}, {Plugin: "nodeorder"}, {Plugin: "network-topology-aware"}}}})
	version := uint64(0)
	tell := func(kind model.Kind, namespace, name string, o model.Object) {
		version++
		ref := model.Ref{Kind: kind, Namespace: namespace, Name: name}
		e.Apply(model.Fact{Ref: ref, UID: name, Version: version, Object: o})
	}
	tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1})
	for i := range y.cores {
		name := fmt.Sprintf("n%d", i)
		node := &model.Node{Meta: model.Meta{Name: name, UID: name}, Allocatable: cpu(y.cores[i], y.places[i])}
		tell(model.KindNode, "", name, node)
	}
	for tier, at := range y.trees {
		for d := range slices.Max(at) + 1 {
			h := &model.HyperNode{Meta: model.Meta{Name: fmt.Sprintf("t%d-%d", tier+1, d)}, Tier: int32(tier + 1)}
			for i := range at {
				if at[i] == d {
					h.Members = append(h.Members, y.members(tier-1, i)...)
				}
			}
			tell(model.KindHyperNode, "", h.Name, h)
		}
	}
	tell(model.KindPodGroup, "ns", "gang", y.group)
	for _, p := range y.pods {
		tell(model.KindPod, "ns", p.Name, p)
	}
	return e
}

// members is how a HyperNode names a node that it has: by the highest domain of it up to a tier.
func (y *limitCluster) members(tier, node int) []model.Member {
	for ; tier >= 0; tier-- {
		if d := y.trees[tier][node]; d >= 0 {
			return []model.Member{{Name: fmt.Sprintf("t%d-%d", tier+1, d)}}
		}
	}
	return []model.Member{{Node: true, Name: fmt.Sprintf("n%d", node)}}
}

// String is the limitCluster as one can read it.
func (y *limitCluster) String() string {
	var b strings.Builder
	for i := range y.cores {
		fmt.Fprintf(&b, "node n%d: %d cores, %d places\n", i, y.cores[i], y.places[i])
	}
	for tier, at := range y.trees {
		fmt.Fprintf(&b, "tier %d: %v\n", tier+1, at)
	}
	fmt.Fprintf(&b, "gang: minMember %d, roles %v, topology %+v\n", y.group.MinMember,
		y.group.MinTaskMember, y.group.Topology)
	for _, s := range y.group.SubGroups {
		fmt.Fprintf(&b, "policy %s: size %d, min %d, topology %+v\n", s.Name, s.Size, s.Min, s.Topology)
	}
	for i, p := range y.pods {
		fmt.Fprintf(&b, "pod %s: role %s, %v, in %q\n", p.Name, p.Role, p.Spec.Requests, y.sub[i])
	}
	return b.String()
}

// TestAGangStartsWhereverItsLimitsLetIt: on an empty cluster a gang starts exactly if some
// assignment of its pods to nodes keeps its own limit and its sub-groups', which every
// assignment is tried for; and whatever is placed, at once and later, keeps them all.
func TestAGangStartsWhereverItsLimitsLetIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := drawYard(t)
		e := y.engine(t)
		var plan Plan
		for now := range int64(4) {
			p, _, _ := e.Decide(now * second)
			plan.Items = append(plan.Items, p.Items...)
			if faults := e.Audit(); len(faults) > 0 {
				t.Fatalf("audit: %v", faults)
			}
		}
		at := make([]int, len(y.pods))
		for i := range at {
			at[i] = -1
			for _, item := range plan.Items {
				if item.Kind == BindPod && item.Pod.Name == y.pods[i].Name {
					if _, err := fmt.Sscanf(item.Node, "n%d", &at[i]); err != nil {
						t.Fatalf("node %q: %v", item.Node, err)
					}
				}
			}
		}
		if !y.within(at) {
			t.Fatalf("placed %v, which is outside a limit, or a part of a sub-group:\n%v", at, y)
		}
		if can, does := y.canStart(nil), y.meets(at); can != does {
			reason := e.JobReason(e.mustFind("gang"))
			t.Fatalf("it can start: %v; it does: %v (%v, %+v):\n%v", can, does, at, reason, y)
		}
	})
}

// mustFind is the row of a job of namespace ns.
func (e *Engine) mustFind(name string) ledger.JobID {
	j, _ := e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return j
}
