package filters

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// equal says that the book is as it was, and that a text is as it should be.
func (w *world) equal(before map[string]string, got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("got %q, want %q", got, want)
	}
	differ(w.t, before, w.v.dump())
}

func differ(t rapid.TB, was, is map[string]string) {
	t.Helper()
	for _, at := range places(was, is) {
		if was[at] != is[at] {
			t.Errorf("%s\nwas %s\nis  %s", at, was[at], is[at])
		}
	}
}

// desk is a ledger with the book, without an engine.
type desk struct {
	l *ledger.Ledger
	v *Volumes
}

func newDesk(t testing.TB, objects ...metav1.Object) desk {
	t.Helper()
	l := ledger.New()
	v, err := New(l)
	if err != nil {
		t.Fatal(err)
	}
	l.PluginStates.Add(v)
	for _, o := range objects {
		l.Apply(fact(t, o))
	}
	return desk{l, v}
}

func (d desk) task(name string) ledger.TaskID {
	t, _ := d.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return t
}

func (d desk) node(name string) ledger.NodeID {
	n, _ := d.l.Nodes.Find(name)
	return n
}

// admits asks the filter.
func (d desk) admits(pod, node string) bool {
	return d.v.FilterTask(d.task(pod), d.node(node), false).Admits()
}

func TestANestedTryThatFailsClaimsNothing(t *testing.T) {
	d := newDesk(t, node("n1"), class("local", ""), localVolume("v1", "local", "n1", "1Gi"),
		localVolume("v2", "local", "n1", "2Gi"),
		claim("a", "local"), claim("b", "local"), claim("c", "local"), pod("p", "a"), pod("q", "b"), pod("r", "c"))
	n1 := d.node("n1")
	before := d.v.dump()
	held := d.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(d.task("p"), n1)
		afterP := d.v.dump()
		if chosen(d.v) != "v1=a" {
			t.Errorf("the first pod claims %q", chosen(d.v))
		}
		tx.Try(func(tx *ledger.Tx) bool {
			tx.Allocate(d.task("q"), n1)
			if chosen(d.v) != "v1=a, v2=b" || d.admits("r", "n1") {
				t.Errorf("with both pods %q is claimed, a third is admitted: %t", chosen(d.v), d.admits("r", "n1"))
			}
			return false
		})
		differ(t, afterP, d.v.dump())
		if !d.admits("r", "n1") {
			t.Error("the second volume is not free again")
		}
		return false
	})
	if held {
		t.Fatal("the outer try held")
	}
	differ(t, before, d.v.dump())
	d.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(d.task("r"), n1)
		return true
	})
	if chosen(d.v) != "v1=c" {
		t.Errorf("the third pod claims %q, want the first volume", chosen(d.v))
	}
	if found := d.l.Audit(); found != nil {
		t.Errorf("audit: %v", found)
	}
}

func TestAnEvictionTakenBackKeepsTheVolume(t *testing.T) {
	d := newDesk(t, node("n1"), class("local", ""), localVolume("v1", "local", "n1", "5Gi"), claim("a", "local"),
		pod("p", "a"))
	d.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(d.task("p"), d.node("n1"))
		return true
	})
	// A smaller volume comes: the binder would now prefer it.
	d.l.Apply(fact(t, localVolume("v0", "local", "n1", "1Gi")))
	before := d.v.dump()
	d.l.Try(func(tx *ledger.Tx) bool {
		tx.Evict(d.task("p"), "preempt", ledger.NoTask)
		return false
	})
	differ(t, before, d.v.dump())
	if chosen(d.v) != "v1=a" {
		t.Errorf("the pod has %q", chosen(d.v))
	}
}

func TestWhatIsShownIsWhatKubernetesWouldWrite(t *testing.T) {
	d := newDesk(t, node("n1"), class("local", ""), class("made", "csi.example.com"),
		localVolume("v1", "local", "n1", "1Gi"),
		claim("a", "local"), claim("b", "made"), pod("p", "a", "b"))
	d.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(d.task("p"), d.node("n1"))
		return true
	})
	if len(d.v.writes.volumes) != 1 || len(d.v.writes.claims) != 1 {
		t.Fatalf("the binder would write %d volumes and %d claims", len(d.v.writes.volumes), len(d.v.writes.claims))
	}
	for at, want := range map[place]any{{Volume, "v1"}: d.v.writes.volumes[0], {Claim, "ns/b"}: d.v.writes.claims[0]} {
		wanted, err := json.Marshal(want)
		if got := d.v.dump()[at.String()]; err != nil || got != string(wanted) {
			t.Errorf("%s is shown as %s, would be written as %s", at, got, wanted)
		}
	}
}

func TestPodsThatShareAClaimShareItsVolume(t *testing.T) {
	d := newDesk(t, node("n1"), class("local", ""), localVolume("v1", "local", "n1", "1Gi"), claim("a", "local"),
		pod("p", "a"), pod("q", "a"))
	d.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(d.task("p"), d.node("n1"))
		tx.Try(func(tx *ledger.Tx) bool {
			if !d.admits("q", "n1") {
				t.Error("the second pod is not admitted beside its claim's volume")
			}
			tx.Allocate(d.task("q"), d.node("n1"))
			return false
		})
		return true
	})
	if chosen(d.v) != "v1=a" {
		t.Errorf("without the second pod the volume is %q: the first still has it", chosen(d.v))
	}
}

