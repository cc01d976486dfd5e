package ledger

// Feed is the log of what changed of one kind, for readers that derive something from it and want to compute
// anew only what changed. A reader keeps a Cursor. Decisions must not depend on the order of a feed. A feed may
// name a row more than once.
type Feed[ID comparable] struct {
	entries []ID
	first   Cursor // the cursor of the first entry, without the 1 that Now adds
	read    bool   // an entry was read since the last one was added
}

// Cursor is how far a reader has read a feed: a version of everything that the feed is about. The zero Cursor is
// that of a reader that has read nothing.
type Cursor uint64

// Now returns the cursor of a reader that has read everything.
func (f *Feed[ID]) Now() Cursor {
	f.read = true
	return f.first + Cursor(len(f.entries)) + 1
}

// Since returns what changed since a cursor, the oldest change first. False: it is not known, and everything may
// have changed, so that the reader has to look at everything. The slice is valid until the next change.
func (f *Feed[ID]) Since(c Cursor) (changed []ID, known bool) {
	if c <= f.first {
		return nil, false
	}
	return f.entries[c-f.first-1:], true
}

// Follow is Since, and moves the cursor to Now.
func (f *Feed[ID]) Follow(c *Cursor) (changed []ID, known bool) {
	changed, known = f.Since(*c)
	*c = f.Now()
	return changed, known
}

// Each calls visit for what Since returns. False, without a call, is as in Since.
func (f *Feed[ID]) Each(c Cursor, visit func(ID)) (known bool) {
	changed, known := f.Since(c)
	for _, id := range changed {
		visit(id)
	}
	return known
}

// add notes a change. The feed keeps at least the last keep entries: a reader that is further behind looks at
// everything.
func (f *Feed[ID]) add(id ID, keep int) {
	last := len(f.entries) - 1
	if last >= 0 && f.entries[last] == id && !f.read {
		return
	}
	if len(f.entries) >= 2*keep {
		drop := len(f.entries) / 2
		f.entries = f.entries[:copy(f.entries, f.entries[drop:])]
		f.first += Cursor(drop)
	}
	f.entries, f.read = append(f.entries, id), false
}

// forget makes every reader look at everything.
func (f *Feed[ID]) forget() {
	f.first += Cursor(len(f.entries)) + 1
	f.entries = f.entries[:0]
}
