//go:build !simulator

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/lint"
	"ashlar.sh/internal/manifest"
)

// linter is the verb that looks for mistakes.
type linter struct{ questions }

// linting is what its flags ask for.
type linting struct {
	source
	on     []string
	confs  []string // the FILEs that are configurations
	live   bool
	failOn string
}

const lintLong = `Looks for what does not do what its author meant, in files or in a live cluster: the scheduler's
configuration, guarantees that add up to more than there is, jobs that can never run or name what is not
there, HyperNodes that are no tree. docs/lint.md has each rule.

FILE is YAML or JSON, a folder of it, or - for standard input; with the ending .conf it is a
volcano-scheduler.conf, and each of several is looked at by itself. --on names files of the cluster
for which these are, and --live takes the live cluster for it: then jobs are tried on its nodes, in
its queues, and only what is wrong with the FILEs is told. Without FILE the live cluster itself is
looked at, which is only read.

Exit codes: 0 nothing as bad as --fail-on was found; 1 something was, or it could not be looked;
2 bad usage.`

func (p linter) lint(name string) *cobra.Command {
	l := linting{}
	c := &cobra.Command{
		Use:   "lint [FILE|DIR|-]...",
		Short: "Find mistakes in a configuration, queues, jobs and HyperNodes",
		Long:  lintLong,
		Example: strings.ReplaceAll(`  # Jobs and queues of a folder, as a check in CI
  NAME lint -o sarif manifests/ > lint.sarif

  # Can these jobs ever run on that cluster?
  NAME lint jobs/ --on cluster.yaml
  NAME lint jobs/ --live

  # A configuration; and the live cluster
  NAME lint volcano-scheduler.conf
  NAME lint`, "NAME", name),
		RunE: func(c *cobra.Command, args []string) error {
			if err := l.check(c, args); err != nil {
				return err
			}
			return p.lintNow(l)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&l.on, "on", nil, "file or folder that describes the cluster; may be given several times")
	f.BoolVar(&l.live, "live", false, "take the live cluster for the one that the files are for")
	f.StringVar(&l.config, "scheduler-conf", "", "volcano-scheduler.conf to use")
	f.StringSliceVar(&l.schedulers, "scheduler-name", []string{"volcano"},
		"schedulerName of the pods to look at; may be given several times")
	l.liveFlags(c)
	f.StringVarP(&l.output, "output", "o", "text", "text, json or sarif")
	f.StringVar(&l.failOn, "fail-on", "error", "the least severity for exit code 1: error, warning, note or never")
	must(c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "sarif"},
		cobra.ShellCompDirectiveNoFileComp)))
	must(c.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"error", "warning", "note", "never"},
		cobra.ShellCompDirectiveNoFileComp)))
	return c
}

// check refuses what does not go together, and takes a configuration out of the arguments.
func (l *linting) check(c *cobra.Command, args []string) error {
	l.named, l.schedulersGiven = c.Flags().Changed("namespace"), c.Flags().Changed("scheduler-name")
	l.stop, l.files, l.confs = -1, nil, nil
	for _, a := range args {
		switch {
		case filepath.Ext(a) != ".conf":
			l.files = append(l.files, a)
		case !slices.Contains(l.confs, a):
			l.confs = append(l.confs, a)
		}
	}
	switch {
	case !slices.Contains([]string{"text", "json", "sarif"}, l.output):
		return fmt.Errorf("--output %q: expected text, json or sarif", l.output)
	case !slices.Contains([]string{"error", "warning", "note", "never"}, l.failOn):
		return fmt.Errorf("--fail-on %q: expected error, warning, note or never", l.failOn)
	case l.live && len(l.on) > 0:
		return errors.New("--live and --on: give one of them")
	case slices.Contains(args, "-") && slices.Contains(l.on, "-"):
		return errors.New("-: standard input is read once: give the files or the cluster another way")
	case len(args) == 0 && len(l.on) > 0:
		return errors.New("--on is the cluster for which files are: give files")
	}
	return nil
}

// lintNow reads, looks and prints.
func (p linter) lintNow(l linting) error {
	in, others, err := p.input(l)
	if err != nil {
		return err
	}
	out := lint.Look(in)
	out.Join(others...)
	switch l.output {
	case "sarif":
		err = out.SARIF(p.Out, ownVersions().Version)
	case "json":
		err = explain.DocumentJSON(p.Out, out)
	default:
		err = out.Text(p.Out)
	}
	if err != nil {
		return badInput("error: writing the findings: " + err.Error())
	}
	for _, what := range out.Unchecked {
		fmt.Fprintln(p.Err, "not looked at:", explain.Printable(what))
	}
	fmt.Fprintf(p.Err, "%s, %s, %s\n", many(out.Errors, "error"), many(out.Warnings, "warning"),
		many(out.NotesCount, "note"))
	for i := range out.Findings {
		if l.failOn != "never" && out.Findings[i].Severity.AtLeast(lint.Severity(l.failOn)) {
			return &failure{code: 1}
		}
	}
	return nil
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// input reads what is to be looked at, and decides on it once. What else was looked at, and what was not, is in others.
func (p linter) input(l linting) (in lint.Input, others []*lint.Report, err error) {
	set := manifest.NewSet()
	if len(l.files) > 0 {
		show := p.loading()
		set, in.Refused = manifest.LoadAmong(l.files, p.In, show.load)
		set.RunCronJobs()
		show.end()
	}
	switch {
	case l.live || len(l.files)+len(l.confs) == 0 && l.config == "":
		others, err = p.onCluster(l, &in, set)
		return in, others, err
	case len(l.on) > 0:
		ground, errs := manifest.LoadAmong(l.on, p.In, nil)
		if len(errs) > 0 {
			var lines []string
			for _, e := range errs {
				lines = append(lines, e.Error())
			}
			return in, nil, badInput(lines...)
		}
		ground.Apply(set)
		files := set
		in.Mine = func(file string) bool { return file != "" && (files.HasRead(file) || !ground.HasRead(file)) }
		set = ground
	}
	in.World = set.Expand(l.schedulers...)
	use, alone, unchecked := l.choose(&in)
	others = []*lint.Report{{Unchecked: append(set.PassedOver(), unchecked...)}}
	for _, c := range alone {
		others = append(others, p.alone(l, c))
	}
	in.Chosen, in.Configuration = p.parsed(use)
	p.decide(l, &in, inputOf(in.World, cmp.Or(in.Chosen, config.Default()), 0))
	return in, others, nil
}
