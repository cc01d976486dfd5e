package model

import "fmt"

// specOf draws the spec of an object of a kind that is no pod, with all that the API server would fill in.
func (s *script) specOf(at subject, o map[string]any) {
	switch at.kind.Resource {
	case "persistentvolumes":
		o["spec"] = map[string]any{"accessModes": []any{"ReadWriteOnce"}, "storageClassName": "fast",
			"capacity": map[string]any{"storage": "1Gi"}, "hostPath": map[string]any{"path": "/a", "type": ""},
			"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"}
		s.protected(o, "kubernetes.io/pv-protection")
	case "resourceclaims":
		o["spec"] = map[string]any{"devices": map[string]any{"requests": []any{map[string]any{"name": "r",
			"exactly": map[string]any{"deviceClassName": s.one("gpu", "nic"), "allocationMode": "ExactCount", "count": 1}}}}}
	case "resourceslices":
		o["spec"] = map[string]any{"driver": "gpu.example.com", "nodeName": "thing-1", "pool": map[string]any{"name": "p",
			"generation": s.random.IntN(3), "resourceSliceCount": 1}, "devices": []any{map[string]any{"name": "d0"}}}
	case "deviceclasses":
		o["spec"] = map[string]any{"selectors": []any{map[string]any{"cel": map[string]any{
			"expression": s.one("true", "false")}}}}
	case "services":
		o["spec"] = map[string]any{"type": "ClusterIP", "clusterIP": "None", "clusterIPs": []any{"None"},
			"sessionAffinity": "None", "ipFamilies": []any{"IPv4"}, "ipFamilyPolicy": "SingleStack",
			"internalTrafficPolicy": "Cluster", "selector": map[string]any{"colour": s.one("red", "blue")},
			"ports": []any{map[string]any{"port": 80, "protocol": "TCP", "targetPort": 80}}}
	case "jobs":
		meta, _ := o["metadata"].(map[string]any)
		meta["labels"] = map[string]any{"a": "b"} // or it would get those of its pods
		pod := s.podSpec()
		delete(pod, "schedulingGates")
		delete(pod, "priority")
		delete(pod, "preemptionPolicy")
		delete(pod, "tolerations")
		delete(pod, "enableServiceLinks")
		o["spec"] = map[string]any{"parallelism": 1 + s.random.IntN(3), "completions": 1, "backoffLimit": 6,
			"completionMode": "NonIndexed", "suspend": s.maybe(2), "manualSelector": true,
			"podReplacementPolicy": "TerminatingOrFailed", "selector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
			"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}, "spec": pod}}
	case "persistentvolumeclaims":
		o["spec"] = map[string]any{"accessModes": []any{"ReadWriteOnce"}, "storageClassName": s.one("fast", "slow"),
			"volumeMode": "Filesystem", "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}}
		s.protected(o, "kubernetes.io/pvc-protection")
	case "storageclasses":
		o["provisioner"], o["reclaimPolicy"], o["volumeBindingMode"] = "example.com/disks", "Delete", "Immediate"
	case "csinodes":
		o["spec"] = map[string]any{"drivers": []any{map[string]any{"name": "disks", "nodeID": "n",
			"topologyKeys": []any{"zone"}}}}
	case "events":
		o["involvedObject"] = map[string]any{"kind": "Pod", "namespace": at.namespace, "name": at.name}
		o["reason"], o["message"], o["type"] = "Scheduled", "because", "Normal"
		o["source"], o["count"] = map[string]any{"component": "volcano"}, 1+s.random.IntN(3)
		o["firstTimestamp"], o["lastTimestamp"] = "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"
		o["eventTime"], o["reportingComponent"], o["reportingInstance"] = nil, "volcano", ""
	}
}

// protected adds the finalizer that an admission plugin adds.
func (s *script) protected(o map[string]any, by string) {
	meta, _ := o["metadata"].(map[string]any)
	list, _ := meta["finalizers"].([]any)
	meta["finalizers"] = append(list, by)
}

func (s *script) one(of ...string) string { return of[s.random.IntN(len(of))] }

// changeOf draws a change of a spec by a merge patch, as schedulers and controllers make it.
func (s *script) changeOf(at subject, meta, body map[string]any) {
	switch at.kind.Resource {
	case "persistentvolumeclaims":
		switch s.random.IntN(4) {
		case 0:
			body["spec"] = map[string]any{"volumeName": s.one("thing-0", "thing-1")} // once
		case 1:
			body["spec"] = map[string]any{"storageClassName": "slow"} // of others it is refused
		default:
			meta["annotations"] = map[string]any{"volume.kubernetes.io/selected-node": s.one("thing-0", "thing-1")}
		}
	case "storageclasses":
		body["allowVolumeExpansion"] = s.maybe(2)
	case "persistentvolumes":
		var ref any
		if !s.maybe(3) {
			ref = map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "one",
				"name": s.one("thing-0", "thing-1"), "uid": "u"}
		}
		body["spec"] = map[string]any{"claimRef": ref}
		meta["annotations"] = map[string]any{"pv.kubernetes.io/bound-by-controller": "yes"}
	case "resourceclaims":
		meta["finalizers"] = []any{nil, []any{"resource.kubernetes.io/delete-protection"}}[s.random.IntN(2)]
	case "resourceslices":
		body["spec"] = map[string]any{"pool": map[string]any{"generation": s.random.IntN(3)}}
	case "deviceclasses":
		body["spec"] = map[string]any{"selectors": nil}
	case "services":
		body["spec"] = map[string]any{"selector": map[string]any{"colour": s.one("red", "blue")}}
	case "jobs":
		body["spec"] = map[string]any{"suspend": s.maybe(2), "parallelism": s.random.IntN(3)}
	case "events":
		body["count"] = s.random.IntN(5)
	}
}

// statusOf draws a status of a kind, as its controller or a scheduler writes it; false: there is none to write.
func (s *script) statusOf(at subject, body map[string]any) bool {
	switch at.kind.Resource {
	case "persistentvolumeclaims":
		body["status"] = map[string]any{"phase": s.one("Pending", "Bound", "Lost")}
	case "persistentvolumes":
		body["status"] = map[string]any{"phase": s.one("Pending", "Available", "Bound", "Released")}
	case "jobs":
		body["status"] = map[string]any{"active": s.random.IntN(3)}
	case "resourceclaims":
		status := map[string]any{}
		switch s.random.IntN(4) {
		case 0:
			status["allocation"] = nil
		case 1:
			status["reservedFor"] = nil
		default:
			status["allocation"] = map[string]any{"devices": map[string]any{"results": []any{map[string]any{"request": "r",
				"driver": "gpu.example.com", "pool": "p", "device": "d0"}}}}
		}
		if s.maybe(2) {
			pod := fmt.Sprintf("thing-%d", s.random.IntN(2))
			status["reservedFor"] = []any{map[string]any{"resource": "pods", "name": pod, "uid": "u-" + pod}}
		}
		body["status"] = status
	default:
		return false
	}
	return true
}
