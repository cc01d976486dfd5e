package booking_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/booking"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// filter is what the plugin is to the engine.
type filter interface {
	policy.Starter
	policy.Later
	policy.Refuser
	policy.Problems
	policy.BookingReporter
}

// world is a ledger, the facts in it, and the plugin.
type world struct {
	*ledger.Ledger
	filter
	version  uint64
	nodes    map[string]*model.Node
	bookings map[string]*model.Booking
	now      int64
}

func newWorld(t interface{ Fatal(...any) }) *world {
	w := &world{Ledger: ledger.New(), nodes: map[string]*model.Node{}, bookings: map[string]*model.Booking{}, now: 1000}
	w.filter = w.plugin(t)
	return w
}

func (w *world) plugin(t interface{ Fatal(...any) }) filter {
	p, err := booking.Definition().New(policy.Choice{}, w.Ledger)
	if err != nil {
		t.Fatal(err)
	}
	return p.(filter)
}

func (w *world) tell(k model.Kind, namespace, name string, o model.Object) {
	w.version++
	uid := name
	if o != nil {
		uid = o.Common().UID
	}
	w.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: uid, Version: w.version, Object: o})
	w.ExtendDims()
}

func (w *world) node(name, pool string, changes ...func(*model.Node)) {
	n := &model.Node{Meta: model.Meta{Name: name, UID: name}, Labels: []model.Label{{Key: "pool", Value: pool}}}
	for _, change := range changes {
		change(n)
	}
	w.nodes[name] = n
	w.tell(model.KindNode, "", name, n)
}

func (w *world) noNode(name string) {
	delete(w.nodes, name)
	w.tell(model.KindNode, "", name, nil)
}

// book books nodes of pool a for namespace ml from a time to another, before changes.
func (w *world) book(name string, from, to int64, changes ...func(*model.Booking)) {
	b := &model.Booking{Meta: model.Meta{Name: name, UID: name, Created: 1}, Owner: model.BookingOwner{Namespace: "ml"},
		Selector: poolA, Windows: []model.Window{{From: from, To: to}}}
	for _, change := range changes {
		change(b)
	}
	w.bookings[name] = b
	w.tell(model.KindBooking, "", name, b)
}

func (w *world) noBooking(name string) {
	delete(w.bookings, name)
	w.tell(model.KindBooking, "", name, nil)
}

// pod runs on a node, or waits without one; limit 0 is none.
func (w *world) pod(namespace, name, node string, limit int64, changes ...func(*model.Pod)) ledger.TaskID {
	p := &model.Pod{Meta: model.Meta{Namespace: namespace, Name: name, UID: name}, Ours: true, Node: node,
		Phase: model.PodPending, Spec: &model.Spec{}}
	if node != "" {
		p.Phase, p.Started = model.PodRunning, w.now
	}
	p.SetRare(model.Times{Limit: limit})
	for _, change := range changes {
		change(p)
	}
	w.tell(model.KindPod, namespace, name, p)
	t, _ := w.Tasks.Find(ledger.Key{Namespace: namespace, Name: name})
	return t
}

func (w *world) at(now int64) int64 {
	w.now = now
	next := w.At(now)
	if later := w.Later(); later != 0 && (next == 0 || later < next) {
		return later
	}
	return next
}

// stands is how a booking stands, "" for one that is not known.
func (w *world) stands(name string) string {
	for _, r := range w.filter.Bookings() {
		if r.Name == name {
			return fmt.Sprintf("%s %d-%d %v", r.Phase, r.Window.From, r.Window.To, r.Nodes)
		}
	}
	return ""
}

func (w *world) is(t *testing.T, name, want string) {
	t.Helper()
	if got := w.stands(name); got != want {
		t.Errorf("at %d %s is %q, want %q", w.now, name, got, want)
	}
}

var (
	poolA       = []model.Requirement{{Key: "pool", Op: model.In, Values: []string{"a"}}}
	maintenance = func(b *model.Booking) { b.Maintenance, b.Owner = true, model.BookingOwner{} }
	cordoned    = func(n *model.Node) { n.Unschedulable = true }
	failed      = func(n *model.Node) { n.Taints = []model.Taint{{Key: "node.kubernetes.io/unreachable"}} }
)

func counting(n int32) func(*model.Booking) { return func(b *model.Booking) { b.Count = n } }
func made(at int64) func(*model.Booking)    { return func(b *model.Booking) { b.Created = at } }

