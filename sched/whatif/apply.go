package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Applied is what becomes of a cluster when files of jobs are applied to it.
type Applied struct {
	// Facts are what comes, what changes, and what goes (without an Object).
	Facts []model.Fact
	// Jobs are those of the files, as the cluster calls them; There are those of them that exist.
	Jobs  map[ledger.JobKey]bool
	There map[ledger.JobKey]trace.Existing
	// Taken are pods that are not made, as the cluster has others of their names.
	Taken []model.Ref
}

// Existing is what there was of a job of a report; false: nothing.
func (a *Applied) Existing(j *sched.JobReport) (trace.Existing, bool) {
	is, there := a.There[j.Key()]
	return is, there
}

// Kinds of owners, as model.Pod.OwnerID has them.
const (
	deployment  = "Deployment.apps"
	statefulSet = "StatefulSet.apps"
	replicaSet  = "ReplicaSet.apps"
	batchJob    = "Job.batch"
	volcanoJob  = "Job.batch.volcano.sh"
	onlyGroup   = "PodGroup"
	onlyPod     = "Pod"
)

// Apply says what becomes of jobs that files name, given as the facts of their objects. A job that exists has what its
// file says, as far as that may be changed; pods that have a node stay as they are. What a file does not say stays as
// the cluster has it: controllers and webhooks have written it.
func Apply(there Cluster, jobs []model.Fact) Applied {
	x := &applying{there: there, units: map[ownerKey]*unit{}, names: map[model.Ref]bool{},
		out: Applied{Jobs: map[ledger.JobKey]bool{}, There: map[ledger.JobKey]trace.Existing{}}}
	x.sort(jobs)
	x.find()
	for _, u := range x.inOrder() {
		x.unit(u)
	}
	return x.out
}

// ownerKey names what makes pods.
type ownerKey struct{ namespace, name, kind string }

// unit is one job of the files: a workload with its pods, a PodGroup without one, or a pod by itself.
type unit struct {
	ownerKey
	group *model.Fact     // nil: the files have no PodGroup that comes with it
	pods  []model.Fact    // by the files
	have  []*model.Pod    // of the cluster
	jobs  []ledger.JobKey // of the cluster, that may have them
	named int             // names for its pods before this number are taken
}

// applying is one call of Apply.
type applying struct {
	there Cluster
	units map[ownerKey]*unit
	names map[model.Ref]bool // pods of the files and of those that were made
	out   Applied
}

// ownerOf is what a pod of the files belongs to. One that was read from a cluster stands for itself.
func ownerOf(p *model.Pod) ownerKey {
	if p.Owner == "" || p.UID != "" {
		return ownerKey{p.Namespace, p.Name, onlyPod}
	}
	return ownerKey{p.Namespace, p.Owner, kindOf(p)}
}

func (x *applying) at(k ownerKey) *unit {
	if x.units[k] == nil {
		x.units[k] = &unit{ownerKey: k}
	}
	return x.units[k]
}

// sort puts what files name into units; what comes with jobs and is not there comes.
func (x *applying) sort(jobs []model.Fact) {
	for i := range jobs {
		switch o := jobs[i].Object.(type) {
		case *model.Pod:
			if o.Ours {
				u := x.at(ownerOf(o))
				u.pods = append(u.pods, jobs[i])
				x.names[jobs[i].Ref] = true
				continue
			}
		case *model.PodGroup:
			continue
		}
		if _, is := x.there.Fact(jobs[i].Ref); !is {
			x.out.Facts = append(x.out.Facts, jobs[i])
		}
	}
	for i := range jobs {
		if jobs[i].Ref.Kind != model.KindPodGroup {
			continue
		}
		k := ownerKey{jobs[i].Ref.Namespace, jobs[i].Ref.Name, volcanoJob}
		if x.units[k] == nil {
			k.kind = onlyGroup
		}
		x.at(k).group = &jobs[i]
	}
}

