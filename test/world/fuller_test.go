package world

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// fullerFrom is the first seed of worlds with an autoscaler and kube-scheduler beside us, with refusals of writes about
// all objects, with bugs that show after a request was carried out, and with tenants that write all fields of pods and
// PodGroups. One in twenty of them is dense: jobs and trouble come at, or nearly at, the pace of the fastest worlds.
const fullerFrom = 200_000_000

// fill draws, from a source of its own, what worlds from there on have.
func (o *Options) fill() {
	r := rand.New(rand.NewPCG(o.Seed, 11))
	o.Trouble.Scaled, o.Trouble.Foreign = inHalf(r, 20*time.Second), inHalf(r, 20*time.Second)
	o.Trouble.Fields, o.Trouble.Answered, o.Trouble.DeniedAll = r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
	if r.IntN(20) == 0 {
		o.Settles /= time.Duration(o.Pace)
		o.Pace = 1 + r.IntN(5)
		o.Settles *= time.Duration(o.Pace)
	}
}

// scale plays an autoscaler: it removes a node on which nothing runs, and adds it again once pods wait for room.
func (k *kubelets) scale() {
	w := k.w
	w.every(w.Trouble.Scaled, func() {
		busy := map[string]bool{}
		for _, p := range w.api.List(k.pods) {
			busy[text(p.Object, "spec", "nodeName")] = true
		}
		up, empty := sorted(k.up), []string(nil)
		for _, name := range up {
			if !busy[name] {
				empty = append(empty, name)
			}
		}
		if len(up) < 2 || len(empty) == 0 {
			return
		}
		name := empty[w.random.IntN(len(empty))]
		w.did("an empty node removed")
		k.fail(name)
		k.awaited(name)
	})
}

// awaited adds a node that was removed, some time after a pod says that it has no room.
func (k *kubelets) awaited(name string) {
	k.w.seq.after(10*time.Second, func() {
		if k.up[name] {
			return
		}
		for _, p := range k.w.api.List(k.pods) {
			if p.Meta().GetNamespace() == userNamespace && text(p.Object, "spec", "nodeName") == "" &&
				hasCondition(p, "PodScheduled") {
				k.w.seq.after(k.w.between(time.Second, time.Minute), func() {
					if !k.up[name] {
						k.w.did("a node added for pods that wait")
						k.come(name)
					}
				})
				return
			}
		}
		k.awaited(name)
	})
}

// race plays kube-scheduler, which binds a pod of its own to a node that had room when it looked.
func (o *others) race() {
	w := o.w
	w.every(w.Trouble.Foreign, func() {
		node := nodeName(w.random.IntN(w.Nodes))
		if !w.nodes.up[node] {
			return
		}
		p := o.make("")
		name, uid := p.Meta().GetName(), p.Meta().GetUID()
		need, used := coresOf(p), int64(0)
		for _, other := range w.api.List(o.pods) {
			if w.check.bound[other.Meta().GetUID()] == node {
				used += coresOf(other)
			}
		}
		if used+need > o.now(node) {
			return // it waits until its time is over
		}
		w.seq.after(w.between(time.Millisecond, 3*time.Second), func() {
			if !w.nodes.up[node] {
				return
			}
			o.since[uid] = time.Now()
			w.did("a pod bound by kube-scheduler")
			w.doAs(kubeScheduler, http.MethodPost, o.pods.Path(systemNamespace, name, "binding"), map[string]any{
				"target": map[string]any{"kind": "Node", "name": node}, "metadata": map[string]any{"name": name,
					"namespace": systemNamespace, "uid": string(uid)}})
		})
	})
}

const kubeScheduler = "kube-scheduler"

