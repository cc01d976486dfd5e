package cli_test

import (
	"strings"
	"testing"
)

// What is wrong with an object stands in the answer about it: what the engine takes for it shows in no figure. A queue
// that is set aside starts no job, though there are queues below it.
func TestWhySaysWhatIsWrongWithAnObject(t *testing.T) {
	for about, wants := range map[string][]string{
		"pod g-0": {"Pod/default/g-0 has an error: spec.containers[0].resources.requests.cpu: -1 is negative."},
		"job g":   {"Pod/default/g-0 has an error: spec.containers[0].resources.requests.cpu: -1 is negative."},
		"queue a": {"queue a closed It starts no job: queue a was set aside because of an error in it",
			"Queue/a has an error: spec.capability.cpu: -4 is negative."},
	} {
		got := run("", append([]string{"ashlar", "why", "-f", "testdata/errors.yaml"}, strings.Fields(about)...)...)
		if got.code != 0 {
			t.Errorf("why %s: exit %d: %s", about, got.code, got.err)
		}
		for _, want := range wants {
			if !strings.Contains(unwrapped(got.out), want) {
				t.Errorf("why %s says no %q:\n%s", about, want, got.out)
			}
		}
	}
}
