package summary_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/internal/traces/summary"
)

// One node of two GPUs, one to start in each case. In seconds, the least time left first:
//
//	long   wants both, 100 s: 0 to 11, when it is gone for mid after 10 s of its own
//	mid    comes at 10 and wants one, 20 s: 12 to 32
//	wide   comes at 15 and wants both, 50 s; mid, with 17 left, stays: 33 to 83
//	long   with 90 left: 84 to 174, or, if it begins anew, to 184
//
// By time x GPUs wide (100) waits only for mid (17), not for long (180).
func TestShortJobsStopLongOnesAndWhatThatCosts(t *testing.T) {
	const nodes = "name,cpu_milli,memory_mib,gpu_count,gpu_model\nn,,,2,\n"
	const jobs = "job,queue,user,submit_s,duration_s,members,min_members," +
		"cpu_milli_per_member,memory_mib_per_member,gpu_per_member,priority,type\n" +
		"long,,ann,0,100,1,1,,,2,,\nmid,,bob,10,20,1,1,,,1,,\nwide,,eve,15,50,2,2,,,1,,\n"
	for name, c := range map[string]struct {
		conf    string
		resumes bool
		want    map[string]summary.Seconds // completion by user
		evicted int
	}{
		"least time left, at no cost": {"srtf-preempt", true,
			map[string]summary.Seconds{"ann": 174, "bob": 22, "eve": 68}, 1},
		"least time left, from the start again": {"srtf-preempt", false,
			map[string]summary.Seconds{"ann": 184, "bob": 22, "eve": 68}, 1},
		"least service left, at no cost": {"srsf-preempt", true,
			map[string]summary.Seconds{"ann": 174, "bob": 22, "eve": 68}, 1},
		"no job is stopped": {"srsf", true, map[string]summary.Seconds{"ann": 101, "bob": 112,
			"eve": 158}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			trace, err := traces.Read(traces.File{Name: "nodes.csv", Reader: strings.NewReader(nodes)},
				traces.File{Name: "jobs.csv", Reader: strings.NewReader(jobs)})
			if err != nil {
				t.Fatal(err)
			}
			for i := range trace.Items {
				trace.Items[i].Resumes = c.resumes
			}
			text, err := os.ReadFile("../../../examples/traces/" + c.conf + ".conf")
			if err != nil {
				t.Fatal(err)
			}
			conf, problems := config.Parse(config.Source{File: c.conf}, text, config.Volcano(), config.Strict)
			if conf == nil {
				t.Fatal(problems)
			}
			w, err := sim.New(profile.Of(conf), trace.Items, sim.Options{Audit: true})
			if err != nil {
				t.Fatal(err)
			}
			f := world{w, trace, summary.New(trace.Items, trace.Jobs, sim.DefaultPeriod)}.replay()
			for _, u := range f.Users {
				if want := c.want[u.Name] * summary.Seconds(time.Second); u.Completion.Mean != want {
					t.Errorf("%s's job took %s s, want %s", u.Name, u.Completion.Mean, want)
				}
			}
			if f.Evictions != c.evicted || f.All.Finished != 3 {
				t.Errorf("%d finished, %d evictions", f.All.Finished, f.Evictions)
			}
			for _, r := range f.Resources {
				if r.Allocated.Peak > 1_000_000 {
					t.Errorf("allocated %s", r.Allocated.Peak)
				}
			}
		})
	}
}
