package interpod_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"ashlar.sh/sched/interpod"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// Pods and Services come, change and go: each waiting pod has the default constraints that a scan of all Services and
// pods gives it, and each host counts the pods that the scan counts there.
func TestServicesSpreadAsAScanSpreadsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &cluster{l: ledger.New(), pods: map[string]*model.Pod{}, services: map[string]*model.Service{}}
		n := func(most int) int { return rapid.IntRange(0, most).Draw(t, "n") }
		if n(1) == 1 { // from the start, or with objects that are there already
			w.b = interpod.Of(w.l)
			w.b.Even()
		}
		for i := range 3 {
			w.node(fmt.Sprintf("n%d", i))
		}
		for range 30 {
			w.change(n)
			if w.b == nil && n(5) == 5 {
				w.b = interpod.Of(w.l)
				w.b.Even()
			}
			if w.b != nil && n(2) > 0 {
				w.check(t)
			}
		}
	})
}

type cluster struct {
	l        *ledger.Ledger
	b        *interpod.Affinities
	version  uint64
	pods     map[string]*model.Pod
	services map[string]*model.Service
}

func (w *cluster) tell(kind model.Kind, namespace, name string, o model.Object) {
	w.version++
	w.l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, Version: w.version, Object: o})
	w.l.ExtendDims()
}

func (w *cluster) node(name string) {
	w.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name},
		Labels: []model.Label{{Key: model.HostnameKey, Value: name}}})
}

func (w *cluster) change(n func(int) int) {
	namespace := []string{"ns", "other"}[n(3)/3]
	var labels []model.Label
	for _, key := range []string{"app", "tier"} {
		if v := n(2); v > 0 {
			labels = append(labels, model.Label{Key: key, Value: []string{"", "a", "b"}[v]})
		}
	}
	if n(2) == 0 {
		name := fmt.Sprintf("s%d", n(3))
		key := namespace + "/" + name
		if w.services[key] = nil; n(3) > 0 {
			w.services[key] = &model.Service{Meta: model.Meta{Namespace: namespace, Name: name}, Selector: labels}
			w.tell(model.KindService, namespace, name, w.services[key])
		} else {
			delete(w.services, key)
			w.tell(model.KindService, namespace, name, nil)
		}
		return
	}
	name := fmt.Sprintf("p%d", n(7))
	key := namespace + "/" + name
	if n(5) == 5 {
		delete(w.pods, key)
		w.tell(model.KindPod, namespace, name, nil)
		return
	}
	w.version++
	p := &model.Pod{Meta: model.Meta{Namespace: namespace, Name: name, UID: fmt.Sprint(w.version)}, Ours: true,
		Labels: labels, Spec: &model.Spec{},
		Owner: "o", OwnerID: []string{"Job.batch/u1", "ReplicaSet.apps/u2", "ReplicaSet.apps/u3"}[n(2)]}
	if node := n(4); node < 3 {
		p.Node, p.Phase = fmt.Sprintf("n%d", node), model.PodRunning
	}
	w.pods[key] = p
	w.tell(model.KindPod, namespace, name, p)
}

// selects returns which pods a scan finds to belong together with a pod; nil: it has no default constraint.
func (w *cluster) selects(p *model.Pod) func(*model.Pod) bool {
	var all []*model.Service
	for _, s := range w.services {
		if s.Namespace == p.Namespace && len(s.Selector) > 0 && has(p, s.Selector) {
			all = append(all, s)
		}
	}
	owned := p.OwnerID != "Job.batch/u1"
	if len(all) == 0 && !owned {
		return nil
	}
	return func(o *model.Pod) bool {
		return o.Namespace == p.Namespace && (!owned || o.OwnerID == p.OwnerID) &&
			!slices.ContainsFunc(all, func(s *model.Service) bool { return !has(o, s.Selector) })
	}
}

func has(p *model.Pod, labels []model.Label) bool {
	for _, l := range labels {
		if !slices.Contains(p.Labels, l) {
			return false
		}
	}
	return true
}