func TestAuditFindsWhatDiffers(t *testing.T) {
	for name, tamper := range map[string]func(v *Volumes){
		"a volume gave up its claim": func(v *Volumes) {
			_ = v.stores[Volume].Update(localVolume("v1", "local", "n1", "1Gi"))
		},
		"a volume vanished":         func(v *Volumes) { _ = v.stores[Volume].Delete(localVolume("v1", "", "", "1Gi")) },
		"a task is counted twice":   func(v *Volumes) { v.chosen[place{Volume, "v1"}][choice{"ns/a", "uid-a", "uid-v1"}]++ },
		"a class was never told of": func(v *Volumes) { _ = v.stores[StorageClass].Add(class("ghost", "")) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, node("n1"), class("local", ""), localVolume("v1", "local", "n1", "1Gi"), claim("a", "local"),
				pod("p", "a"))
			d.l.Try(func(tx *ledger.Tx) bool {
				tx.Allocate(d.task("p"), d.node("n1"))
				return true
			})
			if found := d.l.Audit(); found != nil {
				t.Fatalf("before: %v", found)
			}
			tamper(d.v)
			if found := d.l.Audit(); len(found) != 1 || !strings.HasPrefix(found[0], "PluginState volumebinding: ") {
				t.Errorf("found %q, want one difference", found)
			}
		})
	}
}

func TestContentOfAnotherKindIsAsGoodAsGone(t *testing.T) {
	d := newDesk(t, node("n1"), class("local", ""), localVolume("v1", "local", "n1", "1Gi"), claim("a", "local"),
		pod("p", "a"))
	before := d.v.dump()
	for name, content := range map[string]any{"another kind": claim("v1", "local"),
		"another name": localVolume("v9", "local", "n1", "1Gi"), "nothing": nil} {
		d.l.Apply(model.Fact{Ref: model.Ref{Kind: Volume, Name: "v1"}, Version: 1, Object: &model.Opaque{Content: content}})
		if d.admits("p", "n1") {
			t.Errorf("%s: the volume is offered still", name)
		}
		d.l.Apply(fact(t, localVolume("v1", "local", "n1", "1Gi")))
		differ(t, before, d.v.dump())
	}
}

// TestTheBookIsAFunctionOfWhatIsKnown plays random histories: tries that hold and fail,
// nested, commitments made and dropped, volumes and claims that come, change and go. A
// failed try leaves no trace, the audit never finds anything, and a book opened at the
// end equals the one that saw it all.
func TestTheBookIsAFunctionOfWhatIsKnown(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := newDesk(t, node("n0"), node("n1"), class("local", ""), class("made", "csi.example.com"))
		h := history{r: r, t: t, d: d}
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			h.step()
			if found := d.l.Audit(); found != nil {
				r.Fatalf("audit: %v", found)
			}
		}
		late, err := New(d.l)
		if err != nil {
			r.Fatal(err)
		}
		d.l.PluginStates.Add(late)
		if was, is := d.v.dump(), late.dump(); !maps.Equal(was, is) {
			differ(r, was, is)
		}
	})
}

type history struct {
	r       *rapid.T
	t       *testing.T
	d       desk
	version int
}

func (h *history) n(most int) int { return rapid.IntRange(0, most).Draw(h.r, "n") }

func (h *history) step() {
	switch h.n(4) {
	case 0:
		h.tell()
	case 1:
		if t, known := h.d.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: fmt.Sprint("p", h.n(3))}); known {
			h.d.l.Drop(t)
		}
	default:
		before := h.d.v.dump()
		if !h.d.l.Try(func(tx *ledger.Tx) bool { return h.try(tx, 0) }) {
			differ(h.r, before, h.d.v.dump())
		}
		h.d.l.Commit(func(ledger.Op) ledger.PlanItem { return ledger.PlanItem{Item: 1} })
	}
}

// tell makes something come, change or go.
func (h *history) tell() {
	h.version++
	i := h.n(3)
	kind := []string{"local", "made"}[h.n(1)]
	var o metav1.Object
	switch h.n(2) {
	case 0:
		o = localVolume(fmt.Sprint("v", i), kind, fmt.Sprint("n", h.n(1)), fmt.Sprint(1+h.n(1), "Gi"))
		if h.n(5) == 5 {
			o.(*corev1.PersistentVolume).Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: fmt.Sprint("c", h.n(3))}
		}
	case 1:
		o = claim(fmt.Sprint("c", i), kind)
	default:
		o = pod(fmt.Sprint("p", i), fmt.Sprint("c", h.n(3)))
	}
	o.SetResourceVersion(fmt.Sprint(h.version))
	f := fact(h.t, o)
	if h.n(4) == 4 {
		f.Object = nil
	}
	h.d.l.Apply(f)
}

// try places what can be placed and evicts, in tries within tries.
func (h *history) try(tx *ledger.Tx, depth int) bool {
	d := h.d
	for range h.n(3) {
		t, known := d.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: fmt.Sprint("p", h.n(3))})
		if !known {
			continue
		}
		n := d.node(fmt.Sprint("n", h.n(1)))
		switch row := d.l.Task(t); {
		case row.Status == model.Pending && d.v.FilterTask(t, n, false).Admits():
			tx.Allocate(t, n)
		case row.Status == model.Allocated && h.n(3) == 3:
			tx.Evict(t, "test", ledger.NoTask)
		}
		if depth < 2 && h.n(2) == 2 {
			before := d.v.dump()
			if !tx.Try(func(tx *ledger.Tx) bool { return h.try(tx, depth+1) }) {
				differ(h.r, before, d.v.dump())
			}
		}
	}
	return h.n(1) == 1
}
