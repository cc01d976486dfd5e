package whatif

import (
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Facts returns a change as an engine would be told of it: the facts of the objects as they would be. The versions
// are those that the engine knows. none: the change cannot be made, as the object does not exist or is so already.
func Facts(e *sched.Engine, id ledger.JobID, c trace.Change) []model.Fact {
	x := change{e: e, l: e.Ledger(), id: id, job: e.Ledger().Job(id)}
	switch c.Kind {
	case trace.ChangeGang:
		return x.gang(int32(c.To))
	case trace.ChangeRequest:
		return x.pods(func(p *model.Pod) bool { return lessens(p, c.Text, c.To) })
	case trace.ChangeTier:
		return x.tier(int32(c.To))
	case trace.ChangeToleration:
		return x.pods(func(p *model.Pod) bool { return tolerate(p, c.Text) })
	case trace.ChangeSelector:
		return x.pods(func(p *model.Pod) bool { return unselect(p, c.Text) })
	case trace.ChangePriority:
		return x.priority(c.Text, int32(c.To))
	case trace.ChangeQueue:
		return x.moved(c.Object)
	case trace.ChangeGates:
		return x.pods(func(p *model.Pod) bool {
			was := p.Gated
			p.Gated = false
			return was
		})
	case trace.ChangeQueueState, trace.ChangeCapability, trace.ChangeDeserved, trace.ChangeWeight:
		return x.edited(c)
	case trace.ChangeQueueAdded:
		return x.queueAdded(c.Object)
	case trace.ChangeQuota:
		return x.quota(c)
	case trace.ChangeRoom:
		return x.room(c.Where)
	case trace.ChangeNodes:
		return x.nodes(c.Object, c.Count)
	case trace.ChangeEnd:
		return x.ended(c.Jobs)
	}
	return nil
}

// change makes facts of one change for one job.
type change struct {
	e   *sched.Engine
	l   *ledger.Ledger
	id  ledger.JobID
	job *ledger.Job
}

// pods edits the pods of the job that have no node; edit says whether it changed anything.
func (x *change) pods(edit func(*model.Pod) bool) (out []model.Fact) {
	for _, t := range waiting(x.l, x.id) {
		p := *x.l.Task(t).Pod
		if edit(&p) {
			out = append(out, x.known(model.KindPod, p.Namespace, p.Name, &p))
		}
	}
	return out
}

// known is the fact about an object with other content, whether it exists or not.
func (x *change) known(k model.Kind, namespace, name string, o model.Object) model.Fact {
	f, _ := x.l.Fact(model.Ref{Kind: k, Namespace: namespace, Name: name})
	f.Ref, f.Object, f.UID = model.Ref{Kind: k, Namespace: namespace, Name: name}, o, o.Common().UID
	return f
}

// group edits the job's PodGroup; no fact where it has none.
func (x *change) group(edit func(*model.PodGroup)) []model.Fact {
	if x.job.Group == nil {
		return nil
	}
	g := *x.job.Group
	edit(&g)
	return []model.Fact{x.known(model.KindPodGroup, g.Namespace, g.Name, &g)}
}

// waiting lists the pods of a job that have no node, by number and name.
func waiting(l *ledger.Ledger, id ledger.JobID) (out []ledger.TaskID) {
	for _, status := range []model.Status{model.Pending, model.Pipelined} {
		l.Jobs.Tasks(id, status, func(t ledger.TaskID) bool {
			out = append(out, t)
			return true
		})
	}
	slices.SortFunc(out, func(a, b ledger.TaskID) int {
		x, y := l.Task(a), l.Task(b)
		if x.Pod.Index != y.Pod.Index {
			return int(min(max(x.Pod.Index-y.Pod.Index, -1), 1))
		}
		return x.Key.Compare(y.Key)
	})
	return out
}

func (x *change) gang(to int32) []model.Fact {
	if to < 1 || to >= x.job.MinMember {
		return nil
	}
	if x.job.Group == nil {
		return x.pods(func(p *model.Pod) bool {
			p.Adopt.MinMember = to
			return true
		})
	}
	if len(x.job.Group.MinTaskMember) > 1 {
		return nil // it does not follow of which role there would be less
	}
	return x.group(func(g *model.PodGroup) {
		g.MinTaskMember = slices.Clone(g.MinTaskMember)
		for i := range g.MinTaskMember {
			g.MinTaskMember[i].Min = min(g.MinTaskMember[i].Min, to)
		}
		g.MinResources = slices.Clone(g.MinResources)
		for i := range g.MinResources {
			m := &g.MinResources[i]
			m.Value = resource.MulDiv(m.Value, int64(to), int64(g.MinMember))
		}
		g.MinMember = to
	})
}

// lessens lets a pod ask for no more than an amount of a resource; false: it asks for no more already.
func lessens(p *model.Pod, name string, most int64) bool {
	if p.Spec == nil {
		return false
	}
	if is, _ := p.Spec.Requests.Get(name); is <= most {
		return false
	}
	spec := *p.Spec
	spec.Requests = with(spec.Requests, name, most)
	p.Spec = &spec
	return true
}

// with is a list in which a name has an amount.
func with(l resource.List, name string, amount int64) resource.List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Name == name {
			out[i].Value = amount
			return out
		}
	}
	return resource.Normalize(append(out, resource.Amount{Name: name, Value: amount}))
}

