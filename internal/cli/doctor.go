//go:build !simulator

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/doctor"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/inspect"
)

const doctorLong = `Looks whether a scheduler can do its work in the live cluster of your kubeconfig: which kinds are
served, what the scheduler's service account may do, two schedulers on one name, Volcano's
controllers and webhooks, queues that can never serve a job, scheduling gates that nothing removes,
clocks, versions. docs/doctor.md has each look and what to do.

Nothing is changed. What you may not look at is said, and costs no other look.

Exit codes: 0 nothing failed; 1 something failed, or no cluster could be asked; 2 bad usage.`

func (p linter) doctor(name string) *cobra.Command {
	s := source{}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look whether a scheduler can do its work in a cluster",
		Long:  doctorLong,
		Example: strings.ReplaceAll("  NAME doctor\n\n  # In a script\n  NAME doctor -o json | jq '.checks[] | "+
			"select(.status == \"failure\")'", "NAME", name),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s.schedulersGiven = c.Flags().Changed("scheduler-name")
			if s.output != "text" && s.output != "json" {
				return fmt.Errorf("--output %q: expected text or json", s.output)
			}
			return p.examine(s)
		},
	}
	s.liveFlags(c)
	c.Flags().StringSliceVar(&s.schedulers, "scheduler-name", []string{"volcano"},
		"schedulerName of the pods to look at; may be given several times")
	c.Flags().StringVarP(&s.output, "output", "o", "text", "text or json")
	must(c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"},
		cobra.ShellCompDirectiveNoFileComp)))
	return c
}

// examine makes all looks and prints them.
func (p linter) examine(s source) error {
	ctx, stop := whileReading(context.Background())
	defer stop()
	c, err := p.clients(&s)
	if err != nil {
		return onlyClusters(err)
	}
	if _, err := c.Kube.Discovery().ServerVersion(); err != nil {
		return onlyClusters(err)
	}
	visit := &doctor.Visit{Clients: c, Now: p.Now, Version: ownVersions().Version}
	if reach, _, err := p.person(s); err == nil {
		if url, _, err := rest.DefaultServerUrlFor(reach); err == nil {
			visit.Host = strings.TrimSuffix(url.String(), "/")
			visit.HTTP, _ = rest.HTTPClientFor(reach) // without it the clock is not looked at
		}
	}
	visit.State, visit.Unread = p.state(ctx, c, s)
	out := doctor.Examine(ctx, visit)
	if s.output == "json" {
		err = explain.DocumentJSON(p.Out, out)
	} else {
		err = out.Text(p.Out)
	}
	if err != nil {
		return badInput("error: writing what was found: " + err.Error())
	}
	if out.Worst() == doctor.Failure {
		return &failure{code: 1}
	}
	return nil
}

// state runs one cycle on what may be read; nil where that is too little, and why.
func (p linter) state(ctx context.Context, c inspect.Clients, s source) (*doctor.State, string) {
	quiet := questions{*p.silent()}
	live, err := quiet.look(ctx, c, &s)
	if err != nil {
		return nil, "the cluster was not read: " + err.Error()
	}
	if live.read.Partial {
		return nil, "no right to list all of pods, PodGroups, queues and nodes"
	}
	decided, err := live.decided(quiet)
	if err != nil {
		return nil, "no cycle could be run on it: " + err.Error()
	}
	out := &doctor.State{Engine: decided.engine}
	for _, o := range live.read.Objects {
		if pod, is := o.(*corev1.Pod); is && slices.Contains(live.s.schedulers, pod.Spec.SchedulerName) {
			out.Pods = append(out.Pods, pod)
		}
	}
	return out, ""
}
