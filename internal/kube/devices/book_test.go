package devices_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// desk is a ledger with the book, without an engine.
type desk struct {
	t *testing.T
	l *ledger.Ledger
	d *devices.Devices
}

func differ(t rapid.TB, was, is map[string]string) {
	t.Helper()
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, at := range slices.Sorted(maps.Keys(all)) {
		if was[at] != is[at] {
			t.Errorf("%s\nwas %s\nis  %s", at, was[at], is[at])
		}
	}
}

// TestTheBookIsAFunctionOfWhatIsKnown plays random histories: tries that hold and fail,
// nested, evictions, commitments made and dropped; claims, slices and classes that come,
// change and go. A failed try leaves no trace, no device is chosen for two claims, the
// audit never finds anything, what one book answers a book opened late does, and no
// refusal is remembered that would not be given again.
func TestTheBookIsAFunctionOfWhatIsKnown(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l := ledger.New()
		h := history{r: r, desk: desk{t, l, devices.New(l)}}
		l.PluginStates.Add(h.d)
		for _, o := range two(4) {
			l.Apply(fact(t, o))
		}
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			h.step()
			h.d.Devices()() // it follows from here on
			if found := l.Audit(); found != nil {
				r.Fatalf("audit: %v", found)
			}
		}
		late := devices.New(l)
		l.PluginStates.Add(late)
		differ(r, h.d.Dump(), late.Dump())
		differ(r, told(h.d.Devices()()), told(late.Devices()()))
		for i := range 4 {
			for _, n := range []string{"n1", "n2"} {
				task, known := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: fmt.Sprint("p", i)})
				node, there := l.Nodes.Find(n)
				if !known || !there {
					continue
				}
				was, is := h.d.FilterTask(task, node, false), late.FilterTask(task, node, false)
				if was.Admits() != is.Admits() || h.d.Choose(task, l.Task(task), node) != late.Choose(task, l.Task(task), node) {
					r.Fatalf("p%d on %s: %+v, of a book opened late %+v", i, n, was, is)
				}
				// A refusal that stands has the amounts with which it was given; asked to explain, it has those of now.
				h.d.Explain(true)
				late.Explain(true)
				if was, is := h.d.FilterTask(task, node, false), late.FilterTask(task, node, false); was != is {
					r.Fatalf("p%d on %s is explained by %+v, of a book opened late by %+v", i, n, was, is)
				}
				h.d.Explain(false)
				late.Explain(false)
			}
		}
	})
}

type history struct {
	desk
	r       *rapid.T
	version int
}

func (h *history) n(most int) int { return rapid.IntRange(0, most).Draw(h.r, "n") }

func (h *history) step() {
	switch h.n(4) {
	case 0, 1:
		h.tell()
	case 2:
		if t, known := h.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: fmt.Sprint("p", h.n(3))}); known {
			h.l.Drop(t)
		}
	default:
		before := h.d.Dump()
		if !h.l.Try(func(tx *ledger.Tx) bool { return h.try(tx, 0) }) {
			differ(h.r, before, h.d.Dump())
		}
		h.l.Commit(func(ledger.Op) ledger.PlanItem { return ledger.PlanItem{Item: 1} })
	}
}

// tell makes something come, change or go.
func (h *history) tell() {
	h.version++
	var f model.Fact
	switch i := h.n(3); h.n(4) {
	case 0:
		s := slice(fmt.Sprint("n", 1+h.n(1)), 1+h.n(4))
		s.ResourceVersion = fmt.Sprint(h.version)
		f = fact(h.t, s)
	case 1, 2:
		c := claim(fmt.Sprint("c", i), int64(1+h.n(2)))
		if h.n(3) == 3 {
			c = allocated(c, "n1", []string{fmt.Sprint("gpu-", h.n(3))}, []string{"uid-p1", "other"}[:h.n(2)]...)
		}
		if root := resourcev1.FullyQualifiedName(driver + "/root"); h.n(1) == 1 {
			c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &root}}
		}
		c.ResourceVersion = fmt.Sprint(h.version)
		f = fact(h.t, c)
	case 3:
		c := class("gpu")
		c.ResourceVersion = fmt.Sprint(h.version)
		f = fact(h.t, c)
	default:
		p := pod(fmt.Sprint("p", i), fmt.Sprint("c", h.n(3)))
		p.ResourceVersion = fmt.Sprint(h.version)
		f = fact(h.t, p)
	}
	if h.n(5) == 5 {
		f.Object = nil
	}
	h.l.Apply(f)
}

