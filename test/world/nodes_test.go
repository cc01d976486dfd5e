package world

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// kubelets play the nodes: they run pods that are bound to them, end them, and report it.
type kubelets struct {
	w     *World
	up    map[string]bool
	shut  map[string]time.Time    // since when a node takes no pods
	ran   map[types.UID]time.Time // since when a pod runs
	pods  *apimodel.Kind
	nodes *apimodel.Kind
}

const (
	nodeCores = 8
	nodePods  = 20
)

func newKubelets(w *World) *kubelets {
	return &kubelets{w: w, up: map[string]bool{}, shut: map[string]time.Time{}, ran: map[types.UID]time.Time{},
		pods: w.api.Kind("", "pods"), nodes: w.api.Kind("", "nodes")}
}

func (k *kubelets) begin() {
	w := k.w
	for i := range w.Nodes {
		k.come(nodeName(i))
	}
	names := sorted(k.up)
	pick := func() string { return names[w.random.IntN(len(names))] }
	w.every(w.Trouble.NodeFails, func() {
		if name := pick(); k.up[name] {
			w.did("a node failed")
			k.fail(name)
			w.seq.after(w.between(time.Second, w.longest()), func() { k.come(name) })
		}
	})
	k.scale()
	w.every(w.Trouble.Cordoned, func() {
		if name := pick(); k.up[name] {
			w.did("a node cordoned")
			k.cordon(name, true)
			w.seq.after(w.between(time.Second, w.longest()), func() { k.cordon(name, false) })
		}
	})
}

func (k *kubelets) calm() {
	for i := range k.w.Nodes {
		name := nodeName(i)
		k.come(name)
		k.cordon(name, false)
	}
}

// longest is how long a node takes no pods at most: now and then longer than any scheduler may not see it.
func (w *World) longest() time.Duration {
	if w.chance(0.2) {
		return 9 * time.Minute
	}
	return 3 * time.Minute
}

func (k *kubelets) cordon(name string, yes bool) {
	if k.shut[name].IsZero() == yes {
		k.shut[name] = time.Now()
	}
	if !yes {
		delete(k.shut, name)
	}
	k.w.do(http.MethodPatch, k.nodes.Path("", name), map[string]any{"spec": map[string]any{"unschedulable": yes}})
}

