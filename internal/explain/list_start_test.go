package explain

import (
	"strings"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// In the list of jobs a start is told from now on.
func TestTheListTellsStarts(t *testing.T) {
	const now, minute = int64(1_000_000_000_000), int64(60_000_000_000)
	for want, start := range map[string]trace.Start{
		"in 10m":       {Made: now, Earliest: now + 10*minute, Latest: now + 10*minute},
		"in 10m-1h30m": {Made: now, Earliest: now + 10*minute, Latest: now + 90*minute},
		"in 10m-?":     {Made: now, Earliest: now + 10*minute, Unknown: trace.EndsUnknown},
		"in 5m":        {Made: now, Latest: now + 5*minute},
		"in 0s":        {Made: now - minute, Earliest: now - 1, Latest: now - 1},
		"?":            {Made: now, Unknown: trace.NotReached, Until: now + minute},
		"never":        {Made: now, Unknown: trace.DoesNotStart},
		"-":            {},
	} {
		job := sched.JobReport{Namespace: "ns", Name: "waits", Queue: "q", MinMember: 1,
			Reason: trace.Reason{Code: trace.GangIncomplete}, Start: start}
		job.Tasks[model.Pending] = 1
		asking := Asking{Now: now}
		var out strings.Builder
		list := asking.JobList(&sched.Report{Jobs: []sched.JobReport{job}}, func(_, _ string) bool { return true })
		if err := list.Text(&out, Style{}, Layout{NoHeaders: true}); err != nil {
			t.Fatal(err)
		}
		if want = "-   " + want + "   GangIncomplete"; !strings.Contains(out.String(), want) {
			t.Errorf("%q lacks %q", out.String(), want)
		}
	}
}
