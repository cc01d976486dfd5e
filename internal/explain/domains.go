package explain

import (
	"fmt"
	"strings"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// ofDomains say how nodes refuse a pod for the sake of others.
var ofDomains = map[trace.Code]func(trace.NodeCount) string{
	trace.PodAffinity: func(c trace.NodeCount) string {
		return fmt.Sprintf("%s without a pod %s", in(c), c.Domain.Pods)
	},
	trace.PodAntiAffinity: func(c trace.NodeCount) string {
		return fmt.Sprintf("%s with a pod %s, which it keeps away from", in(c), c.Domain.Pods)
	},
	trace.PodRepelled: func(c trace.NodeCount) string {
		return fmt.Sprintf("%s with a pod that keeps %s away", in(c), c.Domain.Pods)
	},
	trace.TopologySpread: func(c trace.NodeCount) string {
		d := c.Domain
		if d.Value == "" {
			return fmt.Sprintf("%s with too many pods %s (least anywhere %d, maxSkew %d)", in(c), d.Pods, d.Least, d.Most)
		}
		return fmt.Sprintf("%s with too many pods %s (%d there, least anywhere %d, maxSkew %d)", in(c), d.Pods, d.Have, d.Least, d.Most)
	},
}

// in is where the nodes are, or that they are what is spoken of.
func in(c trace.NodeCount) string {
	be := "are"
	if c.Count == 1 {
		be = "is"
	}
	switch d := c.Domain; {
	case d.Key == model.HostnameKey:
		return be + " a node"
	case d.Value == "":
		return fmt.Sprintf("%s in no %s, or in one", be, brief(d.Key))
	default:
		return fmt.Sprintf("%s in %s %s", be, brief(d.Key), d.Value)
	}
}

// brief is a label's name without who defined it: zone for topology.kubernetes.io/zone.
func brief(key string) string {
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		return key[i+1:]
	}
	return key
}
