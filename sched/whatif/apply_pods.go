package whatif

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// pods has the pods of a unit come, change and go.
func (x *applying) pods(u *unit, is *trace.Existing, key ledger.JobKey) {
	left := slices.Clone(u.have)
	if remakes(u.kind) || u.kind == batchJob { // what has ended is replaced, or was one of the completions
		left = slices.DeleteFunc(left, func(p *model.Pod) bool {
			return remakes(u.kind) && p.Phase.Finished() || namesFreely(u.kind) && p.Deleting
		})
	}
	var come []*model.Pod
	changed := len(podEdits(u)) > 0
	for _, f := range u.pods {
		p := f.Object.(*model.Pod)
		at := slices.IndexFunc(left, func(have *model.Pod) bool {
			return have.Name == p.Name || namesFreely(u.kind) && (have.Node != "" || have.Phase.Finished())
		})
		if at < 0 && namesFreely(u.kind) && len(left) > 0 {
			at = 0
		}
		if at < 0 {
			come = append(come, p)
			continue
		}
		have := left[at]
		left = slices.Delete(left, at, at+1)
		x.stays(u, have, p, changed, is)
	}
	for _, p := range left {
		if u.kind != onlyPod && u.kind != onlyGroup && !p.Deleting && !p.Phase.Finished() {
			is.Go++
			ref := model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name}
			f, _ := x.there.Fact(ref)
			f.Object = nil
			x.out.Facts = append(x.out.Facts, f)
		}
	}
	for _, p := range come {
		next := *p
		if next.Group = key.Name; key.Adopted && len(u.have) > 0 {
			like := standing(u.have)
			next.Group, next.Owner, next.OwnerID = "", like.Owner, like.OwnerID
		}
		x.pod(u, &next, is)
	}
}

// stays keeps a pod of the cluster. One that waits is made anew by a controller that replaces pods.
func (x *applying) stays(u *unit, have, file *model.Pod, changed bool, is *trace.Existing) {
	switch waits := have.Node == "" && !have.Phase.Finished() && !have.Deleting; {
	case u.kind == onlyPod && waits:
		next := *have
		spec := *have.Spec
		spec.Tolerations = slices.Clone(spec.Tolerations)
		for _, t := range file.Spec.Tolerations {
			if !slices.Contains(spec.Tolerations, t) {
				spec.Tolerations = append(spec.Tolerations, t)
			}
		}
		if len(spec.Tolerations) > len(have.Spec.Tolerations) {
			next.Spec = &spec
			x.put(model.KindPod, &next)
		}
	case !changed || u.kind == onlyPod || have.Phase.Finished():
	case waits && (u.kind == deployment || u.kind == statefulSet):
		next := *file
		next.Meta, next.Index = have.Meta, have.Index
		next.Group, next.Owner, next.OwnerID = have.Group, have.Owner, have.OwnerID
		x.put(model.KindPod, &next)
	default:
		is.Later++
	}
}

// podEdits compares what the files say of a unit's pods with those that there are, the first of each task.
func podEdits(u *unit) (out []trace.Edit) {
	seen := map[string]bool{}
	fixed := !remakes(u.kind)
	for _, f := range u.pods {
		p := f.Object.(*model.Pod)
		if seen[p.Role] || len(u.have) == 0 {
			continue
		}
		seen[p.Role] = true
		var same []*model.Pod
		for _, have := range u.have {
			if have.Role == p.Role {
				same = append(same, have)
			}
		}
		if len(same) == 0 {
			if u.kind == volcanoJob { // a task without pods is not known
				out = append(out, trace.Edit{Field: trace.EditTask, Name: p.Role, Refused: true})
			}
			continue
		}
		out = append(out, specEdits(standing(same), p, fixed, u.kind == onlyPod)...)
	}
	return slices.CompactFunc(out, func(a, b trace.Edit) bool { return a == b })
}

