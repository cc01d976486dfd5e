package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completion completes an argument.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completes completes the names of a kind that the source has.
func (p questions) completes(kind string, s *source) completion {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, name := range p.names(*s, c, kind) {
			if strings.HasPrefix(name, begun) && !slices.Contains(args, name) {
				out = append(out, name)
			}
		}
		slices.Sort(out)
		return slices.Compact(out), cobra.ShellCompDirectiveNoFileComp
	}
}

// names are those of a kind: of files and dumps all, of a live cluster those in the namespace. What goes wrong costs
// the completion only.
func (p questions) names(s source, c *cobra.Command, kind string) []string {
	if len(s.files) == 0 && s.dump == "" {
		return p.liveNames(s, kind)
	}
	if s.checkSource(c) != nil {
		return nil
	}
	found, err := p.situation(s)
	if err != nil {
		return nil
	}
	switch kind {
	case "job":
		return found.here(found.jobNames())
	case "pod":
		return found.here(found.podNames())
	case "queue":
		return found.queueNames()
	}
	return found.nodeNames()
}

// here are the names in the situation's namespace.
func (s *situation) here(all []named) (out []string) {
	for _, n := range all {
		if n.namespace == s.namespace {
			out = append(out, n.name)
		}
	}
	return out
}

// completesAsked completes the arguments of why: a kind, then a name of it.
func (p questions) completesAsked(s *source) completion {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return []string{"job", "pod", "queue", "node", "eviction"}, cobra.ShellCompDirectiveNoFileComp
		}
		kind, known := askedKinds[args[0]]
		if len(args) > 1 || !known {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if kind == "eviction" {
			kind = "pod"
		}
		return p.completes(kind, s)(c, nil, begun)
	}
}
