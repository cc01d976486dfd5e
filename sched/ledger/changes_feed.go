package ledger

// Feed is the log of what changed of one kind, for readers that derive something from it and want to compute
// anew only what changed. A reader keeps a Cursor. Decisions must not depend on the order of a feed. A feed may
// name a row more than once.
type Feed[ID ~int32] struct {
	entries []ID
	first   Cursor // the cursor of the first entry, without the 1 that Now adds
	read    bool   // an entry was read since the last one was added

	readings uint64   // how often Rows told rows apart
	named    []uint64 // by row: in which of these it was named last
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

// fewChanges is up to how many entries of a feed are returned as they are: to tell their rows apart costs more than to
// look at one again.
const fewChanges = 256

// Rows is Since without repetitions where there are more than fewChanges: a try that fails names its nodes when it
// changes them, and again when that is undone. Those are put into memory, which is returned for the next time.
func (f *Feed[ID]) Rows(c Cursor, memory []ID) (changed []ID, known bool, kept []ID) {
	changed, known = f.Since(c)
	if len(changed) <= fewChanges {
		return changed, known, memory
	}
	f.readings++
	memory = memory[:0]
	for _, id := range changed {
		if grow := int(id) + 1 - len(f.named); grow > 0 {
			f.named = append(f.named, make([]uint64, grow)...)
		}
		if f.named[id] != f.readings {
			f.named[id] = f.readings
			memory = append(memory, id)
		}
	}
	return memory, known, memory
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
