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

// Heed splits classes by the images that pods run. A plugin that reads images calls it when it is made.
func (im *images) Heed() { im.heeds = true }

// Epoch counts the changes to the images on nodes, with nodes that come and go. Such a change gives no
// waiting task a new chance, and is in no feed.
func (im *images) Epoch() uint64 { return im.at }

// changed notes that a node's fact changed. A node that is set aside is as good as gone: it counts neither as a
// node nor for the images that it holds.
func (im *images) changed(was, is *model.Node) {
	had, has := present(was), present(is)
	if had != has || has && !slices.Equal(was.Images, is.Images) {
		im.at++
	}
}

// form writes the images of a spec if they split classes. As with NUMA nodes, it is no part of a class's
// hash.
func (im *images) form(s *model.Spec) string {
	if !im.heeds || len(s.Images) == 0 {
		return ""
	}
	var f model.Form
	f.Images(s.Images)
	return f.String()
}
