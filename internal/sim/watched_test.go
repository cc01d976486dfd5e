package sim_test

import (
	"testing"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// TestLoggingChangesNoDecision: with the log on, every job is asked in each
// cycle in which something has changed, since its refusals are to be told; without, jobs
// that lack room rest until there is enough. Plans and reasons are the same either way,
// those of worlds so full that most jobs wait above all.
func TestLoggingChangesNoDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw{t}
		items := d.items()
		for i := range d.n(0, 12) {
			g := d.gang("more" + string(rune('a'+i)))
			g[0].Fact.Object.(*model.PodGroup).Queue = []string{"a", "b"}[d.n(0, 1)]
			items = append(items, g...)
		}
		asked, loud := d.run(items, sim.Options{Verbosity: 5}, nil)
		rested, quiet := d.run(items, sim.Options{}, nil)
		plans := func(cycles []sim.Cycle) []sched.Plan {
			var out []sched.Plan
			for _, c := range cycles {
				out = append(out, c.Plan)
			}
			return out
		}
		if got, want := text(t, plans(quiet)), text(t, plans(loud)); got != want {
			t.Fatalf("without a log\n%s\nwith one\n%s", got, want)
		}
		if got, want := text(t, rested.Engine().Report()), text(t, asked.Engine().Report()); got != want {
			t.Fatalf("without a log\n%s\nwith one\n%s", got, want)
		}
	})
}
