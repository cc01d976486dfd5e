package world

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// configurations that a seed may draw.
var configurations = []struct{ actions, tiers string }{
	{"enqueue, allocate, backfill, preempt, reclaim", "priority gang conformance; predicates proportion nodeorder"},
	{"enqueue, allocate, backfill, reclaim, preempt",
		"priority gang conformance pdb; drf predicates capacity nodeorder binpack"},
	{"enqueue, allocate, backfill, gangpreempt, gangreclaim",
		"priority gang conformance pdb; predicates proportion nodeorder"},
	{"enqueue, allocate, backfill", "priority gang conformance; overcommit drf predicates proportion nodeorder"},
}

// malformed are texts that are no configuration, or not one that can be used.
var malformed = []string{
	"", "actions: \"enqueue, allo", "actions: \"allocate, fly\"\ntiers: []\n", "\x00\x01\x02",
	"actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: gnag\n",
	"actions: \"allocate\"\ntiers:\n- plugins:\n  - name: priority\n    arguments: {a: [b\n",
}

// configFile is the file that all schedulers read.
type configFile struct {
	w    *World
	path string
	disk string // where dumps are saved

	text    string    // what was changed last
	changed time.Time // when the file was written last
	budgets bool      // all configurations so far keep to disruption budgets
}

func newConfigFile(t *testing.T, w *World) *configFile {
	t.Helper()
	dir := t.TempDir()
	c := &configFile{w: w, path: filepath.Join(dir, "volcano-scheduler.conf"), disk: dir, budgets: true}
	if c.write(c.draw()) != nil {
		t.Fatal("the configuration cannot be written")
	}
	return c
}

func (c *configFile) write(text string) error {
	c.changed = time.Now()
	return os.WriteFile(c.path, []byte(text), 0o600)
}

// draw is a configuration that can be used.
func (c *configFile) draw() string {
	at := c.w.random.IntN(len(configurations))
	if c.w.Configuration > 0 {
		at = c.w.Configuration - 1
	}
	one := configurations[at]
	out := "actions: \"" + one.actions + "\"\ntiers:\n"
	for tier := range strings.SplitSeq(one.tiers, "; ") {
		out += "- plugins:\n"
		for _, plugin := range strings.Fields(tier) {
			out += "  - name: " + plugin + "\n"
			if c.w.Usage && (plugin == "proportion" || plugin == "capacity") {
				out += fmt.Sprintf("    arguments:\n      usage.weight: 0.5\n      usage.halfLife: %s\n", usageHalfLife)
			}
		}
	}
	c.budgets = c.budgets && strings.Contains(out, "name: pdb")
	return out + "  - name: bug\n" + c.w.plans()
}

// plans draws arguments of planned starts, or none.
func (w *World) plans() string {
	if w.Planned {
		return "" // fifo queues plan the start of their first job
	}
	if w.chance(0.5) {
		return ""
	}
	return fmt.Sprintf("configurations:\n- name: backfill\n  arguments:\n    backfill.depth: %d\n"+
		"    backfill.patience: %s\n    backfill.resolution: %s\n    backfill.trust: %s\n    backfill.maxSlip: %s\n",
		w.random.IntN(4)-1,
		w.between(0, time.Minute).Truncate(time.Second), w.between(time.Second, 2*time.Minute).Truncate(time.Second),
		[]string{"enforced", "declared", "predicted"}[w.random.IntN(3)], w.between(0, time.Minute).Truncate(time.Second))
}

// begin has the file changed now and then, some times to what cannot be used.
func (c *configFile) begin() {
	w := c.w
	w.every(w.Trouble.Reloads, func() {
		text := c.draw()
		if w.chance(0.4) {
			text = malformed[w.random.IntN(len(malformed))]
			w.did("a malformed configuration")
			w.seq.after(w.between(5*time.Second, time.Minute), c.mend)
		}
		c.change(text)
	})
	w.every(w.Trouble.Dumps, func() {
		select {
		case w.procs[w.random.IntN(len(w.procs))].dumps <- os.Interrupt:
			w.did("a dump asked for")
		default:
		}
	})
}

func (c *configFile) change(text string) {
	c.w.did("a configuration changed")
	c.w.log("the configuration is now %q", text)
	_ = c.write(text) // it could be written before
	c.text = text
}

// mend makes a file that cannot be used one that can, as those do whose scheduler does not start any more: most of a
// world passed without one otherwise.
func (c *configFile) mend() {
	if slices.Contains(malformed, c.text) && !c.w.calm {
		c.change(c.draw())
	}
}

// calm leaves a file that can be used.
func (c *configFile) calm() { _ = c.write(c.draw()) }

// dumps is where a process saves what it dumps: where nothing can be written, in some worlds.
func (c *configFile) dumps() string {
	if c.w.Trouble.NoDisk {
		c.w.did("a scheduler without a disk")
		return filepath.Join(c.path, "is", "no", "folder")
	}
	return c.disk
}
