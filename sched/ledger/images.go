package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// images is what there is to know of the images that nodes hold.
type images struct {
	heeds bool
	at    uint64
}

// HeedImages makes pods that run other images be of different classes: a plugin that reads
// images asks for it when it is made. Unasked, no class is split.
func (l *Ledger) HeedImages() { l.images.heeds = true }

// Imaged counts the changes to what images nodes hold, nodes that come and go included.
// Nobody who waits has a better prospect for such a change, and no journal tells of it.
func (l *Ledger) Imaged() uint64 { return l.images.at }

// pictured notes that a node's fact is another.
func (l *Ledger) pictured(was, is *model.Node) {
	if was == nil || is == nil || !slices.Equal(was.Images, is.Images) {
		l.images.at++
	}
}

// imagesForm tells classes apart by the images they run, where that matters. It is no part
// of a class's hash, as with NUMA nodes.
func (l *Ledger) imagesForm(s *model.Spec) string {
	if !l.images.heeds || len(s.Images) == 0 {
		return ""
	}
	var f model.Form
	f.Images(s.Images)
	return f.String()
}
