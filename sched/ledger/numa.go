package ledger

import "ashlar.sh/sched/model"

// HeedNUMA makes the ledger read facts about NUMA nodes, and splits classes by what pods ask of NUMA nodes. A
// plugin that needs them calls it when it is made. Without a call, such facts need not be passed to the
// ledger.
func (l *Ledger) HeedNUMA() { l.heedsNUMA = true }

// NUMA returns what is known of a node's NUMA nodes; nil if nothing is, or if its report makes no sense.
func (l *Ledger) NUMA(n NodeID) *model.NUMA { return l.numa[l.nodes[n].Name] }

// applyNUMA takes in a report about a node's NUMA nodes. A task that was refused may find room on it now.
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

// numaForm writes what a spec asks of NUMA nodes if that splits classes. It is no part of a class's hash: how
// ties are broken must not depend on whether a plugin is configured.
func (l *Ledger) numaForm(s *model.Spec) string {
	if !l.heedsNUMA || s.NUMA == nil {
		return ""
	}
	var f model.Form
	f.Numa(s.NUMA)
	return f.String()
}
