//go:build !simulator

package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
)

// replaying is what the flags of replay ask for.
type replaying struct {
	config    string
	output    string
	verbosity int
}

const replayLong = `Runs one cycle on what a live scheduler saved: the file that SIGUSR1 or SIGUSR2 makes it
write, or the one that a panic left behind. The engine decides as it did, or would have,
at that time; what it decides is carried out nowhere. The report shows which jobs wait and why.

The configuration is that of --scheduler-conf, else the one that the file holds.

Exit codes: 0 decided; 1 the file or the configuration cannot be used; 2 bad usage.`

func (p Process) replay() *cobra.Command {
	r := replaying{}
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Decide again on what a live scheduler saved",
		Long:  replayLong,
		Example: `  # What does the scheduler think, and why?
  kill -USR2 $PID
  ashlar replay /tmp/ashlar-dump-$PID.json -v 3`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return p.replayNow(r, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&r.config, "scheduler-conf", "", "volcano-scheduler.conf to use instead of the one that held")
	f.StringVarP(&r.output, "output", "o", "table", "table, json or yaml")
	f.IntVarP(&r.verbosity, "v", "v", 0, "print the scheduler's log lines up to this level (3 to 5) on stderr")
	return c
}

func (p Process) replayNow(r replaying, path string) error {
	if r.output != "table" && r.output != "json" && r.output != "yaml" {
		return fmt.Errorf("--output %q: expected table, json or yaml", r.output)
	}
	state, err := recording.ReadState(path)
	if err != nil {
		return badInput("error: " + err.Error())
	}
	chosen, lines := p.configured(r, path, state.Configuration)
	if len(lines) > 0 {
		return badInput(lines...)
	}
	for _, kind := range slices.Sorted(maps.Keys(state.LeftOut)) {
		fmt.Fprintf(p.Err, "warning: %s: %d facts are left out: this version knows no %s\n", path, state.LeftOut[kind], kind)
	}
	engine, err := sched.New(profile.Local(profile.Of(chosen), state.UTCOffset), append(p.engine(), state.Pace())...)
	if err != nil {
		return badInput(chosen.Locate(err).Error())
	}
	engine.Apply(state.Facts...)
	engine.Restore(state.Commitments)
	engine.Record(r.verbosity)
	plan, events, _ := engine.Decide(state.Now)
	for _, e := range events {
		if _, line := explain.Log(e); line != "" {
			fmt.Fprintln(p.Err, line)
		}
	}
	summary := explain.Summary{Cycles: 1}
	for _, i := range plan.Items {
		switch i.Kind {
		case sched.BindPod:
			summary.Bound++
		case sched.EvictPod:
			summary.Evicted++
		}
	}
	return p.print(explain.New(engine.Report(), summary, nil), r.output)
}

// configured is the flag's configuration, else the one that was saved, with what is
// wrong with it, line by line.
func (p Process) configured(r replaying, path, text string) (*config.Scheduler, []string) {
	if r.config != "" {
		return p.configuration(simulation{config: r.config}, nil)
	}
	if text == "" {
		return config.Default(), nil
	}
	chosen, problems := config.Parse(config.Source{File: path + " (its configuration)"}, []byte(text), p.catalog(),
		config.Lenient)
	if chosen != nil {
		for _, problem := range problems {
			fmt.Fprintln(p.Err, "warning:", problem)
		}
		return chosen, nil
	}
	var lines []string
	for _, problem := range problems {
		lines = append(lines, problem.String())
	}
	return nil, lines
}
