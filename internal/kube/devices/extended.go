package devices

import (
	"strings"

	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// onlyByClass refuses a task that asks for an extended resource which no node offers and for which a device class
// stands (KEP-5004): no claim is made for it here, so that no node can take it. Where a node offers the resource, the
// task is that node's as any other is.
func (c *classes) onlyByClass(l *ledger.Ledger, task *ledger.Task) policy.Verdict {
	if len(c.of) == 0 {
		return policy.Verdict{}
	}
	for _, a := range task.Pod.Spec.Requests {
		if a.Value == 0 || !strings.Contains(a.Name, "/") {
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