func windows(w ...model.Window) func(*model.Booking) {
	return func(b *model.Booking) { b.Windows = w }
}

// TestABookingThroughItsLife is changed, deleted and made again under its name while it is active, and clocks go back.
func TestABookingThroughItsLife(t *testing.T) {
	w := newWorld(t)
	w.node("n1", "a")
	w.node("n2", "b")
	w.book("demo", 2000, 3000)
	w.pod("web", "waits", "", 0)
	for _, step := range []struct {
		do         func()
		now, next  int64
		want, hint string
	}{
		{nil, 1000, 2000, "Pending 2000-3000 [n1]", "before"},
		{nil, 2000, 3000, "Active 2000-3000 [n1]", "it begins"},
		{func() { w.book("demo", 2000, 4000) }, 2100, 4000, "Active 2000-4000 [n1]", "it is prolonged"},
		{func() { w.book("demo", 5000, 6000) }, 2200, 5000, "Pending 5000-6000 [n1]", "it is put off while active"},
		{func() { w.book("demo", 2000, 2300) }, 2250, 2300, "Active 2000-2300 [n1]", "it is on again, and shorter"},
		{nil, 2300, 0, "Ended 0-0 []", "it ends"},
		{nil, 1500, 2000, "Pending 2000-2300 [n1]", "the clock goes back"},
		{nil, 2200, 2300, "Active 2000-2300 [n1]", "and on"},
		{func() { w.noBooking("demo") }, 2210, 0, "", "it is deleted while active"},
		{func() {
			w.book("demo", 2100, 2400, func(b *model.Booking) {
				b.UID, b.Selector = "again", []model.Requirement{{Key: "pool", Op: model.In, Values: []string{"b"}}}
			})
		}, 2220, 2400, "Active 2100-2400 [n2]", "another one of its name"},
		{func() { w.book("demo", 2600, 2500) }, 2230, 2600, "", "it ends before it starts"},
		{func() { w.book("demo", 0, 0, windows()) }, 2240, 0, "Ended 0-0 []", "it never comes"},
		{func() { w.book("demo", 0, 0, func(b *model.Booking) { b.Faults = []model.Fault{{Fatal: true}} }) }, 2250, 0,
			"Invalid 0-0 []", "it makes no sense"},
	} {
		if step.do != nil {
			step.do()
		}
		if next := w.at(step.now); next != step.next && step.hint != "it ends before it starts" {
			t.Errorf("%s: at %d the next time is %d, want %d", step.hint, step.now, next, step.next)
		}
		if step.hint != "it ends before it starts" {
			w.is(t, "demo", step.want)
		}
	}
}

// TestNodesThatFailAreReplaced has a booking of two nodes; one that comes back is taken again, and one that asks for
// more than there are says so.
func TestNodesThatFailAreReplaced(t *testing.T) {
	w := newWorld(t)
	for _, n := range []string{"n1", "n2", "n3", "n4"} {
		w.node(n, "a")
	}
	w.book("demo", 2000, 3000, counting(2))
	w.at(2500)
	was := w.filter.Bookings()[0].Nodes
	if len(was) != 2 {
		t.Fatalf("it has %v, want two nodes", was)
	}
	for hint, fail := range map[string]func(){
		"fails":    func() { w.node(was[0], "a", failed) },
		"cordoned": func() { w.node(was[0], "a", cordoned) },
		"gone":     func() { w.noNode(was[0]) },
		"label":    func() { w.node(was[0], "b") },
	} {
		fail()
		w.at(2500)
		if is := w.filter.Bookings()[0].Nodes; len(is) != 2 || slices.Contains(is, was[0]) || !slices.Contains(is, was[1]) {
			t.Errorf("%s: %v are booked in the place of %v", hint, is, was)
		}
		w.node(was[0], "a")
		if is := w.filter.Bookings()[0].Nodes; !slices.Equal(is, was) {
			t.Errorf("%s: once it is back %v are booked, want %v", hint, is, was)
		}
	}
	w.book("demo", 2000, 3000, counting(7))
	w.node("n1", "a", cordoned)
	if r := w.filter.Bookings()[0]; r.Short != (policy.BookingShort{Asked: 7, Found: 3, Selected: 4, Out: 1}) {
		t.Errorf("of seven nodes it has %+v", r.Short)
	}
	w.book("none", 2000, 3000, func(b *model.Booking) { b.Selector = []model.Requirement{{Key: "x", Op: model.Exists}} })
	if r := w.filter.Bookings()[1]; r.Short != (policy.BookingShort{Asked: 1}) {
		t.Errorf("without any node it has %+v", r.Short)
	}
}

