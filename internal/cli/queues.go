package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
)

// sharing is what the flags of queues ask for.
type sharing struct {
	listing
	name string
	why  bool
}

const queuesLong = `Shows how the queues share a cluster: for every queue of the tree what it holds, asks for
and deserves, what it may at most have (realCapability), its share, and in which order the
queues are served. Of files (-f) the input and the configuration are those of simulate, which
runs first, until nothing more can happen; --at stops it earlier: 0s is after the first cycle.

Without -f and --dump the live cluster of your kubeconfig is asked, which is only read: see
why --help.

With NAME only that queue and those below it are shown. --why adds the arithmetic behind
the figures: for proportion round by round (weight, what remains, what is given, clipped
by realCapability and by the request, raised to the guarantee), for capacity level by
level from root down.

Exit codes: 0 shown; 1 bad input or configuration, or there is no queue NAME; 2 bad usage.`

func (p questions) queues(name string) *cobra.Command {
	s := sharing{}
	c := &cobra.Command{
		Use:     "queues [NAME]",
		Aliases: []string{"queue", "q"},
		Short:   "Show what queues hold, ask for, deserve and may have, and why",
		Long:    queuesLong,
		Example: strings.ReplaceAll(`  # How do the queues share once everything has settled?
  NAME queues -f examples/quickstart

  # Right after the first cycle, with every figure
  NAME queues -f cluster.yaml --at 0s -o wide

  # Why does queue research deserve what it deserves?
  NAME queues -f cluster.yaml --why research

  # On the live cluster
  NAME queues -o wide`, "NAME", name),
		Args: func(c *cobra.Command, args []string) error { return s.take(args, c.Flags().Changed("namespace")) },
		RunE: func(c *cobra.Command, args []string) error {
			if err := s.check(c); err != nil {
				return err
			}
			return orVerb(c, args, p.showQueues(s), "list", "get", "operate")
		},
		ValidArgsFunction: p.completes("queue", &s.source),
	}
	f := c.Flags()
	s.flags(c, false)
	out, at := f.Lookup("output"), f.Lookup("at")
	out.DefValue, out.Usage, s.output = "table", "table, wide, json, yaml, name or jsonpath=TEMPLATE", "table"
	at.DefValue, at.Usage, s.at = "quiet", "of files: when to look: quiet, or a virtual time such as 0s (after the first "+
		"cycle) or 2h", "quiet"
	f.StringVar(&s.asVcctl, "name", "", "the queue, as vcctl has it")
	must(f.MarkHidden("name"))
	f.BoolVar(&s.why, "why", false, "show the arithmetic of queue NAME, or of all queues")
	must(c.RegisterFlagCompletionFunc("at", cobra.FixedCompletions([]string{"quiet", "0s"},
		cobra.ShellCompDirectiveNoFileComp)))
	return c
}

// take reads the arguments: a NAME or none, and those of vcctl: list, get NAME, and get with the name by a flag, which
// is -n there: a queue has no namespace.
func (s *sharing) take(args []string, named bool) error {
	if s.asVcctl != "" {
		args = append(args, s.asVcctl)
	} else if len(args) == 1 && args[0] == "get" && named {
		args, s.namespace = append(args, s.namespace), ""
	}
	if args = listedAs(args); len(args) == 2 && args[0] == "get" {
		args = args[1:]
	}
	if len(args) > 1 {
		return fmt.Errorf("accepts at most 1 queue, received %d%s", len(args),
			explain.Suggest(args[0], []string{"list", "get", "operate"}))
	}
	s.name = strings.Join(args, "")
	return nil
}

// showQueues asks the live scheduler, or reads and runs, and shows.
func (p questions) showQueues(s sharing) error {
	live := liveQuestions{p}
	var shown *explain.Queues
	answered, err := false, error(nil)
	if s.watch {
		answered, err = live.watchQueues(&s)
	} else {
		shown, err = live.queuesByScheduler(&s)
	}
	if err != nil || answered {
		return err
	}
	if shown != nil {
		if err := p.printQueues(shown, s.listing, p.Out); err != nil {
			return badInput("error: writing the report: " + err.Error())
		}
		return nil
	}
	return p.list(s.listing, func(l listing, found *situation, w io.Writer) error {
		selected, err := l.selected(found)
		if err != nil {
			return err
		}
		if found.written != nil {
			return badInput("error: what queues hold cannot be found out: " + strings.Join(found.asking.Basis.Unknown, "; "))
		}
		shown := explain.NewQueues(found.engine.Report(), found.summary)
		if s.name != "" {
			names := shown.Names()
			if !slices.Contains(names, s.name) {
				return badInput("error: " + explain.NoSuch("queue", "", s.name, names))
			}
			shown.Only(s.name)
		}
		if selected != nil {
			shown.Select(func(name string) bool { return selected["Queue/"+name] })
		}
		if s.why {
			explainQueues(shown, found.engine, s.name)
		}
		if err := p.printQueues(shown, l, w); err != nil {
			return badInput("error: writing the report: " + err.Error())
		}
		return nil
	})
}

// explainQueues adds the arithmetic of the queue that is named, or of all.
func explainQueues(shown *explain.Queues, engine *sched.Engine, name string) {
	names := []string{name}
	if name == "" {
		names = shown.Names()
	}
	for _, n := range names {
		if why, known := engine.QueueWhy(n); known {
			shown.AddWhy(why)
		}
	}
}

func (p questions) printQueues(q *explain.Queues, l listing, w io.Writer) error {
	done, err := printDocument(w, l.output, q)
	switch {
	case done:
		return err
	case l.output == "name":
		for _, name := range q.Names() {
			fmt.Fprintln(w, "queue/"+explain.Printable(name))
		}
		return nil
	case l.noHeaders:
		return q.Lines(w, p.style(), l.output == "wide")
	default:
		return q.Text(w, p.style(), l.output == "wide")
	}
}
