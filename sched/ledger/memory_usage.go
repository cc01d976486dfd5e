package ledger

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Usage remembers what queues, and tenants in them, have held lately: a decayed average of what they are allocated
// (fair.Average), exact from one cycle in which that changed to the next. Plugins order by it (policy.Memory); nothing
// else reads it. It is kept only where a plugin asks for it.
//
// What is kept of a holder changes only when what it holds does: its average then, and what it holds since. So a cycle
// in between changes nothing, and a holder that keeps what it has costs nothing. For order, averages are those of the
// last full minute, or of the holder's last change if that is later: so the order among those that wait changes by time
// alone only when a minute begins, and an engine that is restored within it decides by the same order.
type Usage struct {
	l *Ledger

	queues, tenants meter
	by              TenantKey
	now, minute     int64
	seen            Cursor // of the usage of queues
	version         uint64
}

// UsageKey names a holder: a queue, or a tenant in it.
type UsageKey struct{ Queue, Tenant string }

func (k UsageKey) compare(o UsageKey) int {
	return cmp.Or(cmp.Compare(k.Queue, o.Queue), cmp.Compare(k.Tenant, o.Tenant))
}

// meter is the holders of one kind.
type meter struct {
	halfLife int64 // nanoseconds; 0: nothing is remembered
	rows     []holder
	free     []int32
	byKey    map[UsageKey]int32
	booked   map[UsageKey]resource.Vec // idle room that counts as held: see Book
	touched  []int32                   // rows of which what they hold may have changed
	changed  []UsageKey                // holders of which the records changed since TakeChanged; kept once that was called
	follows  bool
}

// holder is a queue, or a tenant, and what it held. Row 0 is that of none.
type holder struct {
	UsageKey
	allocated resource.Sums // of a tenant: what its jobs hold now
	moved     uint64        // … and UsageEpoch when that changed last
	jobs      int32         // of a tenant
	touched   bool

	at   int64          // when held began to be held
	held resource.Vec   // since then
	used []fair.Average // at that time, by dimension
}

// A minute, and the most holders of one kind that are remembered although they hold nothing any more.
const (
	aSecond    = int64(1_000_000_000)
	aMinute    = 60 * aSecond
	mostIdlers = 1 << 14
)

// RememberQueues has the usage of queues kept, with a half-life in nanoseconds. There can be only one.
func (u *Usage) RememberQueues(halfLife int64) error {
	return u.queues.begin(halfLife, "queues")
}

// RememberTenants has the usage of tenants in queues kept. It is called before any fact is applied.
func (u *Usage) RememberTenants(by TenantKey, halfLife int64) error {
	if u.tenants.halfLife != 0 && u.by != by {
		return fmt.Errorf("tenants are told apart by %q and by %q: there can be only one", u.by.Label, by.Label)
	}
	u.by = by
	return u.tenants.begin(halfLife, "tenants")
}

func (m *meter) begin(halfLife int64, what string) error {
	if m.halfLife != 0 && m.halfLife != halfLife {
		return fmt.Errorf("the usage of %s has the half-lives %d s and %d s: there can be only one", what,
			m.halfLife/aSecond, halfLife/aSecond)
	}
	if m.halfLife = halfLife; m.byKey == nil {
		m.byKey, m.rows = map[UsageKey]int32{}, make([]holder, 1)
	}
	return nil
}

// On says that usage of some kind is remembered.
func (u *Usage) On() bool { return u.queues.halfLife != 0 || u.tenants.halfLife != 0 }

// Version changes whenever an answer of Usage may have changed otherwise than with Queue.Moved and Moved.
func (u *Usage) Version() uint64 { return u.version }

// NextMinute is when the averages that decide change next.
func (u *Usage) NextMinute() int64 { return model.After(u.minute, aMinute) }

// Begin takes in the time of a cycle. It returns whether a minute began, so that the order of holders may have changed
// by time alone.
func (u *Usage) Begin(now int64) (began bool) {
	if !u.On() {
		return false
	}
	minute := now - (now%aMinute+aMinute)%aMinute
	began = u.minute != minute || u.now == 0
	if now < u.now || u.now == 0 {
		u.queues.rewind(now) // the clock was put back, or another's was ahead
		u.tenants.rewind(now)
	}
	u.now, u.minute = now, minute
	if began {
		u.queues.forget(minute)
		u.tenants.forget(minute)
		u.version++
	}
	return began
}

// End takes in what holders hold at the end of the cycle: until now they held what they held before. What was taken
// back and placed again within the cycle changes nothing.
func (u *Usage) End() {
	if u.queues.halfLife != 0 {
		queues, known := u.l.Changes.QueueUsage.Follow(&u.seen)
		if known {
			for i, q := range queues {
				for at := q; at != NoQueue && (i == 0 || q != queues[i-1]); at = u.l.Queues.rows[at].up {
					u.accrueQueue(at)
				}
			}
		} else {
			u.l.Queues.Each(func(q QueueID) bool { u.accrueQueue(q); return true })
		}
	}
	for _, i := range u.queues.take() {
		if q, there := u.l.Queues.byName[u.queues.rows[i].Queue]; there {
			u.accrueQueue(q)
		} else {
			u.accrue(&u.queues, i, nil)
		}
	}
	for _, i := range u.tenants.take() {
		u.accrue(&u.tenants, i, u.tenants.rows[i].allocated)
	}
}

// take returns the rows that were touched since the last call.
func (m *meter) take() []int32 {
	touched := m.touched
	for _, i := range touched {
		m.rows[i].touched = false
	}
	m.touched = touched[:0]
	return touched
}

