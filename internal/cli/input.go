package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/internal/traces/summary"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// input is what a simulation starts from.
type input struct {
	chosen   *config.Scheduler
	profile  policy.Profile
	items    []sim.Item
	problems []manifest.Problem
	trace    *traces.Trace               // to be added; nil without one
	watch    *summary.Watch              // of a trace that was added; nil without one
	see      func(sim.Cycle, *sim.World) // called after each cycle; nil: nothing is
	text     string                      // of the configuration; "": Volcano's default
	at       int64                       // when a live cluster was read, in nanoseconds since the epoch; 0: it was not
}

// read reads the cluster and its configuration. Everything that is wrong is reported,
// not only the first.
func (p Process) read(s simulation) (input, error) {
	read, lines := p.readFiles(s)
	trace, more := readTrace(s)
	if lines = append(lines, more...); len(lines) > 0 {
		return input{}, badInput(lines...)
	}
	in := inputOf(read.world, read.chosen, 0)
	in.trace = trace
	var err error
	if in.text, err = p.configurationText(s, read.world); err != nil {
		return input{}, err
	}
	in.problems = append(in.problems, in.leftOut()...)
	if unheeded := in.claimed(); unheeded > 0 && !in.storage() {
		of := fmt.Sprintf("%d pods name claims: they are placed as if they had none", unheeded)
		if unheeded == 1 {
			of = "1 pod names a claim: it is placed as if it had none"
		}
		in.problems = append(in.problems, manifest.Problem{Object: "PersistentVolumeClaim",
			Message: "there is none in the input, and " + of})
	}
	return in, nil
}

// storage says that the input has volumes: only then do they count. An input of nodes and
// pods alone asks only about room.
func (in input) storage() bool {
	return slices.ContainsFunc(in.items, func(i sim.Item) bool {
		switch i.Fact.Ref.Kind {
		case translate.KindPersistentVolumeClaim, translate.KindPersistentVolume, translate.KindStorageClass:
			return true
		}
		return false
	})
}

// devices says that pods of the input ask for devices, by claims or by extended resources for which classes may stand.
func (in input) devices() bool {
	classes := slices.ContainsFunc(in.items, func(i sim.Item) bool { return i.Fact.Ref.Kind == translate.KindDeviceClass })
	return slices.ContainsFunc(in.items, func(i sim.Item) bool {
		p, ok := i.Fact.Object.(*model.Pod)
		return ok && p.Ours && p.Spec != nil && (len(p.Spec.Devices) > 0 || classes && p.Opaque != nil)
	})
}

// offered counts the ResourceSlices of the input: the devices in them are shown, whether pods ask for any or not.
func (in input) offered() (n int) {
	for _, i := range in.items {
		if i.Fact.Ref.Kind == translate.KindResourceSlice {
			n++
		}
	}
	return n
}

// claimed counts the pods that name claims.
func (in input) claimed() (n int) {
	for _, i := range in.items {
		if p, ok := i.Fact.Object.(*model.Pod); ok && p.Ours && p.Node == "" && p.Spec != nil && p.Spec.Extra != "" {
			n++
		}
	}
	return n
}

// filed is what files say: their objects, what is made of them, and the configuration.
type filed struct {
	set    *manifest.Set
	world  *manifest.World
	chosen *config.Scheduler
}

// readFiles reads the files and the configuration, with all that is wrong with them, line by line. A trace needs no
// files.
func (p Process) readFiles(s simulation) (out filed, lines []string) {
	show := p.loading()
	defer show.end()
	if len(s.files) == 0 {
		out.world = &manifest.World{}
	} else if out.set, lines = p.load(s.files, show); len(lines) == 0 {
		out.world = out.set.Expand(s.schedulers...)
	}
	chosen, more := p.configuration(s, out.world)
	out.chosen = chosen
	return out, append(lines, more...)
}

// load reads files without making anything of them. Making something of them goes on telling show how far it came.
func (p Process) load(files []string, show *progress) (*manifest.Set, []string) {
	set, errs := manifest.LoadWithProgress(files, p.In, show.load)
	var lines []string
	for _, e := range errs {
		lines = append(lines, e.Error())
	}
	return set, lines
}

// inputOf is the input of a world; at is the time of its first cycle, 0 for that of the objects.
func inputOf(world *manifest.World, chosen *config.Scheduler, at int64) input {
	return input{chosen: chosen, profile: profile.Of(chosen), problems: world.Problems, at: at, items: itemsOf(world)}
}

// itemsOf are the objects of a world, for the simulator.
func itemsOf(world *manifest.World) (out []sim.Item) {
	for _, i := range world.Items {
		out = append(out, sim.Item{Fact: i.Fact, SubmitAt: i.SubmitAt, Duration: i.Duration,
			HasDuration: i.HasDuration, Owned: i.Owned, Where: i.Where.String()})
	}
	return out
}

// configuration is the flag's, else the only one among the input, else Volcano's
// default; with what is wrong with it, line by line. Warnings go to stderr.
func (p Process) configuration(s simulation, w *manifest.World) (*config.Scheduler, []string) {
	if s.config != "" {
		text, err := p.configurationFile(s.config)
		if err != nil {
			return nil, []string{fmt.Sprintf("%s: %v", s.config, cause(err))}
		}
		return p.parse(config.Source{File: s.config}, text)
	}
	if w == nil {
		return nil, nil
	}
	found, err := w.Config()
	switch {
	case err != nil:
		return nil, []string{err.Error()}
	case found == nil:
		chosen := config.Default()
		p.warn(chosen.Unbuilt())
		return chosen, nil
	case found.Literal:
		return p.parse(config.Source{File: found.Where.File, LineOffset: found.Line - 1}, found.Text)
	default:
		return p.parse(config.Source{File: fmt.Sprintf("%s (ConfigMap %s)", found.Where, found.Name)}, found.Text)
	}
}

// configurationFile is the text of a configuration. One that comes through a pipe is kept: it is needed more than once.
func (p Process) configurationFile(path string) (string, error) {
	if text, read := p.once[path]; read {
		return text, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, mostText))
	if err != nil {
		return "", err
	}
	if about, err := f.Stat(); err == nil && p.once != nil && !about.Mode().IsRegular() {
		p.once[path] = string(text)
	}
	return string(text), nil
}

// mostText is the largest configuration, or run that was saved, that is read.
const mostText = 1 << 30

// configurationText is the text of what configuration chose.
func (p Process) configurationText(s simulation, world *manifest.World) (string, error) {
	if s.config != "" {
		text, err := p.configurationFile(s.config)
		if err != nil {
			return "", badInput(fmt.Sprintf("error: %s: %v", s.config, cause(err)))
		}
		return text, nil
	}
	if found, err := world.Config(); err == nil && found != nil {
		return found.Text, nil
	}
	return "", nil
}

// parse reads a configuration; its text where it is refused.
func (p Process) parse(src config.Source, text string) (*config.Scheduler, []string) {
	chosen, problems := config.Parse(src, []byte(text), p.catalog(), config.Strict)
	if chosen != nil {
		p.warn(problems)
		return chosen, nil
	}
	var lines []string
	for _, problem := range problems {
		lines = append(lines, problem.String())
	}
	return nil, lines
}

func (p Process) warn(problems []config.Problem) {
	for _, problem := range problems {
		fmt.Fprintln(p.Err, explain.Printable(problem.String()))
	}
}

// cause is an error without the operation and the path, which the message has.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
