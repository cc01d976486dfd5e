package devices

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Starts of jobs that wait for devices are planned by action backfill. It asks at which times devices are free that can
// be counted (Stocks), then, at such a time, where tasks would go (StartAt): then all devices count as free of claims
// that only tasks have which have ended by then, and are leaving in that try. The devices that the tasks would have are
// kept for them (Keep): they count as taken for all tasks but those for which the room does not count that is kept with
// them.

// planner is the part of Devices that answers for times to come.
type planner struct {
	d *Devices

	ahead bool                     // such a time is asked about
	named map[*corev1.Pod][]string // see claimsOf
	none  none
}

// StartAt implements policy.Starter.
func (p *planner) StartAt(at int64) (next int64) {
	if ahead := at > p.d.budget.now; ahead != p.ahead {
		p.ahead = ahead
		p.d.version++ // answers are others
	}
	return 0
}

// Keep implements ledger.Keeper.
func (p *planner) Keep(choice string, by int) {
	var w Writes
	if json.Unmarshal([]byte(choice), &w) != nil {
		return // of another version's making
	}
	p.d.version++
	p.d.leaves.count(w, by)
}

// mostCounted is of how many kinds of devices those are counted that are free, where a start is planned: the search for
// them sees to the rest.
const mostCounted = 4

// stepsOfCounting is what counting the devices of a node costs in steps beside a quarter of a step for each of them.
const stepsOfCounting = 8

// Stocks implements policy.Stocked. What is not known of a device, since no claim has asked for it, counts as what is
// asked for: nothing is found out here.
func (p *planner) Stocks(t ledger.TaskID, n ledger.NodeID, on []ledger.TaskID) (out []policy.Stock) {
	d := p.d
	q := d.questions.ask(d.l.Task(t))
	if !q.refusal.Admits() {
		return nil
	}
	at := &place{d: d, n: n}
	sought, no := d.questions.open(q, at)
	if !no.Admits() {
		return []policy.Stock{{Need: 1}}
	}
	c := counting{d: d, at: at, of: sought, steps: stepsOfCounting}
	for i := range sought.asks {
		if len(out) == mostCounted {
			break
		}
		if s, counts := c.stock(i, on); counts {
			out = append(out, s)
		}
	}
	d.budget.owe(q.pod.Namespace, q.shape, c.steps)
	return out
}

// Most implements policy.Stocked. Of what selects a device only that of its class is asked, which no tenant writes; and
// what is known of a node that refuses the claims although nothing is taken of what it reaches.
func (p *planner) Most(t ledger.TaskID, n ledger.NodeID, want int64) int64 {
	d := p.d
	q := d.questions.ask(d.l.Task(t))
	switch {
	case q.refusal.Code == trace.DeviceClassNotFound:
		return 0
	case !q.refusal.Admits() || q.has || len(q.left) > 0:
		return want
	}
	none := p.none.of(q.kind, d)
	if none.has(n) {
		return 0
	}
	at := &place{d: d, n: n}
	sought, no := d.questions.open(q, at)
	if !no.Admits() {
		return want
	}
	c := counting{d: d, at: at, of: sought}
	for i := range sought.asks {
		want = min(want, c.most(i, want))
	}
	if want > 0 {
		never := (&allFree{d: d, at: at, of: sought, stand: d.nodeState(at)}).never()
		if never != nil && never.no.Code == trace.NodeDevices {
			want = 0
		}
	}
	if want == 0 {
		none.add(n)
	}
	return want
}

// none knows on which nodes claims never have their devices, by what they ask for, for as long as slices, classes and
// nodes are the same: jobs that wait for such claims are asked about in each cycle.
type none struct {
	on    map[digest]*noneOn
	stock uint64
	facts ledger.Cursor
}

// noneOn are nodes, by NodeID.
type noneOn struct{ nodes []bool }

func (x *none) of(kind digest, d *Devices) *noneOn {
	if now := d.l.Changes.NodeFacts.Now(); x.on == nil || x.stock != d.stock || x.facts != now || len(x.on) > mostShapes {
		*x = none{map[digest]*noneOn{}, d.stock, now}
	}
	out := x.on[kind]
	if out == nil {
		out = &noneOn{}
		x.on[kind] = out
	}
	return out
}

