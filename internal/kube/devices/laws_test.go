package devices_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// tight is an engine with budgets for devices that are so small that they are spent all the time.
func tight(t rapid.TB, actions ...string) *sched.Engine {
	e, err := sched.New(profile(append([]string{"enqueue", "allocate", "backfill"}, actions...)...),
		sched.WithPlugin(filters.Predicates()))
	if err != nil {
		t.Fatal(err)
	}
	book, _ := e.Ledger().PluginStates.Find(devices.Name)
	book.(*devices.Devices).Limit(40)
	return e
}

// puzzle is a claim for so many devices in pairs that share a root with the last of them.
func puzzle(name string, n int, selectors ...string) *resourcev1.ResourceClaim {
	c := claim(name, 1, selectors...)
	first := c.Spec.Devices.Requests[0]
	root := resourcev1.FullyQualifiedName(driver + "/root")
	c.Spec.Devices.Requests = nil
	for i := range n {
		r := *first.DeepCopy()
		r.Name = fmt.Sprint("r", i)
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, r)
	}
	for i := range n - 1 {
		c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, resourcev1.DeviceConstraint{
			Requests: []string{fmt.Sprint("r", i/2*2), fmt.Sprint("r", n-1)}, MatchAttribute: &root})
	}
	return c
}

// TestBudgetsKeepTheLaws plays histories in which tenants ask for more than there is a budget
// for: an engine made anew from facts and commitments decides the same, and so does one that
// is watched and asked for its reasons all the time.
func TestBudgetsKeepTheLaws(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := tenants{r: r, objects: map[model.Ref]metav1.Object{}, now: 1_000_000_000}
		if h.n(1) == 1 {
			h.actions = []string{"preempt"} // so that the watched jobs are asked more often
		}
		h.e, h.watched = tight(r, h.actions...), tight(r, h.actions...)
		h.watched.SetVerbosity(5)
		h.apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue},
			Object: &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1}})
		for _, o := range []metav1.Object{inRack("n1", "a"), inRack("n2", "b"), inRack("n3", "a"), standing("gpu", 1),
			slice("n1", 8), slice("n2", 6), slice("n3", 8)} {
			h.tell(o)
		}
		h.fabric()
		for range rapid.IntRange(1, 20).Draw(r, "steps") {
			h.step()
		}
	})
}

// inRack is a node of a rack.
func inRack(name, rack string) *corev1.Node {
	n := node(name)
	n.Labels = map[string]string{"rack": rack}
	return n
}

// ofNodesIn selects the nodes of a rack.
func ofNodesIn(rack string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.
		NodeSelectorRequirement{{Key: "rack", Operator: corev1.NodeSelectorOpIn, Values: []string{rack}}}}}}
}

// fabric publishes devices that several nodes reach: all, those of a rack, or each device those of another; or none.
func (h *tenants) fabric() {
	yes, of := true, slice("fabric", 1+h.n(3))
	of.Spec.NodeName = nil
	switch h.n(3) {
	case 0:
		return
	case 1:
		of.Spec.AllNodes = &yes
	case 2:
		of.Spec.NodeSelector = ofNodesIn([]string{"a", "b"}[h.n(1)])
	case 3:
		of.Spec.PerDeviceNodeSelection = &yes
		for i := range of.Spec.Devices {
			if d := &of.Spec.Devices[i]; i == 2 {
				d.AllNodes = &yes
			} else {
				d.NodeSelector = ofNodesIn([]string{"a", "b"}[i%2])
			}
		}
	}
	h.tell(of)
}

type tenants struct {
	r          *rapid.T
	e, watched *sched.Engine
	actions    []string
	objects    map[model.Ref]metav1.Object
	version    int
	now        int64
}

func (h *tenants) n(most int) int { return rapid.IntRange(0, most).Draw(h.r, "n") }

func (h *tenants) apply(f ...model.Fact) {
	h.e.Apply(f...)
	h.watched.Apply(f...)
}

func (h *tenants) tell(o metav1.Object) {
	h.version++
	o.SetResourceVersion(fmt.Sprint(h.version))
	f := fact(h.r, o)
	h.objects[f.Ref] = o
	h.apply(f)
}

func (h *tenants) gone(ref model.Ref) {
	o, there := h.objects[ref]
	if !there {
		return
	}
	h.version++
	o.SetResourceVersion(fmt.Sprint(h.version))
	delete(h.objects, ref)
	h.apply(gone(h.r, o))
}