// tier lets the job, and those of its sub-groups that say otherwise, span domains up to a tier; -1: any.
func (x *change) tier(to int32) []model.Fact {
	widen := func(t *model.Topology) *model.Topology {
		if t == nil || !t.Hard {
			return t
		}
		out := *t
		if out.Highest, out.HighestName = to, ""; to < 0 {
			out.Hard = false
		}
		return &out
	}
	return x.group(func(g *model.PodGroup) {
		g.Topology = widen(g.Topology)
		g.SubGroups = slices.Clone(g.SubGroups)
		for i := range g.SubGroups {
			g.SubGroups[i].Topology = widen(g.SubGroups[i].Topology)
		}
	})
}

func (x *change) priority(class string, value int32) []model.Fact {
	out := x.pods(func(p *model.Pod) bool {
		p.PriorityClass, p.Priority, p.HasPriority = class, value, true
		return true
	})
	return append(out, x.group(func(g *model.PodGroup) { g.PriorityClass = class })...)
}

func (x *change) moved(queue string) []model.Fact {
	if x.job.Group != nil {
		return x.group(func(g *model.PodGroup) { g.Queue = queue })
	}
	return x.pods(func(p *model.Pod) bool {
		p.Adopt.Queue = queue
		return true
	})
}

// edited is a queue with another spec.
func (x *change) edited(c trace.Change) []model.Fact {
	q, there := x.l.Queues.Find(c.Object)
	if !there || x.l.Queue(q).Fact == nil {
		return nil
	}
	f := *x.l.Queue(q).Fact
	switch c.Kind {
	case trace.ChangeQueueState:
		f.State = model.QueueOpen
	case trace.ChangeWeight:
		f.Weight = int32(c.To)
	case trace.ChangeCapability:
		f.Capability = raised(f.Capability, c.Amounts)
	case trace.ChangeDeserved:
		f.Deserved = raised(f.Deserved, c.Amounts)
	}
	return []model.Fact{x.known(model.KindQueue, "", f.Name, &f)}
}

// raised is a list with other amounts.
func raised(l resource.List, amounts []trace.AmountChange) resource.List {
	for _, a := range amounts {
		l = with(l, a.Dim, a.To)
	}
	return l
}

func (x *change) queueAdded(name string) []model.Fact {
	if q, there := x.l.Queues.Find(name); there && x.l.Queue(q).Fact != nil {
		return nil
	}
	return []model.Fact{x.known(model.KindQueue, "", name,
		&model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1, Reclaimable: true})}
}

func (x *change) quota(c trace.Change) []model.Fact {
	for _, is := range x.l.Namespaces.Quotas(x.job.Key.Namespace) {
		if is.Namespace+"/"+is.Name == c.Object {
			q := *is
			q.Hard = raised(q.Hard, c.Amounts)
			return []model.Fact{x.known(model.KindQuota, q.Namespace, q.Name, &q)}
		}
	}
	return nil
}

