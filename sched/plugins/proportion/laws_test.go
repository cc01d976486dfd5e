package proportion_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// TestMain asks for thousands of cases, unless the command line says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "2000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// someAmounts draws cpu, in milli, and devices, mostly whole ones. They are few, so
// that shares tie and do not divide.
func someAmounts(t *rapid.T, what string, most int64) resource.List {
	l := also(nil, resource.CPUName, rapid.Int64Range(0, most).Draw(t, what+" cpu"))
	devices := 1000 * rapid.Int64Range(0, most/8).Draw(t, what+" devices")
	if rapid.IntRange(0, 9).Draw(t, "half") == 9 {
		devices += 500
	}
	return also(l, gpu, devices)
}

// someFacts draws a cluster: a node, up to six queues with what they hold and wait for,
// and at times a queue root with a limit. The queues' facts follow the node's.
func someFacts(t *rapid.T) []model.Fact {
	fact := func(k model.Kind, namespace, name string, o model.Object) model.Fact {
		return model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o}
	}
	at := func(n int) bool { return rapid.IntRange(0, n).Draw(t, "one in") == n }
	facts := []model.Fact{fact(model.KindNode, "", "node", &model.Node{Meta: model.Meta{Name: "node"},
		Allocatable: also(someAmounts(t, "offers", 60), resource.PodsName, 100)})}
	if at(5) {
		facts = append(facts, fact(model.KindQueue, "", model.RootQueue,
			&model.Queue{Meta: model.Meta{Name: model.RootQueue}, Capability: someAmounts(t, "root", 60)}))
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "queues") {
		q := &model.Queue{Meta: model.Meta{Name: string(rune('a' + i)), Created: int64(i % 2)},
			Weight: int32(rapid.IntRange(1, 5).Draw(t, "weight")), Priority: int32(rapid.IntRange(0, 1).Draw(t, "priority"))}
		if at(2) {
			q.Capability = someAmounts(t, "capability", 40)
		}
		if at(2) {
			q.Guarantee = someAmounts(t, "guarantee", 16)
		}
		if at(7) {
			q.State = model.QueueClosing
		}
		facts = append(facts, fact(model.KindQueue, "", q.Name, q))
		for k, phase := range []model.Phase{model.PodRunning, model.PodPending, model.PodPending} {
			if !at(1) {
				continue
			}
			p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprintf("%s-%d", q.Name, k)}, Ours: true, Phase: phase,
				Adopt: model.Adopt{Queue: q.Name}, Spec: &model.Spec{Requests: someAmounts(t, "pod", 40)}}
			if phase == model.PodRunning {
				p.Node = "node"
			}
			facts = append(facts, fact(model.KindPod, "ns", p.Name, p))
		}
	}
	return facts
}

func told(t *rapid.T, facts []model.Fact) *cluster {
	c := empty(t)
	for _, f := range facts {
		c.l.Apply(f)
	}
	c.open()
	return c
}

// part is a queue in one dimension.
type part struct {
	queue                              string
	deserved, real, guarantee, request int64
}

// parts are the queues in one dimension by name; total is what they share.
func (c *cluster) parts(name string) (parts []part, total int64) {
	d, _ := c.l.Dims.Lookup(name)
	total = c.figures(model.RootQueue).Deserved.Get(d)
	for i := range 6 {
		id, known := c.l.Queues.Find(string(rune('a' + i)))
		if !known {
			continue
		}
		q, f := c.l.Queue(id), c.figures(string(rune('a'+i)))
		p := part{queue: q.Name, deserved: f.Deserved.Get(d), guarantee: q.Guarantee.Get(d), request: q.Request.Get(d)}
		if p.real = total; c.l.Nodes.Total(d) > 0 {
			p.real, _ = f.RealCapability.Bound(d)
		}
		if q.State() != model.QueueOpen {
			p.request = q.Allocated.Get(d)
		}
		parts = append(parts, p)
	}
	return parts, total
}

// law checks what must hold of the queues in each dimension of any cluster.
func law(t *testing.T, holds func(t *rapid.T, parts []part, total int64)) {
	rapid.Check(t, func(t *rapid.T) {
		c := told(t, someFacts(t))
		for _, name := range []string{resource.CPUName, gpu} {
			if d, known := c.l.Dims.Lookup(name); known && c.l.Nodes.Total(d) > 0 {
				parts, total := c.parts(name)
				holds(t, parts, total)
			}
		}
	})
}

func TestDeservedIsAtMostTheRequestOrTheGuarantee(t *testing.T) {
	law(t, func(t *rapid.T, parts []part, _ int64) {
		for _, p := range parts {
			if p.deserved > max(p.request, p.guarantee) {
				t.Fatalf("deserved is more than request and guarantee: %+v", p)
			}
		}
	})
}

func TestDeservedIsAtMostRealCapability(t *testing.T) {
	law(t, func(t *rapid.T, parts []part, _ int64) {
		for _, p := range parts {
			if p.deserved > p.real {
				t.Fatalf("deserved is more than realCapability: %+v", p)
			}
		}
	})
}

