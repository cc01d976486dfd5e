package world

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// booked plays users that book nodes for a while, and checks that schedulers heed it.
type booked struct {
	w    *World
	kind *apimodel.Kind
	made int
	all  map[string]bookedNode // by the name of the booking
}

// bookedNode is a window of a node.
type bookedNode struct {
	uid      types.UID
	node     string
	queue    string // whose it is; "": it is for maintenance
	since    time.Time
	from, to time.Time
	drain    time.Duration // for so long before it nothing without a limit begins
	every    time.Duration // from one window's beginning to the next one's; 0: there is one
}

// window is the one of which the end is the next at a time; false if all are over.
func (n *bookedNode) window(at time.Time) (from, to time.Time, is bool) {
	from, to = n.from, n.to
	for n.every > 0 && !at.Before(to) {
		from, to = from.Add(n.every), to.Add(n.every)
	}
	return from, to, at.Before(to)
}

// recurs is how often what recurs does.
const recurs = 15 * time.Minute

func newBooked(w *World) *booked {
	return &booked{w: w, kind: w.api.Kind("ashlar.sh", "bookings"), all: map[string]bookedNode{}}
}

func (b *booked) begin() {
	b.w.every(b.w.Trouble.Booked, func() {
		b.made++
		name := fmt.Sprint("booked-", b.made)
		b.make(name)
		if b.w.chance(0.2) {
			b.w.seq.after(b.w.between(0, time.Minute), func() { // another window under the same name
				if b.end(name); !b.w.calm {
					b.make(name)
				}
			})
		}
	})
}

func (b *booked) make(name string) {
	w := b.w
	one := bookedNode{node: nodeName(w.random.IntN(w.Nodes)), since: time.Now(),
		drain: w.between(time.Minute, 3*time.Minute)}
	for _, other := range b.all {
		if other.node == one.node { // of two the older one would hold
			return
		}
	}
	one.from = time.Now().Add(w.between(10*time.Second, 5*time.Minute)).Truncate(time.Second)
	one.to = one.from.Add(w.between(4*time.Minute, 9*time.Minute)).Truncate(time.Second)
	spec := map[string]any{"maintenance": true}
	if w.chance(0.5) {
		one.queue = queueNames[w.random.IntN(len(queueNames))]
		spec = map[string]any{"owner": map[string]any{"queue": one.queue}, "flex": w.chance(0.5)}
	}
	spec["nodes"] = map[string]any{"selector": map[string]any{
		"matchLabels": map[string]any{"kubernetes.io/hostname": one.node}}}
	spec["from"], spec["to"] = one.from.UTC().Format(time.RFC3339), one.to.UTC().Format(time.RFC3339)
	over := one.to
	if w.chance(0.3) { // again and again, for a while
		w.did("a node booked again and again")
		one.from, one.every = time.Now().Truncate(recurs).Add(recurs), recurs
		one.to = one.from.Add(recurs / 3)
		over = one.to.Add(w.between(0, 2*recurs))
		delete(spec, "from")
		delete(spec, "to")
		spec["schedule"], spec["timeZone"] = fmt.Sprintf("*/%d * * * *", int(recurs.Minutes())), "UTC"
		spec["duration"] = (recurs / 3).String()
	}
	spec["drainBefore"] = one.drain.Truncate(time.Second).String()
	w.make("ashlar.sh", "bookings", map[string]any{"metadata": map[string]any{"name": name}, "spec": spec})
	stored := w.api.Get(b.kind, "", name)
	if stored == nil {
		w.wrong("booking %s was refused", name)
		return
	}
	w.did("a node booked")
	one.uid = stored.Meta().GetUID()
	b.all[name] = one
	w.seq.after(time.Until(over)+w.between(0, time.Minute), func() {
		if b.all[name].uid == one.uid {
			b.end(name)
		}
	})
}

func (b *booked) end(name string) {
	delete(b.all, name)
	b.w.do(http.MethodDelete, b.kind.Path("", name), map[string]any{})
}

// calm ends all bookings.
func (b *booked) calm() {
	for _, name := range slices.Sorted(maps.Keys(b.all)) {
		b.end(name)
	}
}

// restored has users look which bookings there are: those that had ended are ended again.
func (b *booked) restored() {
	there := map[string]bool{}
	for _, o := range b.w.api.List(b.kind) {
		name := o.Meta().GetName()
		if there[name] = b.all[name].uid == o.Meta().GetUID(); !there[name] {
			b.end(name)
		}
	}
	maps.DeleteFunc(b.all, func(name string, _ bookedNode) bool { return !there[name] })
}

// heeded checks that a scheduler binds nothing to a node that may still run when the node is booked for others. It may
// have decided on it a while ago, and may have seen the booking late.
func (b *booked) heeded(write apimodel.Write, node string) {
	decided := time.Now().Add(-seenWithin)
	if !isScheduler(write.Client) || b.w.check.restoredAt.After(decided) {
		return
	}
	ahead := b.w.aheadOf(write.Client)
	seconds, _ := asMap(write.After.Object["spec"])["activeDeadlineSeconds"].(int64)
	limit := time.Duration(seconds) * time.Second
	for _, name := range slices.Sorted(maps.Keys(b.all)) {
		one := b.all[name]
		from, to, is := one.window(time.Now().Add(ahead)) // a window is when the scheduler's clock says so
		if one.node != node || one.since.After(decided) || !is {
			continue
		}
		if one.queue != "" && one.queue == b.w.check.queueOf(write.After) {
			continue
		}
		b.w.did("a binding beside a booking")
		if then := decided.Add(ahead); limit > 0 && then.Add(limit).After(from) ||
			limit == 0 && then.After(from.Add(-one.drain)) {
			b.w.wrong("pod %s, which may run for %s, is bound to %s, which is booked (%s) from %s to %s by a clock that is "+
				"ahead by %s", write.Key(), limit, node, name, from.Sub(b.w.began), to.Sub(b.w.began), ahead)
		}
	}
}