// fields are parts of a pod's spec that a tenant may write, to harm others or the scheduler.
func (e *tenant) fields(spec map[string]any) {
	hard := "requiredDuringSchedulingIgnoredDuringExecution"
	term := map[string]any{"topologyKey": e.any("kubernetes.io/hostname", zoneLabel, "nosuch", ""),
		"labelSelector":     e.any(map[string]any{}, map[string]any{"matchLabels": map[string]any{jobLabel: "job-0"}}),
		"namespaceSelector": e.any(nil, map[string]any{}), "namespaces": e.any(nil, []any{userNamespace})}
	soft := []any{map[string]any{"weight": e.any(1, 100, -1), "podAffinityTerm": term}}
	all := map[string]any{
		"affinity": map[string]any{
			"podAntiAffinity": map[string]any{hard: []any{term}},
			"podAffinity":     map[string]any{"preferredDuringSchedulingIgnoredDuringExecution": soft},
			"nodeAffinity": map[string]any{hard: map[string]any{"nodeSelectorTerms": []any{map[string]any{
				"matchExpressions": []any{map[string]any{"key": "kubernetes.io/hostname",
					"operator": e.any("In", "Gt", "Exists", "nosuch"), "values": e.any([]any{"node-0"}, []any{}, nil)}}}}}}},
		"topologySpreadConstraints": []any{map[string]any{"maxSkew": e.any(1, 1<<31-1, 0),
			"topologyKey": e.any("kubernetes.io/hostname", "nosuch"), "whenUnsatisfiable": e.any("DoNotSchedule", "nosuch"),
			"labelSelector": map[string]any{}, "minDomains": e.any(nil, 1<<31-1)}},
		"schedulingGates": []any{map[string]any{"name": e.any("x", "scheduling.volcano.sh/queue-allocation-gate")}},
		"initContainers": []any{map[string]any{"name": "first", "image": "first",
			"restartPolicy": e.any(nil, "Always"),
			"resources":     map[string]any{"requests": map[string]any{"cpu": e.any(hugeAmounts...)}}}},
		"overhead":  map[string]any{"cpu": e.any(hugeAmounts...)},
		"resources": map[string]any{"requests": map[string]any{"cpu": e.any("1", "-1", "8Ei")}},
		"volumes": []any{map[string]any{"name": "v", "persistentVolumeClaim": map[string]any{
			"claimName": e.any("nosuch", "")}}},
		"resourceClaims":        []any{map[string]any{"name": "c", "resourceClaimName": e.any("nosuch", e.name())}},
		"activeDeadlineSeconds": e.any(1, 1<<40, -1), "nodeName": e.any("", "nosuch"),
		"preemptionPolicy": e.any("Never", "PreemptLowerPriority", "nosuch"),
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if e.w.chance(0.2) {
			e.w.did("a hostile field")
			spec[key] = all[key]
		}
	}
}

// groupFields are parts of a PodGroup's spec that a tenant may write.
func (e *tenant) groupFields(spec map[string]any) {
	topology := map[string]any{"mode": e.any("hard", "soft", "nosuch"), "highestTierAllowed": e.any(1, -1, 1<<31-1)}
	if e.w.chance(0.3) {
		spec["networkTopology"] = topology
	}
	if e.w.chance(0.3) {
		spec["subGroupPolicy"] = []any{map[string]any{"name": e.any("s", ""), "subGroupSize": e.any(1, 0, 1<<31-1),
			"minSubGroups": e.any(1, -1), "labelSelector": map[string]any{"matchLabels": map[string]any{jobLabel: "job-0"}},
			"networkTopology": topology}}
	}
}

// claim makes a claim that says of itself that a scheduler made it, for a pod of the tenant.
func (e *tenant) claim() {
	owner := map[string]any{"apiVersion": "v1", "kind": "Pod", "controller": true, "name": "nosuch", "uid": "nosuch"}
	if list := e.own(); len(list) > 0 {
		m := list[e.w.random.IntN(len(list))].Meta()
		owner["name"], owner["uid"] = m.GetName(), string(m.GetUID())
	}
	e.do(http.MethodPost, e.w.devices.claims.Path(evilNamespace, ""), map[string]any{"metadata": map[string]any{
		"name": e.name(), "namespace": evilNamespace, "ownerReferences": []any{owner},
		"annotations": map[string]any{extendedAnnotation: "true"}},
		"spec": map[string]any{"devices": map[string]any{"requests": []any{map[string]any{"name": "r",
			"exactly": map[string]any{"deviceClassName": e.any("nosuch", deviceClass), "count": e.any(1, 1<<40)}}}}}})
}
