package loop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ashlar.sh/internal/config"
	"ashlar.sh/sched/policy"
)

// What Volcano's scheduler takes ends no vc-scheduler and costs no more of the file than what
// is wrong with it; ashlar scheduler refuses it and names plugin and argument.
func TestWhatVolcanoAcceptsIsTakenAsVcScheduler(t *testing.T) {
	const before = "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
	for name, c := range map[string]struct {
		text   string
		strict string // the error of ashlar scheduler
		holds  func(p policy.Profile) bool
	}{
		"a negative weight": {before +
			"  - name: nodeorder\n    arguments: {leastrequested.weight: -1, mostrequested.weight: 2}\n  - name: proportion\n",
			":7: argument \"leastrequested.weight\" of plugin nodeorder: must be at least 0 and at most 100000, not -1",
			func(p policy.Profile) bool {
				_, left := p.Tiers[0][2].Arguments["leastrequested.weight"]
				return !left && p.Tiers[0][2].Arguments["mostrequested.weight"] == "2" && len(p.Tiers[0]) == 4
			}},
		"a strategy without its thresholds": {before +
			"  - name: rescheduling\n    arguments:\n      interval: 5m\n      strategies:\n      - name: lowNodeUtilization\n" +
			"        params: {thresholds: {cpu: 20}}\n",
			":9: argument \"strategies\" of plugin rescheduling: lowNodeUtilization: targetThresholds is " +
				"missing, as in {cpu: 20, " +
				"memory: 20}",
			func(p policy.Profile) bool {
				return p.Tiers[0][2].Plugin == "rescheduling" && p.Tiers[0][2].Arguments["interval"] == "5m0s"
			}},
		"no time to wait": {before + "  - name: sla\n    arguments: {sla-waiting-time: 0s}\n",
			":7: argument \"sla-waiting-time\" of plugin sla: must be above 0s, not 0s",
			func(p policy.Profile) bool { return p.Tiers[0][2].Plugin == "sla" }},
		"two wrong arguments of one plugin": {before +
			"  - name: binpack\n    arguments: {binpack.weight: -1, binpack.cpu: 99999999, binpack.memory: 3}\n",
			":7: argument \"binpack.weight\" of plugin binpack: must be at least 0 and at most 100000, not -1",
			func(p policy.Profile) bool {
				return len(p.Tiers[0][2].Arguments) == 1 && p.Tiers[0][2].Arguments["binpack.memory"] == "3"
			}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			conf, err := newConfiguration(Options{ConfigFile: path, Mode: config.Lenient})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conf.engine(Options{}); err != nil || !c.holds(conf.profile) {
				t.Errorf("error %v; in force is %+v", err, conf.profile)
			}
			if conf, err = newConfiguration(Options{ConfigFile: path}); err == nil {
				_, err = conf.engine(Options{})
			}
			if err == nil || !strings.HasPrefix(err.Error(), path+c.strict) {
				t.Errorf("ashlar scheduler says %v\nwant %s", err, c.strict)
			}
		})
	}
}