// try places what can be placed and evicts, in tries within tries.
func (h *history) try(tx *ledger.Tx, depth int) bool {
	for range h.n(3) {
		t, known := h.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: fmt.Sprint("p", h.n(3))})
		n, there := h.l.Nodes.Find(fmt.Sprint("n", 1+h.n(1)))
		if !known || !there {
			continue
		}
		switch row := h.l.Task(t); {
		case row.Status == model.Pending && h.d.PrePredicate(t).Admits() && h.d.FilterTask(t, n, false).Admits():
			tx.Allocate(t, n)
			h.apart(t)
		case row.Status == model.Allocated && h.n(3) == 3:
			tx.Evict(t, "test", ledger.NoTask)
		}
		if depth < 2 && h.n(2) == 2 {
			before := h.d.Dump()
			if !tx.Try(func(tx *ledger.Tx) bool { return h.try(tx, depth+1) }) {
				differ(h.r, before, h.d.Dump())
			}
		}
	}
	return h.n(1) == 1
}

// apart fails when what was just chosen for a task somebody has already.
func (h *history) apart(t ledger.TaskID) {
	w, err := devices.WritesOf(h.l.Task(t).Chosen)
	if err != nil || w.Refused != "" {
		h.r.Fatalf("chosen was %+v, %v", w, err)
	}
	dump := h.d.Dump()
	for _, c := range w.Claims {
		a, _ := c.Allocated()
		if a == nil {
			continue
		}
		shared := strings.Contains(dump["claim "+c.Claim], "users map[uid-p") &&
			strings.Count(dump["claim "+c.Claim], "uid-p") > 1
		for _, r := range a.Devices.Results {
			if dump[deviceText(r)] != "1" && !shared {
				h.r.Fatalf("%s of %s is counted %q: %v", deviceText(r), c.Claim, dump[deviceText(r)], dump)
			}
		}
	}
}

func deviceText(r resourcev1.DeviceRequestAllocationResult) string {
	return "device " + r.Driver + "/" + r.Pool + "/" + r.Device
}

// A refusal of the allocator is remembered while devices are only taken, and forgotten
// when one is given back.
func TestARefusalEndsWithWhatItRestedOn(t *testing.T) {
	l := ledger.New()
	d := devices.New(l)
	l.PluginStates.Add(d)
	root := resourcev1.FullyQualifiedName(driver + "/root")
	pair := claim("b", 2)
	pair.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &root}}
	large := claim("a", 2, `device.capacity["`+driver+`"].memory.compareTo(quantity("80Gi")) >= 0`)
	for _, o := range []metav1.Object{node("n1"), class("gpu"), slice("n1", 4), large, pair,
		pod("p", "a"), pod("q", "b")} {
		l.Apply(fact(t, o))
	}
	task := func(name string) ledger.TaskID {
		t, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
		return t
	}
	n1, _ := l.Nodes.Find("n1")
	l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(task("p"), n1) // one of each pair
		for range 2 {
			if d.FilterTask(task("q"), n1, false).Admits() {
				t.Error("two devices of different pairs do")
			}
		}
		return false
	})
	if v := d.FilterTask(task("q"), n1, false); !v.Admits() {
		t.Errorf("all devices are free, and it is refused: %+v", v)
	}
}
