package devices

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// find is with which devices the claims of a task would be met on a node, or why not; with future, once the
// tasks that are leaving it have ended.
func (d *Devices) find(task *ledger.Task, n ledger.NodeID, future bool) (w Writes, no policy.Verdict) {
	q := d.questions.ask(task)
	if !d.leaves.lent {
		back := d.special.devices(q)
		if future = future || d.ahead; future {
			back = append(back, d.leaves.givenBack(n)...)
		}
		if len(back) > 0 && d.ahead {
			d.leaves.first(back, n, func() bool {
				w, no = d.find(task, n, future)
				return no.Admits()
			})
			return w, no
		}
		if len(back) > 0 {
			d.leaves.without(back, func() { w, no = d.find(task, n, future) })
			return w, no
		}
	}
	if !q.refusal.Admits() {
		return Writes{}, q.refusal
	}
	again := d.explains() && (q.denied.Need > 0 || q.on&onStill != 0) || // its amounts may be others by now
		d.leaves.lent && len(q.left) > 0 // what is lent now may be other than then
	if fact := d.l.Node(n).Fact; again || !q.found || q.node != n || q.fact != fact || q.lent != d.leaves.lent {
		final := false
		q.writes, q.denied, final = d.meet(q, n)
		q.found, q.node, q.fact, q.lent = final && !d.explains(), n, fact, d.leaves.lent
	}
	return q.writes, q.denied
}

// meet answers for a node. final: for as long as things stand as they do.
func (d *Devices) meet(q *question, n ledger.NodeID) (w Writes, no policy.Verdict, final bool) {
	at := &place{d: d, n: n}
	q.on = 0
	if !d.explains() {
		d.budget.asked++
	}
	sought, no := d.questions.open(q, at)
	if !no.Admits() {
		q.on = onStill
		return Writes{}, no, true
	}
	var found []resourcev1.AllocationResult
	if final = true; len(sought.open) > 0 {
		if found, no, final = d.answer(q, at, sought); !no.Admits() {
			return Writes{}, no, final
		}
	}
	w.Claims, w.Left = slices.Clone(sought.write), q.left
	w.Unsaid = sought.extra == nil && q.pod.Status.ExtendedResourceClaimStatus != nil
	for i := range found {
		text, err := json.Marshal(named(&found[i], sought.open[i]))
		if err != nil {
			return Writes{}, refuse(trace.ClaimUnusable, err.Error()), true
		}
		w.Claims[sought.at[i]].Allocation = text
	}
	return w, policy.Verdict{}, final
}

// answer says which devices of a node claims would get, or why none: what is known, or what a
// search finds for which there is a budget.
func (d *Devices) answer(q *question, at *place, of *sought) ([]resourcev1.AllocationResult, policy.Verdict, bool) {
	stand, shape := d.nodeState(at), of.shape
	free := allFree{d: d, at: at, of: of, stand: stand}
	if never := free.never(); never != nil && !d.explains() { // how it stands now may have amounts
		q.on = onStill
		return nil, q.says(never.no), true
	}
	known, paid, on := d.memory.find(stand, shape)
	if q.on = on; known != nil && !(d.explains() && known.counted()) {
		return known.found(), q.says(known.no), true
	}
	limit := d.budget.question
	if !paid || d.explains() {
		steps, spent := d.may(q)
		if spent != ofNone {
			return nil, spentOn(spent), false
		}
		limit = steps
	}
	s := d.search(at.node(), of, limit)
	if s.again = paid && !d.explains(); s.again {
		s.limit = math.MaxInt64
	}
	found, no, final := s.run()
	if !paid || d.explains() {
		d.pay(q, s, no)
	}
	if !final {
		if !d.explains() {
			d.budget.wait(d.budget.now + putOff)
		}
		return nil, spentOn(ofCycle), false
	}
	if !d.explains() && (!no.Admits() || s.cost > d.free()) {
		answer := d.memory.refusal(no)
		if no.Admits() {
			answer = &finding{results: found}
		}
		if s.alike.on && !no.Admits() && !paid {
			d.memory.of[s.alike.key(shape)] = d.memory.refusal(no)
		}
		if !paid {
			lasting := false
			if lasting, final = free.lasts(q, no); lasting {
				q.on = onStill
			} else if !final && (no.Need > 0 || s.alike.on) {
				d.budget.wait(d.budget.now + putOff)
				return nil, spentOn(ofCycle), false // what was found out so far costs little the next time
			}
		}
		if q.on != onStill {
			q.on = d.remember(stand, shape, answer, paid)
		}
	}
	return found, q.says(no), true
}

// may says how many steps a question may begin with.
func (d *Devices) may(q *question) (steps int64, spent string) {
	if !d.explains() {
		return d.budget.allow(q.pod.Namespace, q.shape)
	}
	if d.budget.counts && d.budget.explaining >= d.budget.explain {
		return 0, ofCycle
	}
	return d.budget.question, ofNone
}

// pay notes what a search has cost, but for what finding devices costs at least.
func (d *Devices) pay(q *question, s *search, no policy.Verdict) {
	cost := s.cost
	if no.Admits() && !s.ended {
		cost = max(0, cost-d.free())
	}
	if d.explains() {
		d.budget.explaining += cost
	} else {
		d.budget.charge(q.pod.Namespace, q.shape, cost)
	}
}

// spentOn refuses claims on every node while their budget is spent; of names the budget.
func spentOn(of string) policy.Verdict {
	return policy.Verdict{Code: trace.ClaimBudgetSpent, Text: of, Everywhere: true}
}

// says names the pod's claims in a refusal that holds for every pod that asks for as much.
func (q *question) says(no policy.Verdict) policy.Verdict {
	switch {
	case no.Code == trace.ClaimUnusable:
		out := refuse(no.Code, q.aliases()+": "+no.Text)
		out.Everywhere = no.Everywhere
		return out
	case no.Code == trace.ClaimSearchExhausted, no.Code == trace.NodeDevices && no.Need == 0:
		no.Text = q.aliases()
	}
	return no
}

// aliases are the pod's own names for its claims.
func (q *question) aliases() string {
	var out []string
	for _, n := range q.needs {
		out = append(out, n.alias)
	}
	out = append(out, q.names...)
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
		id := sha256.Sum256([]byte(strings.Join([]string{string(of.UID), of.Namespace, of.Name, r.Driver, r.Pool, r.Device,
			r.Request, fmt.Sprint(i)}, "\x00")))
		id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // a UUID of one's own making (version 8)
		share := types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16]))
		r.ShareID = &share
	}
	return a
}
