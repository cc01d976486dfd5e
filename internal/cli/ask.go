package cli

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// questions are the verbs that ask: about files, a dump, or a live cluster.
type questions struct{ Process }

// verbs are the commands.
func (p questions) verbs(name string) []*cobra.Command {
	jobs, queues := p.jobs(name), p.queues(name)
	p.vcctl(name, queues, jobs)
	return []*cobra.Command{p.why(name), jobs, queues, p.nodes(name), planner{p}.plan(name)}
}

// source is where a verb finds what it is asked about: files, a dump of the live scheduler, or a live cluster.
type source struct {
	simulation
	dump       string
	kubeconfig string
	context    string
	namespace  string
	at         string

	readAPI
	from    string // what of a live cluster is asked; "": its objects
	verbose bool   // say which

	named bool // the namespace was given
}

// askFlags adds the flags of a source.
func (s *source) askFlags(c *cobra.Command) {
	f := c.Flags()
	s.source(c)
	f.StringVar(&s.dump, "dump", "", "file that the live scheduler saved, as ashlar replay reads it")
	s.liveFlags(c)
	f.StringVar(&s.at, "at", "0s", "of files: when to look: 0s (after the first cycle), another virtual time, or quiet")
}

// liveFlags adds those of a live cluster.
func (s *source) liveFlags(c *cobra.Command) {
	s.clusterFlags(c)
	c.Flags().StringVarP(&s.namespace, "namespace", "n", "", "namespace; default that of the context")
}

// clusterFlags adds those that name the cluster.
func (s *source) clusterFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig file; default $KUBECONFIG, else ~/.kube/config")
	f.StringVar(&s.context, "context", "", "context of the kubeconfig")
}

const sourceLong = `It is asked of files (-f), of what the live scheduler saved (--dump), or, without both, of
the live cluster of your kubeconfig: of the scheduler itself where its read API can be reached
(docs/read-api.md), which knows what no object shows, such as a backoff after a refused bind, or
room that is kept. Else (--from objects) what the scheduler observes is listed as far as you
may, its configuration is found, and the engine runs one cycle on that, which is carried out
nowhere; Volcano's own scheduler may run there as well as this one. A cluster is only read.`

// checkSource refuses what does not go together, before anything is read.
func (s *source) checkSource(c *cobra.Command) error {
	s.named, s.schedulersGiven = c.Flags().Changed("namespace"), c.Flags().Changed("scheduler-name")
	if s.dump != "" && len(s.files) > 0 {
		return errors.New("--dump and --filename: give one of them")
	}
	if err := s.checkFrom(); err != nil {
		return err
	}
	s.stop = -1
	if s.at == "" || s.at == "quiet" {
		return nil
	}
	at, err := time.ParseDuration(s.at)
	if err != nil || at < 0 {
		return fmt.Errorf("--at %q: expected quiet, or a duration such as 0s, 90s or 2h", s.at)
	}
	s.stop = at
	return nil
}

// situation is what verbs answer from: an engine after a cycle that was carried out nowhere.
type situation struct {
	source
	engine  *sched.Engine
	asking  explain.Asking
	set     *manifest.Set       // the objects; nil of a dump
	groups  map[string][]string // PodGroups by namespace/name of what they were made for
	written *explain.Written    // what objects say, where the engine could not decide; nil: it could
	summary explain.Summary
}

// situation reads a source and runs the cycle.
func (p questions) situation(s source) (*situation, error) {
	switch {
	case len(s.files) > 0:
		return p.ofFiles(s)
	case s.dump != "":
		return p.ofDump(s)
	default:
		return p.ofCluster(s)
	}
}

// ofFiles answers from files.
func (p questions) ofFiles(s source) (*situation, error) {
	out, in, err := p.fromFiles(s)
	if err != nil {
		return nil, err
	}
	return out, p.decide(out, in)
}

// fromFiles reads files; nothing has been decided of them yet.
func (p questions) fromFiles(s source) (*situation, input, error) {
	read, lines := p.readFiles(s.simulation)
	if len(lines) > 0 {
		return nil, input{}, badInput(lines...)
	}
	s.namespace = cmp.Or(s.namespace, "default")
	out := &situation{source: s, set: read.set, groups: read.set.Groups()}
	out.asking.Basis = explain.Basis{Source: "files", Configuration: configurationOf(s, read.world)}
	return out, inputOf(read.world, read.chosen, 0), nil
}

func configurationOf(s source, world *manifest.World) string {
	if s.config != "" {
		return s.config
	}
	if found, err := world.Config(); err == nil && found != nil {
		return "ConfigMap " + found.Name
	}
	return "Volcano's default"
}

// decide runs the cycle.
func (p questions) decide(out *situation, in input) error {
	world, _, err := p.run(out.simulation, in)
	if err != nil {
		return err
	}
	out.engine, out.summary = world.Engine(), totals(world)
	out.asking.Evicted, out.asking.Now = records(world), in.begin()+int64(world.Now())
	if in.begin() == 0 {
		out.asking.Now = 0
	}
	return nil
}

// exactly refuses another number of arguments, and says what is expected.
func exactly(what string, n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case n:
			return nil
		case 1:
			return fmt.Errorf("expected %s; 1 argument was given", what)
		}
		return fmt.Errorf("expected %s; %d arguments were given", what, len(args))
	}
}

// evictionsOf are the records of the evictions of a plan.
func evictionsOf(plan sched.Plan) (out []*trace.Eviction) {
	for _, i := range plan.Items {
		if i.Kind == sched.EvictPod && i.Record != nil {
			out = append(out, i.Record)
		}
	}
	return out
}

// warnEach tells stderr what an answer has to do without, one line each.
func (p questions) warnEach(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(p.Err, "warning:", explain.Printable(line))
	}
}