// find finds what the cluster has of the units. One pod of a job stands for all: those of several owners are found by
// the PodGroup that the files' own pods name. So it looks at jobs, which are fewer than pods.
func (x *applying) find() {
	spaces := map[string]bool{}
	for k, u := range x.units { // order-free: sets
		spaces[k.namespace] = true
		for _, f := range u.pods {
			if p := f.Object.(*model.Pod); p.Group != "" && k.kind != onlyPod {
				u.jobs = append(u.jobs, ledger.JobKey{Namespace: p.Namespace, Name: p.Group})
			}
		}
	}
	for job, p := range x.there.Jobs {
		if p == nil || p.Owner == "" || !spaces[job.Namespace] {
			continue
		}
		k := ownerKey{p.Namespace, p.Owner, kindOf(p)}
		if u := x.units[k]; u != nil {
			u.jobs = append(u.jobs, job)
		}
		if k.name, k.kind = deploymentOf(p), deployment; k.name != "" {
			if u := x.units[k]; u != nil {
				u.jobs = append(u.jobs, job)
			}
		}
	}
	for k, u := range x.units { // order-free: each by itself
		if k.kind == onlyPod {
			f, _ := x.there.Fact(model.Ref{Kind: model.KindPod, Namespace: k.namespace, Name: k.name})
			if p, is := f.Object.(*model.Pod); is {
				u.have = append(u.have, p)
			}
			continue
		}
		slices.SortFunc(u.jobs, ledger.JobKey.Compare)
		for _, job := range slices.Compact(u.jobs) {
			for _, p := range x.there.Members(job) {
				if k.owns(p) {
					u.have = append(u.have, p)
				}
			}
		}
	}
}

// kindOf is the kind of a pod's owner.
func kindOf(p *model.Pod) string { return p.OwnerID[:max(0, strings.IndexByte(p.OwnerID, '/'))] }

// deploymentOf is the Deployment after which a pod's ReplicaSet is named; "" of a pod of none.
func deploymentOf(p *model.Pod) string {
	if dash := strings.LastIndexByte(p.Owner, '-'); dash > 0 && kindOf(p) == replicaSet {
		return p.Owner[:dash]
	}
	return ""
}

// owns says that a pod of the cluster is one of this owner's.
func (k ownerKey) owns(p *model.Pod) bool {
	return p.Owner == k.name && kindOf(p) == k.kind || k.kind == deployment && deploymentOf(p) == k.name
}

// inOrder are the units, sorted, PodGroups before the pods that may name them.
func (x *applying) inOrder() (out []*unit) {
	for _, u := range x.units { // order-free: sorted below
		slices.SortFunc(u.have, func(a, b *model.Pod) int { return cmp.Compare(a.Name, b.Name) })
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b *unit) int {
		if (a.group != nil) != (b.group != nil) {
			return cmp.Compare(btoi(b.group != nil), btoi(a.group != nil))
		}
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind))
	})
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// unit applies one of them.
func (x *applying) unit(u *unit) {
	old, named := x.group(u)
	if old == nil && len(u.have) == 0 {
		x.comes(u, named)
		return
	}
	key := ledger.JobKey{Namespace: u.namespace, Name: named}
	have := u.have
	if named == "" {
		key = ledger.KeyOf(standing(u.have))
	} else if u.kind == onlyGroup {
		have = x.there.Members(key)
	}
	is := trace.Existing{Kind: u.kind, Pods: len(have)}
	for _, p := range have {
		switch {
		case p.Phase.Finished():
			is.Ended++
		case p.Node != "":
			is.Running++
		}
	}
	edits := podEdits(u)
	var group *model.PodGroup
	if old != nil && u.group != nil {
		var more []trace.Edit
		group, more = merged(old, u.group.Object.(*model.PodGroup), u.kind == volcanoJob)
		edits = append(more, edits...)
	}
	is.Over = !remakes(u.kind) && (is.Ended > 0 && is.Ended == is.Pods || old != nil && old.Phase == model.GroupCompleted)
	if is.Edits = edits; !is.Refused() && !is.Over {
		if group != nil {
			x.put(model.KindPodGroup, group)
		}
		x.pods(u, &is, key)
	}
	x.out.Jobs[key] = true
	x.note(key, is)
}

// note notes what there is of a job. A PodGroup of the files may be told with the pods that name it.
func (x *applying) note(k ledger.JobKey, is trace.Existing) {
	if was, there := x.out.There[k]; there {
		if was.Kind == onlyPod {
			was.Pods, was.Running, was.Ended = was.Pods+is.Pods, was.Running+is.Running, was.Ended+is.Ended
			was.Over = was.Over && is.Over
		}
		was.Edits = append(was.Edits, is.Edits...)
		was.Come, was.Go, was.Later = was.Come+is.Come, was.Go+is.Go, was.Later+is.Later
		is = was
	}
	x.out.There[k] = is
}

// put has an object that exists be another from now on.
func (x *applying) put(kind model.Kind, o model.Object) {
	ref := model.Ref{Kind: kind, Namespace: o.Common().Namespace, Name: o.Common().Name}
	f, _ := x.there.Fact(ref)
	f.Ref, f.UID, f.Object = ref, o.Common().UID, o
	x.out.Facts = append(x.out.Facts, f)
}

