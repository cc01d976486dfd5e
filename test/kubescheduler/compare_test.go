package kubescheduler

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// difference is one answer that is not the same on both sides.
type difference struct {
	what string // the same for differences of one kind
	text string // which pod, which nodes, what each side says
}

func (d difference) String() string { return d.what + "\n  " + d.text }

// compare asks both sides about each pod of a cluster that waits, and returns what differs and is not listed.
func compare(t testing.TB, k *kubeScheduler, c cluster, seen coverage) []difference {
	t.Helper()
	return compareAll(t, k, c, seen, true)
}

// compareAll is compare; without lists it returns what is listed, too.
func compareAll(t testing.TB, k *kubeScheduler, c cluster, seen coverage, lists bool) (out []difference) {
	t.Helper()
	k.see(c)
	a := newAshlar(t, facts(t, c))
	for _, p := range of[*corev1.Pod](c) {
		if p.Spec.NodeName != "" {
			continue
		}
		theirs, err := k.judge(p)
		if err != nil {
			if !lists || !listedFailure(err.Error()) {
				out = append(out, difference{what: "kube-scheduler fails", text: err.Error()})
			}
			continue
		}
		if theirs.failed != "" && lists && listedFailure(theirs.failed) {
			continue
		}
		ours, err := a.judge(p)
		if err != nil {
			out = append(out, difference{what: "ashlar fails", text: err.Error()})
			continue
		}
		seen.add("pods")
		for _, d := range between(c, p, ours, theirs, lists, seen) {
			d.text = fmt.Sprintf("pod %s/%s: %s", p.Namespace, p.Name, d.text)
			out = append(out, d)
		}
	}
	return out
}

// between compares the answers about one pod: first which nodes are feasible, then, where these are the same, how each
// score orders them. What no list excuses is seen.
func between(c cluster, p *corev1.Pod, ours, theirs answers, lists bool, seen coverage) (out []difference) {
	for _, n := range of[*corev1.Node](c) {
		we, refused := ours.refused[n.Name]
		they, theyRefuse := theirs.refused[n.Name]
		switch {
		case refused && theyRefuse:
			seen.add("refused: " + first(they))
		case refused == theyRefuse:
		case refused:
			out = append(out, difference{"only ashlar refuses: " + first(we), fmt.Sprintf("node %s: %s", n.Name, we)})
		default:
			out = append(out, difference{"only kube-scheduler refuses: " + first(they), fmt.Sprintf("node %s: %s",
				n.Name, they)})
		}
	}
	out = slices.DeleteFunc(out, func(d difference) bool { return lists && listedFilter(c, p, d) })
	if len(out) > 0 || !maps.EqualFunc(ours.refused, theirs.refused, func(string, string) bool { return true }) {
		return out
	}
	for _, s := range scored {
		if lists && listedScore(c, p, s.plugin) {
			continue
		}
		if differs(theirs.scores[s.plugin]) {
			seen.add("scored: " + s.plugin)
		}
		equal := rounding
		if s.plugin == names.PodTopologySpread {
			equal += theirs.grain
		}
		if d, differ := ordered(s.plugin, ours.scores[s.plugin], theirs.scores[s.plugin], equal); differ {
			out = append(out, d)
		}
	}
	return out
}

// first is a text up to its first colon or space: a plugin, a code.
func first(text string) string {
	for i, r := range text {
		if r == ':' || r == ' ' {
			return text[:i]
		}
	}
	return text
}

// ordered says whether two scores order nodes differently: where kube-scheduler prefers one of two nodes, ours has to
// prefer it, too; where it has them equal, ours are at most equal apart, for it rounds to whole points.
func ordered(plugin string, ours, theirs map[string]float64, equal float64) (difference, bool) {
	nodes := slices.Sorted(maps.Keys(ours))
	for i, a := range nodes {
		for _, b := range nodes[i+1:] {
			we, they := ours[a]-ours[b], theirs[a]-theirs[b]
			tie := they == 0 && max(we, -we) <= equal
			near := max(they, -they) <= 1 && max(we, -we) <= rounding
			if tie || near || cmp.Compare(we, 0) == cmp.Compare(they, 0) {
				continue
			}
			return difference{"another order by " + plugin, fmt.Sprintf(
				"nodes %s and %s: ashlar %v and %v, kube-scheduler %v and %v", a, b, ours[a], ours[b], theirs[a],
				theirs[b])}, true
		}
	}
	return difference{}, false
}

// rounding is how far apart the points of two nodes may be that kube-scheduler rounds to the same, or to neighbours.
const rounding = 2.01

// coverage counts what was compared: nodes by the plugin that refused them, pods by the scores that tell nodes apart.
type coverage map[string]int

func (v coverage) add(what string) {
	if v != nil {
		v[what]++
	}
}
