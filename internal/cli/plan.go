package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// planner says what would become of jobs.
type planner struct{ questions }

// planning is what the flags of plan ask for.
type planning struct {
	source
	on     []string // files of the cluster; none: a dump, or the live one
	until  time.Duration
	search time.Duration // for how long to look for what would make jobs run
}

const planLong = `Says what would happen if jobs were submitted now: where and when each would start, which pods
would be evicted for it and by which rule, or why it would wait. Nothing is submitted and
nothing is changed.

-f names the jobs. The cluster is that of --on, files as simulate reads them, or of --dump, or,
without both, the live cluster of your kubeconfig, which is only read. There the scheduler is
asked, where its read API can be reached: it tries the jobs on a copy of what it knows, and runs
that forward to find when those start that wait, by limits and guesses of how long pods run.
Elsewhere it is found on the objects (--from objects): the cluster goes on in virtual time, with
nodes that obey at once: pods end when their annotation ashlar.sh/duration says so, and what has
none runs on. So a job that "waits" there waits for as long as everything runs that runs now.

A job that the cluster has already is planned as applying its file would change it: what runs of
it stays.

What webhooks and controllers would change in the jobs before they are scheduled is not known
here: defaults of a LimitRange, quotas, the pods that an operator makes of its own kind.

Exit codes: 0 planned, whatever waits; 1 bad input, or no cluster; 2 bad usage.`

// mostWork bounds how long a plan may take once the cluster is read; what has not started by then is told as it is.
const mostWork = 30 * time.Second

func (p planner) plan(name string) *cobra.Command {
	a := planning{}
	c := &cobra.Command{
		Use:   "plan -f FILE|DIR|- ...",
		Short: "Say what would happen if jobs were submitted now",
		Long:  planLong,
		Example: strings.ReplaceAll(`  # Would it start on the live cluster, and at whose expense?
  NAME plan -f job.yaml

  # On a cluster described by files
  NAME plan -f job.yaml --on cluster.yaml`, "NAME", name),
		Args: filesByFlag,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.checkPlan(c); err != nil {
				return err
			}
			return p.planNow(a)
		},
	}
	f := c.Flags()
	a.source.source(c)
	f.StringSliceVar(&a.on, "on", nil, "file or folder that describes the cluster; may be given several times")
	f.StringVar(&a.dump, "dump", "", "file that the live scheduler saved: the cluster as it was then")
	a.liveFlags(c)
	a.fromFlags(f)
	f.DurationVar(&a.until, "until", 24*time.Hour, "how far to look ahead, in virtual time; 0 for the first cycle only")
	f.DurationVar(&a.search, "would-run", time.Second,
		"for how long to look for what would make jobs run that do not start; 0: not at all")
	f.StringVarP(&a.output, "output", "o", "text", "text, json, yaml or jsonpath=TEMPLATE")
	must(c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "yaml", "jsonpath="},
		cobra.ShellCompDirectiveNoFileComp)))
	return c
}

func (a *planning) checkPlan(c *cobra.Command) error {
	a.named, a.schedulersGiven = c.Flags().Changed("namespace"), c.Flags().Changed("scheduler-name")
	switch {
	case len(a.files) == 0:
		return errors.New(`required flag(s) "filename" not set: name the jobs with -f`)
	case (a.from == fromScheduler || a.readAPI != readAPI{}) && len(a.on) > 0:
		return errors.New("--from scheduler, --read-api and --scheduler-namespace are of a live cluster: leave out --on")
	case a.dump != "" && len(a.on) > 0:
		return errors.New("--dump and --on: give one of them")
	case a.until < 0:
		return fmt.Errorf("--until %s: expected 0 or more", a.until)
	}
	of := a.source
	of.files = nil // they are the question, not the cluster
	if err := of.checkFrom(); err != nil {
		return err
	}
	return checkOutput(a.output, "text", "json", "yaml")
}

// ground is the cluster that jobs are planned on.
type ground struct {
	set    *manifest.Set // nil of a dump
	facts  []sim.Item    // of a dump
	chosen *config.Scheduler
	basis  explain.Basis
	now    int64 // 0: that of the files
	s      source
}

