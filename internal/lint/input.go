package lint

import (
	"time"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Input is what is looked at.
type Input struct {
	Refused       []manifest.Error // documents that could not be read
	World         *manifest.World
	Configuration []config.Problem
	Chosen        *config.Scheduler // nil: it was refused, and nothing is said of what plugins read
	// Engine has run one cycle on the facts of World; nil: no decision could be made.
	Engine *sched.Engine
	// Mine says of which objects findings are told, by file; nil: of all.
	Mine func(file string) bool
	// Whole says that World has all the objects of a cluster, so that what is not there does not exist.
	Whole bool
	// Late are jobs that have a deadline and did not start in time, and for how long they may wait.
	Late map[ledger.JobKey]time.Duration
}

// look is one run over an input.
type look struct {
	Input
	out   *Report
	where map[model.Ref]manifest.Position
	made  map[model.Ref]manifest.Position // where the first pod of a PodGroup is, and of a job without one
	kinds map[model.Kind]int
	pods  map[ledger.Key][]*model.Pod // by PodGroup
}

// Look finds what is wrong.
func Look(in Input) *Report {
	l := &look{Input: in, out: &Report{APIVersion: "ashlar.sh/v1alpha1", Kind: "LintReport"},
		where: map[model.Ref]manifest.Position{}, made: map[model.Ref]manifest.Position{},
		kinds: map[model.Kind]int{}, pods: map[ledger.Key][]*model.Pod{}}
	for _, e := range in.Refused {
		name := "object-refused"
		if e.OfFile() {
			name = "file-refused"
		}
		l.out.add(name, "", e.Where, "%s", e.Message)
	}
	l.configuration()
	if in.World != nil {
		l.index()
		l.objects()
		l.queues()
		l.jobs()
		l.hyperNodes()
	}
	l.onlyMine()
	l.out.finish()
	return l.out
}

func (l *look) configuration() {
	for _, p := range l.Configuration {
		name := "configuration-warning"
		if p.Fatal {
			name = "configuration-refused"
		}
		l.out.add(name, "", manifest.Position{File: p.File, Line: p.Line}, "%s", p.Message)
	}
}

func (l *look) index() {
	for i := range l.World.Items {
		it := &l.World.Items[i]
		l.where[it.Fact.Ref] = it.Where
		l.kinds[it.Fact.Ref.Kind]++
		p, is := it.Fact.Object.(*model.Pod)
		if !is {
			continue
		}
		ref := model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Owner}
		if p.Group != "" {
			key := ledger.Key{Namespace: p.Namespace, Name: p.Group}
			l.pods[key] = append(l.pods[key], p)
			ref.Kind, ref.Name = model.KindPodGroup, p.Group
		}
		if _, known := l.made[ref]; !known {
			l.made[ref] = it.Where
		}
	}
}

// onlyMine drops what is about other files; of a live cluster all has one name.
func (l *look) onlyMine() {
	if l.Mine == nil {
		return
	}
	kept := l.out.Findings[:0]
	for _, f := range l.out.Findings {
		if l.Mine(f.File) {
			kept = append(kept, f)
		}
	}
	l.out.Findings = kept
}

// all says that every object of a kind is among the input, as far as can be told: a file with some of them has all.
func (l *look) all(kind model.Kind) bool { return l.Whole || l.kinds[kind] > 0 }

// at is where an object is.
func (l *look) at(kind model.Kind, namespace, name string) manifest.Position {
	return l.where[model.Ref{Kind: kind, Namespace: namespace, Name: name}]
}