func (k *kubelets) come(name string) {
	if k.up[name] {
		return
	}
	k.up[name] = true
	delete(k.shut, name)
	delete(k.w.labels.tainted, name)
	room := map[string]any{"cpu": fmt.Sprint(nodeCores), "memory": "64Gi", "pods": fmt.Sprint(nodePods)}
	labels := map[string]any{"kubernetes.io/hostname": name}
	if zone := k.w.labels.home(name); zone != "" {
		labels[zoneLabel] = zone
	}
	k.w.make("", "nodes", map[string]any{"metadata": map[string]any{"name": name, "labels": labels},
		"status": map[string]any{"allocatable": room, "capacity": room,
			"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}})
	k.w.devices.come(name)
}

// fail removes a node and, as the garbage collector would, its pods, but for those that have succeeded: a gang's
// minimum counts them.
func (k *kubelets) fail(name string) {
	k.up[name], k.shut[name] = false, time.Now()
	k.w.do(http.MethodDelete, k.nodes.Path("", name), map[string]any{})
	k.w.devices.fail(name)
	for _, p := range k.w.api.List(k.pods) {
		if text(p.Object, "spec", "nodeName") == name {
			k.w.seq.after(k.w.between(0, 10*time.Second), func() {
				m := p.Meta()
				now := k.w.api.Get(k.pods, m.GetNamespace(), m.GetName())
				if now != nil && text(now.Object, "status", "phase") != "Succeeded" {
					k.remove(p)
				}
			})
		}
	}
}

// failed says that a node is gone, or was made anew since a pod is there: the pod is about to be deleted.
func (k *kubelets) failed(node string, p *apimodel.Stored) bool {
	n := k.w.api.Get(k.nodes, "", node)
	return n == nil || n.Meta().GetCreationTimestamp().After(p.Meta().GetCreationTimestamp().Time)
}

// remove deletes a pod's life at once.
func (k *kubelets) remove(p *apimodel.Stored) {
	m := p.Meta()
	k.w.do(http.MethodDelete, k.pods.Path(m.GetNamespace(), m.GetName()),
		map[string]any{"gracePeriodSeconds": 0, "preconditions": map[string]any{"uid": m.GetUID()}})
}

// wrote has a kubelet act on a pod that it was given or that it has to end.
func (k *kubelets) wrote(write apimodel.Write) {
	if write.Kind != k.pods || write.After == nil {
		return
	}
	p := write.After
	node := text(p.Object, "spec", "nodeName")
	if node == "" {
		return
	}
	if write.Before == nil || text(write.Before.Object, "spec", "nodeName") == "" {
		if !k.up[node] { // bound to a node that is gone: the garbage collector finds it
			k.w.seq.after(k.w.between(time.Second, 20*time.Second), func() { k.remove(p) })
			return
		}
		k.w.seq.after(k.w.between(100*time.Millisecond, 3*time.Second), func() { k.report(p, "Running") })
	}
	if write.Before != nil && write.Before.Meta().GetDeletionTimestamp() == nil && p.Meta().GetDeletionTimestamp() != nil {
		k.w.seq.after(k.endsIn(), func() { k.remove(p) })
	}
}

// endsIn is how long a pod takes to leave.
func (k *kubelets) endsIn() time.Duration {
	if !k.w.calm && k.w.chance(k.w.Trouble.Lingers) {
		if k.w.chance(0.1) {
			k.w.did("a pod that does not leave")
			return max(time.Minute, k.w.Lasts-time.Since(k.w.began))
		}
		k.w.did("a pod that takes minutes to leave")
		return k.w.between(10*time.Second, 10*time.Minute)
	}
	return k.w.between(100*time.Millisecond, 10*time.Second)
}

// report writes a pod's phase, if it still lives and its node is there.
func (k *kubelets) report(p *apimodel.Stored, phase string) {
	m := p.Meta()
	now := k.w.api.Get(k.pods, m.GetNamespace(), m.GetName())
	if now == nil || now.Meta().GetUID() != m.GetUID() || now.Meta().GetDeletionTimestamp() != nil ||
		!k.up[text(now.Object, "spec", "nodeName")] {
		return
	}
	if was := text(now.Object, "status", "phase"); was == "Succeeded" || was == "Failed" {
		return // a store that was put back shows a pod that has ended as bound anew
	}
	status := map[string]any{"phase": phase}
	if phase == "Running" {
		list, _ := asMap(now.Object["status"])["conditions"].([]any)
		status["startTime"] = time.Now().UTC().Format(time.RFC3339)
		status["conditions"] = append(slices.Clone(list), map[string]any{"type": "Ready", "status": "True"})
		if k.ran[m.GetUID()].IsZero() {
			k.ran[m.GetUID()] = time.Now()
		}
	}
	k.w.do(http.MethodPatch, k.pods.Path(m.GetNamespace(), m.GetName(), "status"), map[string]any{"status": status})
	if phase == "Running" {
		lasts, _ := time.ParseDuration(m.GetAnnotations()[lastsAnnotation]) // the world wrote it
		lasts += k.w.between(0, time.Second)
		limit, _ := asMap(m.Object["spec"])["activeDeadlineSeconds"].(int64)
		if limit := time.Duration(limit) * time.Second; limit > 0 && limit < lasts {
			k.w.seq.after(limit, func() { k.report(p, "Failed") })
			return
		}
		if crash := k.w.jobs.crashes(p); crash > 0 && crash < lasts {
			k.w.seq.after(crash, func() { k.report(p, "Failed") })
			return
		}
		k.w.seq.after(lasts, func() { k.report(p, "Succeeded") })
	}
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }
