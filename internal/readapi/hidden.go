package readapi

import (
	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Hidden sums up the rows that a user may not see by name. Amounts of queues are those of queues without others below
// them, so that nothing counts twice.
type Hidden struct {
	Count     int                           `json:"count"`
	Waiting   int                           `json:"waiting,omitempty"` // jobs
	Pods      map[string]int                `json:"pods,omitempty"`    // by status
	Amounts   map[string]explain.Quantities `json:"amounts,omitempty"` // by their name in a row
	Devices   *explain.DeviceCounts         `json:"devices,omitempty"`
	Unchecked int                           `json:"unchecked,omitempty"`

	sums    map[string]map[string]int64
	parents map[string]bool
}

func (h *Hidden) add(what string, l resource.List) {
	if h.sums == nil {
		h.sums = map[string]map[string]int64{}
	}
	if h.sums[what] == nil {
		h.sums[what] = map[string]int64{}
	}
	for _, a := range l {
		h.sums[what][a.Name] += a.Value
	}
}

func (h *Hidden) pods(status model.Status, n int) {
	if n == 0 {
		return
	}
	if h.Pods == nil {
		h.Pods = map[string]int{}
	}
	h.Pods[status.String()] += n
}

func (h *Hidden) job(j *sched.JobReport) {
	if j.Reason.Waits() {
		h.Waiting++
	}
	for status, n := range j.Tasks {
		h.pods(model.Status(status), int(n))
	}
}

func (h *Hidden) pod(p *sched.PodReport) { h.pods(p.Status, 1) }

func (h *Hidden) queue(q *sched.QueueReport) {
	if h.parents[q.Name] {
		return
	}
	h.add("allocated", q.Allocated)
	h.add("deserved", q.Deserved)
	h.add("request", q.Request)
}

func (h *Hidden) node(n *sched.NodeReport) {
	h.add("allocatable", n.Allocatable)
	h.add("used", n.Used)
	h.add("idle", n.Idle)
	h.add("releasing", n.Releasing)
	h.add("pipelined", n.Pipelined)
}

func (h *Hidden) devices(n *explain.DeviceCounts) {
	if h.Devices == nil {
		h.Devices = &explain.DeviceCounts{}
	}
	h.Devices.Add(n)
}

// shown is what is told; nil where nothing is hidden.
func (h *Hidden) shown(unchecked int) *Hidden {
	if h.Count == 0 {
		return nil
	}
	h.Unchecked = unchecked
	for what, sum := range h.sums {
		q := explain.Quantities{}
		for name, value := range sum {
			if value != 0 {
				q[name] = explain.Quantity(name, value)
			}
		}
		if len(q) > 0 {
			if h.Amounts == nil {
				h.Amounts = map[string]explain.Quantities{}
			}
			h.Amounts[what] = q
		}
	}
	return h
}
