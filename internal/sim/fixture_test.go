package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
)

// profile is the default configuration, with what is built in by now, and actions that
// a test brings.
func profile(more ...string) policy.Profile {
	p := policy.Profile{Actions: append([]string{"enqueue", "allocate", "backfill"}, more...)}
	for _, tier := range [][]string{{"priority", "gang", "conformance"}, {"predicates", "proportion", "nodeorder"}} {
		var choices []policy.Choice
		for _, name := range tier {
			if slices.ContainsFunc(plugins.All(), func(d policy.Definition) bool { return d.Name == name }) {
				choices = append(choices, policy.Choice{Plugin: name})
			}
		}
		p.Tiers = append(p.Tiers, choices)
	}
	return p
}

func amounts(cpu int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: cpu * 1000}, {Name: resource.MemoryName, Value: cpu << 30},
		{Name: resource.PodsName, Value: 1}}
}

func node(name string, cpu int64) sim.Item {
	room := resource.List{{Name: resource.CPUName, Value: cpu * 1000}, {Name: resource.MemoryName, Value: cpu << 30},
		{Name: resource.PodsName, Value: 110}}
	return sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: name},
		Object: &model.Node{Allocatable: room, Capacity: room}}}
}

// edit is what a test wants different about an item.
type edit func(*sim.Item)

func at(d time.Duration) edit { return func(i *sim.Item) { i.SubmitAt = d } }
func lasts(d time.Duration) edit {
	return func(i *sim.Item) { i.Duration, i.HasDuration = d, true }
}
func owned(i *sim.Item) { i.Owned = true }

// as changes the pod itself.
func as(f func(*model.Pod)) edit { return func(i *sim.Item) { f(i.Fact.Object.(*model.Pod)) } }

func on(node string) edit { return as(func(p *model.Pod) { p.Node = node }) }
func of(group string) edit {
	return as(func(p *model.Pod) { p.Group = group })
}

func pod(name string, cpu int64, edits ...edit) sim.Item {
	i := sim.Item{Fact: model.Fact{Ref: podRef(name), Object: &model.Pod{Ours: true, Preemptable: true, Index: -1,
		Spec: &model.Spec{Requests: amounts(cpu)}}}}
	for _, e := range edits {
		e(&i)
	}
	return i
}

func group(name string, minMember int32, edits ...edit) sim.Item {
	i := sim.Item{Fact: model.Fact{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: name},
		Object: &model.PodGroup{MinMember: minMember}}}
	for _, e := range edits {
		e(&i)
	}
	return i
}

func podRef(name string) model.Ref {
	return model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}
}

func key(name string) ledger.Key { return ledger.Key{Namespace: "ns", Name: name} }

// play is a world under test: it audits every cycle and keeps it.
type play struct {
	*sim.World
	t      *testing.T
	cycles []sim.Cycle
}

func start(t *testing.T, items ...sim.Item) *play { return startWith(t, sim.Options{}, items...) }

func startWith(t *testing.T, o sim.Options, items ...sim.Item) *play {
	t.Helper()
	o.Audit = true
	var more []string
	if o.Engine != nil {
		more = []string{"purge"}
	}
	w, err := sim.New(profile(more...), items, o)
	if err != nil {
		t.Fatal(err)
	}
	return &play{World: w, t: t}
}

// step runs a cycle that has to be at a time.
func (p *play) step(want time.Duration) sim.Cycle {
	p.t.Helper()
	c, ok := p.Step()
	if !ok || c.At != want {
		p.t.Fatalf("a cycle at %v, %v: want one at %v", c.At, ok, want)
	}
	p.keep(c)
	return c
}

// rest runs what is left.
func (p *play) rest() *play {
	p.t.Helper()
	for {
		c, ok := p.Step()
		if !ok {
			return p
		}
		p.keep(c)
	}
}

func (p *play) keep(c sim.Cycle) {
	p.t.Helper()
	if c.Audit != nil {
		p.t.Fatalf("cycle at %v: %v", c.At, c.Audit)
	}
	p.cycles = append(p.cycles, c)
}

// pods says how all pods stand, as "a Running n1, b Pending".
func (p *play) pods() string {
	var out []string
	for _, r := range p.Engine().Report().Pods {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Name, r.Status, r.Node)))
	}
	return strings.Join(out, ", ")
}

// want compares how all pods stand.
func (p *play) want(pods string) {
	p.t.Helper()
	if got := p.pods(); got != pods {
		p.t.Errorf("at %v the pods are\n  %s\nwant\n  %s", p.Now(), got, pods)
	}
}

func (p *play) problems() string {
	var out []string
	for _, r := range p.Engine().Report().Problems {
		out = append(out, r.Object+": "+r.Message)
	}
	return strings.Join(out, "\n")
}

// purge is an action that evicts all running pods with names that begin with "victim", for
// the first pod that waits.
type purge struct{ always bool }

func (purge) Name() string { return "purge" }

func (a purge) Execute(s *session.Session) {
	var victims []ledger.TaskID
	waits := ledger.NoTask
	s.L.Tasks.Each(func(t ledger.TaskID) bool {
		row := s.L.Task(t)
		switch {
		case row.Status == model.Running && strings.HasPrefix(row.Key.Name, "victim"):
			victims = append(victims, t)
		case row.Status == model.Pending && (waits == ledger.NoTask || row.Key.Compare(s.L.Task(waits).Key) < 0):
			waits = t
		}
		return true
	})
	if waits == ledger.NoTask && !a.always {
		return
	}
	slices.SortFunc(victims, func(a, b ledger.TaskID) int {
		return strings.Compare(s.L.Task(a).Key.Name, s.L.Task(b).Key.Name)
	})
	for _, v := range victims {
		s.L.Try(func(tx *ledger.Tx) bool {
			tx.Evict(v, "purge", waits)
			return true
		})
	}
}

func purging(always bool) sim.Options {
	return sim.Options{Engine: []sched.Option{sched.WithAction(purge{always})}}
}
