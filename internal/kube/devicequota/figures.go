package devicequota

import (
	"strings"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// The figures by which the plugin capacity shares devices: Quota implements capacity.Devices.

// kind is what a dimension's name says.
type kind uint8

const (
	unknown kind = iota
	ofDevices
	ofOther
)

// Counts implements capacity.Devices: of devices, and some queue's spec names it now. Columns of the ledger stay when
// the last queue that named them is gone, and may not count on: an engine made anew would not have them.
func (q *Quota) Counts(d resource.Dim) bool { return q.ofDevices(d) && q.named.is(q.l, d) }

func (q *Quota) ofDevices(d resource.Dim) bool {
	for len(q.dims) <= int(d) {
		q.dims = append(q.dims, unknown)
	}
	if q.dims[d] == unknown {
		q.dims[d] = ofOther
		if is, capacity := OfDevices(q.l.Dims.Name(d)); is && (!capacity || q.consumed) {
			q.dims[d] = ofDevices
		}
	}
	return q.dims[d] == ofDevices
}

// named are the dimensions that queues' specs name. It follows Changes.QueueSpecs.
type named struct {
	seen ledger.Cursor
	by   map[ledger.QueueID][]resource.Dim // without queues that name no devices
	of   []int32                           // how many queues, by dimension
}

func (n *named) is(l *ledger.Ledger, d resource.Dim) bool {
	if n.seen != l.Changes.QueueSpecs.Now() {
		changed, known := l.Changes.QueueSpecs.Follow(&n.seen)
		for _, q := range changed {
			n.read(l, q)
		}
		if !known {
			n.by, n.of = map[ledger.QueueID][]resource.Dim{}, nil
			l.Queues.Each(func(q ledger.QueueID) bool {
				n.read(l, q)
				return true
			})
		}
	}
	return int(d) < len(n.of) && n.of[d] > 0
}

// read counts what a queue names now instead of what it named before.
func (n *named) read(l *ledger.Ledger, q ledger.QueueID) {
	for _, d := range n.by[q] {
		n.of[d]--
	}
	delete(n.by, q)
	fact := l.Queue(q).Fact
	if fact == nil {
		return
	}
	for _, list := range []resource.List{fact.Capability, fact.Deserved, fact.Guarantee} {
		for _, a := range list {
			d, known := l.Dims.Lookup(a.Name)
			if is, _ := OfDevices(a.Name); !known || !is {
				continue
			}
			for len(n.of) <= int(d) {
				n.of = append(n.of, 0)
			}
			n.of[d]++
			n.by[q] = append(n.by[q], d)
		}
	}
}

// Total implements capacity.Devices: nothing without an allocator of devices.
func (q *Quota) Total(d resource.Dim) int64 {
	if q.allocates() == nil {
		return 0
	}
	name := q.l.Dims.Name(d)
	if class, of := strings.CutPrefix(name, classPrefix); of {
		return q.book.Offered(class, "")
	}
	capacity, class, _ := strings.Cut(name, classCapacity)
	return q.book.Offered(class, capacity)
}

// allocates is the part of the plugin predicates that allocates devices.
func (q *Quota) allocates() *devices.Devices {
	if q.book == nil {
		if state, ok := q.l.PluginStates.Find(devices.Name); ok {
			q.book, _ = state.(*devices.Devices)
		}
	}
	return q.book
}

// Stock implements capacity.Devices.
func (q *Quota) Stock() uint64 {
	if q.allocates() == nil {
		return 0
	}
	return q.book.Stock()
}

// Moved implements capacity.Devices.
func (q *Quota) Moved() uint64 {
	q.follow()
	return q.moved
}

// Held implements capacity.Devices.
func (q *Quota) Held(at ledger.QueueID, d resource.Dim) int64 {
	q.follow()
	return q.firm[at][q.l.Dims.Name(d)].Int64()
}

// Wants implements capacity.Devices.
func (q *Quota) Wants(t ledger.TaskID) resource.Vec {
	task := q.l.Task(t)
	if task.Job == ledger.NoJob {
		return nil
	}
	q.follow()
	return q.vec(q.more(q.l.Job(task.Job).Queue, devices.ClaimsOf(task), true))
}

func (q *Quota) vec(asks []ask) (out resource.Vec) {
	for _, a := range asks {
		if d, counts := q.dim(a.name); counts {
			out = out.Set(d, a.value)
		}
	}
	return out
}

// Lacking implements policy.Lacker.
func (q *Quota) Lacking(t ledger.TaskID, n ledger.NodeID) (out []resource.Dim) {
	if len(q.l.Task(t).Pod.Spec.Devices) == 0 || q.allocates() == nil || q.book.FilterTask(t, n, true).Admits() {
		return nil
	}
	for d, x := range q.Wants(t) {
		if x > 0 {
			out = append(out, resource.Dim(d))
		}
	}
	return out
}

// lastRequest is the last answer of Rest.
type lastRequest struct {
	job   ledger.JobID
	world uint64
	known bool
	vec   resource.Vec
}

// Rest implements capacity.Devices: what those ask for that ask for most, as a cycle began.
func (q *Quota) Rest(j ledger.JobID) resource.Vec {
	if !q.rest.known || q.rest.job != j || q.rest.world != q.l.Changes.StateEpoch() {
		q.follow()
		job := q.l.Job(j)
		keys := q.fewest(j, max(1, int(job.MinMember-job.PlacedOrPipelined())), -1)
		q.rest = lastRequest{j, q.l.Changes.StateEpoch(), true, q.vec(q.more(job.Queue, keys, true))}
	}
	return q.rest.vec
}

// Frees implements capacity.Devices.
func (q *Quota) Frees(tasks []ledger.TaskID) resource.Vec {
	if len(tasks) == 0 || q.l.Task(tasks[0]).Job == ledger.NoJob {
		return nil
	}
	q.follow()
	queue := q.l.Job(q.l.Task(tasks[0]).Job).Queue
	gone := map[string]int32{}
	for _, t := range tasks {
		task := q.l.Task(t)
		if len(task.Pod.Spec.Devices) == 0 || task.Node == ledger.NoNode || task.Status == model.Releasing {
			continue
		}
		for _, key := range devices.ClaimsOf(task) {
			gone[key]++
		}
	}
	sums := map[string]int64{}
	for key, n := range gone { // order-free: sums
		if c := q.claims[key]; c != nil && c.stays[queue] == n {
			for _, a := range c.asks {
				sums[a.name] = bounded(sums[a.name], a.value)
			}
		}
	}
	return q.vec(listed(sums))
}

// Returns implements capacity.Devices.
func (q *Quota) Returns(t ledger.TaskID, d resource.Dim) (sum int64) {
	for _, key := range devices.ClaimsOf(q.l.Task(t)) {
		if c := q.claims[key]; c != nil {
			for _, a := range c.asks {
				if a.name == q.l.Dims.Name(d) {
					sum = bounded(sum, a.value)
				}
			}
		}
	}
	return sum
}

// asked has what queues ask for beyond what they hold, with the versions of the state that it was counted in.
type asked struct {
	world, moved uint64
	of           amounts
}

// Asked implements capacity.Devices.
func (q *Quota) Asked(at ledger.QueueID, d resource.Dim) int64 {
	q.follow()
	if q.asked.of == nil || q.asked.world != q.l.Changes.StateEpoch() || q.asked.moved != q.moved {
		q.asked = asked{q.l.Changes.StateEpoch(), q.moved, q.waiting()}
	}
	name := q.l.Dims.Name(d)
	return q.held[at][name].Plus(q.asked.of[at][name].Int64()).Int64()
}

// waiting is what the waiting pods of queues ask for and their queues do not hold.
func (q *Quota) waiting() amounts {
	out := amounts{}
	seen := map[ledger.QueueID]map[string]bool{}
	q.l.Tasks.Each(func(t ledger.TaskID) bool {
		task := q.l.Task(t)
		if task.Status != model.Pending || len(task.Pod.Spec.Devices) == 0 || task.Job == ledger.NoJob {
			return true
		}
		for _, key := range devices.ClaimsOf(task) {
			c := q.claims[key]
			for at := q.l.Job(task.Job).Queue; c != nil && at != ledger.NoQueue; at = q.l.Queues.Parent(at) {
				if seen[at] == nil {
					seen[at] = map[string]bool{}
				}
				if c.users[at] == 0 && !seen[at][key] {
					seen[at][key] = true
					out.add(at, c.asks, 1)
				}
			}
		}
		return true
	})
	return out
}
