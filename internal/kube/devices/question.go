package devices

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// questions finds out which devices the claims of a pod need.
type questions struct {
	d *Devices

	last        question
	parsed      map[string]*resourcev1.AllocationResult // of choices
	parsedBytes int                                     // of their texts
}

// question is what is known about the claims of one pod. It holds until the version of Devices changes.
type question struct {
	pod      *corev1.Pod
	uid      string
	version  uint64
	needs    []need
	names    []string         // of extended resources that devices may meet
	left     []Claimed        // of special claims
	special  *need            // where devices meet all of these
	specials map[string]*need // by those of them that a node meets by devices
	refusal  policy.Verdict   // admits: none
	shape    digest           // of all its claims
	kind     digest           // the same, and the nodes on which allocated claims can be used
	lacks    bool             // some of them have no devices
	has      bool             // some of them have devices
	at       []int            // reused
	sought   *sought          // on the node that was asked about last

	found  bool // the answer for node, as it is by fact
	node   ledger.NodeID
	fact   *model.Node
	lent   bool
	writes Writes
	denied policy.Verdict
	on     basis // of a refusal: what it follows from, as far as that is known
}

// need is one of the pod's claims.
type need struct {
	key   string // namespace/name
	alias string // the pod's own name for it
	claim *resourcev1.ResourceClaim
	// The nodes on which it can be used, if it has devices; with a nil selector, all nodes.
	allocated bool
	reach     *nodeaffinity.NodeSelector
	reaches   digest   // of reach
	had       string   // Digest of the devices that its fact gives it
	text      string   // the devices that were chosen for it and are not in its fact yet
	movable   bool     // no other pod holds it: other devices may be had instead
	special   *Special // it does not exist yet
}

// ask finds a pod's claims, once for all nodes, and refuses those that cannot be met on any node.
func (qu *questions) ask(task *ledger.Task) *question {
	pod, _ := task.Pod.Opaque.(*corev1.Pod)
	q := &qu.last
	if pod != nil && q.pod == pod && q.uid == task.Pod.UID && q.version == qu.d.version {
		return q
	}
	*q = question{pod: pod, uid: task.Pod.UID, version: qu.d.version}
	if pod == nil {
		q.refusal = refuse(trace.ClaimUnusable, "the pod came without its original object")
		return q
	}
	for i := range pod.Spec.ResourceClaims {
		n, verdict := qu.need(pod, &pod.Spec.ResourceClaims[i], q.uid)
		if !verdict.Admits() {
			q.refusal = verdict
			return q
		}
		if n.claim != nil && !slices.ContainsFunc(q.needs, func(o need) bool { return o.key == n.key }) {
			q.needs = append(q.needs, n)
			q.lacks, q.has = q.lacks || !n.allocated, q.has || n.allocated
		}
	}
	q.names, q.left = qu.d.classes.extendedOf(task.Pod.Spec), qu.d.special.left(task)
	var all []*resourcev1.ResourceClaim
	for _, n := range q.needs {
		all = append(all, n.claim)
	}
	if q.special = qu.special(q, q.names); q.special != nil {
		all, q.lacks = append(all, q.special.claim), true
	}
	q.shape = shapeOf(all)
	q.kind = q.shape
	if q.has {
		text := slices.Clone(q.shape[:])
		for _, n := range q.needs {
			text = append(append(text, flag(n.allocated), flag(n.movable), flag(n.reach != nil)), n.reaches[:]...)
		}
		q.kind = digestOf(text)
	}
	return q
}

