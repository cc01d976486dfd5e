package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
)

// listing is what the flags of jobs and nodes ask for.
type listing struct {
	source
	names     []string
	all       bool
	selector  string
	noHeaders bool
	watch     bool
	asVcctl   string // the name by the flag that vcctl has for it
	timeless  bool   // see explain.Layout
}

func (l *listing) flags(c *cobra.Command, namespaces bool) {
	f := c.Flags()
	l.askFlags(c)
	l.fromFlags(f)
	f.StringVarP(&l.output, "output", "o", "", "wide, json, yaml, name or jsonpath=TEMPLATE; default a table")
	f.StringVarP(&l.selector, "selector", "l", "", "labels that an object must have, as kubectl takes them")
	f.BoolVar(&l.noHeaders, "no-headers", false, "leave the names of the columns out")
	f.BoolVarP(&l.watch, "watch", "w", false, "of a live cluster: print what has changed, until Ctrl-C")
	if namespaces {
		f.BoolVarP(&l.all, "all-namespaces", "A", false, "of all namespaces; without -n it is so for files and dumps")
	}
	must(c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(
		[]string{"wide", "json", "yaml", "name", "jsonpath="}, cobra.ShellCompDirectiveNoFileComp)))
}

// check refuses what cannot be printed, before anything is read.
func (l *listing) check(c *cobra.Command) error {
	if err := l.checkSource(c); err != nil {
		return err
	}
	if err := checkOutput(l.output, "", "table", "wide", "json", "yaml", "name"); err != nil {
		return err
	}
	if _, err := labels.Parse(l.selector); err != nil {
		return fmt.Errorf("--selector %q: %w", l.selector, err)
	}
	switch {
	case l.watch && (len(l.files) > 0 || l.dump != ""):
		return errors.New("--watch: files and dumps do not change: ask a live cluster")
	case l.watch && !slices.Contains([]string{"", "table", "wide", "name"}, l.output):
		return fmt.Errorf("--watch: it prints the lines that have changed, and --output %s is one document: expected wide "+
			"or name", l.output)
	}
	return nil
}

// checkOutput refuses an output that is none of some; jsonpath is always one.
func checkOutput(output string, of ...string) error {
	if template, is := strings.CutPrefix(output, "jsonpath="); is {
		return checkJSONPath(template)
	}
	if slices.Contains(of, output) {
		return nil
	}
	return fmt.Errorf("--output %q: expected %s or jsonpath=TEMPLATE", output,
		strings.Join(slices.DeleteFunc(slices.Clone(of), func(s string) bool { return s == "" }), ", "))
}

// selected are the objects that the selector passes; nil: all.
func (l *listing) selected(s *situation) (map[string]bool, error) {
	if l.selector == "" {
		return nil, nil
	}
	if s.set == nil {
		return nil, badInput("error: --selector: what a scheduler saved has no labels of PodGroups: ask the cluster or files")
	}
	selector, err := labels.Parse(l.selector)
	if err != nil {
		return nil, err
	}
	return s.set.Selected(func(of map[string]string) bool { return selector.Matches(labels.Set(of)) }), nil
}

// printDocument prints a document as JSON, as YAML or by a template; false: output is none of these.
func printDocument(w io.Writer, output string, document any) (bool, error) {
	template, is := strings.CutPrefix(output, "jsonpath=")
	switch {
	case is:
		return true, printJSONPath(w, template, document)
	case output == "json":
		return true, explain.DocumentJSON(w, document)
	case output == "yaml":
		return true, explain.DocumentYAML(w, document)
	}
	return false, nil
}

const jobsLong = `Lists jobs: where each stands, in one word, and why it waits, by code. why says it at length.

` + sourceLong + `

Exit codes: 0 listed; 1 it cannot be listed, or there is no job NAME; 2 bad usage.`

