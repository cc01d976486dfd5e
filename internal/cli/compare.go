//go:build !simulator

package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

const compareLong = `Simulates the same input by two configurations and says, job by job, which starts earlier or
later, which waits, and which is evicted. The input is files (-f), as for simulate, or the state of
one moment (--dump: a dump, a snapshot, or the beginning of a recording); pods of it that run go
on running.

Exit codes: 0 compared; 1 bad input or configuration; 2 bad usage. With --exit-code 3 where some
job fares otherwise.`

// exitFares is the exit code of --exit-code where some job fares otherwise.
const exitFares = 3

// comparing is what the flags of compare ask for.
type comparing struct {
	source
	configs  []string
	output   string
	exitCode bool
}

// fate is how a job fared in one run.
type fate struct {
	Started *explain.Duration `json:"started,omitempty"` // when its minimum was bound; nil: it was not
	Bound   int               `json:"bound"`             // pods
	Evicted int               `json:"evicted"`           // pods
	Waits   string            `json:"waits,omitempty"`   // why, in the end
}

func (f fate) equal(o fate) bool {
	return (f.Started == nil) == (o.Started == nil) && (f.Started == nil || *f.Started == *o.Started) &&
		f.Bound == o.Bound && f.Evicted == o.Evicted && f.Waits == o.Waits
}

// compared is a job in two runs.
type compared struct {
	Job   string `json:"job"`
	Queue string `json:"queue"`
	A     fate   `json:"a"`
	B     fate   `json:"b"`
	Same  bool   `json:"same"`
}

// comparison is what compare prints.
type comparison struct {
	A      string                           `json:"a"` // configurations
	B      string                           `json:"b"`
	Jobs   []compared                       `json:"jobs"`
	Queues map[string][2]explain.Quantities `json:"queues"` // what they hold in the end, by A and by B
}

func (p snapshots) compare(name string) *cobra.Command {
	x := comparing{}
	c := &cobra.Command{
		Use:   "compare",
		Short: "Show job by job what another configuration changes",
		Long:  compareLong,
		Example: fmt.Sprintf("  %[1]s compare -f cluster.yaml -f jobs/ --scheduler-conf now.conf --scheduler-conf new.conf\n"+
			"  %[1]s compare --dump state.json.gz --scheduler-conf now.conf --scheduler-conf new.conf", name),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case len(x.configs) != 2:
				return fmt.Errorf("--scheduler-conf: give it twice, the configurations to compare; it is there %d times",
					len(x.configs))
			case len(x.files) == 0 == (x.dump == ""):
				return errors.New("give the input: -f, or --dump")
			case x.output != "table" && x.output != "json":
				return fmt.Errorf("--output %q: expected table or json", x.output)
			}
			return p.compareNow(x)
		},
	}
	f := c.Flags()
	f.StringSliceVarP(&x.files, "filename", "f", nil, "file or folder to read; may be given several times")
	f.StringVar(&x.dump, "dump", "", "dump, snapshot or recording")
	f.StringArrayVar(&x.configs, "scheduler-conf", nil, "volcano-scheduler.conf; give it twice")
	f.StringSliceVar(&x.schedulers, "scheduler-name", []string{"volcano"}, "schedulerName of the pods to schedule")
	f.StringVarP(&x.output, "output", "o", "table", "table or json")
	f.BoolVar(&x.exitCode, "exit-code", false, "exit with 3 if some job fares otherwise")
	return c
}

// compareNow runs both and prints the difference.
func (p snapshots) compareNow(x comparing) error {
	var runs [2]*ran
	for i, config := range x.configs {
		s := x.source
		s.config = config
		var err error
		if runs[i], err = p.runAll(s); err != nil {
			return err
		}
	}
	out := comparison{A: x.configs[0], B: x.configs[1], Jobs: runs[0].with(runs[1]),
		Queues: map[string][2]explain.Quantities{}}
	for i, r := range runs {
		for name, held := range r.queues {
			both := out.Queues[name]
			both[i] = held
			out.Queues[name] = both
		}
	}
	differ := slices.ContainsFunc(out.Jobs, func(c compared) bool { return !c.Same })
	print := out.text
	if x.output == "json" {
		print = func(w io.Writer) error { return json.NewEncoder(w).Encode(out) }
	}
	err := print(p.Out)
	if err == nil && differ && x.exitCode {
		return &failure{code: exitFares}
	}
	return err
}

// ran is how jobs fared in one run.
type ran struct {
	fates  map[string]*fate
	queue  map[string]string
	queues map[string]explain.Quantities
}

