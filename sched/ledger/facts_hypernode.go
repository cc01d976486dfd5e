package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// HyperNodes holds the HyperNodes.
type HyperNodes struct {
	changes *Changes

	byName map[string]*model.HyperNode
	epoch  uint64 // facts about HyperNodes so far
	heeded bool
}

// Heed makes the ledger read facts about HyperNodes. A plugin that needs them calls it when it is
// made. Without a call, such facts need not be passed to the ledger.
func (hs *HyperNodes) Heed() { hs.heeded = true }

// All returns the facts about HyperNodes, those set aside too, by age, the oldest first, then by name.
func (hs *HyperNodes) All() []*model.HyperNode {
	var out []*model.HyperNode
	for _, h := range hs.byName { // order-free: sorted below
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *model.HyperNode) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// Epoch is a version of all facts about HyperNodes together.
func (hs *HyperNodes) Epoch() uint64 { return hs.epoch }

func (hs *HyperNodes) apply(name string, h *model.HyperNode) {
	if h == nil {
		delete(hs.byName, name)
	} else {
		if hs.byName == nil {
			hs.byName = map[string]*model.HyperNode{}
		}
		hs.byName[name] = h
	}
	hs.epoch++
	if hs.heeded {
		hs.changes.roomEpoch++ // a job that found no domain may find one
	}
}
