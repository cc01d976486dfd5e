package pdb_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/pdb"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

type guard interface {
	policy.Preemptable
	policy.Reclaimable
	policy.StatefulPlugin
}

// world is a ledger with pods that are all of namespace ns, and the plugin.
type world struct {
	*ledger.Ledger
	guard
	version uint64
}

func newWorld(t interface{ Fatal(...any) }) *world {
	w := &world{Ledger: ledger.New()}
	p, err := pdb.Definition().New(policy.Choice{}, w.Ledger)
	if err != nil {
		t.Fatal(err)
	}
	w.guard = p.(guard)
	w.PluginStates.Add(w.PluginState())
	return w
}

func (w *world) tell(k model.Kind, name string, o model.Object) {
	w.version++
	ref := model.Ref{Kind: k, Namespace: "ns", Name: name}
	w.Apply(model.Fact{Ref: ref, UID: name, Version: w.version, Object: o})
}

// pod has the label app=web and runs healthily, before changes.
func (w *world) pod(name string, changes ...func(*model.Pod)) ledger.TaskID {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Preemptable: true,
		Spec: &model.Spec{},
		Node: "node", Phase: model.PodRunning, Healthy: true, Labels: []model.Label{{Key: "app", Value: "web"}}}
	for _, change := range changes {
		change(p)
	}
	w.tell(model.KindPod, name, p)
	t, _ := w.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return t
}

func (w *world) budget(name string, b model.Budget) {
	b.Namespace, b.Name = "ns", name
	w.tell(model.KindBudget, name, &b)
}

// ask is what the guard says of a unit: "" when nothing, else the budget and the numbers.
func (w *world) ask(tasks ...ledger.TaskID) string {
	o := w.Preemptable(policy.Preemptor{}, policy.Unit{Tasks: tasks})
	if o.Vote == policy.Abstain {
		return ""
	}
	if o.Vote != policy.Reject || !o.Guard || o.Reason.Code != trace.VictimBudget {
		return fmt.Sprintf("%+v", o)
	}
	return fmt.Sprintf("%s allows %d of %d", o.Reason.Text, o.Reason.Have, o.Reason.Need)
}

var (
	web       = []model.Requirement{{Key: "app", Op: model.In, Values: []string{"web"}}}
	sick      = func(p *model.Pod) { p.Healthy = false }
	waiting   = func(p *model.Pod) { p.Node, p.Phase, p.Healthy = "", model.PodPending, false }
	starting  = func(p *model.Pod) { p.Phase, p.Healthy = model.PodPending, false }
	leaving   = func(p *model.Pod) { p.Deleting = true }
	finished  = func(p *model.Pod) { p.Phase, p.Healthy = model.PodSucceeded, false }
	unlabeled = func(p *model.Pod) { p.Labels = nil }
)

func number(n int32) *model.Portion  { return &model.Portion{Value: n} }
func percent(n int32) *model.Portion { return &model.Portion{Value: n, Percent: true} }

// Decision 33. Four pods run; the first and then others of the unit are given.
func TestABudgetIsCountedFromThePods(t *testing.T) {
	for name, c := range map[string]struct {
		budget model.Budget
		others []func(*model.Pod) // pods beside the four
		unit   int                // so many of the four
		want   string
	}{
		"three have to stay of four": {model.Budget{MinAvailable: number(3)}, nil, 1, ""},
		"two at once are too many":   {model.Budget{MinAvailable: number(3)}, nil, 2, "ns/b allows 1 of 2"},
		"all have to stay":           {model.Budget{MinAvailable: number(4)}, nil, 1, "ns/b allows 0 of 1"},
		"a part that has to stay rounds up": {model.Budget{MinAvailable: percent(60)}, nil, 2,
			"ns/b allows 1 of 2"},
		"a part that may be away rounds up": {model.Budget{MaxUnavailable: percent(30)}, nil, 2, ""},
		"one that waits is away already": {model.Budget{MaxUnavailable: number(2)}, []func(*model.Pod){waiting},
			2, "ns/b allows 1 of 2"},
		"one that starts is away too": {model.Budget{MaxUnavailable: number(2)},
			[]func(*model.Pod){starting}, 2, "ns/b allows 1 of 2"},
		"a sick one is": {model.Budget{MaxUnavailable: number(1)}, []func(*model.Pod){sick}, 1,
			"ns/b allows 0 of 1"},
		"one that leaves is": {model.Budget{MaxUnavailable: number(1)}, []func(*model.Pod){leaving},
			1, "ns/b allows 0 of 1"},
		"one that has finished is nobody's": {model.Budget{MaxUnavailable: number(1)},
			[]func(*model.Pod){finished}, 1, ""},
		"the status says less": {model.Budget{MinAvailable: number(1), Counted: true, Allowed: 1},
			nil, 2, "ns/b allows 1 of 2"},
		"the status says more": {model.Budget{MinAvailable: number(3), Counted: true, Allowed: 3},
			nil, 2, "ns/b allows 1 of 2"},
		"a status that was not counted": {model.Budget{MinAvailable: number(1)}, nil, 2, ""},
		"the status knows the scale": {model.Budget{MaxUnavailable: number(1), Counted: true, Allowed: 4,
			Desired: 4}, nil, 1, "ns/b allows 0 of 1"},
		"the status has counted one as gone": {model.Budget{MinAvailable: number(3), Counted: true, Allowed: 1,
			Leaving: []string{"pod-3"}}, nil, 1, "ns/b allows 0 of 1"},
		"a budget that says nothing allows nothing": {model.Budget{}, nil, 1, "ns/b allows 0 of 1"},
		"a budget of other pods": {model.Budget{Selector: []model.Requirement{{Key: "app", Op: model.In,
			Values: []string{"db"}}}}, nil, 1, ""},
		"a budget without a selector is about no pod": {model.Budget{MatchesNothing: true}, nil, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if c.budget.Selector == nil {
				c.budget.Selector = web
			}
			w.budget("b", c.budget)
			var four []ledger.TaskID
			for i := range 4 {
				four = append(four, w.pod(fmt.Sprintf("pod-%d", i)))
			}
			for i, change := range c.others {
				w.pod(fmt.Sprintf("other-%d", i), change)
			}
			if got := w.ask(four[:c.unit]...); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if found := w.Audit(); found != nil {
				t.Error(found)
			}
		})
	}
}

