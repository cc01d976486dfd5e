//go:build !simulator

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// fate is how a job fared in one run.
type fate struct {
	Queue   string            `json:"queue,omitempty"`
	Running bool              `json:"running,omitempty"` // it ran before the first cycle
	Started *explain.Duration `json:"started,omitempty"` // when its minimum was bound; nil: it was not
	Bound   int               `json:"bound"`             // pods
	Evicted int               `json:"evicted"`           // pods
	Waits   string            `json:"waits,omitempty"`   // why, in the end
}

func (f *fate) equal(o *fate) bool {
	return (f.Started == nil) == (o.Started == nil) && (f.Started == nil || *f.Started == *o.Started) &&
		f.Running == o.Running && f.Bound == o.Bound && f.Evicted == o.Evicted && f.Waits == o.Waits
}

// The documents of compare: that of --save, and the comparison.
const (
	apiVersion     = "ashlar.sh/v1alpha1"
	runKind        = "Run"
	comparisonKind = "Comparison"
)

// ran is how jobs fared in one run.
type ran struct {
	APIVersion    string                        `json:"apiVersion"`
	Kind          string                        `json:"kind"`
	Ashlar        string                        `json:"ashlar"`        // the version that ran
	Configuration string                        `json:"configuration"` // where it is from
	Until         explain.Duration              `json:"until"`         // the last cycle, in virtual time
	Jobs          map[string]*fate              `json:"jobs"`          // by namespace/name
	Queues        map[string]explain.Quantities `json:"queues"`        // what they hold in the end
	Notes         []string                      `json:"notes,omitempty"`
}

// runOf simulates the source by one configuration; "": that which it has.
func (p snapshots) runOf(x comparing, config string) (*ran, error) {
	s := x.source
	s.config = config
	in, notes, err := p.inputOf(s)
	if err != nil {
		return nil, err
	}
	world, err := in.world(p.Process, s.simulation)
	if err != nil {
		return nil, err
	}
	info, _ := debug.ReadBuildInfo()
	out := &ran{APIVersion: apiVersion, Kind: runKind, Ashlar: found(info).Version, Configuration: config,
		Jobs: map[string]*fate{}, Queues: map[string]explain.Quantities{}, Notes: notes}
	if config == "" {
		out.Configuration = "that of the input"
	}
	show := p.progress(false)
	defer show.clear()
	for first := true; ; first = false {
		if at, _ := world.Next(); s.stop >= 0 && at > s.stop {
			break
		}
		c, more := world.Step()
		if !more {
			break
		}
		out.see(world.Engine(), c, first)
		show.tick(world)
	}
	out.end(world)
	return out, nil
}

// inputOf reads a source as a simulation does, with what should be known of it.
func (p snapshots) inputOf(s source) (in input, notes []string, err error) {
	if s.dump != "" {
		return p.savedInput(s)
	}
	s.preemptCost, s.durations = restart, declared
	in, err = p.read(s.simulation)
	if err == nil && in.trace != nil {
		in.add(in.trace, s.simulation)
		in.watch = nil
	}
	return in, nil, err
}

// savedInput is a state, with pods that run on, or all of a recording.
func (p snapshots) savedInput(s source) (in input, notes []string, err error) {
	r, err := recording.Open(s.dump)
	if err != nil {
		return in, nil, badInput("error: " + err.Error())
	}
	defer func() { _ = r.Close() }() // it was only read
	var chosen *config.Scheduler
	if chosen, err = playing(p.questions).configured(s.config, s.dump, r.Base.Configuration); err != nil {
		return in, nil, err
	}
	w, err := recording.WorkloadOf(r)
	if err != nil {
		return in, nil, badInput("error: " + err.Error())
	}
	if r.Cut {
		notes = append(notes, s.dump+": its end is missing: what came later is not known")
	}
	if w.Remade && s.config == "" {
		notes = append(notes, s.dump+": its configuration changed meanwhile: the first one is used")
	}
	if r.IsRecording() && w.Endless > 0 {
		runOn := "they run on for ever"
		if w.Endless == 1 {
			runOn = "it runs on for ever"
		}
		notes = append(notes, fmt.Sprintf("%s: %s had not ended when it ended, after %s: %s", s.dump,
			explain.Count(w.Endless, "pod"), w.Lasts.Round(time.Second), runOn))
	}
	return input{chosen: chosen, profile: localProfile(&r.Base, chosen), at: w.Begin, items: w.Items}, notes, nil
}

