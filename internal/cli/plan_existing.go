package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/manifest"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/whatif"
)

// input is the cluster to which the jobs are applied.
func (g *ground) input(jobs *manifest.Set, schedulers []string) (input, whatif.Applied) {
	if g.set == nil {
		in := inputOf(jobs.Expand(schedulers...), g.chosen, g.now)
		applied := in.apply(g.facts, func(*sim.Item) bool { return true })
		return in, applied
	}
	files := jobs.Files()
	before := itemsOf(g.set.Apply(jobs).Expand(schedulers...))
	before = slices.DeleteFunc(before, func(i sim.Item) bool { return !ofJob(&i) })
	in := inputOf(g.set.Expand(schedulers...), g.chosen, g.now)
	applied := in.apply(before, func(i *sim.Item) bool {
		file, _, _ := strings.Cut(i.Where, ":")
		return files[file] || files[i.Where]
	})
	for i := range in.items {
		if pod, is := in.items[i].Fact.Object.(*model.Pod); is && g.now > 0 && in.items[i].HasDuration && pod.Started > 0 {
			in.items[i].Duration = max(time.Second, in.items[i].Duration-time.Duration(g.now-pod.Started)) // it runs already
		}
	}
	return in, applied
}

// apply puts what files say of jobs in the place of what there was before them, which is not in the input. Jobs of the
// files are submitted now, whatever ashlar.sh/submit-at says.
func (in *input) apply(before []sim.Item, ofFiles func(*sim.Item) bool) whatif.Applied {
	there, files := slices.Clone(before), []sim.Item{}
	for _, i := range in.items {
		mine := ofFiles(&i)
		if mine {
			i.SubmitAt = 0
		}
		if mine && ofJob(&i) {
			files = append(files, i)
		} else {
			there = append(there, i)
		}
	}
	applied := whatif.Apply(whatif.ClusterOfFacts(jobFacts(there)), jobFacts(files))
	now := map[model.Ref]model.Fact{}
	for _, f := range applied.Facts {
		now[f.Ref] = f
	}
	in.items = in.items[:0:0]
	for _, i := range there {
		if f, changed := now[i.Fact.Ref]; changed {
			i.Fact = f
			delete(now, f.Ref)
		}
		if i.Fact.Object != nil {
			in.items = append(in.items, i)
		}
	}
	for _, f := range applied.Facts {
		if _, comes := now[f.Ref]; comes {
			in.items = append(in.items, asWritten(f, files))
		}
	}
	return applied
}

// asWritten is the item of a fact that comes, as the one of the files that it was made of.
func asWritten(f model.Fact, files []sim.Item) sim.Item {
	pod, is := f.Object.(*model.Pod)
	at := slices.IndexFunc(files, func(i sim.Item) bool {
		if i.Fact.Ref == f.Ref || !is {
			return i.Fact.Ref == f.Ref
		}
		other, isPod := i.Fact.Object.(*model.Pod)
		return isPod && other.Spec == pod.Spec && other.Namespace == pod.Namespace && other.Role == pod.Role
	})
	if at < 0 {
		return sim.Item{Fact: f}
	}
	out := files[at]
	out.Fact = f
	return out
}

func ofJob(i *sim.Item) bool {
	return i.Fact.Ref.Kind == model.KindPod || i.Fact.Ref.Kind == model.KindPodGroup
}

func jobFacts(items []sim.Item) (out []model.Fact) {
	for i := range items {
		if ofJob(&items[i]) {
			out = append(out, items[i].Fact)
		}
	}
	return out
}

// wanted says which jobs of a report are those of the files.
func wanted(state *sched.Report, applied whatif.Applied) func(namespace, name string) bool {
	mine := map[[2]string]bool{}
	for i := range state.Jobs {
		if j := &state.Jobs[i]; applied.Jobs[j.Key()] {
			mine[[2]string{j.Namespace, cmp.Or(j.Shown, j.Name)}] = true
		}
	}
	return func(namespace, name string) bool { return mine[[2]string{namespace, name}] }
}