func TestGuaranteesHold(t *testing.T) {
	law(t, func(t *rapid.T, parts []part, _ int64) {
		for _, p := range parts {
			if p.deserved < p.guarantee || p.real < p.guarantee {
				t.Fatalf("less than what is guaranteed: %+v", p)
			}
		}
	})
}

func TestTheSumNeverExceedsTheWholeUnlessTheGuaranteesDo(t *testing.T) {
	law(t, func(t *rapid.T, parts []part, total int64) {
		deserved, guaranteed := int64(0), int64(0)
		for _, p := range parts {
			deserved, guaranteed = deserved+p.deserved, guaranteed+p.guarantee
		}
		if deserved > max(total, guaranteed) {
			t.Fatalf("%d deserved of %d, %d guaranteed: %+v", deserved, total, guaranteed, parts)
		}
	})
}

func TestNoRoomIsLeftWhileAQueueMayTakeIt(t *testing.T) {
	law(t, func(t *rapid.T, parts []part, total int64) {
		left := total
		for _, p := range parts {
			left -= p.deserved
		}
		for _, p := range parts {
			if left > 0 && p.deserved < min(p.request, p.real) {
				t.Fatalf("%d of %d are left over and %+v asks", left, total, p)
			}
		}
	})
}

func TestMoreWeightNeverDeservesLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := someFacts(t)
		at := slices.IndexFunc(facts, func(f model.Fact) bool { return f.Ref.Name == "a" })
		twin := func(f model.Fact, weight int32) model.Fact {
			switch o := f.Object.(type) {
			case *model.Queue:
				q := *o
				q.Name, q.Weight = "aa", q.Weight+weight
				f.Object = &q
			case *model.Pod:
				p := *o
				p.Name, p.Adopt.Queue = "a"+p.Name, "aa"
				f.Object = &p
			}
			f.Ref.Name = "a" + f.Ref.Name
			return f
		}
		more := int32(rapid.IntRange(0, 3).Draw(t, "more weight"))
		for _, f := range slices.Clone(facts[at:]) {
			if f.Ref.Name[0] == 'a' {
				facts = append(facts, twin(f, more))
			}
		}
		c := told(t, facts)
		for d := range resource.Dim(c.l.Dims.Len()) {
			light, heavy := c.figures("a").Deserved.Get(d), c.figures("aa").Deserved.Get(d)
			if more > 0 && heavy < light || more == 0 && (heavy > light || heavy < light-1000) {
				t.Fatalf("%d more weight deserves %d of %s instead of %d", more, heavy, c.l.Dims.Name(d), light)
			}
		}
	})
}

func TestTheOrderOfFactsNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := someFacts(t)
		one, other := told(t, facts), told(t, rapid.Permutation(facts).Draw(t, "facts"))
		var names []string
		for _, f := range facts {
			if f.Ref.Kind == model.KindQueue && f.Ref.Name != model.RootQueue {
				names = append(names, f.Ref.Name)
			}
		}
		for _, name := range []string{resource.CPUName, gpu} {
			a, _ := one.parts(name)
			if b, _ := other.parts(name); !slices.Equal(a, b) {
				t.Fatalf("%s: %+v, and %+v after facts in another order", name, a, b)
			}
		}
		order := func(c *cluster) []string {
			return slices.SortedFunc(slices.Values(names), func(a, b string) int {
				return cmp.Or(c.p.CompareQueues(c.id(a), c.id(b)), cmp.Compare(a, b))
			})
		}
		if a, b := order(one), order(other); !slices.Equal(a, b) {
			t.Fatalf("served as %v, and as %v after facts in another order", a, b)
		}
	})
}

// Whatever is placed and evicted in a try, shares follow it there and back.
func TestUndoRestoresEveryFigure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := told(t, someFacts(t))
		var tasks []ledger.TaskID
		c.l.Tasks.Each(func(id ledger.TaskID) bool {
			tasks = append(tasks, id)
			return true
		})
		node, _ := c.l.Nodes.Find("node")
		was := c.shown(t)
		c.l.Try(func(tx *ledger.Tx) bool {
			for _, id := range tasks {
				switch held := c.l.Task(id).Status == model.Running; {
				case !rapid.Bool().Draw(t, "moves"):
				case held:
					tx.Evict(id, "reclaim", ledger.NoTask)
				default:
					tx.Allocate(id, node)
				}
				c.shown(t)
			}
			return false
		})
		if is := c.shown(t); is != was {
			t.Fatalf("before a try that failed\n%safter it\n%s", was, is)
		}
	})
}

// shown is every queue's figures in text. Its share has to be that of what it holds now.
func (c *cluster) shown(t *rapid.T) (text string) {
	c.l.Queues.Each(func(id ledger.QueueID) bool {
		f, known := c.p.QueueFigures(id)
		if q := c.l.Queue(id); known && q.Name != model.RootQueue {
			var share fair.Ratio
			for d, deserved := range f.Deserved {
				share = fair.Max(share, fair.Share(q.Allocated.Get(resource.Dim(d)), deserved))
			}
			if share.Micro() != f.ShareMicro {
				t.Fatalf("queue %s has share %d, and of what it holds now it is %d", q.Name, f.ShareMicro, share.Micro())
			}
			text += fmt.Sprintf("%s %+v\n", q.Name, f)
		}
		return true
	})
	return text
}
