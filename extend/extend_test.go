package extend

import (
	"io"
	"os"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

type wait struct{ seconds int64 }

func (a wait) AddArguments(s *policy.ArgumentSet) { s.Int(&a.seconds, "seconds", 0, "how long") }

type twice struct{ seconds int64 }

func (a *twice) AddArguments(s *policy.ArgumentSet) {
	s.Int(&a.seconds, "seconds", 0, "how long")
	s.Int(&a.seconds, "wait", 0, "how long").Aliased("seconds")
}

func named[A any, PA policy.Struct[A]](name string) policy.Definition {
	return policy.Define[A, policy.JobOrder, PA](name, "a test",
		func(A, *ledger.Ledger) (policy.JobOrder, error) { return nil, nil })
}

// What was silent is an error at start, whether a configuration names the plugin or not: it says which plugin, and
// where.
func TestPluginsThatCannotWork(t *testing.T) {
	good, other := named[policy.NoArguments]("good"), named[policy.NoArguments]("other")
	for want, plugins := range map[string][]policy.Definition{
		`plugins 1 and 3 of 3 have one name, "good"`: {good, other, good},
		"plugin 2 of 2: a plugin has no name": {good,
			named[policy.NoArguments]("")},
		"plugin 1 of 1: plugin bare has no constructor":                                        {{Name: "bare"}},
		"plugin 1 of 1: plugin p: method AddArguments of extend.wait must have a pointer rece": {named[wait]("p")},
		`plugin 1 of 1: plugin p: AddArguments names "seconds" twice`:                          {named[twice]("p")},
	} {
		stderr := os.Stderr
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		os.Stderr = w
		code := Main(plugins...)
		os.Stderr = stderr
		_ = w.Close()
		said, _ := io.ReadAll(r)
		if code != 2 || !strings.Contains(string(said), "extend_test.go:") || !strings.Contains(string(said), want) {
			t.Errorf("exit code %d: %s\nwant %s", code, said, want)
		}
	}
	if err := check([]policy.Definition{good, other}); err != nil {
		t.Error(err)
	}
}
