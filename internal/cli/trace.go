package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/internal/traces/chart"
	"ashlar.sh/internal/traces/summary"
	"ashlar.sh/sched/model"
)

// readTrace reads the trace that the flags name, nil when they name none; with what is
// wrong with it, line by line.
func readTrace(s simulation) (*traces.Trace, []string) {
	if s.traceJobs == "" {
		return nil, nil
	}
	var lines []string
	var files []traces.File
	for _, name := range []string{s.traceNodes, s.traceJobs} {
		f, err := os.Open(name)
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: %v", name, cause(err)))
			continue
		}
		defer f.Close()
		files = append(files, traces.File{Name: name, Reader: f})
	}
	if len(lines) > 0 {
		return nil, lines
	}
	trace, err := traces.Read(files[0], files[1])
	var faults traces.Faults
	if errors.As(err, &faults) {
		return nil, faults.Lines()
	}
	return trace, nil
}

// add adds a trace to the input, with those of its queues that are not described there.
func (in *input) add(t *traces.Trace, s simulation) {
	for _, name := range t.Queues {
		ref := model.Ref{Kind: model.KindQueue, Name: name}
		if !slices.ContainsFunc(in.items, func(i sim.Item) bool { return i.Fact.Ref == ref }) {
			in.items = append(in.items, traces.Queue(name))
		}
	}
	for _, i := range t.Items {
		i.Resumes = s.preemptCost == free
		if s.durations != declared {
			i.Fact.Object = withLimit(i.Fact.Object, s)
		}
		in.items = append(in.items, i)
	}
	in.watch = summary.New(in.items, t.Jobs, sim.DefaultPeriod)
	if s.estimates > 0 {
		in.watch.EstimateEvery(s.estimates)
	}
}

// withLimit is a pod of a trace that says how long it runs by its limit, or not at all; other objects are as they are.
func withLimit(o model.Object, s simulation) model.Object {
	pod, is := o.(*model.Pod)
	if !is {
		return o
	}
	p, times := *pod, pod.Rare()
	switch most := int64(s.oneLimit()); {
	case s.durations == enforced:
		times.Limit = times.Lasts
	case most > 0 && times.Lasts > 0:
		times.Limit = max(most, times.Lasts)
	}
	times.Lasts = 0
	p.SetRare(times)
	return &p
}

// draw writes the page of a run, if it was asked for.
func draw(s simulation, f *summary.Figures) error {
	if s.page == "" {
		return nil
	}
	title, _, _ := strings.Cut(filepath.Base(s.traceJobs), ".")
	var b bytes.Buffer
	err := chart.Write(&b, title, f)
	if err == nil {
		err = writeFile(s.page, 0o644, func(to io.Writer) error {
			_, err := to.Write(b.Bytes())
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// printed is a document that can be shown in every way.
type printed interface {
	JSON(io.Writer) error
	YAML(io.Writer) error
	CSV(io.Writer) error
	Text(io.Writer) error
}

// show prints a document as it was asked for.
func (p Process) show(s simulation, d printed) error {
	write := map[string]func(io.Writer) error{"json": d.JSON, "yaml": d.YAML, "csv": d.CSV, "table": d.Text}
	if err := write[s.output](p.Out); err != nil {
		return badInput("error: writing the report: " + err.Error())
	}
	return nil
}

// sumUp prints what the run of a trace came to.
func (p Process) sumUp(s simulation, in input, world *sim.World, wall time.Duration, findings []string) error {
	f := in.watch.Figures(world.Engine().Report(), wall)
	for _, problem := range in.problems {
		f.Problems = append(f.Problems, summary.Problem{Object: problem.Object, Message: problem.Message})
	}
	if err := p.show(s, f); err != nil {
		return err
	}
	if err := draw(s, f); err != nil {
		return badInput("error: " + err.Error())
	}
	if world.Summary().Endless {
		fmt.Fprintln(p.Err, "the run was ended: decisions went round in a circle and nothing else happened")
	}
	return wrong(findings)
}
