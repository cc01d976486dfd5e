package rescheduling_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/rescheduling"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

const minute = int64(60e9)

// even has nodes below 20% filled up from those above 50%, by cpu.
const even = `[{"name":"lowNodeUtilization","params":{"thresholds":{"cpu":20},"targetThresholds":{"cpu":50}}}]`

type plugin interface {
	policy.Later
	policy.Descheduler
}

// world has nodes of 10 cpu.
type world struct {
	*ledger.Ledger
	plugin
	version uint64
}

func newWorld(t interface{ Fatal(...any) }, strategies string) *world {
	l := ledger.New()
	choice := policy.Choice{Arguments: policy.Arguments{"interval": "5m", "strategies": strategies}}
	p, err := rescheduling.Definition().New(choice, l)
	if err != nil {
		t.Fatal(err)
	}
	return &world{Ledger: l, plugin: p.(plugin)}
}

func (w *world) tell(k model.Kind, namespace, name string, o model.Object) {
	w.version++
	ref := model.Ref{Kind: k, Namespace: namespace, Name: name}
	w.Apply(model.Fact{Ref: ref, UID: name, Version: w.version, Object: o})
}

func cpu(n int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: n * 1000}}
}

func (w *world) node(name string, changes ...func(*model.Node)) {
	n := &model.Node{Meta: model.Meta{Name: name}, Allocatable: cpu(10)}
	for _, change := range changes {
		change(n)
	}
	w.tell(model.KindNode, "", name, n)
}

func (w *world) pod(name, node string, cores int64, changes ...func(*model.Pod)) {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Preemptable: true,
		Spec: &model.Spec{Requests: cpu(cores)}, Node: node, Phase: model.PodRunning}
	for _, change := range changes {
		change(p)
	}
	w.tell(model.KindPod, "ns", name, p)
}

// picked lists the pods that are picked at a time.
func (w *world) picked(at int64) (out []string) {
	w.At(at)
	w.Deschedule(func(t ledger.TaskID, reason string) bool {
		out = append(out, w.Task(t).Key.Name)
		return true
	})
	return out
}

func kept(p *model.Pod)      { p.Preemptable = false }
func important(p *model.Pod) { p.Priority, p.HasPriority = 9, true }
func young(p *model.Pod)     { p.Started = 9 }

