package world

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// The pods of some jobs are made as Kubernetes' Job controller, its ReplicaSets or Volcano's job controller make them.
const (
	jobKind     = "Job"        // another pod under a new name for one that failed or has to leave; what succeeded stays
	setKind     = "ReplicaSet" // the same, and pods never succeed: its user ends it
	volcanoKind = "VolcanoJob" // none before its PodGroup is admitted, and all of them anew when one is lost
)

// kindsFrom is the first seed of worlds in which there are such jobs.
const kindsFrom = 400_000_000

// drawKinds draws, from a source of its own, what worlds from there on have.
func (o *Options) drawKinds() {
	r := rand.New(rand.NewPCG(o.Seed, 12))
	o.Trouble.Kinds = 0.3 + 0.6*r.Float64()
	o.Trouble.Crashes = float64(r.IntN(2)) * r.Float64() * 0.2
	o.Trouble.Resized = inHalf(r, 20*time.Second)
	o.Trouble.Protects, o.Trouble.Reclassed = inHalf(r, 30*time.Second), inHalf(r, time.Minute)
	o.Trouble.Lingers, o.Trouble.Gated = float64(r.IntN(2))*r.Float64()*0.3, float64(r.IntN(2))*r.Float64()*0.5
}

// made is how the controller of a job makes its pods.
type made struct {
	kind    string   // "": missing pods anew under their names, as a StatefulSet
	names   []string // of the pods that it keeps
	number  int      // how many it has made under new names
	early   bool     // a Job replaces a pod that leaves, as by default, not only one that is gone
	strict  bool     // a Volcano job begins again when a pod was evicted, not only when one failed
	tasks   bool     // a Volcano job has a leader, which its minimum needs
	gated   bool     // pods have a gate at first
	kills   bool     // a Volcano job is deleting its pods to begin again
	serves  time.Duration
	ran     bool // a ReplicaSet had its minimum once, and is ended when it has served
	retired bool
}

// renews says that pods are made under new names.
func (m *made) renews() bool { return m.kind == jobKind || m.kind == setKind }

// kindOf draws how the pods of a job are made.
func (j *jobs) kindOf(one *job) {
	w, m := j.w, &one.made
	m.gated = !w.Planned && w.chance(w.Trouble.Gated)
	if w.Planned || !w.chance(w.Trouble.Kinds) {
		return
	}
	m.kind = []string{jobKind, setKind, volcanoKind}[w.random.IntN(3)]
	m.early, m.strict, m.tasks = w.chance(0.7), w.chance(0.5), w.chance(0.5) && one.least > 1
	w.did("a " + m.kind)
	one.owned = true
	if !m.renews() {
		return
	}
	one.volume, one.local = false, false // claims of a pod's name
	if one.claimsItself() {
		one.devices, one.shared = 0, false
	}
	if m.kind == setKind {
		m.serves, one.lasts, one.limit, one.guess = one.lasts, 1000*time.Hour, 0, 0
	}
}

// grouped writes what Volcano's job controller says in the PodGroup of a job.
func (j *jobs) grouped(one *job, metadata, spec map[string]any) {
	if one.made.kind != volcanoKind {
		return
	}
	spec["minResources"] = one.minResources()
	if one.made.tasks {
		spec["minTaskMember"] = one.minTasks()
	}
	j.own(one)
	j.ownedBy(one, metadata)
}

func (one *job) minResources() map[string]any {
	return map[string]any{"cpu": fmt.Sprint(one.least * one.cores), "memory": fmt.Sprintf("%dGi", one.least)}
}

func (one *job) minTasks() map[string]any { return map[string]any{"lead": 1, "work": one.least - 1} }

// ungate removes the gates of a job's pods, some later than others.
func (j *jobs) ungate(one *job) {
	for _, p := range j.w.api.List(j.pods) {
		if j.of(p) == one && asMap(p.Object["spec"])["schedulingGates"] != nil && j.w.chance(0.2) {
			j.w.did("a gate removed")
			j.w.do(http.MethodPatch, j.pods.Path(userNamespace, p.Meta().GetName()),
				map[string]any{"spec": map[string]any{"schedulingGates": nil}})
		}
	}
}

