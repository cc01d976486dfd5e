package world

import (
	"fmt"
	"net/http"
	"strings"

	"ashlar.sh/test/world/apimodel"
)

// tenant is one that writes whatever it may in its own namespace, to harm others or the scheduler. Its queue may hold
// next to nothing, so nothing of it may ever run, and no pod may be evicted for it.
type tenant struct {
	w      *World
	groups *apimodel.Kind
	pods   *apimodel.Kind
}

const (
	evilNamespace = "evil"
	evilQueue     = "evil"
)

func newTenant(w *World) *tenant {
	return &tenant{w: w, groups: w.api.Kind("scheduling.volcano.sh", "podgroups"), pods: w.api.Kind("", "pods")}
}

func (e *tenant) begin() {
	w := e.w
	w.make("", "namespaces", map[string]any{"metadata": map[string]any{"name": evilNamespace}})
	w.make("scheduling.volcano.sh", "queues", map[string]any{"metadata": map[string]any{"name": evilQueue},
		"spec": map[string]any{"weight": 1, "reclaimable": true,
			"capability": map[string]any{"cpu": "1m", "memory": "1Mi", "pods": "1"}}})
	w.every(w.Trouble.Hostile, func() {
		w.did("a hostile write")
		if w.Trouble.Fields && w.chance(0.2) {
			e.claim()
		}
		switch w.random.IntN(5) {
		case 0:
			e.group()
		case 1:
			e.pod()
		case 2:
			e.spoil()
		case 3:
			e.end()
		default:
			e.pod()
			e.spoil()
		}
	})
}

func (e *tenant) any(list ...any) any { return list[e.w.random.IntN(len(list))] }

// names that are used again and again, some of them those of others' jobs.
func (e *tenant) name() string {
	return fmt.Sprint(e.any("job-0", "job-1", "job-2", "job-3", "x", "y", strings.Repeat("z", 60)))
}

var hugeAmounts = []any{"1e16", "9223372036854775807", "8Ei", "-1", "0", "1n", "1e-400", "100E"}

func (e *tenant) group() {
	spec := map[string]any{"minMember": e.any(0, 1, 3, -1, 1<<31-1),
		"queue":             e.any(evilQueue, evilQueue, "nosuch", "root"),
		"priorityClassName": e.any("", "high", "nosuch"), "minResources": map[string]any{"cpu": e.any(hugeAmounts...),
			"nosuch.io/thing": e.any(hugeAmounts...)},
		"minTaskMember": e.any(map[string]any{"a": 1<<31 - 1}, map[string]any{"a": -5, "": 3}, nil)}
	if e.w.Trouble.Fields {
		e.groupFields(spec)
	}
	e.do(http.MethodPost, e.groups.Path(evilNamespace, ""), map[string]any{
		"metadata": map[string]any{"name": e.name(), "namespace": evilNamespace, "annotations": e.annotations()},
		"spec":     spec, "status": e.status()})
}

func (e *tenant) status() map[string]any {
	return map[string]any{"phase": e.any("Running", "Inqueue", "Pending", "nosuch", ""),
		"running": e.any(-1, 0, 1<<31-1), "conditions": []any{map[string]any{"type": e.any("Scheduled", "Unschedulable", ""),
			"status": "True", "transitionID": strings.Repeat("t", 1+e.w.random.IntN(2000)),
			"lastTransitionTime": "2200-01-01T00:00:00Z", "reason": "", "message": strings.Repeat("\u00fc", 500)}}}
}

func (e *tenant) annotations() map[string]any {
	out := map[string]any{}
	for _, key := range []string{groupAnnotation, "scheduling.volcano.sh/group-name", "volcano.sh/preemptable",
		"volcano.sh/task-spec", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone", "volcano.sh/jdb-min-available",
		"volcano.sh/jdb-max-unavailable", "volcano.sh/numa-topology-policy", "volcano.sh/task-topology-affinity",
		"volcano.sh/sla-waiting-time", "sla-waiting-time", "volcano.sh/queue-name", "scheduling.volcano.sh/queue-name",
		"volcano.sh/task-priority", "ashlar.sh/record", "ashlar.sh/let-run"} {
		if e.w.chance(0.3) {
			out[key] = e.any("true", "false", "-1", "999999999999999999999", "{}", "[[[[", e.name(), "\x00\uffff",
				strings.Repeat("9", 3000))
		}
	}
	for _, key := range []string{"volcano.sh/queue-name", "scheduling.volcano.sh/queue-name"} {
		if out[key] != nil {
			out[key] = e.any(evilQueue, "nosuch", "root")
		}
	}
	return out
}

