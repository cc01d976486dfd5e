package nodeorder

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// images prefers the nodes that hold the images of a task's containers already: large ones,
// and those that many nodes hold, so that not all pods that want an image go to the few nodes
// that have it. It keeps which nodes hold which, after the ledger's facts.
type images struct {
	weight int64
	l      *ledger.Ledger
	at     uint64          // Images.Epoch, up to which all below is fresh
	of     [][]model.Image // by NodeID: as last read
	nodes  int64           // that are there
	byName map[string]*image
	moved  uint64 // counts all changes
	all    uint64 // the last that every score may rest on
}

// image is what is known of one name.
type image struct {
	holders []holder // in no order
	moved   uint64
}

type holder struct {
	node ledger.NodeID
	size int64
}

// RawScore is kube-scheduler's: each container's image counts with its size on the node times
// the part of all nodes that hold it; up to 23 MiB are worth nothing, from 1000 MiB for each
// container on all points.
func (f *images) RawScore(s *model.Spec, n *model.Node) int64 {
	f.sync()
	sum := int64(0)
	for _, name := range s.Images {
		if at, holds := slices.BinarySearchFunc(n.Images, name, func(i model.Image,
			name string) int {
			return strings.Compare(i.Name, name)
		}); holds {
			sum += f.counts(n.Images[at].Size, name)
		}
	}
	return worth(sum, len(s.Images))
}

// Weight is imagelocality.weight.
func (f *images) Weight() int64 { return f.weight }

// Reverse: more is better.
func (f *images) Reverse() bool { return false }

// Aspect is the images.
func (f *images) Aspect(s *model.Spec) string {
	var w model.Form
	w.Images(s.Images)
	return w.String()
}

// Moved counts the changes of the index that scores can rest on.
func (f *images) Moved() uint64 {
	f.sync()
	return f.moved
}

// MovedFor is the last of them that was about an image of a spec.
func (f *images) MovedFor(s *model.Spec) uint64 {
	f.sync()
	last := f.all
	for _, name := range s.Images {
		if i := f.byName[name]; i != nil {
			last = max(last, i.moved)
		}
	}
	return last
}

// Fill goes through the nodes that hold an image, image by image.
func (f *images) Fill(s *model.Spec, raw []int64) {
	f.sync()
	held := false
	for _, name := range s.Images {
		if i := f.byName[name]; i != nil {
			held = true
			for _, h := range i.holders {
				raw[h.node] += f.counts(h.size, name)
			}
		}
	}
	for n := range raw {
		if held && raw[n] > 0 {
			raw[n] = worth(raw[n], len(s.Images))
		}
	}
}

// counts is what an image of some size counts: the more, the more nodes hold it.
func (f *images) counts(size int64, name string) int64 {
	i := f.byName[name]
	if i == nil || f.nodes == 0 {
		return 0
	}
	return resource.MulDiv(size, int64(len(i.holders)), f.nodes)
}

// The sizes between which images are worth something, in bytes. Source: kube-scheduler.
const (
	smallest = 23 << 20
	largest  = 1000 << 20 // for each container
)

// worth turns what images count together into points.
func worth(sum int64, containers int) int64 {
	most := largest * int64(containers)
	if sum <= smallest {
		return 0
	}
	return resource.MulDiv(min(sum, most)-smallest, policy.MaxNodeScore, most-smallest)
}

// sync reads the nodes that have other images than were known.
func (f *images) sync() {
	now := f.l.Images.Epoch()
	if f.at == now {
		return
	}
	f.at = now
	for len(f.of) < f.l.Nodes.Len() {
		f.of = append(f.of, nil)
	}
	nodes := int64(0)
	for n := range f.of {
		var is []model.Image
		if row := f.l.Node(ledger.NodeID(n)); row.Present() {
			is = row.Fact.Images
			nodes++
		}
		f.read(ledger.NodeID(n), f.of[n], is)
		f.of[n] = is
	}
	if nodes != f.nodes {
		f.nodes = nodes
		f.moved++
		f.all = f.moved
	}
}

// read compares what a node held with what it holds; both lists are sorted.
func (f *images) read(n ledger.NodeID, was, is []model.Image) {
	if len(was) == len(is) && (len(is) == 0 || &was[0] == &is[0]) {
		return
	}
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].Name < is[0].Name:
			f.drop(n, was[0].Name)
			was = was[1:]
		case len(was) == 0 || is[0].Name < was[0].Name:
			f.hold(n, is[0])
			is = is[1:]
		default:
			if was[0].Size != is[0].Size {
				f.drop(n, is[0].Name)
				f.hold(n, is[0])
			}
			was, is = was[1:], is[1:]
		}
	}
}

func (f *images) hold(n ledger.NodeID, held model.Image) {
	i := f.byName[held.Name]
	if i == nil {
		i = &image{}
		f.byName[held.Name] = i
	}
	i.holders = append(i.holders, holder{n, held.Size})
	f.moved++
	i.moved = f.moved
}

// drop takes a node off an image, and the image off with the last.
func (f *images) drop(n ledger.NodeID, name string) {
	i := f.byName[name]
	last := len(i.holders) - 1
	for k := range i.holders {
		if i.holders[k].node == n {
			i.holders[k] = i.holders[last]
			break
		}
	}
	i.holders = i.holders[:last]
	f.moved++
	if i.moved = f.moved; last == 0 {
		delete(f.byName, name)
		f.all = f.moved
	}
}
