package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// jobs looks at gangs by themselves, and then at what the engine says of all jobs.
func (l *look) jobs() {
	classes := map[string]bool{"": true, "system-cluster-critical": true, "system-node-critical": true}
	for i := range l.World.Items {
		if c, is := l.World.Items[i].Fact.Object.(*model.PriorityClass); is {
			classes[c.Name] = true
		}
	}
	for i := range l.World.Items {
		it := &l.World.Items[i]
		ref := it.Fact.Ref.String()
		class := ""
		switch o := it.Fact.Object.(type) {
		case *model.PodGroup:
			l.gang(o, ref, it.Where)
			class = o.PriorityClass
		case *model.Pod:
			if o.Ours && !o.HasPriority {
				class = o.PriorityClass
			}
		}
		if !classes[class] && l.all(model.KindPriorityClass) {
			l.out.add("job-priority-class", ref, it.Where, "PriorityClass %s does not exist%s", class,
				explain.Suggest(class, slices.Sorted(maps.Keys(classes))))
		}
	}
	l.oneLimit()
	if l.Engine == nil {
		return
	}
	for _, j := range l.Engine.Questions().Jobs() {
		l.job(&j)
	}
	if l.kinds[model.KindNode] == 0 && l.kinds[model.KindPod] > 0 {
		l.out.Unchecked = append(l.out.Unchecked, "whether jobs can run: no node is among the input")
	}
}

// fewestOfOneLimit is of how many jobs it is worth a word that all their pods have one limit.
const fewestOfOneLimit = 3

// oneLimit tells that all pods have one limit where starts are planned: what starts now ends after what runs, so that
// no job passes another one in the room that is kept for it.
func (l *look) oneLimit() {
	jobs, pods, one, first := map[ledger.JobKey]bool{}, 0, int64(0), (*manifest.Item)(nil)
	for i := range l.World.Items {
		p, is := l.World.Items[i].Fact.Object.(*model.Pod)
		if !is || !p.Ours || p.Phase.Finished() {
			continue
		}
		limit := p.Rare().Limit
		if limit == 0 || one != 0 && limit != one {
			return
		}
		if one, pods, jobs[ledger.KeyOf(p)] = limit, pods+1, true; first == nil {
			first = &l.World.Items[i]
		}
	}
	if len(jobs) >= fewestOfOneLimit && l.plansStarts() {
		l.out.add("job-one-limit", first.Fact.Ref.String(), first.Where, "all %d pods of %d jobs have the limit %s "+
			"(activeDeadlineSeconds): what starts now ends after what runs, so backfill lets no job pass in the room that is "+
			"kept for another", pods, len(jobs), explain.Duration(one))
	}
}

// plansStarts says that a queue is served in order, or that the configuration asks for planned starts.
func (l *look) plansStarts() bool {
	backfill := func(a config.Action) bool { return a.Name == "backfill" }
	if l.Chosen == nil || !slices.ContainsFunc(l.Chosen.Actions, backfill) {
		return false
	}
	for _, a := range l.Chosen.Configurations["backfill"] {
		if strings.HasPrefix(a.Key, "backfill.") {
			return true
		}
	}
	for i := range l.World.Items {
		if q, is := l.World.Items[i].Fact.Object.(*model.Queue); is && q.FIFO {
			return true
		}
	}
	return false
}

func noneOf(pods int) string {
	if pods == 1 {
		return "its pod is not"
	}
	return fmt.Sprintf("none of the %d pods that start together is", pods)
}

func together(pods int) string {
	if pods == 1 {
		return "its pod asks"
	}
	return fmt.Sprintf("all %d pods together ask", pods)
}

