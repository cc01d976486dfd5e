package devicequota

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Quota holds queues to the devices that their capability names: a part of the plugin capacity. A
// claim counts once in a queue while pods of it sit with the claim, and with enableHierarchy once in
// every queue above; it is no queue's any more when the last of them is gone. Like its ledger it is not
// safe for concurrent use.
type Quota struct {
	l        *ledger.Ledger
	tree     bool // queues above are bounded, too
	capacity bool // capacity that is consumed counts, not the number of devices alone

	claims          map[string]*charged // by namespace/name
	held            map[ledger.QueueID]map[string]resource.Sum
	requeued, shape uint64
}

// charged is a claim and the queues in which it counts.
type charged struct {
	asks  []ask
	known bool                     // there is a fact
	users map[ledger.QueueID]int32 // how many pods of the queue, or of those below it, sit with it
}

// New returns a quota of devices, and of what of their capacity is consumed, in queues that stand
// each for itself or (tree) below each other.
func New(l *ledger.Ledger, tree, capacity bool) *Quota {
	return &Quota{l: l, tree: tree, capacity: capacity, claims: map[string]*charged{}, held: map[ledger.QueueID]map[string]resource.Sum{},
		requeued: l.Requeued(), shape: l.SpecEpoch()}
}

// PluginState implements policy.StatefulPlugin.
func (q *Quota) PluginState() ledger.PluginState { return q }

// Name is how findings of an audit call the book.
func (q *Quota) Name() string { return "devicequota" }

// Reads implements ledger.PluginState.
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
		c = &charged{users: map[ledger.QueueID]int32{}}
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
		q.add(at, c.asks, sign)
	}
}

func (q *Quota) add(at ledger.QueueID, asks []ask, sign int64) {
	held := q.held[at]
	if held == nil {
		held = map[string]resource.Sum{}
		q.held[at] = held
	}
	for _, a := range asks {
		if held[a.name] = held[a.name].Plus(sign * a.value); held[a.name] == (resource.Sum{}) {
			delete(held, a.name)
		}
	}
	if len(held) == 0 {
		delete(q.held, at)
	}
}

// Take counts the claims of a pod in its queue and those above.
func (q *Quota) Take(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, _ ledger.Hold) {
	q.sit(task, 1)
}

// Give takes a Take back.
func (q *Quota) Give(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, _ ledger.Hold) {
	q.sit(task, -1)
}

func (q *Quota) sit(task *ledger.Task, by int32) {
	if len(task.Pod.Spec.Devices) == 0 || task.Job == ledger.NoJob {
		return
	}
	for _, key := range claimsOf(task) {
		c := q.at(key)
		for at := q.l.Job(task.Job).Queue; at != ledger.NoQueue; at = q.l.Parent(at) {
			before := c.users[at]
			if c.users[at] = before + by; before+by == 0 {
				delete(c.users, at)
				q.add(at, c.asks, -1)
			} else if before == 0 {
				q.add(at, c.asks, 1)
			}
		}
		q.drop(key, c)
	}
}

