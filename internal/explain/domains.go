package explain

import (
	"fmt"
	"strings"
	"time"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// ofDomains say how nodes refuse a pod for the sake of others.
var ofDomains = map[trace.Code]func(trace.NodeCount) string{
	trace.PodAffinity: func(c trace.NodeCount) string {
		switch d := c.Domain; {
		case d.Value != "":
			return fmt.Sprintf("%s, without a pod %s", in(c), d.Pods)
		case d.Key == model.HostnameKey:
			return fmt.Sprintf("%s no pod %s", has(c), d.Pods)
		default:
			return fmt.Sprintf("%s no label %s, by which a pod %s is to be near", has(c), d.Key, d.Pods)
		}
	},
	trace.PodAntiAffinity: func(c trace.NodeCount) string {
		return fmt.Sprintf("%s a pod %s, which it keeps away from", beside(c), c.Domain.Pods)
	},
	trace.PodRepelled: func(c trace.NodeCount) string {
		return fmt.Sprintf("%s a pod that keeps away from %s", beside(c), c.Domain.Pods)
	},
	trace.NodeNUMA: func(c trace.NodeCount) string {
		return fmt.Sprintf("might have no %d cpus together: %d were free on one NUMA node when it was last reported",
			c.Domain.Least, c.Domain.Have)
	},
	trace.NodeBooked: booked,
	trace.NodeGroupLimit: func(c trace.NodeCount) string {
		d := c.Domain
		if d.Key == "" {
			return "cannot be judged: the limits of its queue (annotation volcano.sh/nodegroup-resource-limits) cannot be read"
		}
		return fmt.Sprintf("%s of node group %s, of which its queue may hold %s %s: %s held, %s asked", be(c), d.Value,
			Quantity(d.Key, d.Most), d.Key, Quantity(d.Key, d.Have), Quantity(d.Key, d.Least))
	},
	trace.PodTopologySpread: func(c trace.NodeCount) string {
		d := c.Domain
		if d.Value == "" {
			return fmt.Sprintf("%s too many pods %s where some node has %d and maxSkew is %d", has(c), d.Pods, d.Least, d.Most)
		}
		return fmt.Sprintf("%s %d pods %s where some %s has %d and maxSkew is %d", beside(c), d.Have, d.Pods, brief(d.Key),
			d.Least, d.Most)
	},
}

// beside begins the sentence about the pods on a node, or in its domain.
func beside(c trace.NodeCount) string {
	if c.Domain.Value == "" {
		return has(c)
	}
	return in(c) + ", with"
}

// in is where the nodes are.
func in(c trace.NodeCount) string {
	return fmt.Sprintf("%s in %s %s", be(c), brief(c.Domain.Key), c.Domain.Value)
}

func be(c trace.NodeCount) string {
	if c.Count == 1 {
		return "is"
	}
	return "are"
}

func has(c trace.NodeCount) string {
	if c.Count == 1 {
		return "has"
	}
	return "have"
}

// brief is a label's name without its prefix: zone for topology.kubernetes.io/zone.
func brief(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// booked says for what, from when to when nodes are booked, and why the pod may not be there before, or until its end.
func booked(c trace.NodeCount) string {
	d := c.Domain
	what, bound := "for others", "begins"
	switch d.Value {
	case trace.Maintenance:
		what = "for maintenance"
	case trace.Owned:
		what, bound = "for it", "ends"
	}
	runs := fmt.Sprintf("the pod may run for %s and might not have ended when that %s", time.Duration(d.Have), bound)
	if d.Have == 0 {
		runs = "the pod has no limit (activeDeadlineSeconds) to have ended when that " + bound
	}
	return fmt.Sprintf("%s booked %s from %s to %s (booking %s), and %s", be(c), what, moment(d.Least), moment(d.Most),
		d.Key, runs)
}
