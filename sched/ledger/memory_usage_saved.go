package ledger

import (
	"cmp"
	"maps"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/resource"
)

// UsageState is all that is remembered of usage: what an engine that begins anew is given to remember the same.
type UsageState struct {
	Label   string        `json:",omitempty"` // by which tenants were told apart: see TenantKey
	Queues  []UsageRecord `json:",omitempty"` // by name
	Tenants []UsageRecord `json:",omitempty"` // by queue and name
}

// UsageRecord is what a holder used until a time, in nanoseconds since the epoch, and what it holds since.
type UsageRecord struct {
	Queue   string
	Tenant  string `json:",omitempty"`
	At      int64
	Amounts []UsageAmount // by resource
}

// UsageAmount is the part of one resource, in the engine's units.
type UsageAmount struct {
	Resource string
	Held     int64  `json:",omitempty"`
	Used     uint64 `json:",omitempty"` // whole units,
	Part     uint64 `json:",omitempty"` // … and a part, of 2^64
}

// Saved returns what is remembered, nil where no plugin asks for it. A record stays the same as long as what its holder
// holds does.
func (u *Usage) Saved() *UsageState {
	if !u.On() {
		return nil
	}
	return &UsageState{Label: u.by.Label, Queues: u.records(&u.queues), Tenants: u.records(&u.tenants)}
}

func (u *Usage) records(m *meter) (out []UsageRecord) {
	for _, i := range m.byKey { // order-free: sorted below
		if r := u.record(&m.rows[i]); len(r.Amounts) > 0 {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, UsageRecord.compare)
	return out
}

func (r UsageRecord) compare(o UsageRecord) int {
	return UsageKey{r.Queue, r.Tenant}.compare(UsageKey{o.Queue, o.Tenant})
}

// record is what is remembered of a holder; without amounts: nothing.
func (u *Usage) record(row *holder) UsageRecord {
	r := UsageRecord{Queue: row.Queue, Tenant: row.Tenant, At: row.at}
	for d := range resource.Dim(max(len(row.held), len(row.used))) {
		var used fair.Average
		if int(d) < len(row.used) {
			used = row.used[d]
		}
		if held := row.held.Get(d); held > 0 || !used.Zero() {
			r.Amounts = append(r.Amounts, UsageAmount{u.l.Dims.Name(d), held, used.Whole, used.Part})
		}
	}
	slices.SortFunc(r.Amounts, func(a, b UsageAmount) int { return cmp.Compare(a.Resource, b.Resource) })
	return r
}

// UsageCopy is a copy of what is remembered that follows it at the cost of what changed: what is left when a panic has
// left the rest half changed. The zero UsageCopy has nothing.
type UsageCopy struct {
	on              bool
	label           string
	queues, tenants map[UsageKey]UsageRecord
}

// UsageChanges are the records that changed since the last call of TakeChanges, all of them at the first.
type UsageChanges struct {
	on              bool
	label           string
	queues, tenants []UsageRecord // without amounts: nothing is left of the holder
}

// TakeChanges returns what changed since the last call.
func (u *Usage) TakeChanges() UsageChanges {
	if !u.On() {
		return UsageChanges{}
	}
	return UsageChanges{true, u.by.Label, u.takeChanged(&u.queues), u.takeChanged(&u.tenants)}
}

func (u *Usage) takeChanged(m *meter) (out []UsageRecord) {
	if !m.follows {
		m.follows = true
		return u.records(m)
	}
	for _, k := range m.changed {
		r := UsageRecord{Queue: k.Queue, Tenant: k.Tenant}
		if i, known := m.byKey[k]; known {
			r = u.record(&m.rows[i])
		}
		out = append(out, r)
	}
	m.changed = m.changed[:0]
	return out
}

// Follow takes in what changed.
func (c *UsageCopy) Follow(ch UsageChanges) {
	if c.on, c.label = ch.on, ch.label; c.on && c.queues == nil {
		c.queues, c.tenants = map[UsageKey]UsageRecord{}, map[UsageKey]UsageRecord{}
	}
	for i, records := range [...][]UsageRecord{ch.queues, ch.tenants} {
		of := [...]map[UsageKey]UsageRecord{c.queues, c.tenants}[i]
		for _, r := range records {
			if k := (UsageKey{r.Queue, r.Tenant}); len(r.Amounts) > 0 {
				of[k] = r
			} else {
				delete(of, k)
			}
		}
	}
}

// State is what is remembered; nil where nothing is.
func (c *UsageCopy) State() *UsageState {
	if !c.on {
		return nil
	}
	return &UsageState{Label: c.label, Queues: slices.SortedFunc(maps.Values(c.queues), UsageRecord.compare),
		Tenants: slices.SortedFunc(maps.Values(c.tenants), UsageRecord.compare)} // order-free: sorted
}

// Restore takes over what was remembered, in place of what is known of the same holders. Tenants that were told apart
// otherwise are left out. Call it after the facts were applied, and before a cycle.
func (u *Usage) Restore(s UsageState) {
	u.restore(&u.queues, s.Queues)
	if s.Label == u.by.Label {
		u.restore(&u.tenants, s.Tenants)
	}
	u.l.ExtendDims()
	u.now = 0 // the records may be of another clock
	u.version++
}

func (u *Usage) restore(m *meter, records []UsageRecord) {
	if m.halfLife == 0 {
		return
	}
	for _, r := range records {
		u.set(m, m.row(UsageKey{r.Queue, r.Tenant}), r)
	}
}

// set makes a record what is known of a holder.
func (u *Usage) set(m *meter, i int32, r UsageRecord) {
	row := &m.rows[i]
	row.at, row.held, row.used = r.At, row.held[:0], row.used[:0]
	for _, a := range r.Amounts {
		d := u.l.Dims.Intern(a.Resource)
		row.held = row.held.Set(d, max(0, a.Held))
		for len(row.used) <= int(d) {
			row.used = append(row.used, fair.Average{})
		}
		row.used[d] = fair.Average{Whole: a.Used, Part: a.Part}
	}
	m.touch(i) // what it holds now may differ
	m.note(i)
}

// TakeBack makes what changed since TakeChanges what it was in a copy.
func (u *Usage) TakeBack(to *UsageCopy) {
	for i, m := range [...]*meter{&u.queues, &u.tenants} {
		of := [...]map[UsageKey]UsageRecord{to.queues, to.tenants}[i]
		for _, k := range m.changed {
			if r, remembered := of[k]; remembered {
				u.set(m, m.row(k), r)
			} else if at, known := m.byKey[k]; known {
				u.set(m, at, UsageRecord{})
			}
		}
		m.changed = m.changed[:0]
	}
	u.l.ExtendDims()
	u.version++
}
