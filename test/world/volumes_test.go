package world

import (
	"net/http"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// volumes play what makes volumes: the volume of a claim is made on the node that a scheduler selected for it, after a
// while, or it cannot be and another node has to be selected. Each pod of some jobs has a claim of its name.
type volumes struct {
	w                        *World
	classes, claims, volumes *apimodel.Kind
	// again is when a claim was last made again under its name. A scheduler that hears of the pod sooner than of the claim
	// takes the old one's volume for the pod's, as kube-scheduler does (docs/live.md).
	again map[string]time.Time
}

const (
	storageClass = "disks"
	selectedNode = "volume.kubernetes.io/selected-node"
)

func newVolumes(w *World) *volumes {
	return &volumes{w: w, classes: w.api.Kind("storage.k8s.io", "storageclasses"),
		claims: w.api.Kind("", "persistentvolumeclaims"), volumes: w.api.Kind("", "persistentvolumes"),
		again: map[string]time.Time{}}
}

func (v *volumes) begin() {
	if !v.w.Volumes && !v.w.Local {
		return
	}
	v.w.post(v.classes, map[string]any{"metadata": map[string]any{"name": localClass},
		"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"})
	v.w.post(v.classes, map[string]any{"metadata": map[string]any{"name": storageClass},
		"provisioner": "disks.world.ashlar.sh", "volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Delete"})
	v.tend()
}

// asks draws whether each pod of a job has a volume. One that has fits on one node, in which all its volumes may be.
func (v *volumes) asks(one *job) {
	if v.w.Volumes && one.zone == "" && one.devices == 0 && v.w.chance(0.4) {
		one.volume, one.cores = true, 1
	}
	// Of two gangs each could have half of the volumes that the other one needs: here each pod may start alone.
	if v.w.Local && one.zone == "" && one.devices == 0 && !one.volume && v.w.chance(0.3) {
		one.volume, one.local, one.cores, one.least = true, true, 1, 1
	}
}

// claim makes the claim of a pod that has none.
func (v *volumes) claim(one *job, name string) {
	if !one.volume || v.w.api.Get(v.claims, userNamespace, name) != nil {
		return
	}
	class := storageClass
	if v.w.did("a claim for a volume"); one.local {
		class = localClass
	}
	if _, was := v.again[name]; was {
		v.again[name] = time.Now()
	}
	v.w.post(v.claims, map[string]any{"metadata": map[string]any{"name": name, "namespace": userNamespace},
		"spec": map[string]any{"storageClassName": class, "accessModes": []any{"ReadWriteOnce"},
			"resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}},
		"status": map[string]any{"phase": "Pending"}})
}

func (v *volumes) unclaim(one *job, name string) {
	if one.volume {
		v.again[name] = time.Time{}
		v.w.do(http.MethodDelete, v.claims.Path(userNamespace, name), map[string]any{})
	}
}

// tend looks after all claims and volumes, again and again.
func (v *volumes) tend() {
	w := v.w
	for _, c := range w.api.List(v.claims) {
		m := c.Meta()
		node := m.GetAnnotations()[selectedNode]
		switch {
		case node == "" || text(c.Object, "spec", "volumeName") != "":
		case !w.nodes.up[node] || !w.calm && w.chance(0.1):
			w.did("a volume that cannot be made")
			w.do(http.MethodPatch, v.claims.Path(userNamespace, m.GetName()), map[string]any{"metadata": map[string]any{
				"annotations": map[string]any{selectedNode: nil}}})
		case w.calm || w.chance(0.5):
			v.provide(c, node)
		}
	}
	v.locals()
	for _, pv := range w.api.List(v.volumes) {
		ref := asMap(asMap(pv.Object["spec"])["claimRef"])
		if text(ref, "name") == "" {
			continue
		}
		if c := w.api.Get(v.claims, userNamespace, text(ref, "name")); c == nil ||
			string(c.Meta().GetUID()) != text(ref, "uid") {
			w.do(http.MethodDelete, v.volumes.Path("", pv.Meta().GetName()), map[string]any{})
		}
	}
	w.seq.after(w.between(500*time.Millisecond, 5*time.Second), v.tend)
}

// provide makes the volume of a claim on a node.
func (v *volumes) provide(c *apimodel.Stored, node string) {
	w, m := v.w, c.Meta()
	name := "pvc-" + string(m.GetUID())
	w.did("a volume made")
	pv := volumeOn(node, name, storageClass)
	asMap(pv["spec"])["claimRef"] = map[string]any{"kind": "PersistentVolumeClaim", "apiVersion": "v1",
		"namespace": userNamespace, "name": m.GetName(), "uid": string(m.GetUID())}
	v.w.post(v.volumes, pv)
	v.join(c, name)
}

// volumeOn is a volume on a node.
func volumeOn(node, name, class string) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": name}, "spec": map[string]any{
		"storageClassName": class, "accessModes": []any{"ReadWriteOnce"},
		"capacity":                      map[string]any{"storage": "1Gi"},
		"persistentVolumeReclaimPolicy": "Delete",
		"csi":                           map[string]any{"driver": "disks.world.ashlar.sh", "volumeHandle": name},
		"nodeAffinity": map[string]any{"required": map[string]any{"nodeSelectorTerms": []any{map[string]any{
			"matchExpressions": []any{map[string]any{"key": "kubernetes.io/hostname", "operator": "In",
				"values": []any{node}}}}}}}}}
}

