package devicequota

import (
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/capacity"
	"ashlar.sh/sched/resource"
)

// Quota counts what queues hold of devices, and holds them to what their specs say of these: a part of the plugin
// capacity. A claim counts once in a queue while pods of it sit with the claim, and with enableHierarchy once in
// every queue above; it is no queue's any more when the last of them is gone. Like its ledger it is not
// safe for concurrent use.
type Quota struct {
	l        *ledger.Ledger
	tree     bool // queues above are bounded, too
	consumed bool // capacity that is consumed counts, not the number of devices alone

	queues capacity.Queues  // the rest of the plugin
	book   *devices.Devices // nil: not looked for yet, or there is no allocator of devices

	claims map[string]*charged              // by namespace/name
	seats  map[ledger.TaskID]ledger.QueueID // of pods that sit with claims: the queue in which they were counted
	astray bool                             // one of them was not counted where its job counts
	held   amounts                          // with what leaving pods hold
	firm   amounts                          // without

	requeued    uint64
	treeChanges ledger.Cursor // of the tree of queues
	moved       uint64        // how often held or firm changed
	dims        []kind
	named       named
	asked       asked
	rest        lastRequest
}

// amounts are by queue and name.
type amounts map[ledger.QueueID]map[string]resource.Sum

// charged is a claim and the queues in which it counts.
type charged struct {
	asks  []ask
	known bool                     // there is a fact
	users map[ledger.QueueID]int32 // how many pods of the queue, or of those below it, sit with it
	stays map[ledger.QueueID]int32 // … without those that are leaving
}

// New returns a quota of devices, and of what of their capacity is consumed, in queues that stand
// each for itself or (tree) below each other.
func New(l *ledger.Ledger, tree, consumed bool) *Quota {
	q := &Quota{l: l, tree: tree, consumed: consumed, claims: map[string]*charged{},
		seats: map[ledger.TaskID]ledger.QueueID{}, held: amounts{}, firm: amounts{}}
	q.requeued = l.Queues.Requeued()
	q.treeChanges = l.Changes.QueueTree.Now()
	return q
}

// Ask gives the quota the rest of the plugin, which knows what queues may hold.
func (q *Quota) Ask(queues capacity.Queues) { q.queues = queues }

// PluginState implements policy.StatefulPlugin.
func (q *Quota) PluginState() ledger.PluginState { return q }

// Name is how findings of an audit call it.
func (q *Quota) Name() string { return "devicequota" }

// Reads implements ledger.FactReader.
func (q *Quota) Reads(k model.Kind) bool { return k == devices.Claim }

// Fact takes in what a claim asks for, or has.
func (q *Quota) Fact(f model.Fact) {
	if f.Ref.Kind != devices.Claim {
		return
	}
	var fact *resourcev1.ResourceClaim
	if o, ok := f.Object.(*model.Opaque); ok {
		fact, _ = o.Content.(*resourcev1.ResourceClaim)
	}
	key := f.Ref.Namespace + "/" + f.Ref.Name
	c := q.at(key)
	q.charge(c, -1)
	c.known, c.asks = fact != nil, nil
	if fact != nil {
		c.asks = asksOf(fact)
	}
	q.charge(c, 1)
	q.drop(key, c)
}

func (q *Quota) at(key string) *charged {
	c := q.claims[key]
	if c == nil {
		c = &charged{users: map[ledger.QueueID]int32{}, stays: map[ledger.QueueID]int32{}}
		q.claims[key] = c
	}
	return c
}

func (q *Quota) drop(key string, c *charged) {
	if !c.known && len(c.users) == 0 {
		delete(q.claims, key)
	}
}

// charge counts a claim in all its queues, or no more.
func (q *Quota) charge(c *charged, sign int64) {
	for at := range c.users { // order-free: each queue for itself
		q.held.add(at, c.asks, sign)
	}
	for at := range c.stays { // order-free: each queue for itself
		q.firm.add(at, c.asks, sign)
	}
	q.moved++
}

func (of amounts) add(at ledger.QueueID, asks []ask, sign int64) {
	held := of[at]
	if held == nil {
		held = map[string]resource.Sum{}
		of[at] = held
	}
	for _, a := range asks {
		if held[a.name] = held[a.name].Plus(sign * a.value); held[a.name] == (resource.Sum{}) {
			delete(held, a.name)
		}
	}
	if len(held) == 0 {
		delete(of, at)
	}
}

