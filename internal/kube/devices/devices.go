package devices

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// features are what the allocator may use: all that Kubernetes has on by default. What an
// API server has switched off it drops from objects, so none of it is met there.
var features = structured.Features{AdminAccess: true, ConsumableCapacity: true, DeviceBindingAndStatus: true,
	DeviceTaints: true, PartitionableDevices: true, PrioritizedList: true}

// mostCompiled is how many CEL expressions the allocator keeps compiled: those by which it knows
// what was selected.
const mostCompiled = 256

// Devices allocates devices to resource claims: a policy.TaskFilter, a policy.PrePredicate
// and the ledger.Allocator behind both. Like its ledger it is not safe for concurrent use.
type Devices struct {
	reporter
	planner

	l        *ledger.Ledger
	programs *Programs
	compiled *cel.Cache // made with the first question

	claims    map[string]*claim // by namespace/name
	classes   classes
	inventory inventory
	used      usage
	offered   offered
	special   specialClaims
	extended  extended
	stock     uint64 // grows with slices and classes

	nodes      []seenNode
	version    uint64 // differs whenever anything did
	memory     memory
	refused    refused
	budget     budget
	explaining bool
	leaves     leavingDevices
	questions  questions
}

// New returns the part of the plugin that allocates devices, without telling the ledger:
// policy.Build does.
func New(l *ledger.Ledger) *Devices { return NewWith(l, NewPrograms()) }

// NewWith is New with selectors that others compile, too.
func NewWith(l *ledger.Ledger, p *Programs) *Devices {
	return (&Devices{l: l, programs: p, claims: map[string]*claim{}, classes: newClasses(),
		inventory: newInventory(), used: newUsage(),
		special: specialClaims{of: map[string]map[string]bool{}},
		leaves:  leavingDevices{pods: map[ledger.NodeID]leavers{}},
		budget:  budget{limits: usual}, memory: memory{of: map[key]*finding{}},
		questions: questions{parsed: map[string]*resourcev1.AllocationResult{}}}).wire()
}

// At implements policy.Clock: a cycle begins.
func (d *Devices) At(now int64) (next int64) {
	d.budget.open(now)
	d.extended.publish()
	return 0
}

// Explain implements policy.Budgeted.
func (d *Devices) Explain(on bool) { d.explaining = on }

func (d *Devices) explains() bool { return d.explaining }

// Resume implements policy.Budgeted.
func (d *Devices) Resume() int64 { return d.budget.resume }

// PluginState implements policy.StatefulPlugin.
func (d *Devices) PluginState() ledger.PluginState { return d }

// Concerns says that pods of a class have resource claims, or ask for extended resources that a class stands for.
func (d *Devices) Concerns(s *model.Spec) bool {
	return len(s.Devices) > 0 || len(d.classes.extendedOf(s)) > 0
}

// PrePredicate refuses a task if its claims cannot be met on any node: a claim is missing or is being deleted, or its
// device class does not exist, or the budget for finding devices is spent. It also refuses a task that asks for an
// extended resource which a device class stands for, where no node has such devices.
func (d *Devices) PrePredicate(t ledger.TaskID) policy.Verdict {
	task := d.l.Task(t)
	if no := d.classes.onlyByClass(d.l, task); !no.Admits() || !d.Concerns(task.Pod.Spec) {
		return no
	}
	q := d.questions.ask(task)
	if !q.refusal.Admits() || !q.lacks {
		return q.refusal
	}
	spent := d.budget.blocked(q.pod.Namespace, q.shape)
	if !d.explains() {
		_, spent = d.budget.allow(q.pod.Namespace, q.shape)
	}
	if spent != ofNone {
		return spentOn(spent)
	}
	return policy.Verdict{}
}

// FilterTask says whether the claims of a task can be met on a node, without what others have, what was chosen for
// them, or is reserved for them while they are pipelined. With future, devices count as free that only tasks have which
// are leaving the node.
func (d *Devices) FilterTask(t ledger.TaskID, n ledger.NodeID, future bool) policy.Verdict {
	task := d.l.Task(t)
	q := d.questions.ask(task)
	if (future || d.ahead) && d.leaves.any(n) {
		_, verdict := d.find(task, n, future)
		return verdict
	}
	known := d.refusing(q)
	if known != nil && known.has(n) {
		return policy.Verdict{Code: trace.NodeDevices, Text: q.aliases()}
	}
	_, verdict := d.find(task, n, false)
	if known != nil && d.questions.last.found && !verdict.Admits() && !verdict.Everywhere {
		known.add(n, d.questions.last.on)
	}
	return verdict
}

// Choose says which devices the claims of a task would have on a node.
func (d *Devices) Choose(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID) string {
	if !d.special.concern(task) {
		return ""
	}
	w, verdict := d.find(task, n, false)
	if !verdict.Admits() {
		return Writes{Refused: string(verdict.Code)}.text()
	}
	return w.text()
}

// ChoosePipelined implements ledger.PipelinedAllocator; "" where nothing can be chosen.
func (d *Devices) ChoosePipelined(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID) string {
	if !d.special.concern(task) {
		return ""
	}
	w, verdict := d.find(task, n, true)
	if !verdict.Admits() {
		return ""
	}
	return w.text()
}

func (d *Devices) expressions() *cel.Cache {
	if d.compiled == nil {
		d.compiled = cel.NewCache(mostCompiled, cel.Features{EnableConsumableCapacity: features.ConsumableCapacity})
	}
	return d.compiled
}

// node is what slices read of a node, and must not be written to.
func (d *Devices) node(n ledger.NodeID) *corev1.Node {
	row := d.l.Node(n)
	for int(n) >= len(d.nodes) {
		d.nodes = append(d.nodes, seenNode{})
	}
	if seen := &d.nodes[n]; seen.made == nil || seen.fact != row.Fact || seen.made.Name != row.Name {
		*seen = seenNode{row.Fact, madeNode(row)}
	}
	return d.nodes[n].made
}

// seenNode is a node as Kubernetes' allocator reads it, made of a fact.
type seenNode struct {
	fact *model.Node
	made *corev1.Node
}

func madeNode(row *ledger.Node) *corev1.Node {
	out := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: row.Name}}
	if row.Fact != nil && len(row.Fact.Labels) > 0 {
		out.Labels = make(map[string]string, len(row.Fact.Labels))
		for _, l := range row.Fact.Labels {
			out.Labels[l.Key] = l.Value
		}
	}
	return out
}

func refuse(code trace.Code, text string) policy.Verdict {
	const most = 300 // of a text that a claim's author has a hand in
	if len(text) > most {
		text = text[:most] + "..."
	}
	return policy.Verdict{Code: code, Text: text}
}

// wire tells the parts what they are parts of.
func (d *Devices) wire() *Devices {
	d.leaves.d = d
	d.planner.d = d
	d.questions.d = d
	d.extended.d = d
	d.special.d = d
	d.reporter.d = d
	return d
}
