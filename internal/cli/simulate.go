package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// simulation is what the flags of simulate ask for.
type simulation struct {
	files      []string
	config     string
	until      string
	output     string
	verbosity  int
	schedulers []string
	audit      bool
	came       bool // cycles tell what the engine was told

	schedulersGiven bool // by the flag

	traceNodes, traceJobs string
	preemptCost           string // what an eviction costs a pod of a trace
	durations             string // whether the scheduler knows how long pods of a trace run
	fill                  int    // percent of the GPUs to be asked for; 0: as the trace says
	seeds                 []uint // of the orders in which to fill
	page                  string // file for the page of a trace's run
	estimates             time.Duration

	stop time.Duration // from until: after it no cycle runs; below 0 for quiet
}

// What --trace-durations says.
const (
	declared = "declared"
	enforced = "enforced"
	unsaid   = "unknown"
)

// What --trace-preempt-cost says.
const (
	restart = "restart"
	free    = "none"
)

const simulateLong = `Runs the scheduler on a cluster described by files, with a virtual clock and nodes that
obey, until nothing more can happen, and reports which jobs run where, which wait and why, and
how the queues share. It needs no cluster, and the engine is the one that schedules one.

The input is any mix of YAML or JSON as kubectl prints it: Node, Pod, PriorityClass and
List; Queue, PodGroup and Job of Volcano; batch Job, Deployment, StatefulSet and
ReplicaSet. Annotations ashlar.sh/submit-at (on any object) and ashlar.sh/duration (on a
pod or its template) say when it appears and how long it runs: 30s, 1h30m.

Or it is a trace: --trace-nodes and --trace-jobs name two CSV files, plain or gzip, with
one node and one job a row; -f may add queues and a configuration. What is printed then
is how long jobs waited and took, and how full the cluster was, instead of each job.

The configuration is that of --scheduler-conf, else the only ConfigMap among the input
with a key volcano-scheduler.conf, else Volcano's default.

Exit codes: 0 simulated, whatever waits; 1 bad input or configuration; 2 bad usage.`

func (p Process) simulate(name string) *cobra.Command {
	s := simulation{}
	c := &cobra.Command{
		Use:   "simulate -f FILE|DIR|- ...",
		Short: "Show which jobs would run where, which would wait and why",
		Long:  simulateLong,
		Example: strings.ReplaceAll(`  # Simulate the files of a folder
  NAME simulate -f examples/quickstart

  # What if these jobs were submitted to the cluster as it is?
  kubectl get nodes,pods,queues.scheduling.volcano.sh,podgroups.scheduling.volcano.sh -A -o yaml |
    NAME simulate -f - -f jobs.yaml

  # With another configuration, stopped after an hour of virtual time
  NAME simulate -f cluster.yaml --scheduler-conf volcano-scheduler.conf --until 1h

  # Replay a trace, with figures to look at
  NAME simulate --trace-nodes nodes.csv --trace-jobs jobs.csv.gz --report-html report.html

  # How full is the cluster when its tasks come in random order, until they ask for 130 %?
  NAME simulate --trace-nodes nodes.csv --trace-jobs jobs.csv --trace-fill 130 --trace-seed 42,43,44

  # What if short jobs stopped long ones, which go on later where they were?
  NAME simulate --trace-nodes nodes.csv --trace-jobs jobs.csv \
    --scheduler-conf srtf-preempt.conf --trace-preempt-cost none

  # For a script
  NAME simulate -f cluster.yaml -o json`, "NAME", name),
		Args: filesByFlag,
		RunE: func(*cobra.Command, []string) error {
			if err := s.check(); err != nil {
				return err
			}
			return p.simulateNow(s)
		},
	}
	f := c.Flags()
	s.source(c)
	f.StringVar(&s.until, "until", "quiet", "when to stop: quiet, or a virtual time such as 90s or 2h")
	s.ofTrace(f)
	f.StringVar(&s.page, "report-html", "", "file to draw a trace's run into, as one page that needs no network")
	f.StringVarP(&s.output, "output", "o", "table", "table, json or yaml; csv for a trace")
	f.IntVarP(&s.verbosity, "v", "v", 0, "print the scheduler's log lines up to this level (3 to 5) on stderr")
	f.BoolVar(&s.audit, "audit", false, "recount every figure after every cycle; exit 1 if one is wrong")
	for _, err := range []error{
		c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "yaml", "csv"},
			cobra.ShellCompDirectiveNoFileComp)),
		c.RegisterFlagCompletionFunc("trace-preempt-cost", cobra.FixedCompletions([]string{restart, free},
			cobra.ShellCompDirectiveNoFileComp)),
		c.RegisterFlagCompletionFunc("trace-durations", cobra.FixedCompletions([]string{declared, enforced, unsaid},
			cobra.ShellCompDirectiveNoFileComp)),
		c.RegisterFlagCompletionFunc("until", cobra.FixedCompletions([]string{"quiet"}, cobra.ShellCompDirectiveNoFileComp)),
	} {
		if err != nil {
			panic(err) // a flag that is not defined above
		}
	}
	c.MarkFlagsRequiredTogether("trace-nodes", "trace-jobs")
	return c
}