func (r *ran) of(k string) *fate {
	if r.Jobs[k] == nil {
		r.Jobs[k] = &fate{}
	}
	return r.Jobs[k]
}

// see takes a cycle in.
func (r *ran) see(e *sched.Engine, c sim.Cycle, first bool) {
	led := e.Ledger()
	r.Until = explain.Duration(c.At)
	bound := map[ledger.JobID]bool{}
	for _, i := range c.Plan.Items {
		t, ok := led.Tasks.Find(i.Pod)
		if !ok || led.Task(t).Job == ledger.NoJob {
			continue
		}
		job := led.Job(led.Task(t).Job)
		f := r.of(job.Key.String())
		f.Queue = led.Jobs.QueueName(led.Task(t).Job)
		switch i.Kind {
		case sched.BindPod:
			bound[led.Task(t).Job] = true
			if f.Bound++; f.Bound >= int(job.MinMember) && f.Started == nil && !f.Running {
				at := explain.Duration(c.At)
				f.Started = &at
			}
		case sched.EvictPod:
			f.Evicted++
		}
	}
	if !first {
		return
	}
	led.Jobs.Each(func(id ledger.JobID) bool {
		if j := led.Job(id); !bound[id] && j.By[model.Running] > 0 && j.By[model.Running] >= j.MinMember {
			r.of(j.Key.String()).Running = true
		}
		return true
	})
}

// end notes how jobs and queues stand in the end.
func (r *ran) end(world *sim.World) {
	report := world.Engine().Report()
	for _, j := range report.Jobs {
		f := r.of(j.Namespace + "/" + j.Name)
		f.Queue, f.Waits = j.Queue, string(j.Reason.Code)
	}
	for _, q := range explain.New(report, explain.Summary{}, nil).Queues {
		r.Queues[q.Name] = q.Allocated
	}
	if world.Summary().Endless {
		r.Notes = append(r.Notes, "the run was ended: decisions went round in a circle and nothing else happened")
	}
}

// save writes the run to a file.
func (r *ran) save(name string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = writeFile(name, private, func(to io.Writer) error {
			_, err := to.Write(append(data, '\n'))
			return err
		})
	}
	if err != nil {
		return badInput(fmt.Sprintf("error: saving the run: %v", err))
	}
	return nil
}

// readRun reads a run that was saved; nil where the file is something else, such as a configuration.
func (p Process) readRun(name string) (*ran, error) {
	if name == "" {
		return nil, nil
	}
	text, err := p.configurationFile(name)
	if err != nil {
		return nil, badInput(fmt.Sprintf("error: %s: %v", name, cause(err)))
	}
	data := bytes.TrimSpace([]byte(text))
	if len(data) == 0 || data[0] != '{' {
		return nil, nil
	}
	out := &ran{}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, badInput(fmt.Sprintf("error: %s: it is no saved run: %v", name, err))
	}
	if out.Kind != runKind || out.APIVersion != apiVersion {
		return nil, badInput(fmt.Sprintf("error: %s: it is no saved run (kind %q of %q): compare --save writes one, kind %s "+
			"of %s", name, out.Kind, out.APIVersion, runKind, apiVersion))
	}
	for k, f := range out.Jobs {
		if f == nil {
			return nil, badInput(fmt.Sprintf("error: %s: job %s has no content", name, k))
		}
	}
	out.Configuration = fmt.Sprintf("%s (ashlar %s, configuration: %s)", name, out.Ashlar, out.Configuration)
	return out, nil
}
