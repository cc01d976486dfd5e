package story

import (
	"fmt"
	"strconv"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
)

// cycle runs the next cycle that can matter, or the next N. The answer is what it
// decided, in the order of the plan, then which jobs wait and why:
//
//	bind ml/train-0..2 n1
//	wait ml/serve: GangIncomplete 0 of 2: NotEnoughResources: gpu 4 asked, 2 free on n1
//
// cycle phases lists the phases that jobs move to as well. Of several cycles each line
// begins with the virtual time, what was decided in one cycle for pods of one job is one
// line with all nodes, by name, and only the last cycle shows which jobs wait.
var cycleVerb = verb{syntax: "cycle [N] [phases]", ask: cycle}

// run runs cycles until nothing more can happen, or up to and including a virtual time: what is done to the cluster
// afterwards shows after that time. The answer is that of several cycles.
var runVerb = verb{syntax: "run [until=10m] [phases]", ask: runAll}

// mostCycles bounds a story that never comes to rest.
const mostCycles = 2000

func cycle(s *stage, w *words) ([]string, error) {
	n, phases := 1, false
	for {
		word, ok := w.next()
		if !ok {
			break
		}
		if word == "phases" {
			phases = true
			continue
		}
		times, err := strconv.Atoi(word)
		if err != nil || times < 1 {
			return nil, unknown(word)
		}
		n = times
	}
	if n == 1 {
		c, ok, err := s.step()
		if err != nil || !ok {
			return []string{"nothing more can happen"}, err
		}
		return append(folded(s.decided(c, phases)), s.waits()...), nil
	}
	return s.several(phases, func(i int, _ time.Duration) bool { return i < n })
}

func runAll(s *stage, w *words) ([]string, error) {
	phases, until := false, time.Duration(-1)
	for {
		word, ok := w.next()
		if !ok {
			break
		}
		switch key, value := option(word); key {
		case "phases":
			phases = true
		case "until":
			d, err := duration(key, value)
			if err != nil {
				return nil, err
			}
			until = d
		default:
			return nil, unknown(word)
		}
	}
	lines, err := s.several(phases, func(_ int, next time.Duration) bool { return until < 0 || next <= until })
	if err == nil && until > 0 {
		s.world.Run(until)
	}
	return lines, err
}

// several runs cycles as long as more is true of how many ran and the time of the next.
func (s *stage) several(phases bool, more func(ran int, next time.Duration) bool) ([]string, error) {
	var out []string
	for i := 0; ; i++ {
		if err := s.begin(); err != nil {
			return nil, err
		}
		s.handOver()
		if next, ok := s.world.Next(); !ok || !more(i, next) {
			break
		}
		if i == mostCycles {
			return nil, fmt.Errorf("no end after %d cycles; say until=", mostCycles)
		}
		c, ok, err := s.step()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		for _, l := range digest(s.decided(c, phases)) {
			out = append(out, fmt.Sprintf("%-5s %s", clock(c.At), l))
		}
	}
	if s.cycles == 0 {
		return out, nil
	}
	return append(out, s.waits()...), nil
}

// clock is a virtual time without the zeros behind it: 10m, 1m30s, 0s.
func clock(d time.Duration) string {
	text := d.String()
	if d >= time.Minute && d%time.Minute == 0 {
		text = text[:len(text)-len("0s")]
	}
	if d >= time.Hour && d%time.Hour == 0 {
		text = text[:len(text)-len("0m")]
	}
	return text
}

// decided is a cycle's plan, and the promises that hold for this cycle only.
func (s *stage) decided(c sim.Cycle, phases bool) []deed {
	var out []deed
	planned := map[string]bool{}
	for _, i := range c.Plan.Items {
		switch i.Kind {
		case sched.SetPhase:
			if phases {
				out = append(out, deed{text: "phase " + i.Group.String() + " " + i.Phase.String()})
			}
		case sched.EvictPod:
			d := deedOf("evict", i.Pod.String(), i.Node)
			if i.Preemptor.Name != "" {
				d.preemptor = i.Preemptor.String()
			}
			out = append(out, d)
		default:
			planned[i.Pod.String()] = true
			out = append(out, deedOf(i.Kind.String(), i.Pod.String(), i.Node))
		}
	}
	for _, p := range s.world.Engine().Report().Pods {
		if p.Status.String() == "Pipelined" && !planned[p.Namespace+"/"+p.Name] {
			out = append(out, deedOf("pipeline", p.Namespace+"/"+p.Name, p.Node))
		}
	}
	return out
}

// waits gives the reason of every job that waits. A job with all its pods bound or being
// bound is left out: no decision is missing.
func (s *stage) waits() []string {
	var out []string
	for _, j := range s.world.Engine().Report().Jobs {
		if j.Reason.Waits() {
			out = append(out, fmt.Sprintf("wait %s/%s: %s", j.Namespace, j.Shown, brief(j.Reason)))
		}
	}
	return out
}
