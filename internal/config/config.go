package config

import (
	"errors"
	"fmt"
	"slices"

	"ashlar.sh/sched/policy"
)

// Scheduler is a configuration that was read without a fatal Problem.
type Scheduler struct {
	// File is the label of the source, for messages about this configuration.
	File string
	// Actions run in this order, once for each time they are listed.
	Actions []Action
	// Tiers hold the plugins in the order of the file; earlier tiers are asked
	// first. A tier may be empty.
	Tiers [][]Plugin
	// Configurations are the arguments of each action, by its name. An action
	// without any has no entry; the zero Arguments holds the defaults.
	Configurations map[string]Arguments
	// Metrics is the load source of the usage and rescheduling plugins, as
	// written: type, address, interval and the like.
	Metrics map[string]string
}

// Locate adds to an error of an engine (policy.BuildError) the file and the line of what it is about: of the
// argument, else of the plugin or the actions. Other errors get the file alone.
func (s *Scheduler) Locate(err error) error {
	var of *policy.BuildError
	var argument *policy.ArgumentError
	if !errors.As(err, &of) {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	line, arguments := 0, Arguments(nil)
	if p, ok := s.Plugin(of.Name); ok && of.Of == "plugin" {
		line, arguments = p.Line, p.Arguments
	} else if i := slices.IndexFunc(s.Actions, func(a Action) bool { return a.Name == of.Name }); i >= 0 {
		line, arguments = s.Actions[i].Line, s.Configurations[of.Name]
	}
	if errors.As(err, &argument) {
		if at := arguments.find(argument.Key); at != nil {
			line = at.Line
		}
	}
	if line == 0 {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	return fmt.Errorf("%s:%d: %w", s.File, line, err)
}

// Action is one step of a cycle.
type Action struct {
	Name string
	// Line is where the list of actions stands.
	Line int
	// Built is false for an action of Volcano's that this version has not.
	Built bool
}

// Plugin is one plugin in one tier.
type Plugin struct {
	Name string
	// Line is where the plugin is named.
	Line int
	// Flags holds only those the file mentions; Enabled answers for all.
	Flags map[Flag]bool
	// Arguments holds only those the file mentions.
	Arguments Arguments
	// Built is false for a plugin of Volcano's that this version has not.
	Built bool
}

// Enabled tells whether the plugin has a say at the extension point f: what the
// file says, else the flag's default.
func (p Plugin) Enabled(f Flag) bool {
	if on, written := p.Flags[f]; written {
		return on
	}
	return f.Default()
}

// Plugin finds a plugin by name; of several, the one in the earliest tier.
func (s *Scheduler) Plugin(name string) (Plugin, bool) {
	for _, tier := range s.Tiers {
		for _, p := range tier {
			if p.Name == name {
				return p, true
			}
		}
	}
	return Plugin{}, false
}

// Unbuilt says, as warnings in the order of the file, which of the names in use
// this version accepts and has not built (decision 28). Parse reports the same;
// this is for a configuration that came without a parse, as Default does.
func (s *Scheduler) Unbuilt() []Problem {
	var found []Problem
	say := func(line int, what string) {
		found = append(found, Problem{File: s.File, Line: line,
			Message: what + " is known and not built yet: it does nothing in this version"})
	}
	sayArguments := func(owner string, args Arguments) {
		for _, arg := range args {
			if !arg.Built {
				say(arg.Line, "argument "+arg.Key+" of "+owner)
			}
		}
	}
	configured := map[string]bool{}
	for _, a := range s.Actions {
		if !a.Built {
			say(a.Line, "action "+a.Name)
		} else if !configured[a.Name] {
			configured[a.Name] = true
			sayArguments("action "+a.Name, s.Configurations[a.Name])
		}
	}
	for _, tier := range s.Tiers {
		for _, p := range tier {
			if p.Built {
				sayArguments("plugin "+p.Name, p.Arguments)
			} else {
				say(p.Line, "plugin "+p.Name)
			}
		}
	}
	return inOrder(found)
}

// DefaultText is the configuration Volcano uses when it is given none.
const DefaultText = `actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
`

// Default is Volcano's built-in configuration, which holds when no file is
// given. Ask it for Unbuilt to tell the user what this version leaves out.
func Default() *Scheduler {
	s, _ := Parse(Source{File: "built-in default"}, []byte(DefaultText), Volcano(), Strict)
	return s
}