func (x *noneOn) has(n ledger.NodeID) bool { return int(n) < len(x.nodes) && x.nodes[n] }

func (x *noneOn) add(n ledger.NodeID) {
	for int(n) >= len(x.nodes) {
		x.nodes = append(x.nodes, false)
	}
	x.nodes[n] = true
}

// most is for how many tasks a node has devices of the class that a request names, and all like it.
func (c *counting) most(i int, want int64) int64 {
	a, need, once := &c.of.asks[i], int64(0), false
	if a.count == 0 || a.alternative >= 0 {
		return want
	}
	for m := range i {
		if o := &c.of.asks[m]; o.class.Name == a.class.Name && len(o.tolerations)+len(a.tolerations) == 0 {
			return want // it was counted
		}
	}
	for m := range c.of.asks {
		if o := &c.of.asks[m]; o.class.Name == a.class.Name && o.alternative < 0 && (m == i || len(o.tolerations) == 0) {
			need += o.count
			once = once || !c.own(o.claim)
		}
	}
	have := c.d.inventory.reach(c.at.node()).ofClass(a.class, c.d.programs)
	if len(a.tolerations) == 0 {
		have.all = have.clean
	}
	switch {
	case have.many:
		return want
	case have.all < need:
		return 0
	case once:
		return want
	}
	return have.all / need
}

// ofClass counts the devices that a class selects.
func (r *reach) ofClass(class *resourcev1.DeviceClass, programs *Programs) classCount {
	if known, is := r.counts[class]; is {
		return known
	}
	var out classCount
	of := selectionOf(class, nil)
	for _, b := range r.usable {
		m := b.selected(of, programs)
		out.many = out.many || m.fault != "" || m.costly != ""
		for k := range b.ids {
			device := &b.slice.Spec.Devices[k]
			if !m.of[k].yes || !b.serves(r.of, k) {
				continue
			}
			out.many = out.many || shares(device)
			if out.all++; !repels(device, nil) {
				out.clean++
			}
		}
	}
	if r.counts == nil || len(r.counts) >= mostClasses {
		r.counts = map[*resourcev1.DeviceClass]classCount{}
	}
	r.counts[class] = out
	return out
}

// mostClasses is of how many classes devices are counted for a node.
const mostClasses = 64

// counting counts devices of a node.
type counting struct {
	d     *Devices
	at    *place
	of    *sought
	held  []heldDevice // nil: they were not listed yet
	steps int64
}

// heldDevice is a device of a task that ends, by its place among those that do.
type heldDevice struct {
	id   structured.DeviceID
	ends int
}

// stock counts the devices that one of the requests, and all like it, may have; false of a request that is met before,
// or that asks for no number.
func (c *counting) stock(i int, on []ledger.TaskID) (out policy.Stock, counts bool) {
	a, asks := &c.of.asks[i], c.of.asks
	alike := func(m int) bool { return asks[m].id == a.id && len(asks[m].tolerations) == 0 }
	if a.count == 0 || len(a.tolerations) > 0 {
		return out, false
	}
	for m := range i {
		if alike(m) {
			return out, false
		}
	}
	for m := i; m < len(asks); m++ {
		if alike(m) {
			out.Need += asks[m].count
			out.Once = out.Once || !c.own(asks[m].claim)
		}
	}
	if c.held == nil {
		c.list(on)
	}
	out.Back = make([]int64, len(on))
	node, next := c.at.node(), 0
	for _, b := range c.d.inventory.reach(node).usable {
		m := b.match(a.selection, false)
		c.steps += int64(len(b.ids)+3) / 4
		for k := range b.ids {
			device := &b.slice.Spec.Devices[k]
			if a.never || m.of[k].asked && !m.of[k].yes || repels(device, nil) || !b.serves(node, k) {
				continue
			}
			if shares(device) {
				return out, false // it may meet many requests
			}
			switch times := c.d.used.whole[b.ids[k]]; {
			case times == 0:
				out.Free++
			case times == 1:
				if at := c.find(b.ids[k], next); at >= 0 {
					out.Back[c.held[at].ends]++
					next = at + 1
				}
			}
		}
	}
	return out, true
}