// ofTrace adds the flags of a trace.
func (s *simulation) ofTrace(f *pflag.FlagSet) {
	f.StringVar(&s.traceNodes, "trace-nodes", "", "table of a trace's nodes, with --trace-jobs")
	f.StringVar(&s.traceJobs, "trace-jobs", "", "table of a trace's jobs, with --trace-nodes")
	f.StringVar(&s.preemptCost, "trace-preempt-cost", restart,
		"what an eviction costs a pod of a trace: restart (it begins anew) or none (it goes on where it was)")
	f.StringVar(&s.durations, "trace-durations", declared,
		"what the scheduler knows of how long a trace's pods run: declared (as ashlar.sh/duration says it), "+
			"enforced (as a limit does), unknown, or one limit for all such as 48h, longer where a pod runs longer")
	f.IntVar(&s.fill, "trace-fill", 0,
		"ignore the trace's times: its jobs arrive in random order and never leave, until they ask for this many percent "+
			"of the GPUs")
	f.UintSliceVar(&s.seeds, "trace-seed", nil,
		"seed of that order, 1 without; of several, separated by commas, the mean is printed")
	f.DurationVar(&s.estimates, "trace-estimate-every", 0,
		"estimate so often, in virtual time, when the waiting jobs of a trace start, and sum up how that fared; 0: never")
}

// source adds the flags that say what is simulated.
func (s *simulation) source(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVarP(&s.files, "filename", "f", nil,
		"file or folder to read, - for standard input; may be given several times")
	f.StringVar(&s.config, "scheduler-conf", "", "volcano-scheduler.conf to use")
	f.StringSliceVar(&s.schedulers, "scheduler-name", []string{"volcano"},
		"schedulerName of the pods to schedule; may be given several times")
}

// oneLimit is the limit that all pods of a trace have; 0 or less: none is said.
func (s *simulation) oneLimit() time.Duration {
	d, _ := time.ParseDuration(s.durations)
	return d
}

// check refuses values that no run can be made of, before anything is read.
func (s *simulation) check() error {
	if len(s.files) == 0 && s.traceJobs == "" {
		return errors.New(`required flag(s) "filename" not set: give -f, or --trace-nodes and --trace-jobs`)
	}
	switch s.output {
	case "table", "json", "yaml":
	case "csv":
		if s.traceJobs == "" {
			return errors.New("--output csv: only a trace's figures are printed as CSV: expected table, json or yaml")
		}
	default:
		return fmt.Errorf("--output %q: expected table, json or yaml, or csv for a trace", s.output)
	}
	if s.page != "" && s.traceJobs == "" {
		return errors.New("--report-html: only a trace's run is drawn: give --trace-nodes and --trace-jobs")
	}
	switch {
	case s.durations != declared && s.durations != enforced && s.durations != unsaid && s.oneLimit() <= 0:
		return fmt.Errorf("--trace-durations %q: expected declared, enforced, unknown, or a limit such as 48h", s.durations)
	case s.durations != declared && s.traceJobs == "":
		return errors.New("--trace-durations: only for a trace can it be said what is known of how long pods run: give " +
			"--trace-nodes and --trace-jobs")
	case s.preemptCost != restart && s.preemptCost != free:
		return fmt.Errorf("--trace-preempt-cost %q: expected restart or none", s.preemptCost)
	case s.preemptCost == free && s.traceJobs == "":
		return errors.New("--trace-preempt-cost: only a trace's pods go on where they were: give --trace-nodes and " +
			"--trace-jobs")
	}
	if s.estimates != 0 && (s.traceJobs == "" || s.fill > 0 || s.estimates < time.Second) {
		return fmt.Errorf("--trace-estimate-every %s: expected a second or more, with --trace-jobs and without --trace-fill",
			s.estimates)
	}
	if err := s.checkFill(); err != nil {
		return err
	}
	if s.verbosity < 0 {
		return fmt.Errorf("-v %d: expected 0 or more", s.verbosity)
	}
	if s.stop = -1; s.until == "quiet" {
		return nil
	}
	stop, err := time.ParseDuration(s.until)
	if err != nil || stop <= 0 {
		return fmt.Errorf("--until %q: expected quiet, or a positive duration such as 90s or 2h", s.until)
	}
	s.stop = stop
	return nil
}