// TestConflicts are pods that may run on in the window: those of others, and in maintenance all, but not those that
// belong to their node.
func TestConflicts(t *testing.T) {
	w := newWorld(t)
	w.node("n1", "a")
	w.node("n2", "b")
	w.pod("web", "endless", "n1", 0)
	w.pod("web", "ends", "n1", 500)
	w.pod("web", "long", "n1", 5000)
	w.pod("ml", "owner", "n1", 0)
	w.pod("web", "elsewhere", "n2", 0)
	w.pod("web", "done", "n1", 0, func(p *model.Pod) { p.Phase = model.PodSucceeded })
	w.pod("sys", "daemon", "n1", 0, func(p *model.Pod) { p.OwnerID = "DaemonSet.apps/1" })
	w.pod("sys", "static", "n1", 0, func(p *model.Pod) { p.OwnerID = "Node/1" })
	w.pod("web", "waits", "", 0)
	w.book("demo", 3000, 9000, func(b *model.Booking) { b.DrainBefore = 1000 })
	w.book("disks", 3000, 9000, maintenance, func(b *model.Booking) { b.DrainBefore, b.StartDelay = 1000, 3000 })
	for now, want := range map[int64]string{
		1000: "demo [web/long on n1] disks []",
		2000: "demo [web/endless on n1 web/long on n1] disks [ml/owner on n1 web/endless on n1]",
		8000: "demo [web/endless on n1 web/long on n1] disks [ml/owner on n1 web/endless on n1]",
		9000: "demo [] disks []",
	} {
		w.at(now)
		var got []string
		for _, r := range w.filter.Bookings() {
			var pods []string
			for _, c := range r.Conflicts {
				pods = append(pods, fmt.Sprintf("%s/%s on %s", c.Namespace, c.Pod, c.Node))
			}
			got = append(got, fmt.Sprintf("%s %v", r.Name, pods))
		}
		if is := fmt.Sprintf("%s %s", got[0], got[1]); is != want {
			t.Errorf("at %d the conflicts are %s, want %s", now, is, want)
		}
	}
	for i := range 30 {
		w.pod("many", fmt.Sprintf("p%02d", i), "n1", 0)
	}
	w.at(2000)
	if r := w.filter.Bookings()[0]; r.Conflicting != 32 || len(r.Conflicts) != policy.MostConflicts ||
		r.Conflicts[9].Pod != "p09" {
		t.Errorf("of 32 conflicts %d are told: %v", r.Conflicting, r.Conflicts)
	}
}

// TestOverlapsAreNamed: those of which one has nodes that the other selects, and maintenance both ways.
func TestOverlapsAreNamed(t *testing.T) {
	w := newWorld(t)
	w.node("n1", "a")
	w.book("old", 2000, 3000, made(1))
	w.book("young", 2500, 3500, made(2))
	w.book("later", 3000, 3500, made(3))
	w.book("disks", 2900, 2950, made(4), maintenance)
	w.at(1000)
	var got []string
	for _, r := range w.filter.Bookings() {
		got = append(got, fmt.Sprintf("%s %d %v", r.Name, len(r.Nodes), r.Overlaps))
	}
	// Young has no node in its next window, so that later has it.
	if want := "[disks 1 [old] later 1 [] old 1 [disks] young 0 [old]]"; fmt.Sprint(got) != want {
		t.Errorf("they overlap as %v, want %s", got, want)
	}
}

