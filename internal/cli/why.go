package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/ledger"
)

// asked is what the flags and arguments of why ask for.
type asked struct {
	source
	kind, name string
	exitCode   bool
	search     time.Duration // for how long to look for what would make a job run
}

const whyLong = `Says why a job or a pod waits, or where it runs: one sentence with what is missing, then the
decisions that led there, and what would make it run, each tried by the engine on a copy;
what a queue gets and why; what holds a node and what it could still take.

` + sourceLong + `

Exit codes: 0 answered; 1 it cannot be answered; 2 bad usage. With --exit-code, of a job or a
pod: 0 it runs, has run or starts now; 10 it waits for room; 11 it waits for its queue;
12 it can never run as it is written; 13 it waits for something of its own, such as its pods;
14 it is not clear.`

// stateCodes are the exit codes of --exit-code.
var stateCodes = map[explain.State]int{explain.WaitsForRoom: 10, explain.WaitsForQueue: 11, explain.Never: 12,
	explain.WaitsForObjects: 13, explain.Unclear: 14}

func (p questions) why(name string) *cobra.Command {
	a := asked{}
	c := &cobra.Command{
		Use:   "why job|pod|queue|node NAME",
		Short: "Say why a job, a pod or a queue waits, and what holds a node",
		Long:  whyLong,
		Example: strings.ReplaceAll(`  # Why does job train not start?
  NAME why job train -n research

  # The same of a pod, and of a queue, short
  NAME why po research/train-0
  NAME why q research

  # Of files, or of what the live scheduler saved
  NAME why job tune -f examples/quickstart
  NAME why job train --dump /tmp/ashlar-dump-1.json

  # In a script
  NAME why job train --exit-code -o json`, "NAME", name),
		Args: func(_ *cobra.Command, args []string) error { return a.take(args, name) },
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.checkSource(c); err != nil {
				return err
			}
			if !slices.Contains([]string{"text", "json", "yaml"}, a.output) {
				return fmt.Errorf("--output %q: expected text, json or yaml", a.output)
			}
			return p.answerWhy(a)
		},
	}
	f := c.Flags()
	a.askFlags(c)
	f.StringVarP(&a.output, "output", "o", "text", "text, json or yaml")
	f.DurationVar(&a.search, "would-run", time.Second,
		"for how long to look for what would make a job run; 0: not at all")
	f.BoolVar(&a.exitCode, "exit-code", false, "exit with a code that says where a job or a pod stands")
	must(c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "yaml"},
		cobra.ShellCompDirectiveNoFileComp)))
	return c
}

// must holds for flags that are defined.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// The kinds that may be asked about, by the names that kubectl and vcctl have for them.
var askedKinds = map[string]string{
	"job": "job", "jobs": "job", "j": "job", "vcjob": "job", "vj": "job",
	"podgroup": "job", "podgroups": "job", "pg": "job",
	"pod": "pod", "pods": "pod", "po": "pod",
	"queue": "queue", "queues": "queue", "q": "queue",
	"node": "node", "nodes": "node", "no": "node",
}

// take reads the arguments: KIND NAME, KIND/NAME, and NS/NAME for the name.
func (a *asked) take(args []string, name string) error {
	if len(args) == 1 {
		kind, rest, slashed := strings.Cut(args[0], "/")
		if _, known := askedKinds[kind]; slashed && known {
			args = []string{kind, rest}
		}
	}
	if len(args) != 2 || args[1] == "" {
		return fmt.Errorf("expected what is asked about: %s why job|pod|queue|node NAME", name)
	}
	kind, known := askedKinds[strings.ToLower(args[0])]
	if !known {
		return fmt.Errorf("%q is none of job, pod, queue and node%s", args[0], config.Suggest(args[0],
			[]string{"job", "pod", "queue", "node"}))
	}
	a.kind, a.name = kind, args[1]
	return nil
}

// answerWhy reads, decides and answers.
func (p questions) answerWhy(a asked) error {
	if namespace, name, slashed := strings.Cut(a.name, "/"); slashed && (a.kind == "job" || a.kind == "pod") {
		a.namespace, a.name, a.named = namespace, name, true
	}
	s, err := p.situation(a.source)
	if err != nil {
		return err
	}
	answer, err := s.answer(a.kind, a.name)
	if err != nil {
		return badInput("error: " + err.Error())
	}
	if err := p.addChanges(a, s, answer); err != nil {
		return err
	}
	switch a.output {
	case "json":
		err = answer.JSON(p.Out)
	case "yaml":
		err = answer.YAML(p.Out)
	default:
		err = answer.Text(p.Out, p.style())
	}
	if err != nil {
		return badInput("error: writing the answer: " + err.Error())
	}
	if code := stateCodes[answer.State]; a.exitCode && code > 0 {
		return &failure{code: code}
	}
	return nil
}

// answer is that of one job, pod, queue or node.
func (s *situation) answer(kind, name string) (*explain.Answer, error) {
	if s.written != nil {
		return s.writtenAnswer(kind, name)
	}
	switch kind {
	case "job":
		return s.job(name)
	case "pod":
		return s.pod(name)
	case "queue":
		why, known := s.engine.QueueWhy(name)
		if !known {
			return nil, fmt.Errorf("there is no queue %q%s", name, config.Suggest(name, s.queueNames()))
		}
		state := s.engine.Report()
		return s.asking.QueueAnswer(&state, why), nil
	default:
		why, known := s.engine.Questions().Node(name)
		if !known {
			return nil, fmt.Errorf("there is no node %q%s", name, config.Suggest(name, s.nodeNames()))
		}
		return s.asking.NodeAnswer(&why), nil
	}
}

