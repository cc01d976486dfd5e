package explain

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Eviction is one pod that was evicted; PreemptorJob is the namespace/name of the job that was
// to have its room. Record is there where an action of ours decided.
type Eviction struct {
	Cycle        int      `json:"cycle"`
	Time         Duration `json:"time"`
	Namespace    string   `json:"namespace"`
	Name         string   `json:"name"`
	Job          string   `json:"job"`
	Queue        string   `json:"queue"`
	Action       string   `json:"action"`
	PreemptorJob string   `json:"for"`
	Reason       string   `json:"reason"`
	At           string   `json:"at,omitempty"` // RFC 3339; of a live scheduler
	Record       *Record  `json:"record,omitempty"`
}

// Record is the audit of an eviction: see trace.Eviction. In JSON the names of what the preemptor is begin with for.
type Record struct {
	Preemptor         string `json:"forPod"` // the pod that was to have the room
	PreemptorQueue    string `json:"forQueue"`
	PreemptorPriority int32  `json:"forPriority"`
	PreemptorNode     string `json:"forNode"`
	Priority          int32  `json:"priority"`

	Whole   bool     `json:"whole"` // with its whole gang; otherwise it was above its gang's minimum
	Tier    int      `json:"tier"`
	Plugins []string `json:"plugins"`
	// AlsoPermitted are the plugins of other tiers that permitted it and could have forbidden it.
	AlsoPermitted []Permission `json:"alsoPermitted,omitempty"`

	// Of an eviction for another queue: what both queues held before it, and what they deserve, of what the pod held and
	// Preemptor asks for.
	QueueHeld              Quantities `json:"queueHeld,omitempty"`
	QueueDeserved          Quantities `json:"queueDeserved,omitempty"`
	PreemptorQueueHeld     Quantities `json:"forQueueHeld,omitempty"`
	PreemptorQueueDeserved Quantities `json:"forQueueDeserved,omitempty"`

	Held Quantities `json:"held"`
	Ran  Duration   `json:"ran"`
	// LostSeconds is Held times Ran, in the resource's unit times seconds.
	LostSeconds Quantities `json:"lostSeconds"`

	NodesTried    int           `json:"nodesTried"`
	NodesRuledOut int           `json:"nodesRuledOut"`
	Steps         int           `json:"steps"`
	Exhausted     bool          `json:"exhausted"`
	Alternatives  []Alternative `json:"alternatives"`

	// OfEvent: it is what the pod's event says, which has no figures but those of the queue.
	OfEvent bool `json:"ofEvent,omitempty"`
}

// Permission is the plugins of one tier that permitted an eviction.
type Permission struct {
	Tier    int      `json:"tier"`
	Plugins []string `json:"plugins"`
}

// Alternative is a node that was not chosen, and why.
type Alternative struct {
	Node            string `json:"node"`
	Why             string `json:"why"`
	Tried           bool   `json:"tried"` // otherwise the figures are what it would cost at least
	HighestPriority int32  `json:"highestPriority"`
	PrioritySum     int64  `json:"prioritySum"`
	Victims         int    `json:"victims"`
}

// EvictedOf says by which action how many pods were evicted, and between which queues: what the event of a PodGroup
// says. The queues are "" where no pod was to have the room.
func EvictedOf(action string, pods int, from, to string) string {
	text := action + ": " + Count(pods, "pod") + " evicted"
	switch {
	case to == "":
		return text
	case from == to:
		return text + " for a job of its own queue, " + to
	}
	return text + " from queue " + from + ", for queue " + to + ", which takes back its due"
}

// EvictedBetween says the same about either of two queues.
func EvictedBetween(action string, pods int, from, to string) string {
	return fmt.Sprintf("%s: %s of queue %s evicted for queue %s, which takes back its due", action, Count(pods, "pod"),
		from, to)
}

// Evicted says in one sentence for which job, and by which rule, a pod was evicted. The
// pod's event and condition have the same text. What its own queue held comes last: a message that is too long is cut
// there. What the other queue held is not for all readers of the pod's events.
func Evicted(r *trace.Eviction) string {
	if r.Preemptor == "" {
		return fmt.Sprintf("%s: leaves node %s: %s; its job %s", r.Action, r.Node, r.Purpose, leaving(r.Whole))
	}
	reclaims := r.PreemptorQueue != r.Queue
	about := fmt.Sprintf("queue %s, priority %d against %d", r.PreemptorQueue, r.PreemptorPriority, r.Priority)
	if reclaims {
		about = fmt.Sprintf("queue %s, which takes back its due from queue %s", r.PreemptorQueue, r.Queue)
	}
	job := "job " + r.PreemptorJob
	if r.PreemptorJob == r.Job {
		job = "the same job"
	}
	text := fmt.Sprintf("%s: makes room on node %s for %s of %s (%s)", r.Action, r.Node, r.Preemptor, job, about)
	if all := r.Permissions(); len(all) > 0 {
		text += "; permitted by " + permissions(all)
	}
	text += "; its job " + leaving(r.Whole)
	if len(r.QueueHeld) > 0 {
		text += "; " + heldBefore(r.Queue, r.QueueHeld)
	}
	return text
}