func flag(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// need looks up one of a pod's claims; the claim is nil where Kubernetes makes none.
func (qu *questions) need(pod *corev1.Pod, of *corev1.PodResourceClaim, uid string) (need, policy.Verdict) {
	name, made, err := resourceclaim.Name(pod, of)
	switch {
	case errors.Is(err, resourceclaim.ErrClaimNotFound):
		return need{},
			refuse(trace.ClaimNotFound, fmt.Sprintf("%s (to be made from template %s)", of.Name, *of.ResourceClaimTemplateName))
	case err != nil:
		return need{}, refuse(trace.ClaimUnusable, fmt.Sprintf("%s names neither a claim nor a template", of.Name))
	case name == nil:
		return need{}, policy.Verdict{}
	}
	c := qu.d.claims[pod.Namespace+"/"+*name]
	if c == nil || c.fact == nil {
		return need{}, refuse(trace.ClaimNotFound, *name)
	}
	if c.fact.DeletionTimestamp != nil {
		return need{}, refuse(trace.ClaimUnusable, *name+" is being deleted")
	}
	if made {
		if err := resourceclaim.IsForPod(pod, c.fact, false); err != nil {
			return need{}, refuse(trace.ClaimUnusable, *name+" was made for another pod")
		}
	}
	n := need{key: pod.Namespace + "/" + *name, alias: of.Name, claim: c.fact, text: c.taken()}
	others := c.others(uid)
	if others >= resourcev1.ResourceClaimReservedForMaxSize {
		return need{}, refuse(trace.ClaimUnusable, fmt.Sprintf("%s is used by %d pods, and no more may", *name, others))
	}
	has := c.fact.Status.Allocation
	if has != nil {
		n.text, n.had = "", Digest(has)
	} else if n.text != "" {
		has = qu.read(Write{Claim: n.key, Allocation: json.RawMessage(n.text)})
	}
	if has == nil && uncompiled(c.fact) {
		return need{}, refuse(trace.ClaimCompiling, *name)
	}
	if has == nil {
		if class := qu.d.classes.missing(c.fact); class != "" {
			return need{}, refuse(trace.DeviceClassNotFound, class)
		}
		return n, policy.Verdict{}
	}
	n.allocated, n.movable = true, others == 0 && n.text == ""
	if has.NodeSelector != nil {
		text, err := has.NodeSelector.Marshal()
		if err != nil {
			text = []byte(n.key + "/" + string(c.fact.UID) + "/" + c.fact.ResourceVersion)
		}
		n.reaches = digestOf(text)
		if n.reach, err = nodeaffinity.NewNodeSelector(has.NodeSelector); err != nil {
			return need{}, refuse(trace.ClaimUnusable, *name+" is allocated where no node can be: "+err.Error())
		}
	}
	if n.movable && (qu.d.classes.missing(c.fact) != "" || uncompiled(c.fact)) {
		n.movable = false // it keeps what it has
	}
	return n, policy.Verdict{}
}

// sought are the claims of a pod that need devices on a node. Many nodes share one.
type sought struct {
	at    []int // in needs; one beyond those is the special claim
	extra *need // the special claim
	open  []*resourcev1.ResourceClaim
	shape digest
	asks  []ask
	kinds kinds
	write []Write // of all needs, without what is to be found
}

// open returns the claims that need devices if the pod goes to a node. Where they are the same for all nodes, they are
// found once.
func (qu *questions) open(q *question, at *place) (*sought, policy.Verdict) {
	q.at = q.at[:0]
	for i := range q.needs {
		switch n := &q.needs[i]; {
		case n.allocated && (n.reach == nil || n.reach.Match(at.node())):
		case n.allocated && !n.movable:
			return nil, refuse(trace.ClaimElsewhere, n.claim.Name)
		default:
			q.at = append(q.at, i)
		}
	}
	extra := qu.special(q, byDevices(q.names, qu.d.l.Node(at.n).Fact))
	if extra != nil {
		q.at = append(q.at, len(q.needs))
	}
	if q.sought == nil || q.sought.extra != extra || !slices.Equal(q.sought.at, q.at) {
		q.sought = qu.sought(q, extra)
	}
	return q.sought, policy.Verdict{}
}

func (qu *questions) sought(q *question, extra *need) *sought {
	out := &sought{at: slices.Clone(q.at), extra: extra}
	for i, n := range q.needs {
		write := Write{Claim: n.key, UID: string(n.claim.UID), Had: n.had}
		if slices.Contains(out.at, i) {
			out.open = append(out.open, n.claim)
		} else if n.text != "" {
			write.Allocation = json.RawMessage(n.text)
		}
		out.write = append(out.write, write)
	}
	if extra != nil {
		out.open = append(out.open, extra.claim)
		out.write = append(out.write, Write{Claim: extra.key, Special: extra.special})
	}
	out.shape, out.asks = shapeOf(out.open), qu.asks(out.open)
	out.kinds = kindsOf(out.open, out.asks)
	return out
}