func TestPodsThatArePicked(t *testing.T) {
	selects := func(p *model.Pod) {
		p.Spec = &model.Spec{Requests: cpu(2), Selector: []model.Label{{Key: "disk", Value: "ssd"}}}
	}
	tainted := func(n *model.Node) { n.Taints = []model.Taint{{Key: "a", Effect: model.NoSchedule}} }
	cordoned := func(n *model.Node) { n.Unschedulable = true }
	offline := strings.TrimSuffix(even, "]") + `,{"name":"offlineOnly"}]`
	for name, c := range map[string]struct {
		strategies string
		world      func(w *world)
		want       []string
	}{
		"until the node is within its target": {even, func(w *world) {
			w.node("low")
			w.pod("a", "high", 2)
			w.pod("b", "high", 2)
			w.pod("c", "high", 2)
		}, []string{"a"}},
		"none where no node is under-used": {even, func(w *world) {
			w.node("low")
			w.pod("x", "low", 2)
			w.pod("a", "high", 9)
		}, nil},
		"none where no node is over-used": {even, func(w *world) { w.node("low"); w.pod("a", "high", 5) }, nil},
		"none that would make another too full": {even, func(w *world) {
			w.node("low")
			w.pod("x", "low", 1)
			w.pod("a", "high", 5)
			w.pod("b", "high", 4)
		}, []string{"b"}},
		"the least important first": {even, func(w *world) {
			w.node("low")
			w.pod("a", "high", 3, important)
			w.pod("b", "high", 3)
		}, []string{"b"}},
		"of equals the youngest": {even, func(w *world) {
			w.node("low")
			w.pod("a", "high", 3)
			w.pod("b", "high", 3, young)
		}, []string{"b"}},
		"none that is marked to be kept": {even, func(w *world) {
			w.node("low")
			w.pod("a", "high", 3, kept)
			w.pod("b", "high", 3, kept)
		}, nil},
		"none that the node does not admit": {even, func(w *world) {
			w.node("low")
			w.pod("a", "high", 2, selects)
			w.pod("b", "high", 4)
		}, []string{"b"}},
		"none for a tainted node": {even, func(w *world) {
			w.node("low", tainted)
			w.pod("a", "high", 6)
			w.pod("b", "high", 2)
		}, nil},
		"none for a cordoned node": {even, func(w *world) {
			w.node("low", cordoned)
			w.pod("a", "high", 2)
			w.pod("b", "high", 5)
		}, nil},
		"two for two nodes": {even, func(w *world) {
			w.node("low")
			w.node("low-2")
			w.pod("a", "high", 4)
			w.pod("b", "high", 4)
			w.pod("c", "high", 2)
		}, []string{"a", "b"}},
		"offline pods only": {offline, func(w *world) {
			w.node("low")
			w.pod("a", "high", 3)
			w.pod("b", "high", 3, func(p *model.Pod) { p.Spec.Revocable = true })
		}, []string{"b"}},
		"offlineOnly alone evens out nothing": {`[{"name":"offlineOnly"}]`, func(w *world) {
			w.node("low")
			w.pod("a", "high", 9)
		}, nil},
		"without strategies none": {"", func(w *world) { w.node("low"); w.pod("a", "high", 9) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.strategies)
			w.node("high")
			c.world(w)
			if got := w.picked(0); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestARoundAnInterval(t *testing.T) {
	w := newWorld(t, even)
	w.node("high")
	w.node("low")
	for i := range 6 {
		w.pod(fmt.Sprintf("pod-%d", i), "high", 1)
	}
	if got := len(w.picked(0)); got != 1 {
		t.Fatalf("%d are picked at first", got)
	}
	if got := w.Later(); got != 5*minute {
		t.Errorf("the next round is at %d, want %d", got, 5*minute)
	}
	if got := w.picked(4 * minute); got != nil {
		t.Errorf("%v are picked before the interval is over", got)
	}
	if got := len(w.picked(5 * minute)); got != 1 {
		t.Errorf("%d are picked after it", got)
	}
}

// A pod that is picked finds the room that was found for it, and it ends: no node becomes
// over-used for another's sake.
func TestRoundsComeToAnEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, even)
		at := map[string]string{}
		cores := map[string]int64{}
		nodes := []string{"a", "b", "c", "d"}
		for _, n := range nodes {
			w.node(n)
		}
		for i := range rapid.IntRange(1, 14).Draw(t, "pods") {
			name := fmt.Sprintf("pod-%d", i)
			at[name], cores[name] = rapid.SampledFrom(nodes[:2]).Draw(t, "node"), rapid.Int64Range(1, 4).Draw(t, "cores")
			w.pod(name, at[name], cores[name])
		}
		for round := range int64(20) {
			picked := w.picked(round * 5 * minute)
			if picked == nil {
				return
			}
			for _, name := range picked {
				to := w.lowest(nodes, at, cores)
				at[name] = to
				w.pod(name, to, cores[name])
				if held(to, at, cores) > 5 {
					t.Fatalf("%s holds %d of 10 cores since %s moved", to, held(to, at, cores), name)
				}
			}
		}
		t.Fatal("it goes on for ever")
	})
}

func held(node string, at map[string]string, cores map[string]int64) (sum int64) {
	for name, n := range at {
		if n == node {
			sum += cores[name]
		}
	}
	return sum
}

func (w *world) lowest(nodes []string, at map[string]string, cores map[string]int64) string {
	return slices.MinFunc(nodes, func(a, b string) int { return int(held(a, at, cores) - held(b, at, cores)) })
}

func TestStrategiesWithoutMeaning(t *testing.T) {
	low := func(params string) string { return `[{"name":"lowNodeUtilization","params":{` + params + `}}]` }
	for text, want := range map[string]string{
		`{}`:                              "no list",
		`[{"name":"spread"}]`:             `"spread" is no strategy`,
		`[{"name":"lowNodeUtilization"}]`: "thresholds is missing",
		low(`"thresholds":{"cpu":20}`):    "targetThresholds is missing",
		low(`"thresholds":{"cpu":120},"targetThresholds":{"cpu":50}`):    "120 is no percentage",
		low(`"thresholds":{"cpu":60},"targetThresholds":{"cpu":50}`):     "above its target",
		low(`"thresholds":{"cpu":"much"},"targetThresholds":{"cpu":50}`): "no list",
	} {
		choice := policy.Choice{Arguments: policy.Arguments{"strategies": text}}
		_, err := rescheduling.Definition().New(choice, ledger.New())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
