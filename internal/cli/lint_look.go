//go:build !simulator

package cli

import (
	"cmp"
	"slices"
	"time"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/lint"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// onCluster takes the live cluster: the objects of the set are added to it; without any it is looked at itself.
func (p linter) onCluster(l linting, in *lint.Input, set *manifest.Set) ([]*lint.Report, error) {
	if l.config == "" && len(l.confs) == 1 {
		l.config = l.confs[0]
	}
	live, err := p.lookNow(l.source)
	if err != nil {
		return nil, err
	}
	if len(l.files) > 0 {
		in.Mine = func(file string) bool { return file != "" && file != live.basis.Configuration }
		live.set.Apply(set)
	}
	if live.read.Partial && len(live.read.Objects) == 0 {
		return nil, badInput("error: nothing of the cluster may be read")
	}
	in.Whole = !live.read.Partial
	in.World = live.set.Expand(live.s.schedulers...)
	in.Chosen = live.chosen
	if live.text != "" {
		_, in.Configuration = config.Parse(config.Source{File: live.basis.Configuration}, []byte(live.text), p.catalog(),
			config.Strict)
	}
	files, mine, _ := l.configurations(in)
	others := []*lint.Report{{Unchecked: set.PassedOver()}}
	if l.config == "" && len(l.files) > 0 {
		others[0].Unchecked = append(others[0].Unchecked, severalTold(files, live.basis.Configuration)...)
	}
	for _, c := range slices.Concat(files, mine) {
		others = append(others, p.alone(l, c))
	}
	if live.read.Partial {
		others = append(others, &lint.Report{Unchecked: append(live.basis.Unknown,
			"whether jobs can run, and sums of queues: too little of the cluster may be read")})
		return others, nil
	}
	p.decide(l, in, inputOf(in.World, live.chosen, live.now.UnixNano()))
	return others, nil // what is missing was told on stderr
}

// decide runs one cycle on all objects, as if they were all there now, and looks for jobs that come too late.
func (p linter) decide(l linting, in *lint.Input, from input) {
	for i := range from.items {
		from.items[i].SubmitAt = 0
	}
	options, err := from.engine(p.Process)
	if err == nil {
		in.Engine, err = sched.New(from.profile, options...)
	}
	if err != nil {
		in.Configuration = append(in.Configuration, config.Problem{File: from.chosen.File, Fatal: true,
			Message: from.chosen.Locate(err).Error()})
		in.Engine = nil
		return
	}
	in.Engine.Apply(from.facts()...)
	in.Engine.Decide(from.begin())
	in.Late = p.late(l, from)
}

// longestLook bounds the work for deadlines.
const longestLook = 5 * time.Second

// late simulates, where jobs have deadlines, until the last of them is over: which jobs have not started at theirs.
func (p linter) late(l linting, from input) map[ledger.JobKey]time.Duration {
	deadlines, last := from.deadlines(p.Now()), time.Duration(0)
	for _, d := range deadlines { // order-free: the largest
		last = max(last, d)
	}
	if len(deadlines) == 0 {
		return nil
	}
	l.stop = last
	out, began := map[ledger.JobKey]time.Duration{}, p.Now()
	world, err := from.world(p.Process, l.simulation)
	if err != nil {
		return nil
	}
	judge := func(at time.Duration, engine *sched.Engine) {
		for key, deadline := range deadlines { // order-free: each job by itself
			if at <= deadline {
				continue
			}
			if delete(deadlines, key); !started(engine, key) {
				out[key] = deadline
			}
		}
	}
	for len(deadlines) > 0 && p.Now().Sub(began) < longestLook {
		at, more := world.Next()
		judge(at, world.Engine()) // as things are until then
		if !more {
			break
		}
		if _, more := world.Step(); !more {
			break
		}
	}
	if p.Now().Sub(began) < longestLook {
		judge(last+time.Hour, world.Engine()) // nothing happens any more
	}
	return out
}

// deadlines are for how long jobs may still wait: as they ask (sla-waiting-time), or until their Kubernetes Jobs are
// ended (activeDeadlineSeconds).
func (in input) deadlines(now time.Time) map[ledger.JobKey]time.Duration {
	out, begin := map[ledger.JobKey]time.Duration{}, in.begin()
	sooner := func(k ledger.JobKey, left time.Duration) {
		if was, there := out[k]; !there || left < was {
			out[k] = max(left, 0)
		}
	}
	for i := range in.items {
		switch o := in.items[i].Fact.Object.(type) {
		case *model.PodGroup:
			if o.MaxWait <= 0 || o.Phase == model.GroupRunning || o.Phase == model.GroupCompleted {
				continue
			}
			left := time.Duration(o.MaxWait)
			if in.at > 0 && o.Created > 0 {
				left -= now.Sub(time.Unix(0, o.Created))
			}
			sooner(ledger.JobKey{Namespace: o.Namespace, Name: o.Name}, left)
		case *model.Pod:
			times := o.Rare()
			if times.JobLimit == 0 || !o.Ours || o.Node != "" || o.Phase != model.PodPending {
				continue
			}
			since, left := cmp.Or(times.JobSince, o.Created), time.Duration(times.JobLimit)
			if since > 0 {
				left -= time.Duration(begin - since)
			} else {
				left += in.items[i].SubmitAt
			}
			sooner(ledger.KeyOf(o), left)
		}
	}
	return out
}

// started says that a job has its minimum.
func started(engine *sched.Engine, key ledger.JobKey) bool {
	led := engine.Ledger()
	id, known := led.Jobs.Find(key)
	if !known {
		return false
	}
	job := led.Job(id)
	return job.Ready() >= max(job.MinMember, 1)
}
