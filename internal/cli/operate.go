//go:build !simulator

package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
)

// operator is the verbs that ask Volcano's controllers for something. No other verb writes to a cluster.
type operator struct{ questions }

// operation is what their flags ask for.
type operation struct {
	source
	action    busv1alpha1.Action
	kind      string // queue or job
	name      string
	dryRun    string
	wait      time.Duration
	open, off bool
	weight    int32  // that the queue is to have; 0: it stays
	asVcctl   string // -a of vcctl
}

const operateLong = `Asks Volcano's controllers to %s: it makes a Command (bus.volcano.sh), as vcctl does,
and waits until they have taken it. Where none takes it in time (--wait), nothing is done: the
Command is removed again, and what to do instead is said. It needs the right to create, get and
delete commands.bus.volcano.sh %s.

%s

Exit codes: 0 done, or it is so already; 1 it could not be done; 2 bad usage.`

const (
	queueLong = `Asks Volcano's controllers to open or close a queue, or gives it another weight, as vcctl does.

To open or close it a Command (bus.volcano.sh) is made, and it is waited until they have taken it.
Where none takes it in time (--wait), nothing is done: the Command is removed again, and what to do
instead is said. It needs the right to create, get and delete commands.bus.volcano.sh in namespace
default. The weight is patched, without the controllers, which needs the right to patch
queues.scheduling.volcano.sh.

%s

Exit codes: 0 done, or it is so already; 1 it could not be done; 2 bad usage.`
	queueEffect = `A closed queue starts no job; what runs in it runs on, and until that has ended it is Closing. The
queues below it are closed with it. Opening it again is enough for all.`
	jobEffect = `Suspending a job deletes its pods: their work since the last checkpoint is lost. It is Aborting, then
Aborted, until it is resumed; resuming makes its pods anew, which wait for room like any others.
Only Jobs of Volcano (batch.volcano.sh) can be suspended so.`
)

// operate is `operate queue NAME`, and vcctl's form of it below `queues`.
func (p operator) operate(name string) *cobra.Command {
	c := &cobra.Command{Use: "operate", Short: "Open or close a queue, or change its weight",
		Args: cobra.NoArgs}
	c.AddCommand(p.queue("queue NAME --open|--close|--weight N", name+" operate queue", false))
	return c
}

func (p operator) queue(use, called string, vcctl bool) *cobra.Command {
	o := operation{kind: "queue"}
	c := &cobra.Command{
		Use:   use,
		Short: "Open or close a queue, by Volcano's controllers, or change its weight",
		Long:  fmt.Sprintf(queueLong, queueEffect),
		Example: strings.ReplaceAll(`  # What would be made
  NAME research --close --dry-run

  # No new jobs in research, until it is opened again
  NAME research --close
  NAME research --open

  # Another weight
  NAME research --weight 4`, "NAME", called),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.take(args); err != nil {
				return err
			}
			if err := o.direction(c.Flags().Changed("weight")); err != nil {
				return err
			}
			return p.run(o)
		},
		ValidArgsFunction: p.completes("queue", &o.source),
	}
	f := c.Flags()
	f.BoolVar(&o.open, "open", false, "open the queue")
	f.BoolVar(&o.off, "close", false, "close the queue")
	shorthand, weight := "n", ""
	if vcctl { // -n is the queue there
		shorthand, weight = "", "w"
		f.StringVarP(&o.name, "name", "n", "", "the queue, as vcctl has it")
		f.StringVarP(&o.asVcctl, "action", "a", "", "open, close or update, as vcctl has it")
	}
	f.Int32VarP(&o.weight, "weight", weight, 0, "the weight that the queue is to have, at least 1")
	f.StringVarP(&o.namespace, "namespace", shorthand, metav1.NamespaceDefault, "namespace in which the Command is made")
	o.clusterFlags(c)
	o.flags(c)
	return c
}

// job is `suspend job NAME` or `resume job NAME`, and vcctl's forms of it below `jobs`.
func (p operator) job(verb, use, called string, action busv1alpha1.Action, vcctl bool) *cobra.Command {
	o := operation{kind: "job", action: action}
	c := &cobra.Command{
		Use:   use,
		Short: strings.ToUpper(verb[:1]) + verb[1:] + " a Job of Volcano, by its controllers",
		Long:  fmt.Sprintf(operateLong, verb+" a Job", "in the namespace of the job", jobEffect),
		Example: strings.NewReplacer("NAME", called).Replace(`  # What would be made
  NAME train -n research --dry-run

  NAME train -n research`),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.take(args); err != nil {
				return err
			}
			return p.run(o)
		},
		ValidArgsFunction: p.completes("job", &o.source),
	}
	o.liveFlags(c)
	o.flags(c)
	if vcctl {
		c.Flags().StringVarP(&o.name, "name", "N", "", "the job, as vcctl has it")
	}
	return c
}

// jobVerb is suspend or resume, with job below it.
func (p operator) jobVerb(verb, name string, action busv1alpha1.Action) *cobra.Command {
	c := &cobra.Command{Use: verb, Short: strings.ToUpper(verb[:1]) + verb[1:] + " a Job of Volcano", Args: cobra.NoArgs}
	c.AddCommand(p.job(verb, "job NAME", name+" "+verb+" job", action, false))
	return c
}

func (o *operation) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.dryRun, "dry-run", "none", "client: print the Command; server: have the API server check it; none")
	f.Lookup("dry-run").NoOptDefVal = "client"
	f.DurationVar(&o.wait, "wait", 10*time.Second, "for how long to wait until the Command is taken; 0: leave it there")
	must(c.RegisterFlagCompletionFunc("dry-run", cobra.FixedCompletions([]string{"none", "client", "server"},
		cobra.ShellCompDirectiveNoFileComp)))
}

// take reads the arguments: NAME, and NAMESPACE/NAME of a job.
func (o *operation) take(args []string) error {
	switch {
	case len(args) == 1 && o.name != "":
		return errors.New("the name is given twice: as an argument and by --name")
	case len(args) == 1:
		o.name = args[0]
	case len(args) > 1 || o.name == "":
		return fmt.Errorf("expected the name of one %s; %d arguments were given", o.kind, len(args))
	}
	if namespace, name, slashed := strings.Cut(o.name, "/"); slashed && o.kind == "job" {
		o.namespace, o.name = namespace, name
	}
	switch {
	case o.dryRun != "none" && o.dryRun != "client" && o.dryRun != "server":
		return fmt.Errorf("--dry-run %q: expected none, client or server", o.dryRun)
	case o.wait < 0:
		return fmt.Errorf("--wait %s: expected 0 or more", o.wait)
	}
	return nil
}

// direction reads whether a queue is to be opened, closed, or given another weight.
func (o *operation) direction(weighs bool) error {
	switch o.asVcctl {
	case "":
	case "open":
		o.open = true
	case "close":
		o.off = true
	case "update":
		if !weighs {
			return errors.New("--action update: give --weight, which is all that it changes")
		}
	default:
		return fmt.Errorf("--action %q: expected open, close or update", o.asVcctl)
	}
	given := 0
	for _, is := range []bool{o.open, o.off, weighs} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("give one of --open, --close and --weight")
	case weighs && o.weight < 1:
		return fmt.Errorf("--weight %d: expected 1 or more", o.weight)
	case o.open:
		o.action = busv1alpha1.OpenQueueAction
	case o.off:
		o.action = busv1alpha1.CloseQueueAction
	}
	return nil
}