// gang compares a PodGroup's minimum with its pods. A controller may make them later: none at all is no mistake.
func (l *look) gang(g *model.PodGroup, ref string, at manifest.Position) {
	pods := l.pods[ledger.Key{Namespace: g.Namespace, Name: g.Name}]
	if len(pods) == 0 {
		if !l.Whole && g.MinMember > 0 {
			l.out.add("job-without-pods", ref, at, "%s among the input", noneOf(int(g.MinMember)))
		}
		return
	}
	if l.Whole {
		return // pods that are not there yet may come
	}
	if int(g.MinMember) > len(pods) {
		l.out.add("job-too-few-pods", ref, at, "minMember is %d, and the number of its pods %d", g.MinMember, len(pods))
	}
	for _, r := range g.MinTaskMember {
		n := 0
		for _, p := range pods {
			if p.Role == r.Role {
				n++
			}
		}
		if int(r.Min) > n {
			l.out.add("job-too-few-pods", ref, at, "minTaskMember asks for %s of role %s, and their number is %d",
				explain.Count(int(r.Min), "pod"), r.Role, n)
		}
	}
	if g.HasMin {
		l.minimum(g, pods, ref, at)
	}
}

// minimum compares minResources with what the cheapest minimum of pods asks for, and with what all ask for.
func (l *look) minimum(g *model.PodGroup, pods []*model.Pod, ref string, at manifest.Position) {
	most := int(g.MinMember)
	for _, name := range asked(pods) {
		var asks []int64
		for _, p := range pods {
			x := int64(0)
			if p.Spec != nil {
				x, _ = p.Spec.Requests.Get(name)
			}
			asks = append(asks, x)
		}
		slices.Sort(asks)
		least, all := int64(0), int64(0)
		for i, x := range asks {
			if i < most {
				least = plus(least, x)
			}
			all = plus(all, x)
		}
		is, named := g.MinResources.Get(name)
		switch {
		case least > is:
			text := "minResources.%s is %s, and minMember (%d) asks for at least %s: it is admitted where it has no room to " +
				"start"
			if !named {
				text = "minResources.%s is missing (%s), and minMember (%d) asks for at least %s: it is admitted where it has no " +
					"room to start"
			}
			l.out.add("job-min-resources", ref, at, text, name, explain.Quantity(name, is), most, explain.Quantity(name, least))
		case is > all:
			l.out.add("job-min-resources", ref, at, "minResources.%s is %s, and %s for %s: it waits for more than it "+
				"uses", name, explain.Quantity(name, is), together(len(pods)), explain.Quantity(name, all))
		}
	}
}

// asked are the resources that pods ask for.
func asked(pods []*model.Pod) (out []string) {
	for _, p := range pods {
		if p.Spec == nil {
			continue
		}
		for _, a := range p.Spec.Requests {
			if a.Name != resource.PodsName && a.Value > 0 && !slices.Contains(out, a.Name) {
				out = append(out, a.Name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// job tells why a job can never run, that its queue takes no jobs, and that its deadline is too short.
func (l *look) job(j *sched.JobReport) {
	object := "PodGroup/" + j.Namespace + "/" + j.Name
	if j.Adopted {
		object = "Pod/" + j.Namespace + "/" + j.Name
	}
	at := l.named(object)
	root := *j.Reason.Root()
	root.Never = nil // told below
	switch code := root.Code; code {
	case trace.QueueNotFound, trace.QueueInvalid, trace.QueueNotLeaf, trace.QueueCyclic, trace.QueueOrphaned,
		trace.QueueNotOpen:
		if code != trace.QueueNotFound || l.all(model.KindQueue) {
			l.out.add("job-queue", object, at, "%s", explain.Sentence(root))
		}
	}
	if j.Reason.Never != nil {
		l.out.add("job-never-runs", object, at, "%s", explain.Sentence(*j.Reason.Never))
	}
	if late, is := l.Late[j.Key()]; is && j.Reason.Never == nil {
		l.out.add("job-deadline", object, at,
			"it may wait for %s, and does not start by then, if no other jobs come and what runs goes on",
			explain.Duration(late))
	}
}