// unhealthyPodEvictionPolicy; a pod that is not running is in no budget.
func TestPodsThatMayGoWhateverABudgetAllows(t *testing.T) {
	for name, c := range map[string]struct {
		budget model.Budget
		pod    func(*model.Pod)
		want   string
	}{
		"a sick pod while the budget is met": {model.Budget{MinAvailable: number(2)}, sick, ""},
		"not while it is not":                {model.Budget{MinAvailable: number(3)}, sick, "ns/b allows 0 of 1"},
		"but always where that is asked for": {model.Budget{MinAvailable: number(3), AlwaysEvictUnhealthy: true},
			sick, ""},
		"a pod that is starting": {model.Budget{MinAvailable: number(3)}, starting, ""},
		"a healthy pod is not among them": {model.Budget{MinAvailable: number(3)}, func(*model.Pod) {},
			"ns/b allows 0 of 1"},
		"a pod without labels, of an empty budget":  {model.Budget{MinAvailable: number(2)}, unlabeled, ""},
		"a healthy one where nobody has to stay is": {model.Budget{MinAvailable: number(0)}, func(*model.Pod) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.budget.Selector = web
			w.pod("a")
			w.pod("b")
			w.budget("b", c.budget)
			if got := w.ask(w.pod("c", c.pod)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestPodsWithoutLabelsBelongToABudgetForAll(t *testing.T) {
	w := newWorld(t)
	bare := w.pod("bare", unlabeled)
	w.budget("web", model.Budget{Selector: web, MinAvailable: number(9)})
	if got := w.ask(bare); got != "" {
		t.Errorf("a budget for web: %q", got)
	}
	w.budget("all", model.Budget{MinAvailable: number(9)})
	if got := w.ask(bare); got != "ns/all allows 0 of 1" {
		t.Errorf("a budget for all pods: %q", got)
	}
}

func TestAPodInSeveralBudgetsNeedsLeaveOfEach(t *testing.T) {
	w := newWorld(t)
	a := w.pod("a")
	w.pod("b")
	w.budget("b-generous", model.Budget{Selector: web, MinAvailable: number(0)})
	if got := w.ask(a); got != "" {
		t.Errorf("%q of one budget", got)
	}
	w.budget("a-strict", model.Budget{MinAvailable: number(2)})
	if got := w.ask(a); got != "ns/a-strict allows 0 of 1" {
		t.Errorf("%q of two", got)
	}
}

// One plan spends a budget once, wherever its victims are; an undone one spends nothing.
func TestEvictionsOfATryAreSpent(t *testing.T) {
	w := newWorld(t)
	w.budget("b", model.Budget{Selector: web, MinAvailable: number(2), Counted: true, Allowed: 2, Desired: 2})
	var pods []ledger.TaskID
	for i := range 4 {
		pods = append(pods, w.pod(fmt.Sprintf("pod-%d", i)))
	}
	w.Try(func(tx *ledger.Tx) bool {
		tx.Evict(pods[0], "preempt", ledger.NoTask)
		tx.Try(func(tx *ledger.Tx) bool {
			tx.Evict(pods[1], "preempt", ledger.NoTask)
			if got := w.ask(pods[2]); got != "ns/b allows 0 of 1" {
				t.Errorf("after two evictions: %q", got)
			}
			return false
		})
		if got := w.ask(pods[2]); got != "" {
			t.Errorf("after one, the other undone: %q", got)
		}
		return true
	})
	w.Commit(func(ledger.Op) ledger.PlanItem { return ledger.PlanItem{} })
	if got := w.ask(pods[1], pods[2]); got != "ns/b allows 1 of 2" {
		t.Errorf("while the first is on its way: %q", got)
	}
}

// The twin: a slow count from facts and statuses, after any history.
func TestTheCountIsThatOfASlowRecount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		states := []func(*model.Pod){func(*model.Pod) {}, sick, waiting, starting, leaving, finished, unlabeled}
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			name := fmt.Sprintf("x-%d", rapid.IntRange(0, 6).Draw(t, "name"))
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				w.budget(name, drawBudget(t))
			case 1:
				w.tell(rapid.SampledFrom([]model.Kind{model.KindPod, model.KindBudget}).Draw(t, "gone"), name, nil)
			default:
				w.pod(name, rapid.SampledFrom(states).Draw(t, "state"))
			}
			w.Try(func(tx *ledger.Tx) bool {
				w.evictSome(t, tx)
				w.compare(t)
				return rapid.IntRange(0, 3).Draw(t, "holds") == 0
			})
			w.Commit(func(ledger.Op) ledger.PlanItem { return ledger.PlanItem{} })
			w.compare(t)
		}
		if found := w.Audit(); found != nil {
			t.Fatal(found)
		}
	})
}

