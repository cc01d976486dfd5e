//go:build !simulator

package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

const snapshotLong = `Writes one file with all that the scheduler would decide on: nodes, pods, jobs, queues, what was
decided before, and the configuration. ashlar replay decides on it, on any machine; ashlar why
and compare ask it.

` + sourceLong + `

With --redact the names of namespaces, pods, their owners, jobs and queues, the labels of pods and
images are replaced by pseudonyms, in the same order, so that it decides the same. Nodes with
their labels, resources and the configuration keep their names. Objects of volumes and devices
are left out. docs/recordings.md says what remains.

With --recording it is what came in and was decided in the last minutes, which the live scheduler
keeps in memory: after an alert, what led to it. That takes the right for /v1/dump.

The file has the mode 0600. It is compressed if its name ends in .gz.

Exit codes: 0 written; 1 it cannot be read or written; 2 bad usage.`

// snapshots is the verbs for the state of one moment.
type snapshots struct{ questions }

// snapping is what the flags of snapshot ask for.
type snapping struct {
	source
	redact   bool
	recorded bool
}

func (p snapshots) snapshot(name string) *cobra.Command {
	s := snapping{}
	c := &cobra.Command{
		Use:   "snapshot FILE",
		Short: "Write one file that reproduces what the scheduler decides",
		Long:  snapshotLong,
		Example: fmt.Sprintf("  # Of the live cluster, to send to somebody\n  %[1]s snapshot --redact cluster.json.gz\n\n"+
			"  # Of files\n  %[1]s snapshot -f cluster.yaml -f jobs/ state.json\n  %[1]s replay state.json", name),
		Args: exactly("the file that is to be written: snapshot FILE", 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := s.checkSource(c); err != nil {
				return err
			}
			switch {
			case args[0] == "-":
				return errors.New("snapshot -: what is written has names of pods and queues: name a file, which only you may read")
			case s.recorded && (s.redact || s.dump != "" || len(s.files) > 0 || s.config != ""):
				return errors.New("--recording is of the live scheduler, as it is: leave out --filename, --dump, --redact and " +
					"--scheduler-conf")
			case s.recorded:
				return p.record(s, args[0])
			case s.readAPI != readAPI{}:
				return errors.New("--read-api and --scheduler-namespace are of use with --recording only")
			}
			return p.snap(s, args[0])
		},
	}
	s.askFlags(c)
	must(c.Flags().MarkHidden("at"))
	c.Flags().BoolVar(&s.redact, "redact", false, "replace names by pseudonyms")
	c.Flags().BoolVar(&s.recorded, "recording", false,
		"what the live scheduler did in the last minutes, and not its state now")
	s.readFlags(c.Flags())
	return c
}

// snap reads a source and writes it.
func (p snapshots) snap(s snapping, path string) error {
	state, err := p.stateOf(s.source)
	if err != nil {
		return err
	}
	if s.redact {
		r, err := recording.Redact(state)
		if err != nil {
			return badInput("error: it cannot be redacted: " + err.Error())
		}
		state = r.State
		for _, kind := range slices.Sorted(maps.Keys(r.LeftOut)) {
			p.warnEach([]string{fmt.Sprintf("left out, since they cannot be redacted: %s of kind %s",
				explain.Count(r.LeftOut[kind], "object"), kind)})
		}
		if r.Plain > 0 {
			p.warnEach([]string{fmt.Sprintf("volumes and devices are left out, for which %s asked: what is decided of "+
				"these may differ", explain.Count(r.Plain, "pod"))})
		}
	}
	err = writeFile(path, private, func(to io.Writer) error {
		if filepath.Ext(path) != ".gz" {
			return state.Write(to)
		}
		z := gzip.NewWriter(to)
		return errors.Join(state.Write(z), z.Close())
	})
	if err != nil {
		return badInput("error: " + err.Error())
	}
	fmt.Fprintf(p.Out, "%s: %s at %s; ashlar replay decides on them\n", path, explain.Count(len(state.Facts), "object"),
		moment(state.Now))
	return nil
}

// stateOf is what the scheduler would decide on.
func (p snapshots) stateOf(s source) (recording.State, error) {
	switch {
	case s.dump != "":
		state, err := recording.ReadState(s.dump)
		if err != nil {
			return state, badInput("error: " + err.Error())
		}
		if s.config != "" {
			state.Configuration, err = p.configurationText(s.simulation, nil)
		}
		return state, err
	case len(s.files) > 0:
		return p.stateOfFiles(s)
	}
	return p.stateOfCluster(s)
}

func (p snapshots) stateOfFiles(s source) (recording.State, error) {
	read, lines := p.readFiles(s.simulation)
	if len(lines) > 0 {
		return recording.State{}, badInput(lines...)
	}
	text, err := p.configurationText(s.simulation, read.world)
	if err != nil {
		return recording.State{}, err
	}
	return p.stateOfInput(inputOf(read.world, read.chosen, 0), text), nil
}

func (p snapshots) stateOfCluster(s source) (recording.State, error) {
	live, err := p.lookNow(s)
	if err != nil {
		return recording.State{}, err
	}
	if live.read.Partial {
		return recording.State{}, badInput("error: a snapshot has all that the scheduler decides on, and you may not list "+
			"all of it", "Ask an administrator for it, or for a dump of the scheduler: docs/recordings.md.")
	}
	text := live.text
	if s.config != "" {
		if text, err = p.configurationText(s.simulation, nil); err != nil {
			return recording.State{}, err
		}
	}
	return p.stateOfInput(inputOf(live.set.Expand(live.s.schedulers...), live.chosen, live.now.UnixNano()), text), nil
}

// stateOfInput is what the first cycle of a simulation decides on.
func (p snapshots) stateOfInput(in input, configuration string) recording.State {
	s := recording.State{Now: in.begin(), Period: sim.DefaultPeriod, Configuration: configuration}
	there := map[model.Ref]bool{}
	later := 0
	add := func(f model.Fact) {
		there[f.Ref] = true
		meta := f.Object.Common()
		if f.UID == "" {
			f.UID = meta.UID
		}
		if meta.Created == 0 {
			meta.Created = s.Now
		}
		f.Version = uint64(len(s.Facts) + 1)
		s.Facts = append(s.Facts, recording.Bare(f))
	}
	for _, i := range in.items {
		switch {
		case i.SubmitAt > 0:
			later++
		case i.Fact.Object != nil:
			add(i.Fact)
		}
	}
	for _, name := range []string{model.RootQueue, model.DefaultQueue} {
		if ref := (model.Ref{Kind: model.KindQueue, Name: name}); !there[ref] {
			add(model.Fact{Ref: ref, Object: &model.Queue{Meta: model.Meta{Name: name}, Weight: 1,
				Reclaimable: name != model.RootQueue}})
		}
	}
	if later > 0 {
		text := fmt.Sprintf("%d objects come later than the first cycle: they are not in the snapshot", later)
		if later == 1 {
			text = "1 object comes later than the first cycle: it is not in the snapshot"
		}
		p.warnEach([]string{text})
	}
	return s
}
