package ledger

import "ashlar.sh/sched/model"

// HeedNUMA makes facts about nodes' NUMA nodes count, and pods that ask otherwise of NUMA nodes be of
// different classes: a plugin that reads them asks for it when it is made. Unasked, nobody
// need tell of them.
func (l *Ledger) HeedNUMA() { l.heedsNUMA = true }

// NUMA is what is known of a node's NUMA nodes; nil where nothing is, or nothing that can be
// meant.
func (l *Ledger) NUMA(n NodeID) *model.NUMA { return l.numa[l.nodes[n].Name] }

// applyNUMA takes in a report about a node's NUMA nodes; who was refused may find room on it.
func (l *Ledger) applyNUMA(name string, r *model.NUMA) {
	if r != nil {
		if _, bad := r.SetAside(); bad {
			r = nil
		}
	}
	was := l.numa[name]
	switch {
	case r == nil:
		delete(l.numa, name)
	case l.numa == nil:
		l.numa = map[string]*model.NUMA{name: r}
	default:
		l.numa[name] = r
	}
	if was.Alike(r) {
		return
	}
	if n, ok := l.FindNode(name); ok && l.heedsNUMA {
		l.touchNode(n)
		l.roomEpoch++
	}
}

// numaForm tells classes apart by what they ask of NUMA nodes, where that matters. It is no part
// of a class's hash: who wins a tie must not depend on whether a plugin is there.
func (l *Ledger) numaForm(s *model.Spec) string {
	if !l.heedsNUMA || s.NUMA == nil {
		return ""
	}
	var f model.Form
	f.Numa(s.NUMA)
	return f.String()
}
