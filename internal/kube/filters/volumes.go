package filters

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Volumes wraps Kubernetes' volume binder and what else judges a node by volumes: a
// policy.TaskFilter, a policy.PrePredicate and the ledger.Allocator behind both. Like its
// ledger it is not safe for concurrent use.
type Volumes struct {
	l        *ledger.Ledger
	ctx      context.Context // over already: the binder writes, and does not wait for an answer
	plugin   *volumebinding.VolumeBinding
	writes   *writes
	off      bool // binding is: claims are taken for met, and nothing is chosen
	zoning   bool
	limiting fwk.FilterPlugin // nil: switched off

	facts   map[place]any
	chosen  map[place]map[choice]int // of volumes and claims; how many tasks say so
	sits    map[ledger.NodeID][]sitting
	users   map[string][ledger.NumHolds]int32 // of claims by namespace/name: how many sit with one, by how
	stores  map[model.Kind]cache.Indexer
	version uint64 // differs whenever a store changed
	offers  uint64 // differs whenever a volume did, or a fact
	last    question
	unresolvable
}

// question is what the binder found out about one pod, good until a store changes.
type question struct {
	pod     *corev1.Pod
	version uint64
	claims  *volumebinding.PodVolumeClaims // nil: refused everywhere
	refusal string
}

// New returns the volume part of the plugin with all its filters, without telling the
// ledger: policy.Build does.
func New(l *ledger.Ledger) (*Volumes, error) { return with(l, switches{true, true, true}) }

// switches are the parts of the plugin that a configuration can turn off.
type switches struct{ binding, zones, limits bool }

func with(l *ledger.Ledger, on switches) (*Volumes, error) {
	v := &Volumes{l: l, off: !on.binding, zoning: on.zones, writes: &writes{}, facts: map[place]any{},
		chosen: map[place]map[choice]int{},
		sits:   map[ledger.NodeID][]sitting{}, users: map[string][ledger.NumHolds]int32{}}
	ctx, over := context.WithCancel(klog.NewContext(context.Background(), quiet))
	over()
	v.ctx = ctx
	f := informers.NewSharedInformerFactory(client{w: v.writes}, 0)
	plugin, err := standstill(f, v.writes)
	if err != nil {
		return nil, err
	}
	if on.limits {
		if v.limiting, err = limitsOver(f); err != nil {
			return nil, err
		}
	}
	v.plugin, v.stores = plugin, stores(f)
	return v, nil
}

// PluginState implements policy.StatefulPlugin.
func (v *Volumes) PluginState() ledger.PluginState { return v }

// Concerns says that pods of a class name claims.
func (v *Volumes) Concerns(s *model.Spec) bool { return s.Extra != "" }

// PrePredicate refuses a task with claims that no node can meet: one is missing,
// lost or being deleted, or should have been given a volume before the pod came.
func (v *Volumes) PrePredicate(t ledger.TaskID) policy.Verdict {
	task := v.l.Task(t)
	if v.off || !v.Concerns(task.Pod.Spec) {
		return policy.Verdict{}
	}
	q := v.ask(task)
	if q.claims == nil {
		return refuse(q.refusal)
	}
	return policy.Verdict{}
}

// FilterTask says whether the claims of a task can be met on a node, with what is
// chosen for others out of reach. Tasks that leave free no volume, only its attachment and
// a claim that is for one pod alone: in that does future differ, and nothing else is cured by an
// eviction.
func (v *Volumes) FilterTask(t ledger.TaskID, n ledger.NodeID, future bool) policy.Verdict {
	task := v.l.Task(t)
	if verdict := v.exclusive(task, future); !verdict.Admits() {
		return verdict
	}
	if !v.off {
		if found, refusal := v.find(task, n); found == nil {
			return refuse(refusal)
		}
	}
	if verdict := v.zones(task, n); !verdict.Admits() {
		return verdict
	}
	return v.limits(task, n, future)
}

func refuse(why string) policy.Verdict { return policy.Verdict{Code: trace.NodeVolume, Text: why} }

// ask finds a pod's claims, as Kubernetes does once for a pod, and says why not.
func (v *Volumes) ask(task *ledger.Task) *question {
	pod := podOf(task)
	q := &v.last
	if pod != nil && q.pod == pod && q.version == v.version {
		return q
	}
	*q = question{pod: pod, version: v.version}
	if pod == nil {
		q.refusal = "its claims are not known: the pod came without its original object"
		return q
	}
	if _, s := v.plugin.PreFilter(v.ctx, framework.NewCycleState(), pod, nil); !s.IsSuccess() && !s.IsSkip() {
		q.refusal = strings.Join(s.Reasons(), ", ")
		return q
	}
	claims, err := v.plugin.Binder.GetPodVolumeClaims(quiet, pod)
	if err != nil {
		q.refusal = err.Error()
		return q
	}
	q.claims = claims
	return q
}

// find is how the claims of a task would be met on a node; nil with the reason when
// they cannot be.
func (v *Volumes) find(task *ledger.Task, n ledger.NodeID) (*volumebinding.PodVolumes, string) {
	q := v.ask(task)
	if q.claims == nil {
		return nil, q.refusal
	}
	found, reasons, err := v.plugin.Binder.FindPodVolumes(quiet, q.pod, q.claims, v.node(n))
	if err != nil {
		return nil, err.Error()
	}
	if len(reasons) > 0 {
		texts := make([]string, len(reasons))
		for i, r := range reasons {
			texts[i] = string(r)
		}
		return nil, strings.Join(texts, ", ")
	}
	return found, ""
}

// node is what the binder reads of a node.
func (v *Volumes) node(n ledger.NodeID) *corev1.Node {
	row := v.l.Node(n)
	out := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: row.Name, Labels: map[string]string{}}}
	if row.Fact != nil {
		for _, l := range row.Fact.Labels {
			out.Labels[l.Key] = l.Value
		}
	}
	return out
}

// wouldWrite has the binder assume what it found and bind it against a client that
// only listens, then take it back: the one way to learn what it decided.
func (v *Volumes) wouldWrite(n ledger.NodeID, found *volumebinding.PodVolumes) Writes {
	pod, node := v.last.pod, v.l.Node(n).Name
	done, err := v.plugin.Binder.AssumePodVolumes(quiet, pod, node, found)
	if done || err != nil {
		return Writes{}
	}
	*v.writes = writes{}
	// It writes first and then waits; the context is over, so it ends there, with an
	// error that says no more than that.
	_ = v.plugin.Binder.BindPodVolumes(v.ctx, pod, found)
	v.plugin.Binder.RevertAssumedPodVolumes(found)
	return v.writesFrom(*v.writes, node)
}
