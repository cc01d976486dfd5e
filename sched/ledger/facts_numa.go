package ledger

import "ashlar.sh/sched/model"

// NUMATopologies holds the Numatopologies, by node.
type NUMATopologies struct {
	nodes   *Nodes
	changes *Changes

	byNode map[string]*model.NUMA // by the node's name
	heeded bool
}

// Heed makes the ledger read facts about NUMA nodes, and splits classes by what pods ask of NUMA nodes. A
// plugin that needs them calls it when it is made. Without a call, such facts need not be passed to the
// ledger.
func (nt *NUMATopologies) Heed() { nt.heeded = true }

// Of returns what is known of a node's NUMA nodes; nil if nothing is, or if its report makes no sense.
func (nt *NUMATopologies) Of(n NodeID) *model.NUMA { return nt.byNode[nt.nodes.rows[n].Name] }

// apply takes in a report about a node's NUMA nodes. A task that was refused may find room on it now.
func (nt *NUMATopologies) apply(name string, r *model.NUMA) {
	if r != nil {
		if _, bad := r.SetAside(); bad {
			r = nil
		}
	}
	was := nt.byNode[name]
	switch {
	case r == nil:
		delete(nt.byNode, name)
	case nt.byNode == nil:
		nt.byNode = map[string]*model.NUMA{name: r}
	default:
		nt.byNode[name] = r
	}
	if was.Alike(r) {
		return
	}
	if n, ok := nt.nodes.Find(name); ok && nt.heeded {
		nt.nodes.touch(n)
		nt.changes.roomEpoch++
	}
}

// form writes what a spec asks of NUMA nodes if that splits classes. It is no part of a class's hash: how
// ties are broken must not depend on whether a plugin is configured.
func (nt *NUMATopologies) form(s *model.Spec) string {
	if !nt.heeded || s.NUMA == nil {
		return ""
	}
	var f model.Form
	f.Numa(s.NUMA)
	return f.String()
}