// group finds the PodGroup that the cluster has for a unit, and the name of the one that its pods are to name; "": they
// name none.
func (x *applying) group(u *unit) (old *model.PodGroup, named string) {
	for _, p := range u.have {
		if p.Group != "" {
			named = p.Group
		}
	}
	switch {
	case named != "" && u.kind != onlyPod:
		return x.groupCalled(u.namespace, named), named
	case u.group == nil && len(u.have) == 0:
		return nil, ""
	case u.group == nil:
		return nil, named
	}
	named = u.group.Ref.Name
	if old = x.groupCalled(u.namespace, named); old == nil && u.kind == volcanoJob {
		with := "" // newer versions of Volcano name it after the Job and its UID
		for job := range x.there.Jobs {
			id, is := strings.CutPrefix(job.Name, named+"-")
			if is && job.Namespace == u.namespace && !job.Adopted && isUID(id) && (with == "" || job.Name < with) {
				with = job.Name
			}
		}
		if old = x.groupCalled(u.namespace, with); old != nil {
			return old, with
		}
	}
	if old != nil && u.kind == volcanoJob && len(u.have) == 0 && x.ofOthers(u) {
		for old != nil { // another one of its name: the Job has one of its own
			named += "-new"
			old = x.groupCalled(u.namespace, named)
		}
	}
	if old != nil && u.kind == volcanoJob {
		u.have = x.there.Members(ledger.JobKey{Namespace: u.namespace, Name: named})
	}
	return old, named
}

// ofOthers says that pods of another owner are members of the PodGroup that has a unit's name.
func (x *applying) ofOthers(u *unit) bool {
	members := x.there.Members(ledger.JobKey{Namespace: u.namespace, Name: u.group.Ref.Name})
	return slices.ContainsFunc(members, func(p *model.Pod) bool { return p.Owner != "" })
}

func (x *applying) groupCalled(namespace, name string) *model.PodGroup {
	f, _ := x.there.Fact(model.Ref{Kind: model.KindPodGroup, Namespace: namespace, Name: name})
	g, _ := f.Object.(*model.PodGroup)
	return g
}

// isUID says that a text is of the form that an API server's UIDs have.
func isUID(s string) bool {
	for i, c := range s {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !strings.ContainsRune("0123456789abcdef", c) {
			return false
		}
	}
	return len(s) == 36
}

// comes has a unit come of which the cluster has nothing.
func (x *applying) comes(u *unit, named string) {
	if u.group != nil {
		g := *u.group.Object.(*model.PodGroup)
		g.Name = named
		x.put(model.KindPodGroup, &g)
		x.out.Jobs[ledger.JobKey{Namespace: u.namespace, Name: named}] = true
	}
	is := trace.Existing{Kind: u.kind}
	for _, f := range u.pods {
		p := *f.Object.(*model.Pod)
		if u.group != nil && p.Group != "" {
			p.Group = named
		}
		x.out.Jobs[ledger.KeyOf(&p)] = true
		x.pod(u, &p, &is)
	}
}

// pod makes a pod, unless another has its name and it can have no other.
func (x *applying) pod(u *unit, p *model.Pod, is *trace.Existing) {
	ref := model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name}
	if _, taken := x.there.Fact(ref); taken {
		if !namesFreely(u.kind) {
			x.out.Taken = append(x.out.Taken, ref)
			return
		}
		ref.Name = x.freeName(u)
	}
	x.names[ref], p.Name = true, ref.Name
	is.Come++
	x.out.Facts = append(x.out.Facts, model.Fact{Ref: ref, UID: p.UID, Object: p})
}

// freeName is a name for a pod of a unit that no other has, of the cluster or of those that were made.
func (x *applying) freeName(u *unit) string {
	for ref := (model.Ref{Kind: model.KindPod, Namespace: u.namespace}); ; u.named++ {
		ref.Name = fmt.Sprintf("%s-%d", u.name, u.named)
		if _, taken := x.there.Fact(ref); !taken && !x.names[ref] {
			return ref.Name
		}
	}
}

// namesFreely says that the pods of a kind of owner are called as it comes.
func namesFreely(kind string) bool {
	return kind == deployment || kind == replicaSet || kind == batchJob
}

// remakes says that a kind of owner makes another pod for one that has ended.
func remakes(kind string) bool {
	return kind == deployment || kind == replicaSet || kind == statefulSet
}

// standing is the pod of some that says best what those to come are like.
func standing(have []*model.Pod) *model.Pod {
	return slices.MaxFunc(have, func(a, b *model.Pod) int {
		return cmp.Or(cmp.Compare(btoi(!a.Phase.Finished()), btoi(!b.Phase.Finished())), cmp.Compare(a.Created, b.Created),
			cmp.Compare(b.Name, a.Name))
	})
}