// control acts for a job as its controller does.
func (j *jobs) control(one *job) {
	if one.made.gated {
		j.ungate(one)
	}
	switch one.made.kind {
	case "":
		j.restart(one)
		j.fill(one)
	case volcanoKind:
		j.volcano(one)
	default:
		j.restart(one)
		j.renew(one)
	}
}

// leaves says that a pod has to leave, or has failed.
func leaves(p *apimodel.Stored) bool {
	return p.Meta().GetDeletionTimestamp() != nil || text(p.Object, "status", "phase") == "Failed"
}

// renew makes pods under new names for those that are lost, and deletes what is too many.
func (j *jobs) renew(one *job) {
	m, running := &one.made, 0
	keep := map[string]bool{}
	for i := range one.pods {
		for len(m.names) <= i {
			m.names = append(m.names, "")
		}
		p := j.w.api.Get(j.pods, userNamespace, m.names[i])
		lost := p == nil || text(p.Object, "status", "phase") == "Failed" ||
			p.Meta().GetDeletionTimestamp() != nil && (m.early || m.kind == setKind)
		if lost && !one.done[i] {
			if p != nil {
				j.w.did("a pod replaced that is still there")
			}
			m.names[i] = fmt.Sprintf("%s-%d", one.name, m.number)
			m.number++
			j.w.make("", "pods", j.podOf(one, m.names[i]))
		} else if p != nil && text(p.Object, "status", "phase") == "Running" && !leaves(p) {
			running++
		}
		keep[m.names[i]] = true
	}
	for _, p := range j.w.api.List(j.pods) {
		if j.of(p) == one && !keep[p.Meta().GetName()] && !leaves(p) && !ended(p) {
			j.w.did("a pod too many deleted")
			j.leave(p)
		}
	}
	if m.kind == setKind && !m.ran && running >= one.least {
		m.ran = true
		j.w.seq.after(m.serves, func() { m.retired = true })
	}
}

// leave deletes a pod's life, with the time that it has to end.
func (j *jobs) leave(p *apimodel.Stored) {
	j.w.do(http.MethodDelete, j.pods.Path(userNamespace, p.Meta().GetName()),
		map[string]any{"preconditions": map[string]any{"uid": p.Meta().GetUID()}})
}

// volcano makes the pods of a job once its PodGroup is admitted. It deletes all of them when one failed, or, of a
// strict one, was lost, and begins again once they are gone; so it does when the rest waits for what has succeeded and
// is gone.
func (j *jobs) volcano(one *job) {
	g := j.w.api.Get(j.groups, userNamespace, one.name)
	j.scaled(one, g)
	m, left, missing := &one.made, 0, 0
	lost, lacks := false, false
	for i := range one.pods {
		p := j.w.api.Get(j.pods, userNamespace, podName(one, i))
		switch {
		case p != nil:
			left++
			lost = lost || text(p.Object, "status", "phase") == "Failed" ||
				m.strict && p.Meta().GetDeletionTimestamp() != nil && !one.done[i]
		case one.done[i]:
			lacks = true
		default:
			missing++
		}
	}
	if !m.kills && left > 0 && (lost || lacks && missing > 0) {
		m.kills = true
		j.w.did("a Volcano job begun again")
		j.w.log("%s is begun again, as Volcano's controller does", one.name)
	}
	if m.kills && left > 0 {
		for i := range one.pods {
			if p := j.w.api.Get(j.pods, userNamespace, podName(one, i)); p != nil && p.Meta().GetDeletionTimestamp() == nil {
				j.leave(p)
			}
		}
		return
	}
	if m.kills {
		m.kills = false
		clear(one.done)
	}
	if phase := text(g.Object, "status", "phase"); phase == "" || phase == "Pending" {
		j.w.did("a Volcano job waits to be admitted")
		return
	}
	j.fill(one)
}