func (w *cluster) check(t *rapid.T) {
	w.b.Open()
	if found := w.b.Audit(w.l.PluginStates.Placements); len(found) > 0 {
		t.Fatalf("the audit finds %v", found)
	}
	for _, p := range w.pods {
		id, ok := w.l.Tasks.Find(ledger.Key{Namespace: p.Namespace, Name: p.Name})
		if !ok || p.Node != "" {
			continue
		}
		is := map[string]int64{}
		for _, c := range w.b.Rules(w.l.Class(w.l.Task(id).Class)).Even {
			if c.Key() != model.HostnameKey {
				continue
			}
			for at := range w.l.Nodes.Len() {
				is[w.l.Node(ledger.NodeID(at)).Name] += c.NotTerminating(c.Domain(ledger.NodeID(at)))
			}
		}
		belongs := w.selects(p)
		for _, node := range []string{"n0", "n1", "n2"} {
			want := int64(0)
			for _, o := range w.pods {
				if belongs != nil && o.Node == node && belongs(o) {
					want++
				}
			}
			if is[node] != want {
				t.Fatalf("%s/%s counts %d on %s, the scan %d", p.Namespace, p.Name, is[node], node, want)
			}
		}
	}
}

// More Services than are counted select a pod: it is spread as if none did, and as before once there are fewer.
func TestPodsOfTooManyServices(t *testing.T) {
	w := &cluster{l: ledger.New()}
	w.b = interpod.Of(w.l)
	w.b.Even()
	w.node("n0")
	var labels []model.Label
	for i := range 65 {
		labels = append(labels, model.Label{Key: fmt.Sprintf("k%02d", i), Value: "v"})
		w.tell(model.KindService, "ns", fmt.Sprint(i), &model.Service{Selector: slices.Clone(labels)})
	}
	for _, name := range []string{"a", "b"} {
		w.tell(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
			Ours: true, Owner: "o",
			OwnerID: "Job.batch/u1", Labels: labels, Spec: &model.Spec{}})
	}
	spread := func() bool {
		w.b.Open()
		id, _ := w.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "a"})
		return len(w.b.Rules(w.l.Class(w.l.Task(id).Class)).Even) > 0
	}
	if spread() {
		t.Error("65 Services select the pod, and it is spread by them")
	}
	if w.tell(model.KindService, "ns", "0", nil); !spread() {
		t.Error("64 Services select the pod, and it is not spread by them")
	}
	if w.tell(model.KindService, "ns", "0", &model.Service{Selector: labels[:1]}); spread() {
		t.Error("65 Services select the pod again, and it is spread by them")
	}
}

// BenchmarkServices: 10 000 Services of one namespace with one label in common, and 1 000 sets of labels of its pods. A
// Service comes and goes; the last line of the log is how long the first look at all of them took.
func BenchmarkServices(b *testing.B) {
	for _, services := range []int{100, 10_000} {
		b.Run(fmt.Sprint(services), func(b *testing.B) {
			w := &cluster{l: ledger.New()}
			w.b = interpod.Of(w.l)
			w.b.Even()
			w.node("n0")
			of := func(i int) []model.Label {
				out := []model.Label{{Key: "a", Value: "common"}, {Key: "b", Value: fmt.Sprint(i)}}
				slices.SortFunc(out, func(a, b model.Label) int { return cmp.Compare(a.Key, b.Key) })
				return out
			}
			for i := range services {
				w.tell(model.KindService, "ns", fmt.Sprint(i), &model.Service{Selector: of(i)})
			}
			for i := range 2000 {
				name := fmt.Sprint(i)
				w.tell(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
					Ours: true, Owner: "o",
					OwnerID: "Job.batch/u1", Labels: of(i % 1000), Spec: &model.Spec{}})
			}
			began := time.Now()
			w.b.Open()
			b.ReportMetric(float64(time.Since(began).Microseconds()), "µs-at-first")
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					w.tell(model.KindService, "ns", "0", nil)
				} else {
					w.tell(model.KindService, "ns", "0", &model.Service{Selector: of(0)})
				}
				w.b.Open()
			}
		})
	}
}
