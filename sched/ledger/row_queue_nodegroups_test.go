package ledger

import (
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// grouped is two jobs of one template, each with its queue.
type grouped struct {
	*Ledger
	version uint64
}

func (g *grouped) tell(kind model.Kind, name string, o model.Object) {
	g.version++
	g.Apply(model.Fact{Ref: model.Ref{Kind: kind, Name: name}, Version: g.version, Object: o})
	g.ExtendDims()
}

func (g *grouped) queue(name, parent string, required ...string) {
	q := &model.Queue{Meta: model.Meta{Name: name}, Parent: parent}
	if required != nil {
		q.Groups = &model.NodeGroups{Required: required}
	}
	g.tell(model.KindQueue, name, q)
}

func (g *grouped) group(name, queue string) {
	g.tell(model.KindPodGroup, name, &model.PodGroup{Meta: model.Meta{Name: name}, Queue: queue})
}

func (g *grouped) pod(name, group string) {
	g.tell(model.KindPod, name, &model.Pod{Meta: model.Meta{Name: name, UID: name}, Ours: true, Group: group,
		Spec: &model.Spec{Requests: resource.List{{Name: resource.CPUName, Value: 1}}}})
}

// may is the groups that a pod's class requires.
func (g *grouped) may(pod string) []string {
	t, _ := g.Tasks.Find(Key{Name: pod})
	if groups := g.Class(g.Task(t).Class).Spec.Groups; groups != nil {
		return groups.Required
	}
	return nil
}

func TestATasksClassHasTheNodeGroupsOfItsQueue(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*grouped)
		a, b []string
	}{
		"as they come": {func(*grouped) {}, []string{"gold"}, nil},
		"the queue names others": {func(g *grouped) { g.queue("qa", "", "lead", "tin") },
			[]string{"lead", "tin"}, nil},
		"the queue goes": {func(g *grouped) { g.tell(model.KindQueue, "qa", nil) }, nil, nil},
		"the job moves":  {func(g *grouped) { g.group("b", "qa") }, []string{"gold"}, []string{"gold"}},
		"the parent names some": {func(g *grouped) { g.queue("top", "", "iron") }, []string{"gold"},
			[]string{"iron"}},
		"the job's PodGroup goes":       {func(g *grouped) { g.tell(model.KindPodGroup, "a", nil) }, nil, nil},
		"the queue comes under another": {func(g *grouped) { g.queue("qb", "qa") }, []string{"gold"}, []string{"gold"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := &grouped{Ledger: New()}
			g.Queues.HeedNodeGroups(true)
			g.pod("a-0", "a")
			g.queue("top", "")
			g.queue("qa", "", "gold")
			g.group("a", "qa")
			g.group("b", "qb")
			g.pod("b-0", "b")
			g.queue("qb", "top")
			c.do(g)
			if a, b := g.may("a-0"), g.may("b-0"); !slices.Equal(a, c.a) || !slices.Equal(b, c.b) {
				t.Errorf("a-0 may use %v and b-0 %v, want %v and %v", a, b, c.a, c.b)
			}
			if found := g.Audit(); found != nil {
				t.Errorf("the audit finds %v", found)
			}
		})
	}
}

func TestNodeGroupsThatNoPluginReadsSplitNoClass(t *testing.T) {
	g := &grouped{Ledger: New()}
	g.queue("qa", "", "gold")
	g.group("a", "qa")
	g.pod("a-0", "a")
	g.pod("b-0", "b")
	a, _ := g.Tasks.Find(Key{Name: "a-0"})
	b, _ := g.Tasks.Find(Key{Name: "b-0"})
	if g.Task(a).Class != g.Task(b).Class {
		t.Error("two pods of one template are of different classes")
	}
	g.Queues.HeedNodeGroups(false)
	g.ExtendDims()
	if g.Task(a).Class == g.Task(b).Class {
		t.Error("heeded late, the groups split no class")
	}
}

func TestClassesOfDifferentGroupsHaveDifferentKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range []*model.NodeGroups{nil, {Required: []string{"a", "b"}}, {Required: []string{"ab"}},
		{Preferred: []string{"a", "b"}},
		{Preferred: []string{"b", "a"}}, {Required: []string{"a"},
			Preferred: []string{"b"}}, {Forbidden: []string{"a", "b"}}, {Avoided: []string{"a", "b"}},
		{Limits: &model.GroupLimits{Queue: "q"}}, {Limits: &model.GroupLimits{Queue: "q",
			Unreadable: true}}, {Limits: &model.GroupLimits{Queue: "r"}},
		{Limits: &model.GroupLimits{Queue: "q", Of: []model.GroupLimit{{Group: "a",
			Most: resource.List{{Name: "cpu", Value: 1}}}}}},
		{Limits: &model.GroupLimits{Queue: "q", Of: []model.GroupLimit{{Group: "a",
			Most: resource.List{{Name: "cpu", Value: 2}}}}}},
		{Limits: &model.GroupLimits{Queue: "q", Of: []model.GroupLimit{{Group: "a"}, {Group: "b"}}}}} {
		key := canonical(&model.Spec{Groups: g})
		if seen[key] {
			t.Errorf("%+v shares its key %q with another", g, key)
		}
		seen[key] = true
	}
}