// resize plays users who scale a ReplicaSet or a Volcano job.
func (j *jobs) resize() {
	w := j.w
	w.every(w.Trouble.Resized, func() {
		fits := slices.DeleteFunc(j.alive(), func(one *job) bool {
			return one.made.kind != setKind && one.made.kind != volcanoKind || one.devices > 0 || one.volume || one.rack
		})
		if len(fits) == 0 {
			return
		}
		one := fits[w.random.IntN(len(fits))]
		if one.made.kind == setKind {
			w.did("a ReplicaSet scaled")
			j.scale(one, one.least+w.random.IntN(6))
			return
		}
		w.did("a Volcano job scaled")
		pods := 2 + w.random.IntN(5)
		least := 2 + w.random.IntN(pods-1)
		one.least = max(1, min(least, w.due(one.queue)/one.cores))
		one.made.tasks = one.made.tasks && one.least > 1
		j.scale(one, pods)
	})
}

// scaled has a PodGroup say what its Volcano job says.
func (j *jobs) scaled(one *job, g *apimodel.Stored) {
	if least, _ := asMap(g.Object["spec"])["minMember"].(int64); least == int64(one.least) {
		return
	}
	spec := map[string]any{"minMember": one.least, "minResources": one.minResources(), "minTaskMember": nil}
	if one.made.tasks {
		spec["minTaskMember"] = one.minTasks()
	}
	j.w.do(http.MethodPatch, j.groups.Path(userNamespace, one.name), map[string]any{"spec": spec})
}

// scale has a job have so many pods. Those that are too many have to leave: of a ReplicaSet first one that is bound
// nowhere, of others the last ones.
func (j *jobs) scale(one *job, pods int) {
	for one.pods > pods {
		last := one.pods - 1
		if m := &one.made; m.renews() && len(m.names) == one.pods {
			for i, name := range m.names {
				if p := j.w.api.Get(j.pods, userNamespace, name); p == nil || text(p.Object, "spec", "nodeName") == "" {
					m.names[i], m.names[last] = m.names[last], name
					break
				}
			}
		}
		name := podName(one, last)
		one.pods, one.made.names = last, one.made.names[:min(last, len(one.made.names))]
		delete(one.done, last)
		if p := j.w.api.Get(j.pods, userNamespace, name); p != nil {
			j.leave(p)
		}
	}
	one.pods = pods
}

// crashes says after how long the container of a pod that runs fails; 0: it does not.
func (j *jobs) crashes(p *apimodel.Stored) time.Duration {
	one := j.of(p)
	if j.w.calm || one == nil || one.made.kind != jobKind && one.made.kind != volcanoKind ||
		!j.w.chance(j.w.Trouble.Crashes) {
		return 0
	}
	j.w.did("a container fails")
	return j.w.between(time.Second, one.lasts)
}

// owner is the object that owns the pods of a job.
func (j *jobs) owner(one *job) *apimodel.Kind {
	switch one.made.kind {
	case jobKind:
		return j.w.api.Kind("batch", "jobs")
	case setKind:
		return j.w.api.Kind("apps", "replicasets")
	case volcanoKind:
		return j.w.api.Kind("batch.volcano.sh", "jobs")
	}
	return j.sets
}

// owning is its spec.
func (one *job) owning(template map[string]any) map[string]any {
	switch one.made.kind {
	case jobKind:
		delete(template, "metadata")
		asMap(template["spec"])["restartPolicy"] = "Never"
		return map[string]any{"completions": one.pods, "parallelism": one.pods, "template": template}
	case setKind:
		return map[string]any{"replicas": one.pods, "template": template,
			"selector": map[string]any{"matchLabels": map[string]any{jobLabel: one.name}}}
	case volcanoKind:
		return map[string]any{"minAvailable": one.least, "schedulerName": "volcano", "queue": one.queue,
			"tasks": []any{map[string]any{"name": "work", "replicas": one.pods, "template": template}}}
	}
	return map[string]any{"replicas": one.pods, "serviceName": one.name, "template": template,
		"selector": map[string]any{"matchLabels": map[string]any{jobLabel: one.name}}}
}