// own says that a claim is of one task: it was made from a template, or is yet to be made.
func (c *counting) own(claim int) bool {
	of := c.of.open[claim]
	return c.of.extra != nil && of == c.of.extra.claim || len(of.OwnerReferences) > 0
}

// find is where a device is in the list, -1 where it is not. Most claims have devices that follow each other.
func (c *counting) find(id structured.DeviceID, from int) int {
	for i := range c.held {
		if at := (from + i) % len(c.held); c.held[at].id == id {
			return at
		}
	}
	return -1
}

// list lists the devices that tasks give back. Those of a claim of several tasks the last of these gives back.
func (c *counting) list(on []ledger.TaskID) {
	c.held = make([]heldDevice, 0, 16)
	var uids, listed map[string]bool // of all tasks, and claims, where a claim is of several tasks
	for i := range on {
		i = len(on) - 1 - i
		task := c.d.l.Task(on[i])
		ends := func(uid string) bool {
			if uid == task.Pod.UID {
				return true
			}
			if uids == nil {
				uids, listed = make(map[string]bool, len(on)), map[string]bool{}
				for _, t := range on {
					uids[c.d.l.Task(t).Pod.UID] = true
				}
			}
			return uids[uid]
		}
		c.steps++
		for _, key := range c.d.claimsOf(task) {
			of := c.d.claims[key]
			if of.freed(ends) == nil || listed[key] {
				continue
			}
			if listed != nil {
				listed[key] = true
			}
			for _, id := range of.devices() {
				c.held = append(c.held, heldDevice{id, i})
			}
		}
	}
}

// claimsOf names the claims of a pod, those that were made for its extended resources, too.
func (p *planner) claimsOf(task *ledger.Task) []string {
	pod, _ := task.Pod.Opaque.(*corev1.Pod)
	out, known := p.named[pod]
	if !known && pod != nil {
		if out = ClaimsOf(task); len(p.named) >= mostNamed || p.named == nil {
			p.named = map[*corev1.Pod][]string{}
		}
		p.named[pod] = out
	}
	for key := range p.d.special.of[task.Pod.UID] { // order-free: its devices are of no other claim
		out = append(slices.Clip(out), key)
	}
	return out
}

// mostNamed is of how many pods the claims are remembered by their names.
const mostNamed = 1 << 13

var _ ledger.PodObserver = (*Devices)(nil)

// Enter implements ledger.PodObserver.
func (p *planner) Enter(ledger.TaskID, *ledger.Task) {}

// Leave implements ledger.PodObserver: a pod that is gone is not kept for the names of its claims. Tenants choose how
// large it is.
func (p *planner) Leave(_ ledger.TaskID, task *ledger.Task) {
	if task.Pod == nil || len(p.named) == 0 {
		return
	}
	if pod, is := task.Pod.Opaque.(*corev1.Pod); is {
		delete(p.named, pod)
	}
}

// spare are the devices of a node's own pools that are free now, as one allocation: where a start is planned those are
// preferred that pods give back before. Others may use the former until then and on.
func (p *planner) spare(n ledger.NodeID) *resourcev1.AllocationResult {
	d, out := p.d, &resourcev1.AllocationResult{}
	node := d.node(n)
	for _, b := range d.inventory.reach(node).usable {
		if d.inventory.only(poolOf(b.slice)) != node.Name {
			continue
		}
		for i := range b.ids {
			device := &b.slice.Spec.Devices[i]
			if !shares(device) && d.used.whole[b.ids[i]] == 0 {
				out.Devices.Results = append(out.Devices.Results, resourcev1.DeviceRequestAllocationResult{
					Driver: b.slice.Spec.Driver, Pool: b.slice.Spec.Pool.Name, Device: device.Name})
			}
		}
	}
	return out
}

// free is how many steps of a search that finds devices are in no budget: none where a start is planned, so that
// planning is bounded, too. What it found is kept, and it goes on where it stopped.
func (p *planner) free() int64 {
	if p.ahead {
		return 0
	}
	return p.d.budget.free
}