func (p questions) jobs(name string) *cobra.Command {
	l := listing{}
	c := &cobra.Command{
		Use:     "jobs [NAME...]",
		Aliases: []string{"job", "vcjob", "podgroups"},
		Short:   "List jobs: which run, which wait and for what",
		Long:    jobsLong,
		Example: strings.ReplaceAll(`  # The jobs of a namespace, and of all with what is missing
  NAME jobs -n research
  NAME jobs -A -o wide

  # The names of those that can never run
  NAME jobs -A -o jsonpath='{range .items[?(@.state=="Never")]}{.namespace}/{.name}{"\n"}{end}'`, "NAME", name),
		RunE: func(c *cobra.Command, args []string) error {
			if err := l.check(c); err != nil {
				return err
			}
			if l.asVcctl != "" { // -N of vcctl
				args = append(args, l.asVcctl)
			}
			if len(args) == 2 && args[0] == "view" { // vcctl job view
				return p.answerWhy(asked{source: l.source, kind: "job", name: args[1]})
			}
			l.names = listedAs(args)
			return orVerb(c, args, p.listFirst(l, "job", p.listJobs), "list", "view", "suspend", "resume")
		},
		ValidArgsFunction: p.completes("job", &l.source),
	}
	l.flags(c, true)
	c.Flags().StringVarP(&l.asVcctl, "name", "N", "", "the job, as vcctl has it")
	must(c.Flags().MarkHidden("name"))
	return c
}

// orVerb adds to the error that there is no object of a name the verb of vcctl that was meant, where one is near.
func orVerb(c *cobra.Command, args []string, err error, verbs ...string) error {
	var none *failure
	if len(args) == 0 || !errors.As(err, &none) || !strings.Contains(none.Error(), fmt.Sprintf("%q", args[0])) {
		return err
	}
	if near := explain.Suggest(args[0], verbs); near != "" {
		none.lines = append(none.lines, fmt.Sprintf("Nor is %q a verb of %s%s.", args[0], c.CommandPath(), near))
	}
	return err
}

// listedAs are the names among the arguments: vcctl says "list" before there are none.
func listedAs(args []string) []string {
	if len(args) > 0 && args[0] == "list" {
		return args[1:]
	}
	return args
}

// listFirst prints a list as the live scheduler has it, or else as objects, files or a dump say.
func (p questions) listFirst(l listing, kind string, print func(listing, *situation, io.Writer) error) error {
	live := liveQuestions{p}
	if l.watch {
		if answered, err := live.watchList(&l, kind); answered || err != nil {
			return err
		}
		return p.list(l, print)
	}
	out, err := live.listByScheduler(&l, kind)
	switch {
	case err != nil:
		return err
	case out != nil:
		return p.printList(l, p.Out, out, explain.Layout{Namespaces: l.all})
	}
	return p.list(l, print)
}

// list prints once, or again and again.
func (p questions) list(l listing, print func(listing, *situation, io.Writer) error) error {
	if l.watch {
		return p.watching(l, print)
	}
	s, err := p.situation(l.source)
	if err != nil {
		return err
	}
	return print(l, s, p.Out)
}

func (p questions) listJobs(l listing, s *situation, w io.Writer) error {
	selected, err := l.selected(s)
	if err != nil {
		return err
	}
	all := l.all || !l.named && s.asking.Basis.Source != "cluster" && s.asking.Basis.Source != "written"
	found := map[string]bool{}
	state := sched.Report{}
	if s.written == nil {
		state = s.engine.Report()
	}
	ofPods := map[string]bool{}
	for _, pod := range state.Pods {
		if selected["Pod/"+pod.Namespace+"/"+pod.Name] {
			ofPods[pod.Namespace+"/"+pod.JobShown] = true
		}
	}
	wanted := func(namespace, name string) bool {
		key := namespace + "/" + name
		ok := (all || namespace == s.namespace) && (len(l.names) == 0 || s.called(l.names, namespace, name, found)) &&
			(selected == nil || selected["PodGroup/"+key] || ofPods[key])
		return ok
	}
	var out *explain.JobList
	if s.written != nil {
		out = s.asking.WrittenList(s.written, wanted)
	} else {
		out = s.asking.JobList(&state, wanted)
	}
	for _, name := range l.names {
		if !found[name] {
			names := s.jobNames
			if s.written != nil {
				names = s.writtenNames
			}
			return badInput("error: " + s.unknown("job", name, names()).Error())
		}
	}
	return p.printList(l, w, out, explain.Layout{Namespaces: all})
}