// Take counts the claims of a pod in its queue and those above.
func (q *Quota) Take(t ledger.TaskID, task *ledger.Task, _ ledger.NodeID, how ledger.Hold) {
	q.account(t, task, 1, how)
}

// Give takes a Take back.
func (q *Quota) Give(t ledger.TaskID, task *ledger.Task, _ ledger.NodeID, how ledger.Hold) {
	q.account(t, task, -1, how)
}

func (q *Quota) account(t ledger.TaskID, task *ledger.Task, by int32, how ledger.Hold) {
	if len(task.Pod.Spec.Devices) == 0 {
		return
	}
	queue, counts := q.queueOf(task)
	if by < 0 {
		was, sat := q.seats[t]
		q.astray = q.astray || sat != counts || was != queue && sat
		delete(q.seats, t)
	}
	if !counts {
		return
	}
	if by > 0 {
		q.seats[t] = queue
	}
	for _, key := range devices.ClaimsOf(task) {
		c := q.at(key)
		for at := queue; at != ledger.NoQueue; at = q.l.Queues.Parent(at) {
			q.held.count(c.users, at, c.asks, by)
			if how != ledger.Leaving && !task.Lingers() {
				q.firm.count(c.stays, at, c.asks, by)
			}
		}
		q.drop(key, c)
	}
	q.moved++
}

// queueOf is the queue in which a task counts; false: in none.
func (q *Quota) queueOf(task *ledger.Task) (ledger.QueueID, bool) {
	if task.Job == ledger.NoJob {
		return ledger.NoQueue, false
	}
	return q.l.Job(task.Job).Queue, true
}

// count counts users of a claim, and the claim with the first of them.
func (of amounts) count(users map[ledger.QueueID]int32, at ledger.QueueID, asks []ask, by int32) {
	before := users[at]
	if users[at] = before + by; before+by == 0 {
		delete(users, at)
		of.add(at, asks, -1)
	} else if before == 0 {
		of.add(at, asks, 1)
	}
}

// follow counts anew after jobs came to count in other queues, or queues hang otherwise.
func (q *Quota) follow() {
	if !q.stale() {
		return
	}
	q.requeued = q.l.Queues.Requeued()
	q.treeChanges = q.l.Changes.QueueTree.Now()
	q.astray = false
	clear(q.seats)
	clear(q.held)
	clear(q.firm)
	for key, c := range q.claims { // order-free: each for itself
		clear(c.users)
		clear(c.stays)
		q.drop(key, c)
	}
	q.l.PluginStates.Placements(func(t ledger.TaskID, task *ledger.Task, _ ledger.NodeID, how ledger.Hold) bool {
		q.account(t, task, 1, how)
		return true
	})
	q.moved++
}

// Audit counts again from nothing and compares. A PluginState that is to count anew before its next answer
// has nothing to answer for.
func (q *Quota) Audit(sits func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	if q.stale() {
		return nil
	}
	again := New(q.l, q.tree, q.consumed)
	for key, c := range q.claims { // order-free: each for itself
		at := again.at(key)
		at.asks, at.known = c.asks, c.known
	}
	sits(func(t ledger.TaskID, task *ledger.Task, _ ledger.NodeID, how ledger.Hold) bool {
		again.account(t, task, 1, how)
		return true
	})
	if is, want := fmt.Sprint(q.held, q.firm), fmt.Sprint(again.held, again.firm); is != want {
		return []string{fmt.Sprintf("queues hold %s, recounted %s", is, want)}
	}
	return nil
}

// stale says that jobs came to count in other queues, or queues hang otherwise.
func (q *Quota) stale() bool {
	hung, known := q.l.Changes.QueueTree.Since(q.treeChanges)
	if q.astray || !known || len(hung) > 0 {
		return true
	}
	if q.requeued == q.l.Queues.Requeued() {
		return false
	}
	for t, queue := range q.seats { // order-free: some of them
		if is, counts := q.queueOf(q.l.Task(t)); !counts || is != queue {
			return true
		}
	}
	q.requeued = q.l.Queues.Requeued()
	return false
}
