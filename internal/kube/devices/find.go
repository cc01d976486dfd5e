package devices

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// find is with which devices the claims of a task would be met on a node, or why not.
func (d *Devices) find(task *ledger.Task, n ledger.NodeID) (Writes, policy.Verdict) {
	q := d.ask(task)
	if !q.refusal.Admits() {
		return Writes{}, q.refusal
	}
	if fact := d.l.Node(n).Fact; !q.found || q.node != n || q.fact != fact {
		q.found, q.node, q.fact = true, n, fact
		q.writes, q.denied = d.meet(q, n)
	}
	return q.writes, q.denied
}

// riddle is claims that ask for so much on a node.
type riddle struct {
	node  string
	shape [sha256.Size]byte
}

// denial is the allocator's no to a riddle: it holds while nothing was given back.
type denial struct {
	loosened uint64
	node     *model.Node
	verdict  policy.Verdict
}

// mostDenials bounds the refusals that are remembered.
const mostDenials = 1 << 16

func (d *Devices) meet(q *question, n ledger.NodeID) (Writes, policy.Verdict) {
	node := d.node(n)
	open, at, w, verdict := q.open(node)
	if !verdict.Admits() || len(open) == 0 {
		return w, verdict
	}
	boards := d.shelf.reach(node.Name)
	if verdict := d.short(node, boards, open); !verdict.Admits() {
		return Writes{}, verdict
	}
	r, fact := riddle{node.Name, shape(open)}, d.l.Node(n).Fact
	if known, ok := d.refused[r]; ok && known.loosened == d.loosened && known.node == fact {
		return Writes{}, known.verdict
	}
	found, verdict := d.allocate(q, node, boards, open)
	if !verdict.Admits() {
		if len(d.refused) >= mostDenials {
			clear(d.refused)
		}
		d.refused[r] = denial{d.loosened, fact, verdict}
		return Writes{}, verdict
	}
	for i := range found {
		text, err := json.Marshal(named(&found[i], open[i]))
		if err != nil {
			return Writes{}, refuse(trace.ClaimUnusable, err.Error())
		}
		w.Claims[at[i]].Allocation = text
	}
	return w, policy.Verdict{}
}

// mostSteps bounds what the allocator tries for one pod on one node. Eight devices that
// have to share an attribute with one another take some dozens.
const mostSteps = 10_000

// errRiddle ends a search that is not worth going on with.
var errRiddle = errors.New("too many combinations")

// steps is a context that is over after so many questions whether it is: the allocator
// asks with each step, and needs no clock to come to an end.
type steps struct {
	context.Context
	left int
}

// Err implements context.Context.
func (s *steps) Err() error {
	if s.left--; s.left < 0 {
		return errRiddle
	}
	return nil
}

// quiet is the allocator's logger: the trace says what was decided and why.
var quiet klog.Logger

// allocate has the allocator find devices for claims, of those that a node reaches.
func (d *Devices) allocate(q *question, node *corev1.Node, boards []*board, open []*resourcev1.ResourceClaim) ([]resourcev1.AllocationResult, policy.Verdict) {
	ctx := &steps{klog.NewContext(context.Background(), quiet), mostSteps}
	list := make([]*resourcev1.ResourceSlice, len(boards))
	for i, b := range boards {
		list[i] = b.slice
	}
	allocator, err := structured.NewAllocator(ctx, features, d.used.state, d.classes, list, d.expressions())
	if err != nil {
		return nil, refuse(trace.ClaimUnusable, err.Error())
	}
	found, err := allocator.Allocate(ctx, node, open)
	switch {
	case ctx.left < 0:
		return nil, refuse(trace.ClaimUnusable, fmt.Sprintf("%s: gave up after %d steps of looking for devices that meet it together", q.aliases(), mostSteps))
	case err != nil:
		return nil, refuse(trace.ClaimUnusable, q.aliases()+": "+strings.TrimSpace(err.Error()))
	case len(found) != len(open):
		return nil, policy.Verdict{Code: trace.NodeDevices, Text: q.aliases()}
	}
	return found, policy.Verdict{}
}

// aliases are the pod's own names for its claims.
func (q *question) aliases() string {
	var out []string
	for _, n := range q.needs {
		out = append(out, n.alias)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// named gives the shares of devices that several claims may have ids that follow from the
// claim: the allocator draws them by chance, and a plan must not depend on that.
func named(a *resourcev1.AllocationResult, of *resourcev1.ResourceClaim) *resourcev1.AllocationResult {
	for i := range a.Devices.Results {
		r := &a.Devices.Results[i]
		if r.ShareID == nil {
			continue
		}
		id := sha256.Sum256([]byte(strings.Join([]string{string(of.UID), of.Namespace, of.Name, r.Driver, r.Pool, r.Device, r.Request, fmt.Sprint(i)}, "\x00")))
		id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // a UUID of one's own making (version 8)
		share := types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16]))
		r.ShareID = &share
	}
	return a
}