// runAll simulates a source to its end.
func (p snapshots) runAll(s source) (*ran, error) {
	in, err := p.inputOf(s)
	if err != nil {
		return nil, err
	}
	world, err := in.world(p.Process, s.simulation)
	if err != nil {
		return nil, err
	}
	out := &ran{fates: map[string]*fate{}, queue: map[string]string{},
		queues: map[string]explain.Quantities{}}
	for {
		c, more := world.Step()
		if !more {
			break
		}
		out.see(world.Engine(), c)
	}
	out.end(world.Engine().Report())
	return out, nil
}

// inputOf reads a source as a simulation does.
func (p snapshots) inputOf(s source) (input, error) {
	if s.dump == "" {
		read, lines := p.readFiles(s.simulation)
		if len(lines) > 0 {
			return input{}, badInput(lines...)
		}
		return inputOf(read.world, read.chosen, 0), nil
	}
	state, err := recording.ReadState(s.dump)
	if err != nil {
		return input{}, badInput("error: " + err.Error())
	}
	chosen, lines := p.configuration(s.simulation, nil)
	if len(lines) > 0 {
		return input{}, badInput(lines...)
	}
	in := input{chosen: chosen, profile: localProfile(&state, chosen), at: state.Now}
	for _, f := range state.Facts {
		in.items = append(in.items, sim.Item{Fact: f})
	}
	return in, nil
}

func (r *ran) of(k string) *fate {
	if r.fates[k] == nil {
		r.fates[k] = &fate{}
	}
	return r.fates[k]
}

// see takes a cycle in.
func (r *ran) see(e *sched.Engine, c sim.Cycle) {
	led := e.Ledger()
	for _, i := range c.Plan.Items {
		t, ok := led.Tasks.Find(i.Pod)
		if !ok || led.Task(t).Job == ledger.NoJob {
			continue
		}
		job := led.Job(led.Task(t).Job)
		f := r.of(job.Key.String())
		switch i.Kind {
		case sched.BindPod:
			if f.Bound++; f.Bound >= int(job.MinMember) && f.Started == nil {
				at := explain.Duration(c.At)
				f.Started = &at
			}
		case sched.EvictPod:
			f.Evicted++
		}
	}
}

// end notes how jobs and queues stand in the end.
func (r *ran) end(report sched.Report) {
	for _, j := range report.Jobs {
		k := j.Namespace + "/" + j.Name
		r.queue[k] = j.Queue
		r.of(k).Waits = string(j.Reason.Code)
	}
	for _, q := range explain.New(report, explain.Summary{}, nil).Queues {
		r.queues[q.Name] = q.Allocated
	}
}

// with pairs the jobs of two runs, in order.
func (r *ran) with(o *ran) (out []compared) {
	seen := map[string]bool{}
	var keys []string
	for _, x := range []*ran{r, o} {
		for k := range x.fates {
			if !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		c := compared{Job: k, Queue: cmp.Or(r.queue[k], o.queue[k]), A: *r.of(k), B: *o.of(k)}
		c.Same = c.A.equal(c.B)
		out = append(out, c)
	}
	return out
}

// text prints the jobs that fare otherwise.
func (c comparison) text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "A is %s, B is %s.\n", c.A, c.B)
	same := 0
	for _, j := range c.Jobs {
		if j.Same {
			same++
			continue
		}
		fmt.Fprintf(t, "%s\tqueue %s\tA: %s\tB: %s\t%s\n", j.Job, j.Queue, j.A, j.B, j.verdict())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d of %d jobs fare the same.\n", same, len(c.Jobs))
	return err
}

// String is a fate in a few words.
func (f fate) String() string {
	text := "never starts"
	if f.Started != nil {
		text = "starts at " + f.Started.String()
	}
	if f.Evicted > 0 {
		text += fmt.Sprintf(", %d evicted", f.Evicted)
	}
	if f.Waits != "" {
		text += ", waits in the end: " + f.Waits
	}
	return text
}

// verdict says what B changes.
func (c compared) verdict() string {
	a, b := c.A.Started, c.B.Started
	switch {
	case a == nil && b != nil:
		return "starts only with B"
	case a != nil && b == nil:
		return "starts only with A"
	case a != nil && *a != *b:
		if *b < *a {
			return time.Duration(*a-*b).String() + " earlier"
		}
		return time.Duration(*b-*a).String() + " later"
	case c.A.Evicted != c.B.Evicted:
		return fmt.Sprintf("%+d evicted", c.B.Evicted-c.A.Evicted)
	}
	return "waits otherwise"
}
