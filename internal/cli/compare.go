//go:build !simulator

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

const compareLong = `Simulates the same input twice and says, job by job, what differs: which starts earlier or later,
which waits, and of which more or fewer pods are evicted.

A and B are two configurations. With one, A is what the input has: the configuration among the files, or
that of the dump or the recording. The input is files (-f), as for simulate; a trace (--trace-nodes,
--trace-jobs); or what a live scheduler saved (--dump): the state of one moment, or a recording. Of a
recording all that came from outside comes again: pods of which the end was recorded run as long as they
did, what others deleted is deleted at the same time. All other pods run on.

A or B may also be a run that was saved before with --save: by another version of ashlar, by one that
had other plugins, or on another day. With two of these there is no input.

Exit codes: 0 compared; 1 bad input or configuration; 2 bad usage. With --exit-code 3 where some
job fares otherwise.`

// exitFares is the exit code of --exit-code where some job fares otherwise.
const exitFares = 3

// mostCompared is how many jobs compare prints.
const mostCompared = 50

// comparing is what the flags of compare ask for.
type comparing struct {
	source
	configs  []string
	save     string
	most     int
	output   string
	exitCode bool
}

func (p snapshots) compare(name string) *cobra.Command {
	x := comparing{}
	c := &cobra.Command{
		Use:   "compare [A] [B]",
		Short: "Show job by job what another configuration or version changes",
		Long:  compareLong,
		Example: fmt.Sprintf(`  # Two configurations on one input, or another one than the input has
  %[1]s compare -f cluster.yaml -f jobs/ now.conf new.conf
  %[1]s compare -f cluster.yaml -f jobs/ new.conf

  # What would another configuration have done with what came last night?
  %[1]s compare --dump ashlar-recording-7.jsonl.gz new.conf

  # Two versions
  ashlar-v1 compare -f cluster.yaml --save old.json
  ashlar-v2 compare -f cluster.yaml old.json`, name),
		RunE: func(c *cobra.Command, args []string) error {
			x.configs = append(x.configs, args...)
			if err := x.check(); err != nil {
				return err
			}
			return p.compareNow(x)
		},
	}
	f := c.Flags()
	f.StringSliceVarP(&x.files, "filename", "f", nil, "file or folder to read; may be given several times")
	f.StringVar(&x.dump, "dump", "", "dump, snapshot or recording")
	f.StringVar(&x.traceNodes, "trace-nodes", "", "table of a trace's nodes, with --trace-jobs")
	f.StringVar(&x.traceJobs, "trace-jobs", "", "table of a trace's jobs, with --trace-nodes")
	f.StringArrayVar(&x.configs, "scheduler-conf", nil, "volcano-scheduler.conf: another way to give A, and B")
	f.StringSliceVar(&x.schedulers, "scheduler-name", []string{"volcano"}, "schedulerName of the pods to schedule")
	f.StringVar(&x.until, "until", "quiet", "when to stop: quiet, or a virtual time such as 90s or 2h")
	f.StringVar(&x.save, "save", "", "file to save one run in, to be compared later, instead of comparing")
	f.IntVar(&x.most, "most", mostCompared, "how many jobs to print at most, those first for which most changes; 0: all")
	f.StringVarP(&x.output, "output", "o", "table", "table or json")
	f.BoolVar(&x.exitCode, "exit-code", false, "exit with 3 if some job fares otherwise")
	c.MarkFlagsRequiredTogether("trace-nodes", "trace-jobs")
	must(c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json"},
		cobra.ShellCompDirectiveNoFileComp)))
	return c
}

// check refuses what does not go together, before anything is read.
func (x *comparing) check() error {
	if len(x.configs) > 2 {
		return fmt.Errorf("there are %d configurations or saved runs: give two, A and B, or one", len(x.configs))
	}
	if x.save != "" && len(x.configs) > 1 {
		return errors.New("--save: it saves one run, of one configuration")
	}
	inputs := 0
	for _, given := range []bool{len(x.files) > 0 || x.traceJobs != "", x.dump != ""} {
		if given {
			inputs++
		}
	}
	switch {
	case inputs > 1:
		return errors.New("--dump: give it alone, or files, or a trace")
	case inputs == 0 && len(x.configs) < 2:
		return errors.New("give the input: -f, --trace-nodes and --trace-jobs, or --dump; or two saved runs, A and B")
	case x.save == "" && len(x.configs) == 0:
		return errors.New("give the configurations to compare, A and B, or one, to compare with that of the input")
	case x.output != "table" && x.output != "json":
		return fmt.Errorf("--output %q: expected table or json", x.output)
	case x.most < 0:
		return fmt.Errorf("--most %d: expected 0 or more", x.most)
	}
	if x.stop = -1; x.until == "quiet" {
		return nil
	}
	stop, err := time.ParseDuration(x.until)
	if err != nil || stop <= 0 {
		return fmt.Errorf("--until %q: expected quiet, or a positive duration such as 90s or 2h", x.until)
	}
	x.stop = stop
	return nil
}

// compareNow makes or reads both runs and prints the difference.
func (p snapshots) compareNow(x comparing) error {
	if x.save != "" {
		one, err := p.runOf(x, append(x.configs, "")[0])
		if err != nil {
			return err
		}
		return one.save(x.save)
	}
	if len(x.configs) == 1 {
		x.configs = []string{"", x.configs[0]}
	}
	saved := 0
	var runs [2]*ran
	for i, name := range x.configs {
		var err error
		if runs[i], err = p.readRun(name); err != nil {
			return err
		}
		if runs[i] != nil {
			saved++
		}
	}
	if input := len(x.files) > 0 || x.traceJobs != "" || x.dump != ""; input == (saved == 2) {
		if input {
			return errors.New("both are saved runs: there is no input to give")
		}
		return errors.New("give the input: -f, --trace-nodes and --trace-jobs, or --dump; only two saved runs need none")
	}
	if saved == 1 && x.configs[0] == "" { // the run that was saved, and now
		x.configs = []string{x.configs[1], ""}
		runs[0], runs[1] = runs[1], nil
	}
	var piped []byte
	if slices.Contains(x.files, "-") {
		var err error
		if piped, err = io.ReadAll(p.In); err != nil {
			return badInput("error: -: " + err.Error())
		}
	}
	for i := range runs {
		if runs[i] == nil {
			p.In = bytes.NewReader(piped) // each run reads all of it
			var err error
			if runs[i], err = p.runOf(x, x.configs[i]); err != nil {
				return err
			}
		}
	}
	return p.printComparison(x, compareRuns(runs[0], runs[1]))
}

// printComparison prints, and says with the exit code whether something differs.
func (p snapshots) printComparison(x comparing, out *comparison) error {
	for _, note := range out.Notes {
		p.warnEach([]string{note})
	}
	var err error
	if x.output == "json" {
		err = out.json(p.Out)
	} else {
		err = out.text(p.Out, x.most)
	}
	if err == nil && x.exitCode && out.Same < len(out.Jobs) {
		return &failure{code: exitFares}
	}
	return err
}
