package world

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// racks has operators say, by HyperNodes, which nodes are in one rack, and change that. Some jobs ask for one rack.
type racks struct {
	w       *World
	kind    *apimodel.Kind
	members map[string][]string // nodes by rack, as operators want it; absent: they have deleted the HyperNode
	past    []racking           // the last is what holds now
}

// racking is which node is in which rack, since a time.
type racking struct {
	since time.Time
	of    map[string]string
}

// together says that nodes are in one rack.
func (r racking) together(nodes []string) bool {
	return !slices.ContainsFunc(nodes, func(node string) bool { return r.of[node] == "" || r.of[node] != r.of[nodes[0]] })
}

// rewiredFrom is the first seed of worlds in which there are racks.
const rewiredFrom = 40_000_000

// rewire draws, from a source of its own, what worlds from there on have.
func (o *Options) rewire() {
	r := rand.New(rand.NewPCG(o.Seed, 8))
	if !o.Planned {
		o.Trouble.Rewired = 20*time.Second + time.Duration(r.Int64N(int64(2*time.Minute)))
	}
}

func newRacks(w *World) *racks {
	return &racks{w: w, kind: w.api.Kind("topology.volcano.sh", "hypernodes"), members: map[string][]string{}}
}

func (r *racks) begin() {
	w := r.w
	if w.Trouble.Rewired <= 0 {
		return
	}
	r.calm()
	w.make(r.kind.Group, r.kind.Resource, r.object("row", 2, map[string]any{"type": "HyperNode",
		"selector": map[string]any{"regexMatch": map[string]any{"pattern": "^rack-"}}}))
	w.every(w.Trouble.Rewired, r.change)
}

// count is how many racks there are: of two nodes each, and the last one of three where their number is odd.
func (r *racks) count() int { return max(1, r.w.Nodes/2) }

func (r *racks) home(node int) string { return fmt.Sprint("rack-", min(node/2, r.count()-1)) }

// calm has all HyperNodes say what they said at first.
func (r *racks) calm() {
	if r.w.Trouble.Rewired <= 0 {
		return
	}
	for i := range r.count() {
		r.say(fmt.Sprint("rack-", i), r.first(fmt.Sprint("rack-", i)))
	}
}

// first is which nodes are in a rack at first.
func (r *racks) first(rack string) (nodes []string) {
	for i := range r.w.Nodes {
		if r.home(i) == rack {
			nodes = append(nodes, nodeName(i))
		}
	}
	return nodes
}

// change changes a rack for a while: it is gone, is made again, loses a node to another one, or claims a node that an
// older HyperNode has.
func (r *racks) change() {
	w := r.w
	rack, node := fmt.Sprint("rack-", w.random.IntN(r.count())), nodeName(w.random.IntN(w.Nodes))
	switch w.random.IntN(4) {
	case 0:
		w.did("a rack that is gone")
		r.say(rack, nil)
	case 1:
		w.did("a rack made again")
		nodes := r.members[rack]
		r.say(rack, nil)
		r.say(rack, nodes)
		return
	case 2:
		w.did("a node moved to another rack")
		for _, other := range slices.Sorted(maps.Keys(r.members)) {
			nodes := r.members[other]
			if at := slices.Index(nodes, node); at >= 0 && other != rack {
				r.say(other, slices.Delete(slices.Clone(nodes), at, at+1))
			}
		}
		fallthrough
	default:
		if !slices.Contains(r.members[rack], node) {
			r.say(rack, append(slices.Clone(r.members[rack]), node))
		}
	}
	w.seq.after(w.between(time.Second, w.longest()), r.calm)
}

// say writes which nodes a rack has, without any that there is no such HyperNode.
func (r *racks) say(rack string, nodes []string) {
	there := r.w.api.Get(r.kind, "", rack)
	if len(nodes) == 0 {
		delete(r.members, rack)
		r.w.do(http.MethodDelete, r.kind.Path("", rack), map[string]any{})
		return
	}
	r.members[rack] = nodes
	var members []any
	for _, node := range nodes {
		members = append(members, map[string]any{"type": "Node",
			"selector": map[string]any{"exactMatch": map[string]any{"name": node}}})
	}
	if object := r.object(rack, 1, members...); there == nil {
		r.w.make(r.kind.Group, r.kind.Resource, object)
	} else {
		r.w.do(http.MethodPatch, r.kind.Path("", rack), map[string]any{"spec": object["spec"]})
	}
}

