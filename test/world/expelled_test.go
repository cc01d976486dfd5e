package world

import (
	"net/http"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// expelTaint is a taint by which pods have to leave, at once or, if they tolerate it for so long, then.
const expelTaint = "world.ashlar.sh/expels"

var effects = map[string]string{closeTaint: "NoSchedule", expelTaint: "NoExecute"}

func hasTaint(n *apimodel.Stored, key string) bool {
	taints, _ := asMap(n.Object["spec"])["taints"].([]any)
	for _, t := range taints {
		if text(asMap(t), "key") == key {
			return true
		}
	}
	return false
}

// expels has nodes expel their pods for a while.
func (l *relabelled) expels() {
	w := l.w
	if w.Trouble.Expels <= 0 {
		return
	}
	w.every(w.Trouble.Expels, func() {
		if name := nodeName(w.random.IntN(w.Nodes)); w.nodes.up[name] {
			w.did("a node that expels pods")
			l.taint(name, expelTaint, true)
			w.seq.after(w.between(time.Second, w.longest()), func() { l.taint(name, expelTaint, false) })
		}
	})
	l.expel()
}

// expel deletes the pods that have to leave their nodes, again and again, as Kubernetes' controller does.
func (l *relabelled) expel() {
	w := l.w
	for _, p := range w.api.List(w.jobs.pods) {
		m, one := p.Meta(), w.jobs.of(p)
		node := text(p.Object, "spec", "nodeName")
		if one == nil || node == "" || m.GetDeletionTimestamp() != nil || ended(p) {
			continue
		}
		uid := m.GetUID()
		if n := w.api.Get(w.nodes.nodes, "", node); n == nil || !hasTaint(n, expelTaint) {
			delete(l.endured, uid)
			continue
		}
		since, is := l.endured[uid]
		if !is {
			since = time.Now()
			l.endured[uid] = since
		}
		if time.Since(since) < one.endures {
			continue
		}
		if w.did("a pod expelled"); one.endures > 0 {
			w.did("a pod expelled after a while")
		}
		delete(l.endured, uid)
		delete(w.check.paces.took, one.name) // what was evicted for it was of use for as long as it could stay
		w.do(http.MethodDelete, w.nodes.pods.Path(userNamespace, m.GetName()),
			map[string]any{"preconditions": map[string]any{"uid": uid}})
	}
	w.seq.after(w.between(100*time.Millisecond, 2*time.Second), l.expel)
}
