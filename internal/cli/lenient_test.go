//go:build !simulator

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A flag that Volcano's scheduler takes ends no vc-scheduler; ashlar scheduler refuses it.
func TestFlagsThatVolcanoAcceptsAreTakenAsVcScheduler(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		strict string
		holds  func(s *scheduling) bool
	}{
		"a certificate without its key": {[]string{"--tls-cert-file=a.crt"},
			"--tls-cert-file and --tls-private-key-file: one is of no use without the other",
			func(s *scheduling) bool { return s.TLS.Certificate == "" }},
		"a selector with an equals sign": {[]string{"--node-selector=a=b", "--node-selector=c:d"},
			`--node-selector "a=b": expected key:value`,
			func(s *scheduling) bool { return slices.Equal(s.NodeSelector, []string{"c:d"}) }},
		"a folder of plugins": {[]string{"--plugins-dir=/plugins"},
			"--plugins-dir: Go plugins are not loaded; compile a plugin in with sched.WithPlugin",
			func(s *scheduling) bool { return true }},
		"a lock of an old kind": {[]string{"--leader-elect-resource-lock=endpoints"},
			"--leader-elect-resource-lock endpoints: only leases is there",
			func(s *scheduling) bool { return s.Election != nil }},
		"a mode of sharding that is none": {[]string{"--scheduler-sharding-mode=firm"},
			`--scheduler-sharding-mode "firm": expected none, soft or hard`,
			func(s *scheduling) bool { return s.Shard.Mode == "" }},
	} {
		t.Run(name, func(t *testing.T) {
			for _, lenient := range []bool{true, false} {
				s := scheduling{lenient: lenient}
				f := pflag.NewFlagSet("scheduler", pflag.ContinueOnError)
				s.flags(f)
				if err := f.Parse(c.args); err != nil {
					t.Fatal(err)
				}
				switch err := s.check(); {
				case lenient && (err != nil || !c.holds(&s)):
					t.Errorf("vc-scheduler: error %v; in force is %+v", err, s)
				case !lenient && (err == nil || err.Error() != c.strict):
					t.Errorf("ashlar scheduler says %v\nwant %s", err, c.strict)
				}
			}
		})
	}
}

// Flags of Volcano's scheduler that change nothing here are taken, and each says what holds instead.
func TestFlagsWithoutEffectSayWhatHoldsInstead(t *testing.T) {
	for _, given := range []string{"--priority-class=false", "--kube-api-qps=50", "--kube-api-burst=100",
		"--minimum-feasible-nodes=10", "--minimum-percentage-nodes-to-find=5", "--percentage-nodes-to-find=20",
		"--csi-storage=false", "--ignored-provisioners=a,b", "--node-worker-threads=4", "--gate-removal-worker-num=2",
		"--resource-sync-timeout=10s", "--log-flush-frequency=1s", "--feature-gates=UnschedulableJobCache=true"} {
		s, f := scheduling{}, pflag.NewFlagSet("scheduler", pflag.ContinueOnError)
		s.flags(f)
		if err := f.Parse([]string{given}); err != nil {
			t.Error(err)
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(given, "--"), "=")
		if reason, idle := strings.CutPrefix(f.Lookup(name).Usage, "no effect: "); !idle || reason == "" {
			t.Errorf("--%s does not say what holds instead: %q", name, f.Lookup(name).Usage)
		}
	}
}

// What the environment says of schedulers that share nodes and jobs: a bad value ends no
// vc-scheduler; ashlar scheduler refuses it.
func TestSchedulersThatShareByName(t *testing.T) {
	for name, c := range map[string]struct {
		enable, size, self string
		strict             string // "": the value is good
		index, of          int
		lease              string
	}{
		"none":         {"", "x", "", "", -1, 0, "volcano"},
		"switched off": {"false", "3", "volcano-scheduler-1", "", -1, 0, "volcano"},
		"the second":   {"true", "3", "volcano-scheduler-1", "", 1, 3, "volcano-1"},
		"one alone":    {"true", "1", "volcano-scheduler-0", "", 0, 1, "volcano"},
		"another switch": {"yes", "3", "volcano-scheduler-1", `MULTI_SCHEDULER_ENABLE="yes": expected true or false`, -1, 0,
			"volcano"},
		"no number": {"true", "three", "volcano-scheduler-1",
			`SCHEDULER_NUM="three": expected how many schedulers there are, 1 or more`, -1, 1, "volcano"},
		"none at all": {"true", "0", "volcano-scheduler-0",
			`SCHEDULER_NUM="0": expected how many schedulers there are, 1 or more`, 0, 1, "volcano"},
		"a Deployment's pod": {"true", "3", "volcano-scheduler-7d9f-x2x4z",
			`SCHEDULER_POD_NAME: the pod's name is none of StatefulSet-INDEX with an index below SCHEDULER_NUM: ` +
				`pod "volcano-scheduler-7d9f-x2x4z", SCHEDULER_NUM 3`, -1, 3, "volcano"},
		"no name": {"true", "3", "",
			`SCHEDULER_POD_NAME: the pod's name is none of StatefulSet-INDEX with an index below SCHEDULER_NUM: pod "", ` +
				`SCHEDULER_NUM 3`, -1, 3, "volcano"},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"MULTI_SCHEDULER_ENABLE": c.enable, "SCHEDULER_NUM": c.size, "SCHEDULER_POD_NAME": c.self}
			for _, lenient := range []bool{true, false} {
				s := scheduling{lenient: lenient, elect: true}
				s.sharding, s.resourceLock, s.adopt, s.memory, s.disk = "none", "leases", "auto", "64Mi", "1Gi"
				if err := s.check(); err != nil {
					t.Fatal(err)
				}
				err := s.checkRing(func(name string) string { return env[name] })
				if !lenient && c.strict != "" {
					if err == nil || err.Error() != c.strict {
						t.Errorf("ashlar scheduler says %v\nwant %s", err, c.strict)
					}
					continue
				}
				if err != nil || s.Ring.Index() != c.index || s.Ring.Size != c.of || s.Election.Name != c.lease {
					t.Errorf("error %v, index %d of %d, lease %s; want %d of %d, %s", err, s.Ring.Index(), s.Ring.Size,
						s.Election.Name, c.index, c.of, c.lease)
				}
			}
		})
	}
}
