package cli

import (
	"errors"
	"fmt"
	"slices"

	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/internal/traces/summary"
	"ashlar.sh/sched/model"
)

// mostFill is the most of a cluster's GPUs that may be asked for, in percent.
const mostFill = 1000

// checkFill refuses flags of filling that no run can be made of.
func (s *simulation) checkFill() error {
	switch {
	case s.fill == 0 && len(s.seeds) > 0:
		return errors.New("--trace-seed: only a cluster that is being filled needs one: give --trace-fill")
	case s.fill == 0:
		return nil
	case s.fill < 1 || s.fill > mostFill:
		return fmt.Errorf("--trace-fill %d: expected 1 to %d percent of the GPUs", s.fill, mostFill)
	case s.traceJobs == "":
		return errors.New("--trace-fill: give --trace-nodes and --trace-jobs")
	case len(s.seeds) > 1 && s.page != "":
		return errors.New("--report-html: one run is drawn: give one --trace-seed")
	}
	if len(s.seeds) == 0 {
		s.seeds = []uint{1}
	}
	return nil
}

// filled is the input with a trace drawn from by a seed.
func (in input) filled(s simulation, seed uint) (input, error) {
	gpus := int64(0)
	for _, items := range [][]sim.Item{in.items, in.trace.Items} {
		for i := range items {
			if n, ok := items[i].Fact.Object.(*model.Node); ok {
				x, _ := n.Allocatable.Get(traces.GPU)
				gpus += x
			}
		}
	}
	drawn, err := in.trace.Fill(uint64(seed), gpus/100*int64(s.fill)+gpus%100*int64(s.fill)/100)
	if err != nil {
		return input{}, badInput("error: --trace-fill: " + err.Error())
	}
	in.items = slices.Clip(in.items)
	in.add(drawn, s)
	in.watch.Fill()
	return in, nil
}

// fillOften fills the cluster once for each seed and prints what the runs came to.
func (p Process) fillOften(s simulation, in input) error {
	var runs []summary.FillRun
	for _, seed := range s.seeds {
		one, err := in.filled(s, seed)
		if err != nil {
			return err
		}
		world, findings, err := p.run(s, one)
		if err == nil {
			err = wrong(findings)
		}
		if err != nil {
			return err
		}
		f := one.watch.Figures(world.Engine().Report(), 0)
		runs = append(runs, summary.FillRun{Seed: uint64(seed), Loads: f.Loads})
	}
	return p.show(s, summary.NewFills(runs))
}
