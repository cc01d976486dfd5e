package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
)

// sharing is what the flags of queues ask for.
type sharing struct {
	simulation
	name string
	at   string
	why  bool
}

const queuesLong = `Shows how the queues share a cluster described by files: for every queue of the tree
what it holds, asks for and deserves, what it may at most have (realCapability), its share,
and in which order the queues are served. The input and the configuration are those of
simulate, which runs first, until nothing more can happen; --at stops it earlier: 0s is
after the first cycle.

With NAME only that queue and those below it are shown. --why adds the arithmetic behind
the figures: for proportion round by round (weight, what remains, what is given, clipped
by realCapability and by the request, raised to the guarantee), for capacity level by
level from root down.

Exit codes: 0 shown; 1 bad input or configuration, or there is no queue NAME; 2 bad usage.`

func (p Process) queues(name string) *cobra.Command {
	s := sharing{}
	c := &cobra.Command{
		Use:   "queues -f FILE|DIR|- ... [NAME]",
		Short: "Show what queues hold, ask for, deserve and may have, and why",
		Long:  queuesLong,
		Example: strings.ReplaceAll(`  # How do the queues share once everything has settled?
  NAME queues -f examples/quickstart

  # Right after the first cycle, with every figure
  NAME queues -f cluster.yaml --at 0s -o wide

  # Why does queue research deserve what it deserves?
  NAME queues -f cluster.yaml --why research`, "NAME", name),
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s.name = strings.Join(args, "")
			if err := s.check(); err != nil {
				return err
			}
			return p.showQueues(s)
		},
	}
	f := c.Flags()
	s.source(c)
	f.StringVar(&s.at, "at", "quiet", "when to look: quiet, or a virtual time such as 0s (after the first cycle) or 2h")
	f.StringVarP(&s.output, "output", "o", "table", "table, wide, json or yaml")
	f.BoolVar(&s.why, "why", false, "show the arithmetic of queue NAME, or of all queues")
	for _, err := range []error{
		c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "wide", "json", "yaml"},
			cobra.ShellCompDirectiveNoFileComp)),
		c.RegisterFlagCompletionFunc("at", cobra.FixedCompletions([]string{"quiet", "0s"},
			cobra.ShellCompDirectiveNoFileComp)),
	} {
		if err != nil {
			panic(err) // a flag that is not defined above
		}
	}
	return c
}

// check refuses values that nothing can be shown for, before anything is read.
func (s *sharing) check() error {
	if len(s.files) == 0 {
		return errors.New(`required flag(s) "filename" not set`)
	}
	if !slices.Contains([]string{"table", "wide", "json", "yaml"}, s.output) {
		return fmt.Errorf("--output %q: expected table, wide, json or yaml", s.output)
	}
	if s.stop = -1; s.at == "quiet" {
		return nil
	}
	at, err := time.ParseDuration(s.at)
	if err != nil || at < 0 {
		return fmt.Errorf("--at %q: expected quiet, or a duration such as 0s, 90s or 2h", s.at)
	}
	s.stop = at
	return nil
}

// showQueues reads, runs and shows.
func (p Process) showQueues(s sharing) error {
	in, err := p.read(s.simulation)
	if err != nil {
		return err
	}
	world, _, err := p.run(s.simulation, in)
	if err != nil {
		return err
	}
	shown := explain.NewQueues(world.Engine().Report(), totals(world))
	if s.name != "" {
		names := shown.Names()
		if !slices.Contains(names, s.name) {
			return badInput(fmt.Sprintf("error: there is no queue %q%s", s.name, config.Suggest(s.name, names)))
		}
		shown.Only(s.name)
	}
	if s.why {
		explainQueues(shown, world, s.name)
	}
	if err := p.printQueues(shown, s.output); err != nil {
		return badInput("error: writing the report: " + err.Error())
	}
	return nil
}

// explainQueues adds the arithmetic of the queue that is named, or of all.
func explainQueues(shown *explain.Queues, world *sim.World, name string) {
	names := []string{name}
	if name == "" {
		names = shown.Names()
	}
	for _, n := range names {
		if why, known := world.Engine().QueueWhy(n); known {
			shown.AddWhy(why)
		}
	}
}

func (p Process) printQueues(q *explain.Queues, output string) error {
	switch output {
	case "json":
		return q.JSON(p.Out)
	case "yaml":
		return q.YAML(p.Out)
	default:
		return q.Text(p.Out, p.style(), output == "wide")
	}
}