// planNow reads the jobs and the cluster, lets time go on, and tells.
func (p planner) planNow(a planning) error {
	show := p.loading()
	jobs, lines := p.load(a.files, show)
	show.end()
	if len(lines) > 0 {
		return badInput(lines...)
	}
	jobs.RunCronJobs()
	told, settled, err := p.byScheduler(a, jobs)
	if err != nil {
		return err
	}
	if told != nil && !settled && a.from == fromScheduler {
		told.Notes = append(told.Notes, notAhead+": the scheduler has no time for it now, or is too old (--from scheduler)")
		settled = true
	}
	if told != nil && settled {
		return p.print(a, told)
	}
	g, err := p.ground(a)
	if err != nil && told != nil {
		told.Notes = append(told.Notes, notAhead+": the objects cannot be read for it")
		return p.print(a, told)
	}
	if err != nil {
		return err
	}
	in, applied := g.input(jobs, g.s.schedulers)
	for _, problem := range in.problems {
		fmt.Fprintf(p.Err, "warning: %s: %s\n", explain.Printable(problem.Object), explain.Printable(problem.Message))
	}
	if len(applied.Jobs) == 0 {
		return badInput(fmt.Sprintf("error: %s: no job for scheduler %s is in it", strings.Join(a.files, ", "),
			strings.Join(g.s.schedulers, ", ")))
	}
	out, err := p.foresee(a, g, in, applied)
	if err != nil {
		return err
	}
	return p.print(a, out)
}

// notAhead says what a scheduler's answer lacks.
const notAhead = "when the jobs that wait start, and what would make them run, was not looked for"

func (p planner) print(a planning, out *explain.Plan) error {
	done, err := printDocument(p.Out, a.output, out)
	if !done {
		err = out.Text(p.Out, p.style())
	}
	if err != nil {
		return badInput("error: writing the plan: " + err.Error())
	}
	return nil
}

// ground reads the cluster.
func (p planner) ground(a planning) (*ground, error) {
	switch {
	case len(a.on) > 0:
		cluster := a.simulation
		cluster.files = a.on
		read, lines := p.readFiles(cluster)
		if len(lines) > 0 {
			return nil, badInput(lines...)
		}
		return &ground{set: read.set, chosen: read.chosen, s: a.source,
			basis: explain.Basis{Source: "files", Configuration: configurationOf(a.source, read.world)}}, nil
	case a.dump != "":
		return p.dumpedGround(a)
	}
	return p.liveGround(a)
}

// foresee runs the world: the first cycle says where each job stands, the others when it starts.
func (p planner) foresee(a planning, g *ground, in input, applied whatif.Applied) (*explain.Plan, error) {
	world, err := in.world(p.Process, a.simulation)
	if err != nil {
		return nil, err
	}
	show := p.progress(false)
	defer show.clear()
	asking := explain.Asking{Basis: g.basis, Now: g.now}
	var out *explain.Plan
	var tries planTries
	began := p.Now()
	for {
		if at, _ := world.Next(); out != nil && at > a.until {
			break
		}
		c, more := world.Step()
		if !more {
			break
		}
		evicted := evictionsOf(c.Plan)
		if out == nil {
			asking.Evicted = evicted
			state := world.Engine().Report()
			out = asking.NewPlan(&state, wanted(&state, applied))
			out.Exist(&state, applied.Existing, applied.Taken)
			tries = triesOf(world.Engine(), &state)
		}
		see(out, world.Engine().Ledger(), c, evicted)
		show.tick(world)
		if p.Now().Sub(began) > mostWork {
			out.Notes = append(out.Notes, fmt.Sprintf("the plan was given up after %s of work, %s ahead: what has not started "+
				"by then may start later", mostWork, c.At))
			break
		}
	}
	if a.search > 0 && out != nil {
		if err := p.tryChanges(a, tries, out); err != nil {
			return nil, err
		}
	}
	if g.basis.Source != "files" {
		out.Notes = append(out.Notes, "what runs now is taken to run on, unless ashlar.sh/duration says how long")
	}
	return out, nil
}

// see notes what a cycle did for the jobs.
func see(out *explain.Plan, led *ledger.Ledger, c sim.Cycle, evicted []*trace.Eviction) {
	for _, i := range c.Plan.Items {
		if i.Kind != sched.BindPod {
			continue
		}
		if t, known := led.Tasks.Find(i.Pod); known && led.Task(t).Job != ledger.NoJob {
			out.Bound(i.Pod.Namespace, led.Jobs.Name(led.Task(t).Job), i.Node, c.At)
		}
	}
	out.Evicted(evicted, c.At)
}