func (h *tenants) step() {
	i, ns := h.n(5), fmt.Sprint("t", h.n(2))
	ref := func(kind model.Kind, name string) model.Ref { return model.Ref{Kind: kind, Namespace: ns, Name: name} }
	name := fmt.Sprint("x", i)
	switch h.n(8) {
	case 0, 1, 2: // a pod with its claim
		if h.objects[ref(model.KindPod, name)] != nil {
			break
		}
		if h.n(2) == 0 { // or for devices by their number
			p := asks(name, extended)
			p.Namespace, p.UID = ns, uidOf(ns, name, h.version)
			h.tell(p)
			break
		}
		var c *resourcev1.ResourceClaim
		switch h.n(3) {
		case 0:
			c = claim(name, int64(1+h.n(3)))
		case 1:
			c = claim(name, 2, fmt.Sprintf("device.driver != 'x%d'", h.n(3)))
		default:
			c = puzzle(name, 4+h.n(4), fmt.Sprintf("device.driver != 'y%d'", h.n(1)))
		}
		c.Namespace = ns
		c.UID = uidOf(ns, name, h.version)
		h.tell(c)
		p := pod(name, name)
		p.Namespace = ns
		p.UID = uidOf(ns, name, h.version)
		h.tell(p)
	case 3: // it ends, and its claim with it
		h.gone(ref(model.KindPod, name))
		h.gone(ref(devices.Claim, name))
		for r := range h.objects {
			if r.Namespace == ns && strings.HasPrefix(r.Name, name+"-") {
				h.gone(r)
			}
		}
	case 4:
		h.gone(ref(model.KindPod, name))
	case 5: // a driver speaks up, or a node moves
		on := fmt.Sprint("n", 1+h.n(2))
		switch h.n(3) {
		case 0:
			h.tell(inRack(on, []string{"a", "b"}[h.n(1)]))
		case 1:
			h.fabric()
		default:
			h.tell(slice(on, 4+h.n(4)))
		}
	default:
		h.now += int64(h.n(3)*h.n(300)) * 1_000_000
	}
	h.decide()
}

func (h *tenants) decide() {
	twin := tight(h.r, h.actions...)
	twin.Apply(h.e.Facts()...)
	twin.Restore(h.e.Commitments())
	if is, want := twin.Commitments(), h.e.Commitments(); !reflect.DeepEqual(is, want) {
		h.r.Fatalf("it holds\n%+v\nrestored\n%+v", want, is)
	}
	plan, _, next := h.e.Decide(h.now)
	items := slices.Clone(plan.Items)
	for name, other := range map[string]*sched.Engine{"restored": twin, "watched": h.watched} {
		p, _, n := other.Decide(h.now)
		if name == "watched" && h.actions != nil {
			continue
		}
		// An engine that asks a resting job again, with the same result, may find the budget spent and want to go on sooner.
		wakes := n == next || n != 0 && (next == 0 || n < next)
		if !reflect.DeepEqual(slices.Clone(p.Items), items) && len(p.Items)+len(items) > 0 || !wakes {
			if h.gaveUp(items, p.Items) {
				h.r.Skip("with fewer devices a search ended that had been given up")
			}
			for i := range max(len(items), len(p.Items)) {
				if i >= len(items) || i >= len(p.Items) || !reflect.DeepEqual(items[i], p.Items[i]) {
					h.r.Logf("item %d differs", i)
				}
			}
			h.r.Fatalf("decided %d items, next %d; %s %d items, next %d\n%+v\n%+v", len(items), next, name,
				len(p.Items), n, items, p.Items)
		}
	}
	if found := h.e.Audit(); found != nil {
		h.r.Fatalf("audit: %v", found)
	}
	h.watched.Report()
	for _, i := range items {
		h.answer(i)
	}
}

// gaveUp says that another engine decides the same and besides binds pods for which this one has given up its search.
// It rests these for a while, and asks them again sooner only where devices become free; one that asks them after
// others took devices may find with fewer what it did not find with more.
func (h *tenants) gaveUp(items, more []sched.Item) bool {
	if len(more) <= len(items) {
		return false
	}
	for _, i := range more {
		if len(items) > 0 && reflect.DeepEqual(i, items[0]) {
			items = items[1:]
			continue
		}
		id, ok := h.e.Ledger().Tasks.Find(i.Pod)
		if !ok || i.Kind != sched.BindPod || !slices.ContainsFunc(h.e.Refusal(h.e.Ledger().Task(id).Job).Nodes,
			func(n trace.NodeCount) bool { return n.Code == trace.ClaimSearchExhausted }) {
			return false
		}
	}
	return len(items) == 0
}

// answer has a binding fail, or come true, or leaves it for now.
func (h *tenants) answer(i sched.Item) {
	switch what := h.n(3); {
	case i.Kind != sched.BindPod || what == 0:
	case what == 1:
		if h.n(1) == 1 { // what was written stays
			h.written(i)
		}
		h.e.Receive(sched.Receipt{Item: i, Outcome: sched.Failed})
		h.watched.Receive(sched.Receipt{Item: i, Outcome: sched.Failed})
	default:
		h.written(i)
		if p, ok := h.objects[model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace,
			Name: i.Pod.Name}].(*corev1.Pod); ok {
			p = p.DeepCopy()
			p.Spec.NodeName = i.Node
			h.tell(p)
		}
	}
}

// written has what was chosen for a pod come true.
func (h *tenants) written(i sched.Item) {
	for _, f := range devices.Written(i.Chosen, i.Pod, i.UID, func(r model.Ref) any { return h.objects[r] }) {
		if f.Object == nil {
			h.gone(f.Ref)
		} else {
			h.tell(f.Object.(*model.Opaque).Content.(*resourcev1.ResourceClaim))
		}
	}
}

func uidOf(ns, name string, version int) types.UID {
	return types.UID(fmt.Sprint(ns, "-", name, "-", version))
}
