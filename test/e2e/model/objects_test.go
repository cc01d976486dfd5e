package model

import "fmt"

// object draws one, with all that the API server would fill in: the model fills in nothing.
func (s *script) object(at subject) map[string]any {
	meta := map[string]any{"name": at.name}
	if at.namespace != "" {
		meta["namespace"] = at.namespace
	}
	if s.maybe(2) {
		meta["labels"] = map[string]any{"colour": []string{"red", "blue"}[s.random.IntN(2)]}
	}
	if s.maybe(6) {
		meta["finalizers"] = []any{"example.com/a"}
	}
	o := map[string]any{"apiVersion": at.kind.GroupVersion().String(), "kind": at.kind.Kind, "metadata": meta}
	switch at.kind.Resource {
	case "pods":
		o["spec"] = s.podSpec()
	case "nodes":
		o["spec"] = map[string]any{"unschedulable": s.maybe(4)}
	case "leases":
		o["spec"] = map[string]any{"holderIdentity": fmt.Sprint(s.random.IntN(3)), "leaseDurationSeconds": 15}
	case "podgroups", "queues", "hypernodes", "nodeshards", "numatopologies", "bookings":
		if o["spec"] = s.customSpec(at.kind.Resource); s.maybe(8) {
			o["spec"] = s.odd()
		}
		switch s.random.IntN(4) {
		case 0:
			o["status"] = map[string]any{"phase": "Pending"}
		case 1:
			if !at.kind.Status {
				o["status"] = s.customStatus()
			}
		}
	case "poddisruptionbudgets":
		o["spec"] = map[string]any{"minAvailable": 1, "selector": map[string]any{"matchLabels": map[string]any{
			"colour": []string{"red", "blue"}[s.random.IntN(2)]}}}
	case "configmaps":
		o["data"] = map[string]any{"a": fmt.Sprint(s.random.IntN(3))}
	default:
		s.specOf(at, o)
	}
	return o
}

func (s *script) podSpec() map[string]any {
	resources := map[string]any{}
	if s.maybe(2) {
		resources["requests"] = map[string]any{"cpu": "1", "memory": "1Gi"}
		if s.maybe(2) {
			resources["limits"] = map[string]any{"cpu": "1", "memory": "1Gi"}
		}
	}
	spec := map[string]any{"schedulerName": "volcano", "restartPolicy": "Never", "terminationGracePeriodSeconds": 30_000,
		"dnsPolicy": "ClusterFirst", "securityContext": map[string]any{}, "enableServiceLinks": true, "priority": 0,
		"preemptionPolicy": "PreemptLowerPriority",
		"containers": []any{map[string]any{"name": "main", "image": "main:1", "imagePullPolicy": "IfNotPresent",
			"resources":              resources,
			"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}},
		"tolerations": []any{
			map[string]any{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
				"tolerationSeconds": 300},
			map[string]any{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
				"tolerationSeconds": 300}}}
	if s.maybe(4) {
		spec["schedulingGates"] = []any{map[string]any{"name": "gate-0"},
			map[string]any{"name": "gate-1"}}[:1+s.random.IntN(2)]
	}
	return spec
}
