package kubescheduler

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/nodeorder"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

const scheduler = translate.DefaultScheduler

// answers is what one side says of the nodes for a pod.
type answers struct {
	failed  string                        // why the pod cannot be judged at all; "" if it can
	refused map[string]string             // why, by node
	scores  map[string]map[string]float64 // of the others, by score and node
	grain   float64                       // how far apart scores of topology spread are that differ at all
}

// mostRequested is the name under which kube-scheduler's score of most allocated nodes is compared.
const mostRequested = "MostAllocated"

// scored are the scores of plugin nodeorder: its argument, and the plugin of kube-scheduler.
var scored = []struct{ argument, plugin string }{
	{"leastrequested.weight", names.NodeResourcesFit},
	{"mostrequested.weight", mostRequested},
	{"balancedresource.weight", names.NodeResourcesBalancedAllocation},
	{"nodeaffinity.weight", names.NodeAffinity},
	{"tainttoleration.weight", names.TaintToleration},
	{"imagelocality.weight", names.ImageLocality},
	{"podaffinity.weight", names.InterPodAffinity},
	{"podtopologyspread.weight", names.PodTopologySpread},
}

// ashlar is the engine's ledger and index with the facts of a cluster. Each score is a plugin of its own.
type ashlar struct {
	l      *ledger.Ledger
	set    *policy.Set
	nodes  *class.Index
	orders [][]any // by scored: the parts of that score
}

func newAshlar(t testing.TB, facts []model.Fact) *ashlar {
	t.Helper()
	a := &ashlar{l: ledger.New()}
	choices := []policy.Choice{{Plugin: "predicates"}}
	defined := []policy.Definition{filters.Predicates()}
	for i, s := range scored {
		one := nodeorder.Definition()
		build := one.New
		one.Name = s.argument
		one.New = func(c policy.Choice, l *ledger.Ledger) (any, error) {
			c.Arguments = policy.Arguments{}
			for _, other := range scored {
				c.Arguments[other.argument] = "0"
			}
			c.Arguments[scored[i].argument] = "1"
			made, err := build(c, l)
			if err == nil {
				a.orders = append(a.orders, made.(policy.Group).Parts())
			}
			return made, err
		}
		defined = append(defined, one)
		choices = append(choices, policy.Choice{Plugin: s.argument})
	}
	var err error
	if a.set, err = policy.Build(policy.Profile{Tiers: [][]policy.Choice{choices}}, defined, a.l); err != nil {
		t.Fatal(err)
	}
	a.nodes = class.New(a.l, a.set)
	for _, f := range facts {
		a.l.Apply(f)
	}
	a.l.ExtendDims()
	a.set.At(1)
	a.set.Open(&trace.Recorder{}, policy.NoStopwatch{})
	return a
}

// facts translates what has a part in scheduling, as the live scheduler does.
func facts(t testing.TB, c cluster) (out []model.Fact) {
	t.Helper()
	for _, o := range c {
		if f, ok := translate.Fact(o.DeepCopyObject(), translate.Options{}); ok {
			out = append(out, f)
		}
	}
	return out
}

// judge says what the engine says of each node for a pod.
func (a *ashlar) judge(p *corev1.Pod) (answers, error) {
	out := answers{refused: map[string]string{}, scores: map[string]map[string]float64{}}
	t, known := a.l.Tasks.Find(ledger.Key{Namespace: p.Namespace, Name: p.Name})
	if !known {
		return out, fmt.Errorf("pod %s/%s is not known", p.Namespace, p.Name)
	}
	pre := a.set.PrePredicate(t)
	var feasible []ledger.NodeID
	for _, n := range a.nodes.ByName() {
		switch name := a.l.Node(n).Name; {
		case !pre.Admits():
			out.refused[name] = fmt.Sprint(pre.Code, " ", pre.Text)
		case !a.nodes.Takes(t, n, class.Now):
			out.refused[name] = a.why(t, n)
		default:
			feasible = append(feasible, n)
		}
	}
	feasible = slices.Clone(feasible)
	for i, s := range scored {
		out.scores[s.plugin] = a.score(t, feasible, a.orders[i])
	}
	return out, nil
}

// why is which filter refuses a node.
func (a *ashlar) why(t ledger.TaskID, n ledger.NodeID) string {
	c, plugins := a.l.Class(a.l.Task(t).Class), &a.set.NodePlugins
	var all []policy.Verdict
	for _, f := range plugins.StaticFilters {
		all = append(all, f.FilterStatic(c.Spec, a.l.Node(n).Fact))
	}
	for _, need := range c.Need {
		if a.l.Nodes.Room(need.Dim)[n] < need.Amount {
			all = append(all, policy.Verdict{Code: trace.InsufficientResource, Text: a.l.Dims.Name(need.Dim)})
		}
	}
	for _, f := range plugins.NodeFilters {
		all = append(all, f.FilterNode(c, n, false))
	}
	for _, f := range plugins.DomainFilters {
		all = append(all, f.FilterDomains(c, n, false, nil))
	}
	for _, f := range plugins.TaskFilters {
		if f.Concerns(c.Spec) {
			all = append(all, f.FilterTask(t, n, false))
		}
	}
	for _, v := range all {
		if !v.Admits() {
			return fmt.Sprint(v.Code, " ", v.Text, " ", v.Domain)
		}
	}
	if _, aside := a.l.Task(t).Pod.SetAside(); aside {
		return fmt.Sprint("SetAside ", a.l.Task(t).Pod.Faults)
	}
	return "no filter does"
}

// score is what the parts of one score say of nodes, relative to each other, in points of Kubernetes.
func (a *ashlar) score(t ledger.TaskID, nodes []ledger.NodeID, parts []any) map[string]float64 {
	points := make([]int64, len(nodes))
	c := a.l.Class(a.l.Task(t).Class)
	for _, part := range parts {
		switch o := part.(type) {
		case policy.NodeOrder:
			for i, n := range nodes {
				points[i] += o.ScoreNode(c, n)
			}
		case policy.StaticOrder:
			a.static(c, nodes, o, points)
		case policy.DomainOrder:
			if o.ConcernsDomains(c) && len(nodes) > 0 {
				o.ScoreDomains(c, nodes, points)
			}
		}
	}
	out := map[string]float64{}
	for i, n := range nodes {
		out[a.l.Node(n).Name] = float64(points[i]) * 100 / policy.MaxNodeScore
	}
	return out
}

// static measures raw scores against the best of the nodes, as kube-scheduler does. The engine measures them against
// the best of all that static filters admit (docs/differences.md).
func (a *ashlar) static(c *ledger.Class, nodes []ledger.NodeID, o policy.StaticOrder, points []int64) {
	raw, most := make([]int64, len(nodes)), int64(0)
	for i, n := range nodes {
		raw[i] = o.RawScore(c.Spec, a.l.Node(n).Fact)
		most = max(most, raw[i])
	}
	if _, moving := o.(policy.MovingOrder); moving {
		most = policy.MaxNodeScore
	}
	for i := range nodes {
		of := int64(0)
		if most > 0 {
			of = raw[i] * policy.MaxNodeScore / most
		}
		if o.Reverse() {
			of = policy.MaxNodeScore - of
		}
		points[i] += of * o.Weight()
	}
}

// named is an object's kind, namespace and name.
func named(o runtime.Object) string {
	m := o.(metav1.Object)
	return fmt.Sprintf("%T %s/%s", o, m.GetNamespace(), m.GetName())
}