func drawBudget(t *rapid.T) model.Budget {
	b := model.Budget{Selector: rapid.SampledFrom([][]model.Requirement{nil, web}).Draw(t, "selector"),
		Counted: rapid.Bool().Draw(t, "counted"), Allowed: rapid.Int32Range(0, 4).Draw(t, "allowed"),
		Desired: rapid.Int32Range(0, 3).Draw(t, "desired"), AlwaysEvictUnhealthy: rapid.Bool().Draw(t, "always")}
	p := &model.Portion{Value: rapid.Int32Range(0, 6).Draw(t, "portion"), Percent: rapid.Bool().Draw(t, "percent")}
	if p.Percent {
		p.Value *= 16
	}
	if rapid.Bool().Draw(t, "min") {
		b.MinAvailable = p
	} else {
		b.MaxUnavailable = p
	}
	return b
}

func (w *world) evictSome(t *rapid.T, tx *ledger.Tx) {
	w.Tasks.Each(func(task ledger.TaskID) bool {
		if s := w.Task(task).Status; (s == model.Running || s == model.Bound) && rapid.IntRange(0, 2).Draw(t,
			"evicted") == 0 {
			tx.Evict(task, "preempt", ledger.NoTask)
		}
		return true
	})
}

// compare asks about every running pod and counts by hand.
func (w *world) compare(t *rapid.T) {
	w.Tasks.Each(func(task ledger.TaskID) bool {
		if w.Task(task).Status != model.Running {
			return true
		}
		want := true
		w.Namespaces.AllBudgets(func(b *model.Budget) bool {
			want = want && w.allows(b, w.Task(task).Pod)
			return true
		})
		if got := w.ask(task) == ""; got != want {
			t.Fatalf("%s may go: %v, by hand %v", w.Task(task).Key, got, want)
		}
		return true
	})
}

func (w *world) allows(b *model.Budget, pod *model.Pod) bool {
	if !match.Selects(b.Selector, pod.Labels) {
		return true
	}
	var expected, healthy, going int32
	w.Tasks.Each(func(id ledger.TaskID) bool {
		task := w.Task(id)
		p := task.Pod
		if !match.Selects(b.Selector, p.Labels) || p.Phase == model.PodSucceeded {
			return true
		}
		expected++
		if p.Phase == model.PodRunning && p.Healthy && !p.Deleting && !slices.Contains(b.Leaving, p.Name) {
			if task.Status == model.Releasing {
				going++
			} else {
				healthy++
			}
		}
		return true
	})
	desired := int32(0)
	if b.MaxUnavailable != nil {
		desired = max(0, expected-b.MaxUnavailable.Of(expected))
	} else {
		desired = b.MinAvailable.Of(expected)
	}
	allowed := healthy - desired
	if b.Counted {
		desired = max(desired, b.Desired)
		allowed = min(healthy-desired, b.Allowed-going)
	}
	if !pod.Healthy && (b.AlwaysEvictUnhealthy || healthy >= desired && desired > 0) {
		return true
	}
	return allowed > 0
}
