//go:build !simulator

package cli

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/lint"
	"ashlar.sh/internal/manifest"
)

// configuration is one that is looked at: a file, or what a ConfigMap of the input has.
type configuration struct {
	file string
	held *manifest.ConfigText // nil: the file is the configuration
}

// String names it.
func (c configuration) String() string {
	if c.held == nil {
		return c.file
	}
	return "ConfigMap " + c.held.Name + " (" + c.held.Where.String() + ")"
}

// configurations are those of the FILEs, by how they are given, and those of the cluster that --on describes.
func (l *linting) configurations(in *lint.Input) (files, mine, theirs []configuration) {
	for i := range in.World.Configs {
		c := configuration{held: &in.World.Configs[i]}
		if in.Mine == nil || in.Mine(c.held.Where.File) {
			mine = append(mine, c)
		} else {
			theirs = append(theirs, c)
		}
	}
	for _, name := range l.confs {
		files = append(files, configuration{file: name})
	}
	return files, mine, theirs
}

// choose says with which configuration jobs and queues are looked at, nil for Volcano's default, and which others are
// looked at by themselves. Of several that are given none is chosen: what was not looked at is told.
func (l *linting) choose(in *lint.Input) (use *configuration, alone []configuration, unchecked []string) {
	files, mine, theirs := l.configurations(in)
	given := files
	if len(files) == 0 {
		given = mine
	}
	with := "Volcano's default"
	switch {
	case l.config != "":
		use, given = &configuration{file: l.config}, nil
	case len(given) == 1:
		use = &given[0]
	case len(theirs) == 1:
		use, with = &theirs[0], theirs[0].String()
	case len(given) == 0:
		given = theirs
	}
	for _, c := range slices.Concat(files, mine) {
		if use == nil || c != *use {
			alone = append(alone, c)
		}
	}
	if len(in.World.Items) > 0 {
		unchecked = severalTold(given, with)
	}
	return use, alone, unchecked
}

// severalTold says of several configurations that none of them is chosen.
func severalTold(given []configuration, with string) []string {
	last := len(given) - 1
	if last < 1 {
		return nil
	}
	var names []string
	for _, c := range given {
		names = append(names, c.String())
	}
	return []string{fmt.Sprintf("jobs and queues with %s and %s: of several configurations none is chosen, and they are "+
		"looked at with %s; --scheduler-conf names one", strings.Join(names[:last], ", "), names[last], with)}
}

// parsed reads a configuration, nil for Volcano's default: what is wrong with it is a finding. One that is refused is
// nil.
func (p linter) parsed(c *configuration) (*config.Scheduler, []config.Problem) {
	if c == nil {
		return config.Default(), nil
	}
	if c.held == nil {
		text, err := p.configurationFile(c.file)
		if err != nil {
			return nil, []config.Problem{{File: c.file, Message: fmt.Sprint(cause(err)), Fatal: true}}
		}
		return config.Parse(config.Source{File: c.file}, []byte(text), p.catalog(), config.Strict)
	}
	src := config.Source{File: c.held.Where.File}
	if c.held.Literal {
		src.LineOffset = c.held.Line - 1
	}
	chosen, problems := config.Parse(src, []byte(c.held.Text), p.catalog(), config.Strict)
	if !c.held.Literal { // its lines are none of the file
		for i := range problems {
			problems[i].Line = c.held.Line
		}
	}
	return chosen, problems
}

// alone looks at a configuration by itself: it is read, and an engine is made with it.
func (p linter) alone(l linting, c configuration) *lint.Report {
	in := lint.Input{World: manifest.NewSet().Expand(l.schedulers...)}
	in.Chosen, in.Configuration = p.parsed(&c)
	if in.Chosen != nil {
		p.decide(l, &in, inputOf(in.World, in.Chosen, 0))
	}
	return lint.Look(in)
}