// leaving is what an eviction leaves of a victim's job.
func leaving(whole bool) string {
	if whole {
		return "goes as a whole"
	}
	return "keeps its minimum"
}

// permissions is "tier 1 (gang) and tier 2 (proportion)".
func permissions(list []trace.Permission) string {
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = fmt.Sprintf("tier %d (%s)", p.Tier, strings.Join(p.Plugins, ", "))
	}
	return strings.Join(parts, " and ")
}

// heldBefore is what a queue held before an eviction, and deserved: "queue a held cpu 4 (deserved 3)".
func heldBefore(queue string, list []trace.QueueHeld) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = fmt.Sprintf("%s %s (deserved %s)", s.Dim, Quantity(s.Dim, s.Held), Quantity(s.Dim, s.Deserved))
	}
	return fmt.Sprintf("queue %s held %s", queue, strings.Join(parts, ", "))
}

// NewEvictions describes the evictions of one cycle. When that was is the caller's to add.
// What a plan cost is what all victims of one preemptor cost together: that decided between
// the nodes.
func NewEvictions(list []*trace.Eviction) []Eviction {
	out := make([]Eviction, 0, len(list))
	for _, r := range list {
		e := Eviction{Queue: r.Queue, Action: r.Action, PreemptorJob: r.PreemptorJob, Reason: Evicted(r),
			Record: record(r)}
		e.Namespace, e.Name, _ = strings.Cut(r.Task, "/")
		_, e.Job, _ = strings.Cut(r.Job, "/")
		chosen := cost(list, r)
		for _, a := range r.Alternatives {
			e.Record.Alternatives = append(e.Record.Alternatives, Alternative{Node: a.Node, Why: whyNot(chosen, a),
				Tried: !a.AtLeast, HighestPriority: a.Priority, PrioritySum: a.Sum, Victims: a.Victims})
		}
		out = append(out, e)
	}
	return out
}

func record(r *trace.Eviction) *Record {
	out := &Record{Preemptor: r.Preemptor, PreemptorQueue: r.PreemptorQueue, PreemptorPriority: r.PreemptorPriority,
		PreemptorNode: r.Node, Priority: r.Priority,
		Whole: r.Whole, Tier: r.Tier, Plugins: append([]string{}, r.PermittedBy...), Held: amounts(r.Lost),
		Ran:         Duration(r.Ran),
		LostSeconds: quantities(seconds(r)), NodesTried: r.NodesTried, NodesRuledOut: r.NodesRuledOut, Steps: r.Steps,
		Exhausted: r.Exhausted, Alternatives: []Alternative{}}
	for _, p := range r.Others {
		out.AlsoPermitted = append(out.AlsoPermitted, Permission(p))
	}
	out.QueueHeld, out.QueueDeserved = bothOf(r.QueueHeld)
	out.PreemptorQueueHeld, out.PreemptorQueueDeserved = bothOf(r.PreemptorQueueHeld)
	return out
}

// bothOf is what was held, and what is deserved, zeros among them; nil for none.
func bothOf(list []trace.QueueHeld) (held, deserved Quantities) {
	if len(list) == 0 {
		return nil, nil
	}
	held, deserved = Quantities{}, Quantities{}
	for _, s := range list {
		held[s.Dim], deserved[s.Dim] = Quantity(s.Dim, s.Held), Quantity(s.Dim, s.Deserved)
	}
	return held, deserved
}

// tally is what a plan costs (decision 17), but for when its victims started.
type tally struct {
	highest int32
	sum     int64
	victims int
}

func cost(list []*trace.Eviction, of *trace.Eviction) tally {
	t := tally{highest: of.Priority}
	for _, r := range list {
		if r.Preemptor == of.Preemptor {
			t.highest = max(t.highest, r.Priority)
			t.sum += int64(r.Priority)
			t.victims++
		}
	}
	return t
}

// whyNot names the first criterion by which a node was not chosen.
func whyNot(chosen tally, a trace.Alternative) string {
	would := "it would cost"
	if a.AtLeast {
		would = "not tried: it would cost at least"
	}
	switch {
	case a.Priority != chosen.highest:
		return fmt.Sprintf("%s a victim of priority %d, not %d", would, a.Priority, chosen.highest)
	case a.Sum != chosen.sum || a.Victims != chosen.victims:
		return fmt.Sprintf("%s %s with priorities of %d in all, not %d with %d", would, Count(a.Victims, "victim"), a.Sum,
			chosen.victims, chosen.sum)
	case a.AtLeast:
		return "not tried: it could not cost less"
	default:
		return "it would cost as much: its victims started no later, or its name comes later"
	}
}

// seconds is what an eviction lost, in the engine's units times seconds.
func seconds(r *trace.Eviction) map[string]*big.Int {
	out := map[string]*big.Int{}
	for _, a := range r.Lost {
		if a.Name == resource.PodsName || a.Value == 0 || r.Ran <= 0 {
			continue
		}
		v := new(big.Int).Mul(big.NewInt(a.Value), big.NewInt(r.Ran))
		out[a.Name] = v.Quo(v, big.NewInt(int64(time.Second)))
	}
	return out
}

