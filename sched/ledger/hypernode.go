package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// HeedHyperNodes makes the ledger read facts about HyperNodes. A plugin that needs them calls it when it is
// made. Without a call, such facts need not be passed to the ledger.
func (l *Ledger) HeedHyperNodes() { l.heedsHyper = true }

// HeedsHyperNodes says that some plugin reads HyperNodes.
func (l *Ledger) HeedsHyperNodes() bool { return l.heedsHyper }

// HyperNodes returns the facts about HyperNodes, those set aside too, by age, the oldest first, then by name.
func (l *Ledger) HyperNodes() []*model.HyperNode {
	var out []*model.HyperNode
	for _, h := range l.hypers { // order-free: sorted below
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *model.HyperNode) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// HyperNodesNow is a version of all facts about HyperNodes together.
func (l *Ledger) HyperNodesNow() uint64 { return l.hyperAt }

func (l *Ledger) applyHyperNode(name string, h *model.HyperNode) {
	if h == nil {
		delete(l.hypers, name)
	} else {
		if l.hypers == nil {
			l.hypers = map[string]*model.HyperNode{}
		}
		l.hypers[name] = h
	}
	l.hyperAt++
	if l.heedsHyper {
		l.roomEpoch++ // a job that found no domain may find one
	}
}
