package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// Process is what a command has of the world around it.
type Process struct {
	Args     []string // as os.Args: the name first, by which the binary was called
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string
	Now      func() time.Time
	// Plugins are compiled in beside the built ones.
	Plugins []policy.Definition

	once map[string]string // the texts of configurations that can be read only once, by their paths
}

// catalog is what a configuration may name.
func (p Process) catalog() config.Catalog { return config.Volcano().With(p.Plugins...) }

// compiled are the options for the plugins beside the built ones.
func (p Process) compiled() (out []sched.Option) {
	for _, d := range p.Plugins {
		out = append(out, sched.WithPlugin(d))
	}
	return out
}

// OS is the process as it really is.
func OS() Process {
	return Process{Args: os.Args, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv, Now: time.Now}
}

// Run runs the command that the arguments ask for and returns the exit code.
func (p Process) Run() int {
	out := &output{Writer: p.Out}
	p.Out, p.once = out, map[string]string{}
	root := p.root()
	args := p.Args[1:]
	if p.calledAs("vc-scheduler") {
		args = append([]string{"scheduler"}, args...)
	}
	root.SetArgs(args)
	command := root
	err := p.recovering(func() (err error) {
		command, err = root.ExecuteC()
		return err
	})
	var failed *failure
	switch told := errors.As(err, &failed); {
	case out.err != nil && !(told && strings.Contains(failed.Error(), out.err.Error())):
		fmt.Fprintln(p.Err, "error: writing the output:", out.err)
		return 1
	case err == nil:
		return 0
	case told:
		for _, line := range failed.lines {
			fmt.Fprintln(p.Err, explain.Printable(line))
		}
		return failed.code
	default:
		fmt.Fprintf(p.Err, "error: %v\nSee '%s --help'.\n", err, command.CommandPath())
		return 2
	}
}

func (p Process) root() *cobra.Command {
	name := "ashlar"
	if p.calledAs("kubectl-ashlar") {
		name = "kubectl ashlar"
	}
	root := &cobra.Command{
		Use:   "ashlar",
		Short: "Batch scheduling for Kubernetes that can be explained, predicted and replayed",
		Long: `Ashlar is a batch scheduler for Kubernetes: queues share a cluster fairly, gangs start
whole or not at all, and every decision can be explained. It reads Volcano's
objects, annotations and configuration.`,
		Example: fmt.Sprintf("  # Which jobs would run where, which would wait, and why?\n"+
			"  %s simulate -f cluster.yaml -f jobs/", name),
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: name},
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return namesSomething(c) },
	}
	root.SetFlagErrorFunc(suggestFlag)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.AddCommand(p.simulate(name), pages{p}.web(name), p.version())
	root.AddCommand(questions{p}.verbs(name)...)
	root.AddCommand(p.clustered(name)...)
	return root
}

// suggestFlag adds to the error about a flag that a command has not the one that is nearest.
func suggestFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return fmt.Errorf("%w%s", err, explain.Suggest("--"+unknown.GetSpecifiedName(), names))
}

// namesSomething refuses flags that name an input or a file and are given with nothing, as by a script in which a
// variable is not set: without them something else would be asked, such as the live cluster. An empty flag of the
// scheduler is Volcano's default.
func namesSomething(c *cobra.Command) (err error) {
	if c.Name() == "scheduler" {
		return nil
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "filename", "on", "dump", "scheduler-conf", "scheduler-name", "save", "trace-nodes", "trace-jobs", "report-html":
			if text := f.Value.String(); text == "" || text == "[]" {
				err = fmt.Errorf("--%s: it is given, and empty", f.Name)
			}
		}
	})
	return err
}

// filesByFlag refuses arguments of a command that takes its files by -f.
func filesByFlag(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unexpected argument %q: files are named with -f (did you mean \"-f %s\"?)", args[0], args[0])
}

// calledAs says that the binary was called by a name, whatever its folder and ending.
func (p Process) calledAs(name string) bool {
	return strings.TrimSuffix(filepath.Base(p.Args[0]), ".exe") == name
}

// failure is an error with lines for the user, printed as they are, and the exit code.
type failure struct {
	code  int
	lines []string
}

func (f *failure) Error() string { return strings.Join(f.lines, "\n") }

// badInput refuses what was given, line by line.
func badInput(lines ...string) error { return &failure{code: 1, lines: lines} }
