//go:build !simulator

package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// replaying is what the flags of replay ask for.
type replaying struct {
	config    string
	output    string
	verbosity int
	step      bool
	cycle     string // N or N-M
	job       string // namespace/name
}

const replayLong = `Decides again on what a live scheduler saved, and carries nothing out.

A recording (ashlar-recording-PID.jsonl.gz and the like) is played cycle by cycle: what came in
comes in again, and each plan is compared with the one that was recorded, byte for byte. The
first difference is shown and ends it. --step shows of each cycle what came in, what was
decided and why; --cycle and --job show some of it.

Of a state (ashlar-dump-PID.json, ashlar-panic-PID.json, a snapshot) one cycle is run, as the scheduler
did, or would have, at that time. The report shows which jobs wait and why.

The configuration is the one that the file holds; for a state --scheduler-conf names another.

Exit codes: 0 decided, and a recording as it was; 1 the file or the configuration cannot be
used; 2 bad usage; 3 a recording is decided otherwise than it was.`

func (p playing) replay() *cobra.Command {
	r := replaying{}
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Decide again on what a live scheduler saved",
		Long:  replayLong,
		Example: `  # What does the scheduler think, and why?
  kill -USR2 $PID
  ashlar replay /tmp/ashlar-recordings/ashlar-dump-$PID.json -v 3

  # What happened to job train lately?
  ashlar replay --step --job team/train /tmp/ashlar-recordings/ashlar-recording-$PID.jsonl.gz`,
		Args: exactly("the file that a scheduler saved: replay FILE", 1),
		RunE: func(_ *cobra.Command, args []string) error { return p.replayNow(r, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&r.config, "scheduler-conf", "", "volcano-scheduler.conf to use instead of the one that held")
	f.StringVarP(&r.output, "output", "o", "table", "table, json or yaml")
	f.IntVarP(&r.verbosity, "v", "v", 0, "print the scheduler's log lines up to this level (3 to 5) on stderr")
	f.BoolVar(&r.step, "step", false, "show a recording cycle by cycle")
	f.StringVar(&r.cycle, "cycle", "", "show only this cycle of a recording, or these: 10-20; means --step")
	f.StringVar(&r.job, "job", "", "show only what concerns this job, NAMESPACE/NAME, in a recording; means --step")
	return c
}

func (p playing) replayNow(r replaying, path string) error {
	if r.output != "table" && r.output != "json" && r.output != "yaml" {
		return fmt.Errorf("--output %q: expected table, json or yaml", r.output)
	}
	read, err := recording.Open(path)
	if err != nil {
		return badInput("error: " + err.Error())
	}
	defer func() { _ = read.Close() }() // it was only read
	stepping := r.step || r.cycle != "" || r.job != ""
	switch recorded := read.IsRecording(); {
	case recorded && r.output == "yaml":
		return errors.New("--output yaml: of a recording there are table and json")
	case recorded && r.config != "":
		return errAsRecorded
	case recorded && stepping:
		return p.stepping(read, path, r)
	case recorded:
		out, err := p.play(read, path, p.player(path, 0))
		if err != nil {
			return err
		}
		return p.result(out, r.output)
	case stepping:
		return badInput(fmt.Sprintf("error: %s: it is the state of one moment, and has no steps to show: "+
			"--step, --cycle and --job are for recordings", path))
	}
	return p.replayState(r, path, read.Base)
}

// replayState decides once on a state.
func (p playing) replayState(r replaying, path string, state recording.State) error {
	chosen, err := p.configured(r.config, path, state.Configuration)
	if err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(state.LeftOut)) {
		fmt.Fprintf(p.Err, "warning: %s: %d facts are left out: this version knows no %s\n", path, state.LeftOut[kind],
			explain.Printable(string(kind)))
	}
	engine, plan, events, err := p.decideOn(state, chosen, r.verbosity)
	if err != nil {
		return err
	}
	for _, e := range events {
		if _, line := explain.Log(e); line != "" {
			fmt.Fprintln(p.Err, explain.Printable(line))
		}
	}
	return p.print(explain.New(engine.Report(), summaryOf(plan), nil), r.output)
}

// errAsRecorded refuses a configuration for a recording.
var errAsRecorded = errors.New("--scheduler-conf: a recording is decided again as it was; compare decides by two " +
	"configurations")

// stateIn reads a state and its configuration.
func (p playing) stateIn(path, configuration string) (recording.State, *config.Scheduler, error) {
	state, err := recording.ReadState(path)
	if err != nil {
		return state, nil, badInput("error: " + err.Error())
	}
	chosen, err := p.configured(configuration, path, state.Configuration)
	return state, chosen, err
}

// localProfile is what a state is decided by.
func localProfile(state *recording.State, chosen *config.Scheduler) policy.Profile {
	return profile.Local(profile.Of(chosen), state.UTCOffset)
}

// decideOn runs one cycle on a state, which is carried out nowhere.
func (p playing) decideOn(state recording.State, chosen *config.Scheduler, verbosity int) (
	*sched.Engine, sched.Plan, []trace.Event, error) {
	engine, err := sched.New(localProfile(&state, chosen), append(p.engine(), state.Pace())...)
	if err != nil {
		return nil, sched.Plan{}, nil, badInput(chosen.Locate(err).Error())
	}
	engine.Apply(state.Facts...)
	engine.Restore(state.Commitments)
	engine.SetVerbosity(verbosity)
	plan, events, _ := engine.Decide(state.Now)
	return engine, plan, events, nil
}

// summaryOf is what one cycle comes to.
func summaryOf(plan sched.Plan) explain.Summary {
	out := explain.Summary{Cycles: 1}
	for _, i := range plan.Items {
		switch i.Kind {
		case sched.BindPod:
			out.Bound++
		case sched.EvictPod:
			out.Evicted++
		}
	}
	return out
}

// configured is the configuration of a file that is named, else the one that was saved.
func (p playing) configured(name, path, text string) (*config.Scheduler, error) {
	var chosen *config.Scheduler
	var lines []string
	switch {
	case name != "":
		chosen, lines = p.configuration(simulation{config: name}, nil)
	case text == "":
		chosen = config.Default()
	default:
		chosen, lines = questions(p).lenient(path+" (its configuration)", text)
	}
	if len(lines) > 0 {
		return nil, badInput(lines...)
	}
	return chosen, nil
}
