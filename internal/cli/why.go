package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/explain"
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
what a queue gets and why; what holds a node and what it could still take. why eviction POD says of
a pod that was evicted for which other, by which rule, why it and no other, and what came of it.

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
		Use:   "why job|pod|queue|node|eviction NAME",
		Short: "Say why a job, a pod or a queue waits, what holds a node, why a pod was evicted",
		Long:  whyLong,
		Example: strings.ReplaceAll(`  # Why does job train not start?
  NAME why job train -n research

  # The same of a pod, and of a queue, short
  NAME why po research/train-0
  NAME why q research

  # Of files, or of what the live scheduler saved
  NAME why job tune -f examples/quickstart
  NAME why job train --dump ashlar-dump-1.json

  # Why was a pod evicted? Of the live cluster, and with all of the record
  NAME why eviction train-0
  NAME why eviction train-0 --dump /tmp/ashlar-recordings/ashlar-recording-1.jsonl.gz

  # In a script
  NAME why job train --exit-code -o json`, "NAME", name),
		Args: func(_ *cobra.Command, args []string) error { return a.take(args, name) },
		RunE: func(c *cobra.Command, _ []string) error {
			if a.kind == "eviction" && !c.Flags().Changed("at") {
				a.at = "quiet" // what was evicted in the whole run
			}
			if err := a.checkSource(c); err != nil {
				return err
			}
			if err := checkOutput(a.output, "text", "json", "yaml"); err != nil {
				return err
			}
			return p.answerWhy(a)
		},
		ValidArgsFunction: p.completesAsked(&a.source),
	}
	f := c.Flags()
	a.askFlags(c)
	a.fromFlags(f)
	f.StringVarP(&a.output, "output", "o", "text", "text, json, yaml or jsonpath=TEMPLATE")
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
	"eviction": "eviction", "evictions": "eviction", "evicted": "eviction",
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
		return fmt.Errorf("expected what is asked about: %s why job|pod|queue|node|eviction NAME", name)
	}
	kind, known := askedKinds[strings.ToLower(args[0])]
	if !known {
		return fmt.Errorf("%q is none of job, pod, queue, node and eviction%s", args[0], explain.Suggest(args[0],
			[]string{"job", "pod", "queue", "node", "eviction"}))
	}
	a.kind, a.name = kind, args[1]
	return nil
}

// answer reads, decides and answers.
func (p questions) answer(a asked) (*explain.Answer, error) {
	if a.kind == "eviction" {
		return evictionQuestions{p}.why(a)
	}
	if answer, err := (liveQuestions{p}).whyByScheduler(&a); answer != nil || err != nil {
		return answer, err
	}
	s, err := p.situation(a.source)
	if err != nil {
		return nil, err
	}
	answer, err := s.answer(a.kind, a.name)
	if err != nil {
		return nil, badInput("error: " + err.Error())
	}
	return answer, p.addChanges(a, s, answer)
}

// answerWhy prints the answer.
func (p questions) answerWhy(a asked) error {
	if namespace, name, slashed := strings.Cut(a.name, "/"); slashed &&
		(a.kind == "job" || a.kind == "pod" || a.kind == "eviction") {
		a.namespace, a.name, a.named = namespace, name, true
	}
	answer, err := p.answer(a)
	if err != nil {
		return err
	}
	done, err := printDocument(p.Out, a.output, answer)
	if !done {
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