// simulateNow reads, runs and reports.
func (p Process) simulateNow(s simulation) error {
	in, err := p.read(s)
	switch {
	case err != nil:
		return err
	case len(s.seeds) > 1:
		return p.fillOften(s, in)
	case s.fill > 0:
		in, err = in.filled(s, s.seeds[0])
	case in.trace != nil:
		in.add(in.trace, s)
	}
	if err != nil {
		return err
	}
	var behind waitsBehind
	if in.watch == nil {
		in.see = behind.see
	}
	began := p.Now()
	world, findings, err := p.run(s, in)
	if err != nil {
		return err
	}
	if in.watch != nil {
		return p.sumUp(s, in, world, p.Now().Sub(began), findings)
	}
	state, err := p.stateOf(s, world)
	if err != nil {
		return err
	}
	summary := totals(world)
	summary.Passed = behind.at(max(s.stop, world.Now()), world)
	report := explain.New(state, summary, evictions(world))
	for _, problem := range in.problems {
		report.AddProblem(problem.Object, problem.Message)
	}
	if err := p.print(report, s.output); err != nil {
		return badInput("error: writing the report: " + err.Error())
	}
	return wrong(findings)
}

// longestEstimate bounds how long it is looked for when jobs start.
const longestEstimate = 30 * time.Second

// stateOf is how things stand at the end of a run, with estimates of when jobs start where it was stopped before its
// end: when all is quiet no job starts any more.
func (p Process) stateOf(s simulation, world *sim.World) (sched.Report, error) {
	state := world.Engine().Report()
	if s.stop < 0 {
		return state, nil
	}
	end := p.Now().Add(longestEstimate)
	starts, err := world.Starts(func() bool { return p.Now().After(end) })
	if err != nil {
		return state, err
	}
	starts.Into(state.Jobs, world.Engine().Now())
	return state, nil
}

// wrong is the failure of a run in which the audit found something.
func wrong(findings []string) error {
	if len(findings) == 0 {
		return nil
	}
	return badInput(append([]string{"error: the audit found figures that are wrong; this is a bug in ashlar:"},
		findings...)...)
}

func (p Process) print(r *explain.Report, output string) error {
	switch output {
	case "json":
		return r.JSON(p.Out)
	case "yaml":
		return r.YAML(p.Out)
	default:
		return r.Text(p.Out, p.style())
	}
}

func totals(w *sim.World) explain.Summary {
	s := w.Summary()
	return explain.Summary{Cycles: s.Cycles, VirtualTime: explain.Duration(s.VirtualTime), Bound: s.Bound,
		Pending: s.Pending, Evicted: s.Evicted, Lost: explain.TotalLost(records(w))}
}

// evictions lists the evictions of a run, each with its record.
func evictions(w *sim.World) []explain.Eviction {
	var out []explain.Eviction
	all := w.Evictions()
	for i := 0; i < len(all); {
		n := i
		var records []*trace.Eviction
		for ; n < len(all) && all[n].Cycle == all[i].Cycle; n++ {
			if all[n].Record != nil {
				records = append(records, all[n].Record)
			}
		}
		told := explain.NewEvictions(records)
		for ; i < n; i++ {
			e := explain.Eviction{Namespace: all[i].Pod.Namespace, Name: all[i].Pod.Name, Job: all[i].Job, Queue: all[i].Queue,
				Action: all[i].Action, PreemptorJob: all[i].PreemptorJob,
				Reason: all[i].Action + ": makes room for job " + all[i].PreemptorJob}
			if all[i].Record != nil {
				e, told = told[0], told[1:]
			}
			e.Cycle, e.Time = all[i].Cycle, explain.Duration(all[i].Time)
			out = append(out, e)
		}
	}
	return out
}

// records are what is known of all evictions.
func records(w *sim.World) []*trace.Eviction {
	var out []*trace.Eviction
	for _, e := range w.Evictions() {
		if e.Record != nil {
			out = append(out, e.Record)
		}
	}
	return out
}
