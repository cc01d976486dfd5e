package devices

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// extended tells the ledger how many devices each node has for the extended resources for which classes stand
// (KEP-5004), of those that something asks for: a pod, a PodGroup, a queue. Nodes offer these like any other resource,
// and what counts amounts (queues, the gate, victims, scores) need not know where they come from. Whether a node can
// give a pod devices at all is the filter's question, as for claims.
type extended struct {
	d *Devices

	names []namesake
	dims  int // so many resources were known when names were found
	stock uint64
	facts ledger.Cursor
	nodes []offeringNode
}

// namesake is an extended resource, and what the class that stands for it selects.
type namesake struct {
	name     string
	selected selection
}

// offeringNode is what a node's offer was derived from.
type offeringNode struct {
	fact  *model.Node
	reach *reach
}

// mayStand says that a class may stand for a resource of this name.
func mayStand(name string) bool { return strings.Contains(name, "/") }

// asksExtended says that a pod asks for resources for which classes may stand: then its containers matter here.
func asksExtended(s *model.Spec) bool {
	return slices.ContainsFunc(s.Requests, func(a resource.Amount) bool { return a.Value != 0 && mayStand(a.Name) })
}

// publish tells the ledger what nodes offer by their devices.
func (e *extended) publish() {
	d := e.d
	if len(d.classes.of) == 0 && len(e.names) == 0 {
		return
	}
	all := e.stock != d.stock || e.dims != d.l.Dims.Len()
	if all {
		before := e.names
		e.names, e.stock, e.dims = e.namesakes(), d.stock, d.l.Dims.Len()
		all = !slices.EqualFunc(before, e.names, func(a, b namesake) bool {
			return a.name == b.name && a.selected.id == b.selected.id
		})
	} else if len(e.names) == 0 || e.facts == d.l.Changes.NodeFacts.Now() && len(e.nodes) == d.l.Nodes.Len() {
		return
	}
	for n := range ledger.NodeID(d.l.Nodes.Len()) {
		if int(n) == len(e.nodes) {
			e.nodes = append(e.nodes, offeringNode{})
		}
		row := d.l.Node(n)
		now := offeringNode{fact: row.Fact}
		if row.Fact != nil && len(e.names) > 0 {
			now.reach = d.inventory.reach(d.node(n))
		}
		if all || now != e.nodes[n] {
			e.nodes[n] = now
			d.l.Nodes.Offer(n, e.offers(n, now))
		}
	}
	e.facts = d.l.Changes.NodeFacts.Now()
}

// namesakes are the extended resources that something asks for and that classes stand for, in order of their names.
func (e *extended) namesakes() (out []namesake) {
	d := e.d
	add := func(name, class string) {
		if _, known := d.l.Dims.Lookup(name); known {
			out = append(out, namesake{name, selectionOf(d.classes.of[class], nil)})
		}
	}
	for class := range d.classes.of { // order-free: sorted below
		add(resourcev1.ResourceDeviceClassPrefix+class, class)
	}
	for name, class := range d.classes.named { // order-free: sorted below
		add(name, class)
	}
	slices.SortFunc(out, func(a, b namesake) int { return strings.Compare(a.name, b.name) })
	return out
}

// offers is how many devices a node has for each of the extended resources, used or not, tainted or
// not; of a resource that its device plugin offers, nothing.
func (e *extended) offers(n ledger.NodeID, of offeringNode) (out resource.List) {
	if of.reach == nil {
		return nil
	}
	for _, s := range e.names {
		if have, _ := of.fact.Allocatable.Get(s.name); have != 0 {
			continue
		}
		sum, node := int64(0), e.d.node(n)
		for _, b := range of.reach.usable {
			m := b.selected(s.selected, e.d.programs)
			for i := range b.ids {
				if m.of[i].yes && b.serves(node, i) {
					sum += holders(&b.slice.Spec.Devices[i])
				}
			}
		}
		if sum > 0 {
			out = append(out, resource.Amount{Name: s.name, Value: 1000 * sum})
		}
	}
	return out
}