// oracle finds the nodes of each booking from the facts alone.
func (w *world) oracle() map[string][]string {
	out := map[string][]string{}
	var list []*model.Booking
	for _, b := range w.bookings {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b *model.Booking) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
	})
	for i, b := range list {
		next, some := b.At(w.now)
		var names []string
		for name, n := range w.nodes {
			taken := !some || len(b.Selector) > 0 && !match.Term(model.Term{All: b.Selector}, n) ||
				b.Count > 0 && (n.Unschedulable || len(n.Taints) > 0)
			for _, o := range list[:i] {
				for _, its := range o.Windows {
					taken = taken || !o.Maintenance && !b.Maintenance && slices.Contains(out[o.Name], name) && its.Overlaps(next)
				}
			}
			if !taken {
				names = append(names, name)
			}
		}
		slices.SortFunc(names, func(x, y string) int {
			return cmp.Compare(ledger.Hash(b.Name+"/"+x), ledger.Hash(b.Name+"/"+y))
		})
		if b.Count > 0 && len(names) > int(b.Count) {
			names = names[:b.Count]
		}
		slices.Sort(names)
		out[b.Name] = names
	}
	return out
}

// TestTheChoiceOfNodes follows a random history, in which clocks also go back, and compares the nodes of all bookings
// with those that a slow oracle finds, and what is said of single tasks with what is said of sets of nodes.
func TestTheChoiceOfNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		n := func(most int) int { return rapid.IntRange(0, most).Draw(t, "n") }
		waits := []ledger.TaskID{w.pod("ml", "mine", "", 300), w.pod("web", "short", "", 100), w.pod("web", "endless", "", 0)}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch name := fmt.Sprintf("b%d", n(3)); n(6) {
			case 0, 1:
				w.node(fmt.Sprintf("n%d", n(5)), []string{"a", "b"}[n(1)], []func(*model.Node){cordoned, failed,
					func(*model.Node) {}}[n(2)])
			case 2:
				if node := fmt.Sprintf("n%d", n(5)); w.nodes[node] != nil {
					w.noNode(node)
				}
			case 3, 4:
				from, more := w.now+int64(n(500))-100, []func(*model.Booking){made(int64(n(3))), counting(int32(n(3)))}
				if n(3) == 0 {
					more = []func(*model.Booking){maintenance}
				}
				w.book(name, from, from+int64(n(300)), append(more, func(b *model.Booking) {
					if n(1) == 0 {
						b.Selector = nil
					}
					for range n(2) {
						last := b.Windows[len(b.Windows)-1].To
						b.Windows = append(b.Windows, model.Window{From: last + 50, To: last + 50 + int64(n(200))})
					}
					b.DrainBefore = int64(n(400))
				})...)
			case 5:
				if w.bookings[name] != nil {
					w.noBooking(name)
				}
			default:
				w.at(max(1, w.now+int64(n(400))-150))
			}
			next := w.at(w.now)
			agrees(t, w, waits)
			if next == 0 {
				next = w.now + 2000
			}
			steady(t, w, waits, w.now+int64(rapid.IntRange(0, int(next-w.now)-1).Draw(t, "before next")))
		}
	})
}

// steady fails the test where a plugin refuses otherwise later, at a time before the one that it named.
func steady(t *rapid.T, w *world, waits []ledger.TaskID, later int64) {
	then := w.plugin(t)
	then.At(later)
	for _, task := range waits {
		for name := range w.nodes {
			n, _ := w.Nodes.Find(name)
			if now, is := w.FilterTask(task, n, false), then.FilterTask(task, n, false); now != is {
				t.Fatalf("at %d %s on %s: %v, and at %d, before any time that was named: %v", w.now, w.Task(task).Key, name,
					now, later, is)
			}
		}
	}
}

func agrees(t *rapid.T, w *world, waits []ledger.TaskID) {
	want, got := w.oracle(), map[string][]string{}
	for _, r := range w.filter.Bookings() {
		got[r.Name] = r.Nodes
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("at %d nodes are booked as %v, the oracle says %v", w.now, got, want)
	}
	anew := w.plugin(t)
	anew.At(w.now)
	for _, task := range waits {
		set := slices.Clone(w.Refusing(task))
		for name := range w.nodes {
			n, _ := w.Nodes.Find(name)
			v, fresh := w.FilterTask(task, n, false), anew.FilterTask(task, n, false)
			if in := int(n)/64 < len(set) && set[n/64]&(1<<(n%64)) != 0; in == v.Admits() {
				t.Fatalf("at %d %s on %s: it is among the refusing %v, and the verdict is %v", w.now, w.Task(task).Key, name,
					in, v)
			}
			if v != fresh || !v.Admits() && v.Code != trace.NodeBooked {
				t.Fatalf("at %d %s on %s: %v, from a plugin that is made anew %v", w.now, w.Task(task).Key, name, v, fresh)
			}
		}
	}
}