// claimsOf names the claims of a pod that have names already, each once, namespace/name.
func claimsOf(task *ledger.Task) []string {
	pod, _ := task.Pod.Opaque.(*corev1.Pod)
	if pod == nil {
		return nil
	}
	var out []string
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil {
			continue
		}
		if key := pod.Namespace + "/" + *name; !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// follow counts anew after jobs came to count in other queues, or queues hang otherwise.
func (q *Quota) follow() {
	if q.requeued == q.l.Requeued() && q.shape == q.l.SpecEpoch() {
		return
	}
	q.requeued, q.shape = q.l.Requeued(), q.l.SpecEpoch()
	clear(q.held)
	for key, c := range q.claims { // order-free: each for itself
		clear(c.users)
		q.drop(key, c)
	}
	q.l.Placements(func(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, _ ledger.Hold) bool {
		q.sit(task, 1)
		return true
	})
}

// short is the first name, of the nearest queue, in which a queue would hold more with some claims than its
// capability; claims that count there already ask for nothing. ok: there is none.
func (q *Quota) short(queue ledger.QueueID, keys []string) (at ledger.QueueID, s trace.Short, ok bool) {
	q.follow()
	for at = queue; at != ledger.NoQueue; at = q.l.Parent(at) {
		more := map[string]int64{}
		for _, key := range keys {
			if c := q.claims[key]; c != nil && c.users[at] == 0 {
				for _, a := range c.asks {
					more[a.name] = bounded(more[a.name], a.value)
				}
			}
		}
		for _, a := range listed(more) {
			if s, fits := q.fits(at, a); !fits {
				return at, s, false
			}
		}
		if !q.tree {
			break
		}
	}
	return ledger.NoQueue, trace.Short{}, true
}

func (q *Quota) fits(at ledger.QueueID, a ask) (trace.Short, bool) {
	if _, capacity := OfDevices(a.name); capacity && !q.capacity {
		return trace.Short{}, true
	}
	d, known := q.l.Dims.Lookup(a.name)
	if !known {
		return trace.Short{}, true
	}
	most, limited := q.l.Queue(at).Capability.Bound(d)
	with := q.held[at][a.name].Plus(a.value).Int64()
	return trace.Short{Dim: a.name, Need: with, Have: most}, !limited || with <= most
}

// PrePredicate refuses a task whose claims its queue has no room for.
func (q *Quota) PrePredicate(t ledger.TaskID) policy.Verdict {
	task := q.l.Task(t)
	if len(task.Pod.Spec.Devices) == 0 || task.Job == ledger.NoJob {
		return policy.Verdict{}
	}
	at, s, ok := q.short(q.l.Job(task.Job).Queue, claimsOf(task))
	if ok {
		return policy.Verdict{}
	}
	return policy.Verdict{Code: trace.QueueDevices, Text: q.l.Queue(at).Name, Curable: true,
		Domain: trace.Domain{Key: s.Dim, Least: s.Need, Most: s.Have}}
}

// VoteEnqueue rejects a job whose minimum of members asks for more than its queue may still hold.
// Members that have not come yet ask for nothing, and of more members than the minimum those with the
// fewest devices count.
func (q *Quota) VoteEnqueue(j ledger.JobID) (policy.Vote, trace.Reason) {
	job := q.l.Job(j)
	if job.Queue == ledger.NoQueue {
		return policy.Abstain, trace.Reason{}
	}
	var members [][]string
	q.l.JobTasks(j, model.Pending, func(t ledger.TaskID) bool {
		members = append(members, claimsOf(q.l.Task(t)))
		return true
	})
	need := max(0, int(job.MinMember-job.Placed()))
	if len(members) > need {
		members = q.fewest(members, need)
	}
	at, s, ok := q.short(job.Queue, slices.Concat(members...))
	if ok {
		return policy.Abstain, trace.Reason{}
	}
	return policy.Reject, trace.Reason{Code: trace.QueueDevices, Queue: q.l.Queue(at).Name, Shorts: []trace.Short{s}}
}

// fewest are so many of the members as need the fewest devices, of all classes together.
func (q *Quota) fewest(members [][]string, n int) [][]string {
	number := func(keys []string) (sum int64) {
		for _, key := range keys {
			if c := q.claims[key]; c != nil {
				for _, a := range c.asks {
					if _, capacity := OfDevices(a.name); !capacity {
						sum = bounded(sum, a.value)
					}
				}
			}
		}
		return sum
	}
	slices.SortStableFunc(members, func(a, b []string) int {
		switch x, y := number(a), number(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return slices.Compare(a, b)
	})
	return members[:n]
}

// Problems names queues that are promised devices: that has no effect, for no eviction frees any.
func (q *Quota) Problems() []policy.Problem {
	var out []policy.Problem
	q.l.Queues(func(id ledger.QueueID) bool {
		queue := q.l.Queue(id)
		if queue.Fact == nil {
			return true
		}
		for _, promise := range []struct {
			field string
			list  resource.List
		}{{"spec.deserved", queue.Fact.Deserved}, {"spec.guarantee.resource", queue.Fact.Guarantee}} {
			for _, a := range promise.list {
				if is, _ := OfDevices(a.Name); is {
					out = append(out, policy.Problem{Object: "Queue/" + queue.Name, Message: fmt.Sprintf(
						"%s[%s]: it has no effect: devices of claims count against spec.capability alone, for no eviction frees any", promise.field, a.Name)})
				}
			}
		}
		return true
	})
	return out
}

// Audit counts again from nothing and compares. A book that is to count anew before its next answer
// has nothing to answer for.
func (q *Quota) Audit(sits func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	if q.requeued != q.l.Requeued() || q.shape != q.l.SpecEpoch() {
		return nil
	}
	again := New(q.l, q.tree, q.capacity)
	for key, c := range q.claims { // order-free: each for itself
		again.claims[key] = &charged{asks: c.asks, known: c.known, users: map[ledger.QueueID]int32{}}
	}
	sits(func(_ ledger.TaskID, task *ledger.Task, _ ledger.NodeID, _ ledger.Hold) bool {
		again.sit(task, 1)
		return true
	})
	if is, want := fmt.Sprint(q.held), fmt.Sprint(again.held); is != want {
		return []string{fmt.Sprintf("queues hold %s, recounted %s", is, want)}
	}
	return nil
}