func (m *meter) touch(i int32) {
	if row := &m.rows[i]; !row.touched {
		row.touched = true
		m.touched = append(m.touched, i)
	}
}

// gone notes that a queue is known no longer, and holds nothing.
func (u *Usage) gone(queue string) {
	if i, known := u.queues.byKey[UsageKey{Queue: queue}]; known {
		u.queues.touch(i)
	}
}

func (u *Usage) accrueQueue(q QueueID) {
	row := &u.l.Queues.rows[q]
	i, known := u.queues.byKey[UsageKey{Queue: row.Name}]
	if !known && !row.free && holdsAny(row.Allocated) {
		i = u.queues.row(UsageKey{Queue: row.Name})
	}
	if i != 0 {
		u.accrue(&u.queues, i, row.Allocated)
	}
}

func holdsAny(s resource.Sums) bool {
	return slices.ContainsFunc(s, func(x resource.Sum) bool { return x.Int64() > 0 })
}

// accrue brings a holder up to now, if what it holds has changed.
func (u *Usage) accrue(m *meter, i int32, holds resource.Sums) {
	row := &m.rows[i]
	if booked := m.booked[row.UsageKey]; len(booked) > 0 {
		holds = holds.Clone().Add(booked)
	}
	same := true
	for d := range resource.Dim(max(len(row.held), len(holds))) {
		same = same && row.held.Get(d) == max(0, holds.Get(d))
	}
	if same {
		return
	}
	row.bring(u.now, m.halfLife)
	row.held = holds.Vec(row.held)
	for d, x := range row.held {
		row.held[d] = max(0, x)
	}
	m.note(i)
	u.version++
}

// bring brings a holder's averages up to a time. What has shrunk below one unit is nothing: so it makes no difference
// when a holder that holds nothing is forgotten.
func (h *holder) bring(now, halfLife int64) {
	by := fair.DecayOver(now-h.at, halfLife)
	for len(h.used) < len(h.held) {
		h.used = append(h.used, fair.Average{})
	}
	for d := range h.used {
		h.used[d] = h.used[d].Toward(h.held.Get(resource.Dim(d)), by)
		if h.held.Get(resource.Dim(d)) == 0 && h.used[d].Whole == 0 {
			h.used[d] = fair.Average{}
		}
	}
	h.at = now
}

// idle says that a holder has no jobs and holds nothing; with faded, that nothing is left of what it held either.
func (h *holder) idle() bool {
	return h.jobs == 0 && !slices.ContainsFunc(h.held, func(x int64) bool { return x > 0 })
}

func (h *holder) faded(now, halfLife int64) bool {
	by := fair.DecayOver(now-h.at, halfLife)
	return h.idle() && !slices.ContainsFunc(h.used, func(x fair.Average) bool { return x.Toward(0, by).Whole > 0 })
}

// row is the row of a holder, a new one if there is none.
func (m *meter) row(k UsageKey) int32 {
	i, known := m.byKey[k]
	if known {
		return i
	}
	if n := len(m.free); n > 0 {
		i, m.free = m.free[n-1], m.free[:n-1]
	} else {
		i, m.rows = int32(len(m.rows)), append(m.rows, holder{})
	}
	m.rows[i], m.byKey[k] = holder{UsageKey: k}, i
	return i
}

// note records that a holder's record changed.
func (m *meter) note(i int32) {
	if m.follows {
		m.changed = append(m.changed, m.rows[i].UsageKey)
	}
}

func (m *meter) drop(i int32) {
	m.note(i)
	delete(m.byKey, m.rows[i].UsageKey)
	m.rows[i] = holder{}
	m.free = append(m.free, i)
}

// rewind makes what is known of later than now known of now.
func (m *meter) rewind(now int64) {
	for i := range m.rows {
		if m.rows[i].at > now {
			m.rows[i].at = now
			m.note(int32(i))
		}
	}
}

// forget drops holders of which nothing is left when a minute begins, and where too many are idle those that have been
// so for longest. It depends on the minute alone: so an engine that is restored within it has forgotten the same.
func (m *meter) forget(minute int64) {
	var idlers []int32
	for _, i := range m.byKey { // order-free: each by itself, and sorted below
		if row := &m.rows[i]; row.at < minute && row.idle() && len(m.booked[row.UsageKey]) == 0 {
			idlers = append(idlers, i)
		}
	}
	idlers = slices.DeleteFunc(idlers, func(i int32) bool {
		if m.rows[i].faded(minute, m.halfLife) {
			m.drop(i)
			return true
		}
		return false
	})
	if len(idlers) > mostIdlers {
		slices.SortFunc(idlers, func(a, b int32) int {
			x, y := &m.rows[a], &m.rows[b]
			return cmp.Or(cmp.Compare(y.at, x.at), x.compare(y.UsageKey))
		})
		for _, i := range idlers[mostIdlers:] {
			m.drop(i)
		}
	}
}

// OfQueue is what a queue used of a dimension lately, with all queues below it.
func (u *Usage) OfQueue(q QueueID, d resource.Dim) fair.Average {
	return u.level(&u.queues, u.queues.byKey[UsageKey{Queue: u.l.Queues.rows[q].Name}], d)
}

// level is a holder's average of a dimension.
func (u *Usage) level(m *meter, i int32, d resource.Dim) fair.Average {
	if i == 0 || int(d) >= max(len(m.rows[i].used), len(m.rows[i].held)) {
		return fair.Average{}
	}
	h := &m.rows[i]
	var was fair.Average
	if int(d) < len(h.used) {
		was = h.used[d]
	}
	return was.Toward(h.held.Get(d), fair.DecayOver(u.minute-h.at, m.halfLife))
}