// called says that a job is one of those that were named, itself or by what its PodGroup was made for, and notes which.
func (s *situation) called(names []string, namespace, name string, found map[string]bool) bool {
	some := false
	for _, want := range names {
		if want == name || slices.Contains(s.groups[namespace+"/"+want], name) {
			found[want], some = true, true
		}
	}
	return some
}

func (s *situation) writtenNames() (out []named) {
	for _, j := range s.written.Jobs {
		out = append(out, named{j.Namespace, j.Name})
	}
	return out
}

// listed is a list that can be printed.
type listed interface {
	Text(io.Writer, explain.Style, explain.Layout) error
	Names() []string
}

func (p questions) printList(l listing, w io.Writer, out listed, layout explain.Layout) error {
	layout.Wide, layout.NoHeaders, layout.Timeless = l.output == "wide", l.noHeaders, l.timeless
	done, err := printDocument(w, l.output, out)
	switch {
	case done:
	case l.output == "name":
		for _, name := range out.Names() {
			if _, err = fmt.Fprintln(w, strings.ReplaceAll(explain.Printable(name), "\n", "?")); err != nil {
				break
			}
		}
	case len(out.Names()) == 0 && w == p.Out:
		fmt.Fprintln(p.Err, "No resources found.")
	default:
		err = out.Text(w, p.style(), layout)
	}
	if err != nil {
		return badInput("error: writing the list: " + err.Error())
	}
	return nil
}

const nodesLong = `Lists nodes: what of each is free, of which resource, and how many pods hold the rest.

` + sourceLong + `

Exit codes: 0 listed; 1 it cannot be listed, or there is no node NAME; 2 bad usage.`

func (p questions) nodes(name string) *cobra.Command {
	l := listing{}
	c := &cobra.Command{
		Use:     "nodes [NAME...]",
		Aliases: []string{"node", "no"},
		Short:   "List nodes: what is free of each, and what holds the rest",
		Long:    nodesLong,
		Example: strings.ReplaceAll(`  # What is free, and where
  NAME nodes

  # Of the nodes of one pool
  NAME nodes -l pool=gpu -o wide`, "NAME", name),
		RunE: func(c *cobra.Command, args []string) error {
			if err := l.check(c); err != nil {
				return err
			}
			l.names = args
			return p.listFirst(l, "node", p.listNodes)
		},
		ValidArgsFunction: p.completes("node", &l.source),
	}
	l.flags(c, false)
	return c
}

func (p questions) listNodes(l listing, s *situation, w io.Writer) error {
	selected, err := l.selected(s)
	if err != nil {
		return err
	}
	if s.written != nil {
		return badInput("error: what nodes hold cannot be found out: " + strings.Join(s.asking.Basis.Unknown, "; "))
	}
	all := s.nodeNames()
	for _, name := range l.names {
		if !slices.Contains(all, name) {
			return badInput("error: " + explain.NoSuch("node", "", name, all))
		}
	}
	var found []sched.NodeWhy
	for _, name := range all {
		if len(l.names) > 0 && !slices.Contains(l.names, name) || selected != nil && !selected["Node/"+name] {
			continue
		}
		if why, known := s.engine.Questions().NodeWithDevices(name); known {
			found = append(found, why)
		}
	}
	return p.printList(l, w, s.asking.NodeList(found), explain.Layout{})
}