func (r *racks) object(name string, tier int, members ...any) map[string]any {
	return map[string]any{"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode",
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"tier": tier, "members": members}}
}

// asks draws whether a job asks for one rack. One that does fits into any.
func (r *racks) asks(one *job) {
	w := r.w
	if w.Trouble.Rewired <= 0 || one.zone != "" || !w.chance(0.4) {
		return
	}
	one.rack = true
	if one.pods > 2*(nodeCores/one.cores) {
		one.cores = 1
	}
}

// into writes into the spec of a PodGroup that a job asks for one rack.
func (r *racks) into(spec map[string]any, one *job) {
	if one.rack {
		spec["networkTopology"] = map[string]any{"mode": "hard", "highestTierAllowed": 1}
	}
}

// wrote follows what HyperNodes say.
func (r *racks) wrote(write apimodel.Write) {
	if write.Kind == r.kind {
		r.look()
	}
}

// look notes which node is in which rack. Where two HyperNodes claim a node, the older one has it, of equally old ones
// the first by name.
func (r *racks) look() {
	now, made := racking{time.Now(), map[string]string{}}, map[string]time.Time{}
	for _, h := range r.w.api.List(r.kind) { // by name
		m := h.Meta()
		members, _ := asMap(h.Object["spec"])["members"].([]any)
		for _, x := range members {
			node, at := text(asMap(x), "selector", "exactMatch", "name"), m.GetCreationTimestamp().Time
			if older, is := made[node]; node != "" && (!is || at.Before(older)) {
				made[node], now.of[node] = at, m.GetName()
			}
		}
	}
	r.past = append(r.past, now)
}

// seen are the rackings that a scheduler may go by.
func (r *racks) seen() []racking {
	for len(r.past) > 1 && time.Since(r.past[1].since) > countedAfter { // the one before was still seen then
		r.past = r.past[1:]
	}
	return r.past
}

// allowed checks that a pod of a job that asks for one rack is bound into that of the members that run.
func (r *racks) allowed(write apimodel.Write, one *job) {
	if !one.rack {
		return
	}
	r.w.did("a binding into a rack")
	if time.Since(r.w.check.restoredAt) < seenWithin {
		return
	}
	nodes, names := []string{}, ""
	for _, p := range r.w.api.List(r.w.jobs.pods) {
		node := text(p.Object, "spec", "nodeName")
		leaves := p.Meta().GetDeletionTimestamp() != nil || r.w.check.said[p.Meta().GetUID()] || r.w.check.goesWhole(p)
		if r.w.jobs.of(p) == one && node != "" && !ended(p) && !leaves && !r.w.nodes.failed(node, p) {
			nodes, names = append(nodes, node), names+" "+p.Meta().GetName()+" on "+node
		}
	}
	if !slices.ContainsFunc(r.seen(), func(at racking) bool { return at.together(nodes) }) {
		r.w.wrong("pod %s, of a job that asks for one rack, is bound, and its job has%s, while racks are %v", write.Key(),
			names, r.past[len(r.past)-1].of)
	}
}

// wired are defects that worlds with racks find.
func wired() map[string]func() Breaks {
	within := func(o *Options) {
		o.Nodes, o.Planned, o.Lasts = 6, false, 10*time.Minute
		o.Trouble = Trouble{ClusterTrouble: ClusterTrouble{Rewired: 15 * time.Second}}
	}
	return map[string]func() Breaks{
		"does not see HyperNodes change": func() Breaks {
			return Breaks{event: misses("HyperNode", "MODIFIED", "DELETED"), world: within,
				shows: "of a job that asks for one rack"}
		},
		"does not see that jobs ask for one rack": func() Breaks {
			return Breaks{event: replaces("PodGroup", `"networkTopology"`, `"nothing"`), world: within,
				shows: "of a job that asks for one rack"}
		},
	}
}