// join binds a claim and its volume to each other.
func (v *volumes) join(c *apimodel.Stored, name string) {
	w, m := v.w, c.Meta()
	w.do(http.MethodPatch, v.volumes.Path("", name, "status"), map[string]any{"status": map[string]any{"phase": "Bound"}})
	w.do(http.MethodPatch, v.claims.Path(userNamespace, m.GetName()), map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{"pv.kubernetes.io/bind-completed": "yes",
			"pv.kubernetes.io/bound-by-controller": "yes"}}, "spec": map[string]any{"volumeName": name}})
	w.do(http.MethodPatch, v.claims.Path(userNamespace, m.GetName(), "status"), map[string]any{"status": map[string]any{
		"phase": "Bound", "capacity": map[string]any{"storage": "1Gi"}, "accessModes": []any{"ReadWriteOnce"}}})
}

// into writes into the spec of a pod which claim it has.
func (v *volumes) into(spec map[string]any, claim string) {
	spec["volumes"] = []any{map[string]any{"name": "disk", "persistentVolumeClaim": map[string]any{"claimName": claim}}}
}

// bound checks that a pod that is bound has its volume, where its node can reach it.
func (v *volumes) bound(write apimodel.Write, one *job, node string) {
	if !one.volume || time.Since(v.w.check.restoredAt) < blind {
		return
	}
	if v.w.did("a pod with a volume bound"); one.local {
		v.w.did("a pod with a volume that was there bound")
	}
	if at, is := v.again[write.After.Meta().GetName()]; is && time.Since(at) < countedAfter {
		return
	}
	name := ""
	if c := v.w.api.Get(v.claims, userNamespace, write.After.Meta().GetName()); c != nil {
		name = text(c.Object, "spec", "volumeName")
	}
	pv := v.w.api.Get(v.volumes, "", name)
	if name == "" || pv == nil {
		v.w.wrong("pod %s is bound, and its claim has no volume", write.Key())
		return
	}
	if on := nodeOf(pv); on != node {
		v.w.wrong("pod %s is bound to %s, and its volume is on %s", write.Key(), node, on)
	}
}

// nodeOf is the node that a volume is on.
func nodeOf(pv *apimodel.Stored) string {
	terms, _ := asMap(asMap(asMap(pv.Object["spec"])["nodeAffinity"])["required"])["nodeSelectorTerms"].([]any)
	for _, t := range terms {
		expressions, _ := asMap(t)["matchExpressions"].([]any)
		for _, e := range expressions {
			values, _ := asMap(e)["values"].([]any)
			for _, value := range values {
				s, _ := value.(string)
				return s
			}
		}
	}
	return ""
}