// room lets pods that run on nodes ask for less, in the order of heldBy.
func (x *change) room(where []trace.Freed) (out []model.Fact) {
	specs := map[ledger.TaskID]*model.Spec{}
	var order []ledger.TaskID
	for _, w := range where {
		n, there := x.l.Nodes.Find(w.Node)
		if !there {
			return nil
		}
		left := w.Amount
		for _, t := range heldBy(x.l, n, x.id) {
			spec := specs[t]
			if spec == nil {
				spec = x.l.Task(t).Pod.Spec
			}
			has, _ := spec.Requests.Get(w.Dim)
			take := min(has, left)
			if left <= 0 || take <= 0 {
				continue
			}
			if specs[t] == nil {
				order = append(order, t)
			}
			less := *spec
			less.Requests = with(less.Requests, w.Dim, has-take)
			specs[t], left = &less, left-take
		}
		if left > 0 {
			return nil
		}
	}
	for _, t := range order {
		p := x.onNode(t)
		p.Spec = specs[t]
		out = append(out, x.known(model.KindPod, p.Namespace, p.Name, &p))
	}
	return out
}

// heldBy lists the pods that run on a node, without those of a job: first those of other queues, by name.
func heldBy(l *ledger.Ledger, n ledger.NodeID, but ledger.JobID) (out []ledger.TaskID) {
	own := l.Job(but).Queue
	other := func(t ledger.TaskID) int {
		if j := l.Task(t).Job; j == ledger.NoJob || l.Job(j).Queue != own {
			return 0
		}
		return 1
	}
	l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		if row := l.Task(t); row.Job != but && holds(row) && row.Pod.Spec != nil && !row.Pod.Deleting {
			out = append(out, t)
		}
		return true
	})
	slices.SortFunc(out, func(a, b ledger.TaskID) int {
		if d := other(a) - other(b); d != 0 {
			return d
		}
		return l.Task(a).Key.Compare(l.Task(b).Key)
	})
	return out
}

// ended lets the members of jobs that have a node succeed.
func (x *change) ended(jobs []string) (out []model.Fact) {
	for _, j := range running(x.l) {
		if !slices.Contains(jobs, x.l.Jobs.Called(j)) {
			continue
		}
		for _, t := range placed(x.l, j) {
			p := x.onNode(t)
			p.Phase = model.PodSucceeded
			out = append(out, x.known(model.KindPod, p.Namespace, p.Name, &p))
		}
	}
	return out
}

// onNode is a pod that is on its node, if it is being bound there, too.
func (x *change) onNode(t ledger.TaskID) model.Pod {
	p := *x.l.Task(t).Pod
	if p.Node == "" {
		p.Node = x.l.Node(x.l.Task(t).Node).Name
	}
	return p
}

// holds says that a task has a node, or is being bound to one.
func holds(t *ledger.Task) bool {
	return t.Node != ledger.NoNode && (t.Pod.Node != "" || t.Commitment.Kind == ledger.CommitBind)
}

// placed lists the members of a job that have a node, or are being bound to one, and have not finished.
func placed(l *ledger.Ledger, j ledger.JobID) (out []ledger.TaskID) {
	for _, status := range []model.Status{model.Running, model.Bound, model.Binding, model.Unknown, model.Releasing} {
		l.Jobs.Tasks(j, status, func(t ledger.TaskID) bool {
			if holds(l.Task(t)) {
				out = append(out, t)
			}
			return true
		})
	}
	return out
}

// running lists the jobs with members that have a node, or are being bound to one, by name.
func running(l *ledger.Ledger) (out []ledger.JobID) {
	l.Jobs.Each(func(j ledger.JobID) bool {
		if by := &l.Job(j).By; by[model.Running]+by[model.Bound]+by[model.Binding]+by[model.Unknown]+
			by[model.Releasing] > 0 {
			out = append(out, j)
		}
		return true
	})
	ledger.SortByName(l, out)
	return out
}
