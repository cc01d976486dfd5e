package world

import (
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// relabelled has operators change what nodes say of themselves: the label of the zone that they are in, which some jobs
// ask for, and a taint, which some jobs tolerate.
type relabelled struct {
	w    *World
	last map[string]time.Time // when a node last said something, by node and what it says; absent: it never did
	now  map[string]string    // what a node says now: zone and taints
	// Which nodes have which taint, as operators want it.
	tainted map[string]map[string]bool
	endured map[types.UID]time.Time // since when a pod is on a node that expels it
}

const (
	zoneLabel  = "world.ashlar.sh/zone"
	closeTaint = "world.ashlar.sh/closed"
	otherZone  = "elsewhere" // which no job asks for
)

var zones = []string{"a", "b"}

func newRelabelled(w *World) *relabelled {
	return &relabelled{w: w, last: map[string]time.Time{}, now: map[string]string{},
		tainted: map[string]map[string]bool{}, endured: map[types.UID]time.Time{}}
}

func (l *relabelled) begin() {
	w := l.w
	pick := func() string { return nodeName(w.random.IntN(w.Nodes)) }
	w.every(w.Trouble.Relabelled, func() {
		if name := pick(); w.nodes.up[name] {
			w.did("a node in another zone")
			l.label(name, []string{zones[0], zones[1], otherZone}[w.random.IntN(3)])
			w.seq.after(w.between(time.Second, w.longest()), func() { l.label(name, l.home(name)) })
		}
	})
	w.every(w.Trouble.Tainted, func() {
		if name := pick(); w.nodes.up[name] {
			w.did("a node tainted")
			l.taint(name, closeTaint, true)
			w.seq.after(w.between(time.Second, w.longest()), func() { l.taint(name, closeTaint, false) })
		}
	})
	l.expels()
}

// calm has all nodes say what they said at first.
func (l *relabelled) calm() {
	for i := range l.w.Nodes {
		if name := nodeName(i); l.w.nodes.up[name] {
			l.label(name, l.home(name))
			l.taint(name, closeTaint, false)
			l.taint(name, expelTaint, false)
		}
	}
}

// home is the zone of a node when it comes; "" in worlds in which none has one.
func (l *relabelled) home(node string) string {
	if l.w.Trouble.Relabelled <= 0 {
		return ""
	}
	return zones[int(node[len(node)-1])%len(zones)]
}

func (l *relabelled) label(node, zone string) {
	if zone != "" {
		l.patch(node, map[string]any{"metadata": map[string]any{"labels": map[string]any{zoneLabel: zone}}})
	}
}

func (l *relabelled) taint(node, key string, yes bool) {
	if l.w.Trouble.Tainted <= 0 && l.w.Trouble.Expels <= 0 {
		return
	}
	if l.tainted[node] == nil {
		l.tainted[node] = map[string]bool{}
	}
	l.tainted[node][key] = yes
	var taints []any
	for _, key := range sorted(l.tainted[node]) {
		taints = append(taints, map[string]any{"key": key, "effect": effects[key]})
	}
	l.patch(node, map[string]any{"spec": map[string]any{"taints": taints}})
}

func (l *relabelled) patch(node string, body map[string]any) {
	l.w.do(http.MethodPatch, l.w.nodes.nodes.Path("", node), body)
}

// asks draws what a job asks of nodes. One that asks for a zone fits into it with any gang.
func (l *relabelled) asks(one *job) {
	w := l.w
	if w.Trouble.Relabelled > 0 && w.chance(0.3) {
		one.zone, one.cores = zones[w.random.IntN(len(zones))], 1
	}
	one.tolerates = w.Trouble.Tainted > 0 && w.chance(0.2)
	if w.Trouble.Expels > 0 && w.chance(0.3) {
		one.endures = w.between(time.Second, 30*time.Second).Truncate(time.Second)
	}
}

// into writes what a job asks of nodes into the spec of a pod.
func (one *job) into(spec map[string]any) {
	if one.zone != "" {
		spec["nodeSelector"] = map[string]any{zoneLabel: one.zone}
	}
	var tolerations []any
	if one.tolerates {
		tolerations = append(tolerations, map[string]any{"key": closeTaint, "operator": "Exists"})
	}
	if one.endures > 0 {
		tolerations = append(tolerations, map[string]any{"key": expelTaint, "operator": "Exists", "effect": "NoExecute",
			"tolerationSeconds": int64(one.endures / time.Second)})
	}
	if tolerations != nil {
		spec["tolerations"] = tolerations
	}
}

// wrote follows what nodes say.
func (l *relabelled) wrote(write apimodel.Write) {
	if write.Kind == l.w.nodes.nodes && write.After != nil {
		l.look(write.After)
	}
}

// restored looks what they say in a store that was put back.
func (l *relabelled) restored() {
	for _, n := range l.w.api.List(l.w.nodes.nodes) {
		l.look(n)
	}
}

func (l *relabelled) look(n *apimodel.Stored) {
	name := n.Meta().GetName()
	for kind, is := range map[string]string{"zone": n.Meta().GetLabels()[zoneLabel],
		closeTaint: fmt.Sprint(hasTaint(n, closeTaint)), expelTaint: fmt.Sprint(hasTaint(n, expelTaint))} {
		key := name + " " + kind
		if was, known := l.now[key]; known && was != is {
			l.last[key+was] = time.Now()
		}
		l.now[key] = is
	}
}

// said is for how long a node has not said something; 0: it says so now.
func (l *relabelled) said(node, kind, what string) time.Duration {
	key := node + " " + kind
	if l.now[key] == what {
		return 0
	}
	if last, ever := l.last[key+what]; ever {
		return time.Since(last)
	}
	return time.Since(l.w.began)
}

// allowed checks that no pod of a job is bound to a node that has not been what the pod asks for, for longer than any
// scheduler may not have seen it.
func (l *relabelled) allowed(write apimodel.Write, one *job, node string) {
	if one.zone != "" {
		l.w.did("a binding into a zone")
	}
	if time.Since(l.w.check.restoredAt) < seenWithin {
		return
	}
	if long := l.said(node, "zone", one.zone); one.zone != "" && long > countedAfter {
		l.w.wrong("pod %s, which asks for zone %s, is bound to %s, which has not been in it for %s", write.Key(), one.zone,
			node, long)
	}
	if tainted := l.said(node, closeTaint, "false"); !one.tolerates && tainted > countedAfter {
		l.w.wrong("pod %s is bound to %s, which has a taint that it does not tolerate for %s", write.Key(), node, tainted)
	}
	if expels := l.said(node, expelTaint, "false"); one.endures == 0 && expels > countedAfter {
		l.w.wrong("pod %s is bound to %s, which expels it, for %s", write.Key(), node, expels)
	}
}