func (s *situation) job(name string) (*explain.Answer, error) {
	id, asked, err := s.find(name)
	if err != nil {
		return nil, err
	}
	why := s.engine.Questions().Job(id)
	out := s.asking.JobAnswer(&why)
	out.Subject.Asked = asked
	return out, nil
}

func (s *situation) pod(name string) (*explain.Answer, error) {
	why, job, known := s.engine.Questions().Pod(s.namespace, name)
	if !known {
		return nil, s.unknown("pod", name, s.podNames())
	}
	if job == ledger.NoJob {
		return s.asking.PodAnswer(&why, nil), nil
	}
	whole := s.engine.Questions().Job(job)
	return s.asking.PodAnswer(&why, &whole), nil
}

// ofOwner is what Volcano's controller adds to the name of a Job for its PodGroup.
var ofOwner = regexp.MustCompile(`^-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// find finds the job of a name: a PodGroup, an adopted job, or the PodGroup that was made for a Job of that name. asked
// is the name where it is another than the job's.
func (s *situation) find(name string) (id ledger.JobID, asked string, err error) {
	found := s.engine.Questions().JobsNamed(s.namespace, name)
	if len(found) == 0 {
		asked = name
		for _, group := range s.groups[s.namespace+"/"+name] {
			found = append(found, s.engine.Questions().JobsNamed(s.namespace, group)...)
		}
	}
	led := s.engine.Ledger()
	if len(found) == 0 {
		led.Jobs.Each(func(j ledger.JobID) bool {
			k := &led.Job(j).Key
			rest, is := strings.CutPrefix(k.Name, name)
			if k.Namespace == s.namespace && (led.Jobs.Name(j) == name || is && ofOwner.MatchString(rest)) {
				found = append(found, j)
			}
			return true
		})
	}
	switch len(found) {
	case 0:
		return 0, "", s.unknown("job", name, s.jobNames())
	case 1:
		return found[0], asked, nil
	}
	var names []string
	for _, j := range found {
		names = append(names, fmt.Sprintf("%q", led.Jobs.Name(j)))
	}
	slices.Sort(names)
	return 0, "", fmt.Errorf("%d jobs in namespace %s are called %s: ask for one of %s", len(found), s.namespace, name,
		strings.Join(names, ", "))
}

// named is an object that has a namespace.
type named struct{ namespace, name string }

// unknown is the error for a name that is not there: the nearest one, or the namespace that has it.
func (s *situation) unknown(kind, name string, all []named) error {
	var here, elsewhere []string
	for _, n := range all {
		switch {
		case n.namespace == s.namespace:
			here = append(here, n.name)
		case n.name == name:
			elsewhere = append(elsewhere, n.namespace)
		}
	}
	text := fmt.Sprintf("there is no %s %q in namespace %s", kind, name, s.namespace)
	if len(elsewhere) > 0 {
		slices.Sort(elsewhere)
		return fmt.Errorf("%s; namespace %s has one: -n %[2]s", text, elsewhere[0])
	}
	return errors.New(text + config.Suggest(name, here))
}

func (s *situation) jobNames() (out []named) {
	led := s.engine.Ledger()
	led.Jobs.Each(func(j ledger.JobID) bool {
		out = append(out, named{led.Job(j).Key.Namespace, led.Jobs.Name(j)})
		return true
	})
	for key := range s.groups {
		namespace, name, _ := strings.Cut(key, "/")
		out = append(out, named{namespace, name})
	}
	slices.SortFunc(out, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	return out
}

func (s *situation) podNames() (out []named) {
	for _, p := range s.engine.Report().Pods {
		out = append(out, named{p.Namespace, p.Name})
	}
	return out
}

func (s *situation) queueNames() (out []string) {
	for _, q := range s.engine.Queues() {
		out = append(out, q.Name)
	}
	return out
}

func (s *situation) nodeNames() (out []string) {
	for _, n := range s.engine.Report().Nodes {
		out = append(out, n.Name)
	}
	return out
}

// writtenAnswer answers by what objects say.
func (s *situation) writtenAnswer(kind, name string) (*explain.Answer, error) {
	switch kind {
	case "job":
		return s.writtenJob(name)
	case "pod":
		i := slices.IndexFunc(s.written.Pods, func(p explain.WrittenPod) bool {
			return p.Namespace == s.namespace && p.Name == name
		})
		if i < 0 {
			var all []named
			for _, p := range s.written.Pods {
				all = append(all, named{p.Namespace, p.Name})
			}
			return nil, s.unknown("pod", name, all)
		}
		job, err := s.writtenJob(s.written.Pods[i].Job)
		if err != nil {
			job = nil
		}
		return s.asking.WrittenPod(&s.written.Pods[i], job), nil
	}
	return nil, fmt.Errorf("what holds %s %s cannot be found out: %s", kind, name,
		strings.Join(s.asking.Basis.Unknown, "; "))
}

func (s *situation) writtenJob(name string) (*explain.Answer, error) {
	names := append([]string{name}, s.groups[s.namespace+"/"+name]...)
	var all []named
	for i := range s.written.Jobs {
		j := &s.written.Jobs[i]
		if j.Namespace == s.namespace && slices.Contains(names, j.Name) {
			return s.asking.WrittenJob(j, s.written.Pods), nil
		}
		all = append(all, named{j.Namespace, j.Name})
	}
	return nil, s.unknown("job", name, all)
}

// codes are those of a reason, as a PodGroup's condition has them.
func codes(text string) []string { return strings.Split(text, ".") }
