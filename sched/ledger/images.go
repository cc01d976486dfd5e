package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// images is what is kept of the images on nodes.
type images struct {
	heeds bool
	at    uint64
}

// HeedImages splits classes by the images that pods run. A plugin that reads images calls it when it is made.
func (l *Ledger) HeedImages() { l.images.heeds = true }

// Imaged counts the changes to the images on nodes, with nodes that come and go. Such a change gives no
// waiting task a new chance, and is in no feed.
func (l *Ledger) Imaged() uint64 { return l.images.at }

// pictured notes that a node's fact changed.
func (l *Ledger) pictured(was, is *model.Node) {
	if was == nil || is == nil || !slices.Equal(was.Images, is.Images) {
		l.images.at++
	}
}

// imagesForm writes the images of a spec if they split classes. As with NUMA nodes, it is no part of a class's
// hash.
func (l *Ledger) imagesForm(s *model.Spec) string {
	if !l.images.heeds || len(s.Images) == 0 {
		return ""
	}
	var f model.Form
	f.Images(s.Images)
	return f.String()
}
