package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/sched/policy"
)

// An argument that is taken out of the file has its default after the reload, as if it had never been there.
func TestArgumentsEndWithTheFileThatNamedThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const file = "actions: \"enqueue, allocate, gangpreempt\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n"
		const named = "configurations:\n- name: gangpreempt\n  arguments:\n    maxDomains: 3\n"
		path := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		arguments := func(p policy.Profile) string {
			out := ""
			for action, a := range p.ActionArguments {
				for k, v := range a {
					out += fmt.Sprint(action, " ", k, " ", v)
				}
			}
			return out
		}
		write(file + named)
		c, err := newConfiguration(Options{ConfigFile: path}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		with := arguments(c.profile)
		write(file)
		<-time.After(2 * look)
		if changed, err := c.changed(); err != nil || !changed {
			t.Fatalf("a new file counts as changed: %t, %v", changed, err)
		}
		if without := arguments(c.profile); !strings.Contains(with, "3") || without != "" {
			t.Errorf("with the argument there is %q, and without it %q", with, without)
		}
	})
}