// specEdits are what a file says of a pod that the cluster's has otherwise. What the file does not say is as webhooks
// and controllers have written it.
func specEdits(have, file *model.Pod, fixed, bare bool) (out []trace.Edit) {
	edit := func(e trace.Edit) {
		e.Refused = fixed && !(bare && e.Field == trace.EditToleration)
		out = append(out, e)
	}
	if file.Scheduler != "" && have.Scheduler != file.Scheduler {
		edit(trace.Edit{Field: trace.EditScheduler, Old: have.Scheduler, New: file.Scheduler})
	}
	if file.PriorityClass != "" && have.PriorityClass != file.PriorityClass {
		edit(trace.Edit{Field: trace.EditPriorityClass, Old: have.PriorityClass, New: file.PriorityClass})
	}
	old, now := have.Spec, file.Spec
	if old == now || old == nil || now == nil {
		return out
	}
	for _, a := range now.Requests {
		if was, _ := old.Requests.Get(a.Name); was != a.Value && a.Name != resource.PodsName {
			edit(trace.Edit{Field: trace.EditRequest, Name: a.Name, Was: was, Is: a.Value})
		}
	}
	for _, l := range now.Selector {
		if !slices.Contains(old.Selector, l) {
			edit(trace.Edit{Field: trace.EditSelector, Name: l.Key, New: l.Value})
		}
	}
	for _, t := range now.Tolerations {
		if !slices.Contains(old.Tolerations, t) {
			edit(trace.Edit{Field: trace.EditToleration, Name: cmp.Or(t.Key, "*"), New: t.Value})
		}
	}
	if now.Affinity != nil && !ledger.SameSpec(&model.Spec{Affinity: old.Affinity}, &model.Spec{Affinity: now.Affinity}) {
		edit(trace.Edit{Field: trace.EditAffinity})
	}
	if now.Neighbours != nil &&
		!ledger.SameSpec(&model.Spec{Neighbours: old.Neighbours}, &model.Spec{Neighbours: now.Neighbours}) {
		edit(trace.Edit{Field: trace.EditNeighbours})
	}
	if len(now.Devices) > 0 && !slices.Equal(old.Devices, now.Devices) || now.Extra != "" && old.Extra != now.Extra {
		edit(trace.Edit{Field: trace.EditClaims})
	}
	return out
}

// merged is a PodGroup of the cluster with what a file says of it. That of a Volcano Job cannot have all of it changed.
func merged(old, file *model.PodGroup, ofJob bool) (*model.PodGroup, []trace.Edit) {
	out := *old
	var edits []trace.Edit
	if file.MinMember != 0 && file.MinMember != old.MinMember {
		edits = append(edits, trace.Edit{Field: trace.EditMinMember, Was: int64(old.MinMember), Is: int64(file.MinMember)})
		out.MinMember = file.MinMember
	}
	if len(file.MinTaskMember) > 0 {
		out.MinTaskMember = file.MinTaskMember
		for _, r := range file.MinTaskMember {
			was := int32(0)
			if at := slices.IndexFunc(old.MinTaskMember, func(o model.RoleMin) bool { return o.Role == r.Role }); at >= 0 {
				was = old.MinTaskMember[at].Min
			}
			if was != r.Min {
				edits = append(edits, trace.Edit{Field: trace.EditTaskMember, Name: r.Role, Was: int64(was), Is: int64(r.Min)})
			}
		}
	}
	was := cmp.Or(old.Queue, model.DefaultQueue)
	if file.Queue != "" && file.Queue != was {
		edits = append(edits, trace.Edit{Field: trace.EditQueue, Old: was, New: file.Queue, Refused: ofJob})
		out.Queue = file.Queue
	}
	if file.PriorityClass != "" && file.PriorityClass != old.PriorityClass {
		edits = append(edits, trace.Edit{Field: trace.EditPriorityClass, Old: old.PriorityClass, New: file.PriorityClass})
		out.PriorityClass = file.PriorityClass
	}
	if file.Topology != nil && (old.Topology == nil || *file.Topology != *old.Topology) {
		edits = append(edits, trace.Edit{Field: trace.EditTopology, Refused: ofJob})
		out.Topology = file.Topology
	}
	if file.HasMin {
		out.MinResources, out.HasMin = file.MinResources, true
	}
	if file.SubGroups != nil {
		out.SubGroups = file.SubGroups
	}
	out.MaxWait, out.Lasts = cmp.Or(file.MaxWait, old.MaxWait), cmp.Or(file.Lasts, old.Lasts)
	out.Estimate = cmp.Or(file.Estimate, old.Estimate)
	out.Faults = file.Faults
	return &out, edits
}
