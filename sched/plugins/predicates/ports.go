package predicates

import (
	"strconv"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// anyIP is the address that stands for all addresses of a node.
const anyIP = "0.0.0.0"

// ports refuses nodes on which a host port that the task wants is taken.
type ports struct{ state *portsInUse }

// PluginState keeps the ports in use.
func (p *ports) PluginState() ledger.PluginState { return p.state }

// Concerns says that the pods want host ports at all.
func (p *ports) Concerns(s *model.Spec) bool { return len(s.Ports) > 0 }

// FilterNode refuses for the first wanted port, in the spec's order, that conflicts
// with one in use. A port of a pipelined task is taken; one held by a leaving
// task is taken now and free in the future. A conflict can be cured: the pod that holds the
// port may leave.
func (p *ports) FilterNode(c *ledger.Class, n ledger.NodeID, future bool) policy.Verdict {
	used := p.state.use.On(n)
	for _, want := range c.Spec.Ports {
		for i := range used {
			if used[i].Stay(future) > 0 && conflict(want, model.HostPort(used[i].Of)) {
				return policy.Verdict{Code: trace.NodePorts, Text: portText(want)}
			}
		}
	}
	return policy.Verdict{}
}

// conflict is kube-scheduler's: the same number and protocol, at one address or at
// all of them on either side.
func conflict(a, b model.HostPort) bool {
	return a.Port == b.Port && a.Protocol == b.Protocol && (a.IP == b.IP || a.IP == anyIP || b.IP == anyIP)
}

// portText is 8080/TCP, or 10.0.0.1:8080/TCP for a port at one address.
func portText(p model.HostPort) string {
	text := strconv.Itoa(int(p.Port)) + "/" + p.Protocol
	if p.IP == anyIP {
		return text
	}
	return p.IP + ":" + text
}