// TotalLost adds up what evictions lost: resources times seconds.
func TotalLost(list []*trace.Eviction) Quantities {
	sum := map[string]*big.Int{}
	for _, r := range list {
		for name, v := range seconds(r) { // order-free: a sum
			if sum[name] == nil {
				sum[name] = new(big.Int)
			}
			sum[name].Add(sum[name], v)
		}
	}
	return quantities(sum)
}

// quantities writes sums that may be beyond what an int64 holds; such a one is written as
// the most that it does.
func quantities(of map[string]*big.Int) Quantities {
	q := Quantities{}
	for name, v := range of { // order-free: a map
		amount := int64(1<<63 - 1)
		if v.IsInt64() {
			amount = v.Int64()
		}
		q[name] = Quantity(name, amount)
	}
	return q
}

// evicted lists the evictions, oldest first, and of every preemptor how its place was
// found.
func (p *page) evicted(r *Report) {
	if len(r.Evictions) == 0 {
		return
	}
	p.title("EVICTED PODS")
	rows := [][]cell{{left("TIME"), left("POD"), left("QUEUE"), right("PRIORITY"), left("HELD"), right("RAN"),
		left("ACTION"), left("FOR")}}
	for i := range r.Evictions {
		rows = append(rows, p.eviction(&r.Evictions[i]))
	}
	p.table(rows)
	p.plans(r.Evictions)
	if len(r.Summary.Lost) > 0 {
		p.paragraph(2, "Lost in all: "+worktime(r.Summary.Lost)+".")
	}
}

func (p *page) eviction(e *Eviction) []cell {
	row := []cell{left(e.Time.String()), left(p.name(e.Namespace, e.Name)), left(e.Queue), right("-").in(faint),
		left("-").in(faint),
		right("-").in(faint), left(e.Action), left(p.short(e.PreemptorJob))}
	if e.Record != nil {
		row[3], row[4] = right(fmt.Sprint(e.Record.Priority)), left(holding(e.Record.Held))
		if e.Record.Ran > 0 {
			row[5] = right(e.Record.Ran.String())
		}
		row[7] = left(p.short(e.Record.Preemptor))
		if e.Record.Preemptor == "" {
			row[7] = left("-").in(faint)
		}
	}
	return row
}

// short is namespace/name without the namespace where all is in one.
func (p *page) short(name string) string {
	if namespace, rest, ok := strings.Cut(name, "/"); ok {
		return p.name(namespace, rest)
	}
	return name
}

// mostPlans is how many preemptors are told of; the document has all.
const mostPlans = 12

// plans tells of every preemptor once.
func (p *page) plans(list []Eviction) {
	told, more := map[string]bool{}, 0
	for i := range list {
		e := &list[i]
		key := e.Time.String() + " " + e.PreemptorJob
		forPod := e.Record != nil && e.Record.Preemptor != ""
		switch {
		case forPod:
			key = e.Time.String() + " " + e.Record.Preemptor
		case e.Record != nil:
			key = e.Time.String() + " " + e.Reason
		}
		switch {
		case told[key]:
			continue
		case len(told) >= mostPlans:
			more++
		case !forPod:
			p.paragraph(2, e.Reason)
		default:
			p.plan(e)
		}
		told[key] = true
	}
	if more > 0 {
		p.paragraph(2, fmt.Sprintf("… and %d more: -o json has all.", more))
	}
}

func (p *page) plan(e *Eviction) {
	r := e.Record
	text := fmt.Sprintf("%s %s: room on %s for %s", e.Time, e.Action, r.PreemptorNode, p.short(r.Preemptor))
	if r.PreemptorQueue != e.Queue {
		text += fmt.Sprintf(" (queue %s takes back its due from %s)", r.PreemptorQueue, e.Queue)
	} else {
		text += fmt.Sprintf(" (priority %d against %d)", r.PreemptorPriority, r.Priority)
	}
	text += fmt.Sprintf("; permitted by tier %d: %s", r.Tier, strings.Join(r.Plugins, ", "))
	for _, p := range r.AlsoPermitted {
		text += fmt.Sprintf(", and tier %d: %s", p.Tier, strings.Join(p.Plugins, ", "))
	}
	text += fmt.Sprintf("; %s tried, %d ruled out", Count(r.NodesTried, "node"), r.NodesRuledOut)
	if r.Exhausted {
		text += "; the search was given up early"
	}
	p.paragraph(2, text)
	for _, a := range r.Alternatives {
		p.paragraph(4, "not "+a.Node+": "+a.Why)
	}
}

// holding is "4 cpu, 8Gi memory", places for pods left out.
func holding(q Quantities) string {
	var parts []string
	for _, name := range named(q) {
		parts = append(parts, q[name]+" "+name)
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// worktime writes amounts times seconds.
func worktime(q Quantities) string {
	var parts []string
	for _, name := range named(q) {
		parts = append(parts, q[name]+" "+name+"·s")
	}
	return strings.Join(parts, ", ")
}

func named(q Quantities) []string {
	var names []string
	for name := range q { // order-free: sorted below
		if name != resource.PodsName {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, before)
	return names
}
