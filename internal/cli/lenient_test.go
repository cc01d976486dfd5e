package cli

import (
	"slices"
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