func (e *tenant) pod() {
	a := e.annotations()
	if e.w.chance(0.7) {
		a[groupAnnotation] = e.name()
	} else {
		delete(a, groupAnnotation)
		a["scheduling.volcano.sh/queue-name"] = evilQueue
	}
	requests := map[string]any{"cpu": e.any("1", "8", "9223372036854775", "100m"), "memory": e.any("1Gi", "1Ei")}
	if e.w.chance(0.3) { // most would fit on a node
		requests["nosuch.io/thing"] = "1"
	}
	spec := map[string]any{"schedulerName": "volcano", "restartPolicy": "Never",
		"priorityClassName": e.any("", "high"), "priority": e.any(1000, 1000, 0),
		"nodeSelector": e.any(nil, map[string]any{"kubernetes.io/hostname": "node-0"}),
		"tolerations":  []any{map[string]any{"operator": "Exists"}},
		"containers": []any{map[string]any{"name": "main", "image": "main", "resources": map[string]any{
			"requests": requests}}}}
	if e.w.Trouble.Fields {
		e.fields(spec)
	}
	e.do(http.MethodPost, e.pods.Path(evilNamespace, ""), map[string]any{"metadata": map[string]any{
		"name": fmt.Sprintf("%s-%d", e.name(), e.w.random.IntN(3)), "namespace": evilNamespace, "annotations": a,
		"labels": map[string]any{jobLabel: e.name(), "app": "volcano-scheduler"}}, "spec": spec})
}

// spoil changes something that is there.
func (e *tenant) spoil() {
	list := e.own()
	if len(list) == 0 {
		return
	}
	o := list[e.w.random.IntN(len(list))]
	m := o.Meta()
	if m.GetKind() == "PodGroup" {
		e.do(http.MethodPatch, e.groups.Path(evilNamespace, m.GetName()), map[string]any{
			"metadata": map[string]any{"annotations": e.annotations()}, "status": e.status(),
			"spec": map[string]any{"minMember": e.any(0, 2, -7, 1<<31-1), "queue": e.any(evilQueue, "nosuch")}})
		return
	}
	if e.w.chance(0.5) {
		e.do(http.MethodPatch, e.pods.Path(evilNamespace, m.GetName()), map[string]any{
			"metadata": map[string]any{"annotations": e.annotations()}})
		return
	}
	e.do(http.MethodPatch, e.pods.Path(evilNamespace, m.GetName(), "status"), map[string]any{
		"status": map[string]any{"phase": e.any("Running", "Succeeded", "Failed", "Pending", "nosuch"),
			"nominatedNodeName": e.any("node-0", "node-1", "nosuch", nil)}})
}

func (e *tenant) own() (out []*apimodel.Stored) {
	for _, k := range []*apimodel.Kind{e.groups, e.pods} {
		for _, o := range e.w.api.List(k) {
			if o.Meta().GetNamespace() == evilNamespace {
				out = append(out, o)
			}
		}
	}
	return out
}

// end deletes some of what it has.
func (e *tenant) end() {
	for _, o := range e.own() {
		if e.w.chance(0.5) {
			e.remove(o)
		}
	}
}

func (e *tenant) remove(o *apimodel.Stored) {
	k := e.pods
	if o.Meta().GetKind() == "PodGroup" {
		k = e.groups
	}
	e.do(http.MethodDelete, k.Path(evilNamespace, o.Meta().GetName()), map[string]any{"gracePeriodSeconds": 0})
}

func (e *tenant) do(method, path string, body any) { e.w.doAs("tenant", method, path, body) }
