package near

import (
	"cmp"
	"slices"
)

// bury drops what no pod keeps any more: specs, their tallies, crowds, herds. When nobody
// asks for anything the book closes.
func (b *Book) bury() {
	dropped := b.thinned
	b.thinned = false
	for _, u := range b.spent {
		if u.pods > 0 || b.users[u.form] != u {
			continue
		}
		for _, y := range u.used {
			y.refs--
		}
		delete(b.users, u.form)
		dropped = true
	}
	b.spent = b.spent[:0]
	switch {
	case len(b.users)+len(b.broods) == 0:
		b.close()
		return
	case dropped:
		clear(b.known)
		b.dropTallies()
	}
	b.dropHerds()
}

// close ends the book: nobody stands in any relation any more.
func (b *Book) close() {
	herds, recast := b.herds, b.recast
	b.clear()
	b.recast = recast
	for _, h := range herds { // order-free: each pod's class is found for itself
		if len(h.kin) > 0 && len(h.seats) > 0 {
			b.restale = append(b.restale, h)
		}
	}
	slices.SortFunc(b.restale, func(x, y *herd) int { return int(x.seats[0]) - int(y.seats[0]) })
}

func (b *Book) dropTallies() {
	gone := func(y *Tally) bool { return y.refs == 0 }
	for _, y := range b.tallies {
		if !gone(y) {
			continue
		}
		delete(b.byBirth, y.birth)
		if y.role != Members {
			b.unsettle(y.crowd)
		}
		y.crowd.members, y.crowd.holders = slices.DeleteFunc(y.crowd.members, gone), slices.DeleteFunc(y.crowd.holders, gone)
		if y.crowd.refs--; y.crowd.refs == 0 {
			b.dropCrowd(y.crowd)
		}
		if y.col.refs--; y.col.refs == 0 {
			delete(b.columns, y.col.key)
		}
		if y.scope != nil {
			if y.scope.refs--; y.scope.refs == 0 {
				delete(b.scopes, y.scope.form)
			}
		}
	}
	b.tallies = slices.DeleteFunc(b.tallies, gone)
	b.shape++
}

func (b *Book) dropCrowd(c *crowd) {
	is := func(o *crowd) bool { return o == c }
	for _, h := range c.herds {
		h.crowds = slices.DeleteFunc(h.crowds, is)
	}
	delete(b.crowds, c.form)
	key, values, ok := c.handle()
	if !ok {
		b.anyCrowd = slices.DeleteFunc(b.anyCrowd, is)
	}
	for _, v := range values {
		drop(b.crowdsBy, label{key, v}, c)
	}
}

// dropHerds drops the herds that are still empty; every list that names some of them is
// gone through once.
func (b *Book) dropHerds() {
	gone := func(h *herd) bool { return len(h.seats) == 0 }
	var crowds []*crowd
	var labels []label
	for _, h := range b.empty {
		if !gone(h) || b.herds[h.form] != h {
			continue
		}
		delete(b.herds, h.form)
		crowds = append(crowds, h.crowds...)
		for _, l := range h.labels {
			labels = append(labels, label{l.Key, l.Value})
		}
	}
	b.empty = b.empty[:0]
	slices.SortFunc(crowds, func(a, b *crowd) int { return cmp.Compare(a.birth, b.birth) })
	for _, c := range slices.Compact(crowds) {
		c.herds = slices.DeleteFunc(c.herds, gone)
	}
	slices.SortFunc(labels, func(a, b label) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value)) })
	for _, at := range slices.Compact(labels) {
		if b.herdsBy[at] = slices.DeleteFunc(b.herdsBy[at], gone); len(b.herdsBy[at]) == 0 {
			delete(b.herdsBy, at)
		}
	}
	b.restale, b.recast = slices.DeleteFunc(b.restale, gone), slices.DeleteFunc(b.recast, gone)
}

// drop takes one out of a list, and the list away with the last.
func drop(lists map[label][]*crowd, at label, one *crowd) {
	list := slices.DeleteFunc(lists[at], func(o *crowd) bool { return o == one })
	if len(list) == 0 {
		delete(lists, at)
		return
	}
	lists[at] = list
}