// mostHolders is how many requests a device is thought to take that several claims may have and that has no capacity
// to share.
const mostHolders = 1 << 10

// holders is how many requests that name no amounts a device takes: of one that several claims may have, as often as
// what such a request consumes of its capacities fits.
func holders(d *resourcev1.Device) int64 {
	if !shares(d) {
		return 1
	}
	n := int64(mostHolders)
	for _, c := range d.Capacity { // order-free: the least
		each := c.Value
		if c.RequestPolicy != nil && c.RequestPolicy.Default != nil {
			each = *c.RequestPolicy.Default
		}
		if one := amount(each); one > 0 {
			n = min(n, amount(c.Value)/one)
		}
	}
	return n
}

// onlyByClass refuses a task that asks for an extended resource which no node offers, neither by a device plugin nor
// by devices of the class that stands for it, and names the class.
func (c *classes) onlyByClass(l *ledger.Ledger, task *ledger.Task) policy.Verdict {
	if len(c.of) == 0 {
		return policy.Verdict{}
	}
	for _, a := range task.Pod.Spec.Requests {
		if a.Value == 0 || !mayStand(a.Name) {
			continue
		}
		class := c.standsFor(a.Name)
		if class == "" {
			continue
		}
		if dim, known := l.Dims.Lookup(a.Name); !known || l.Nodes.Total(dim) <= 0 {
			return policy.Verdict{Code: trace.ResourceOfClass, Text: class,
				Domain: trace.Domain{Key: a.Name, Least: a.Value}, Everywhere: true}
		}
	}
	return policy.Verdict{}
}

// extendedOf are the extended resources that pods of a spec ask for and that classes stand for, in order of their
// names.
func (c *classes) extendedOf(s *model.Spec) (out []string) {
	if len(c.of) == 0 {
		return nil
	}
	for _, a := range s.Requests {
		if a.Value != 0 && mayStand(a.Name) && c.standsFor(a.Name) != "" {
			out = append(out, a.Name)
		}
	}
	return out
}

// standsFor is the class of the devices that pods ask for by an extended resource; "" where there is none. Of several
// that claim the same name the newest does, and of equally old ones the first by name, as for kube-scheduler.
func (c *classes) standsFor(name string) (class string) {
	if own, implicit := strings.CutPrefix(name, resourcev1.ResourceDeviceClassPrefix); implicit {
		if c.of[own] != nil {
			class = own
		}
		return class
	}
	return c.named[name]
}

// name notes again for which extended resources classes stand.
func (c *classes) name() {
	clear(c.named)
	for class, of := range c.of { // order-free: the newest, then the first by name
		if of.Spec.ExtendedResourceName == nil {
			continue
		}
		name := *of.Spec.ExtendedResourceName
		other := c.of[c.named[name]]
		if other == nil || other.CreationTimestamp.Before(&of.CreationTimestamp) ||
			other.CreationTimestamp.Equal(&of.CreationTimestamp) && class < other.Name {
			c.named[name] = class
		}
	}
}

// byDevices are those of extended resources that a node does not offer by a device plugin.
func byDevices(names []string, node *model.Node) []string {
	byPlugin := func(name string) bool {
		have, _ := node.Allocatable.Get(name)
		return have != 0
	}
	if node == nil || !slices.ContainsFunc(names, byPlugin) {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), byPlugin)
}

// wanted is how many of an extended resource a container asks for, in whole devices.
func wanted(c *corev1.Container, name string) int64 {
	q, asked := c.Resources.Requests[corev1.ResourceName(name)]
	if !asked {
		q = c.Resources.Limits[corev1.ResourceName(name)] // of a pod from a file; the API server fills requests in
	}
	if n, whole := q.AsInt64(); whole {
		return n
	}
	return 0
}
