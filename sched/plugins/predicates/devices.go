package predicates

import (
	"strings"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// devices refuses every node to tasks with resource claims: nothing here allocates
// devices, and a kubelet does not start a pod with claims that are not. Waiting with the
// reason leaves the pod to be put right; a binding could not be taken back.
type devices struct{}

// FilterStatic names the claims.
func (devices) FilterStatic(s *model.Spec, _ *model.Node) policy.Verdict {
	if len(s.Devices) == 0 {
		return policy.Verdict{}
	}
	return policy.Verdict{Code: trace.NodeDevices, Text: strings.Join(s.DeviceNames(), ", ") + trace.NotAllocated}
}

// Aspect is the claims.
func (devices) Aspect(s *model.Spec) string {
	var w model.Form
	w.Text(s.Devices...)
	return w.String()
}
