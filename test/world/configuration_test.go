package world

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ashlar.sh/test/world/apimodel"
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

// configFiles are what schedulers read: each machine has a file of its own, which its lives read one after the other.
type configFiles struct {
	w    *World
	disk string // where the files are, and dumps are saved

	of      map[string]*configFile // by the machine
	changed time.Time              // when one was written last
	budgets bool                   // all configurations so far keep to disruption budgets
}

// configFile is that of one machine.
type configFile struct {
	path string
	text string    // what it holds
	held []holding // what could be used, the newest last
}

// holding is since when a file has held what can be used, and which actions that names.
type holding struct {
	since   time.Time
	actions string
}

func newConfigFiles(t *testing.T, w *World) *configFiles {
	t.Helper()
	c := &configFiles{w: w, disk: t.TempDir(), of: map[string]*configFile{}, budgets: true}
	text := c.draw()
	for i := range max(1, w.Schedulers) {
		name := machine(i)
		c.of[name] = &configFile{path: filepath.Join(c.disk, name+".conf")}
		if c.write(name, text) != nil {
			t.Fatal("the configuration cannot be written")
		}
	}
	return c
}

// machine is the name of one that runs a scheduler, life after life.
func machine(i int) string { return fmt.Sprint("scheduler-", i) }

func (c *configFiles) write(name, text string) error {
	f := c.of[name]
	c.changed, f.text = time.Now(), text
	if !slices.Contains(malformed, text) {
		actions, _, _ := strings.Cut(strings.TrimPrefix(text, "actions: \""), "\"")
		f.held = append(f.held, holding{time.Now(), actions})
	}
	return os.WriteFile(f.path, []byte(text), 0o600)
}

// mayDo says that an action was in a configuration which a machine's scheduler may go by: the last one that can be
// used, or one that was replaced too lately for it to have acted on that.
func (c *configFiles) mayDo(name, action string) bool {
	held := c.of[name].held
	for len(held) > 1 && time.Since(held[1].since) > seenWithin {
		held = held[1:]
	}
	c.of[name].held = held
	return slices.ContainsFunc(held, func(h holding) bool {
		return slices.Contains(strings.Split(h.actions, ", "), action)
	})
}

// draw is a configuration that can be used.
func (c *configFiles) draw() string {
	at := c.w.random.IntN(len(configurations))
	if c.w.Configuration > 0 {
		at = c.w.Configuration - 1
	}
	one := configurations[at]
	out := "actions: \"" + one.actions + "\"\ntiers:\n"
	for tier := range strings.SplitSeq(one.tiers, "; ") {
		out += "- plugins:\n"
		for _, plugin := range strings.Fields(tier) {
			if c.w.Trouble.Moved > 0 && plugin == "proportion" {
				plugin = "capacity"
			}
			out += "  - name: " + plugin + "\n"
			if c.w.Trouble.Moved > 0 && plugin == "capacity" {
				out += "    enableHierarchy: true\n"
			}
			if c.w.Usage && (plugin == "proportion" || plugin == "capacity") {
				out += fmt.Sprintf("    arguments:\n      usage.weight: 0.5\n      usage.halfLife: %s\n", usageHalfLife)
			}
		}
	}
	c.budgets = c.budgets && strings.Contains(out, "name: pdb")
	if c.w.Trouble.Rewired > 0 {
		out += "  - name: network-topology-aware\n"
	}
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

// begin has files changed now and then, one or all, some times to what cannot be used.
func (c *configFiles) begin() {
	w := c.w
	w.every(w.Trouble.Reloads, func() {
		text, one := c.draw(), machine(w.random.IntN(len(c.of)))
		if w.chance(0.4) {
			text = malformed[w.random.IntN(len(malformed))]
			w.did("a malformed configuration")
			w.seq.after(w.between(5*time.Second, time.Minute), c.mend)
		}
		w.did("a configuration changed")
		all := w.chance(0.5)
		for i := range len(c.of) {
			if all || machine(i) == one {
				c.change(machine(i), text)
			}
		}
	})
	w.every(w.Trouble.Dumps, func() {
		select {
		case w.procs[w.random.IntN(len(w.procs))].dumps <- os.Interrupt:
			w.did("a dump asked for")
		default:
		}
	})
}

// reborn is told that a machine's next life begins: it may find another configuration than the last one went by, or one
// that it cannot use.
func (c *configFiles) reborn(name string) {
	w := c.w
	switch f := c.of[name]; {
	case w.calm && slices.Contains(malformed, f.text):
		c.change(name, c.draw())
	case w.calm || !w.chance(w.Trouble.Reconfigured):
	case w.chance(0.2):
		w.did("a life without a configuration")
		c.change(name, malformed[w.random.IntN(len(malformed))])
		w.seq.after(w.between(5*time.Second, time.Minute), c.mend)
	default:
		w.did("a life with another configuration")
		c.change(name, c.draw())
	}
}

func (c *configFiles) change(name, text string) {
	c.w.log("the configuration of %s is now %q", name, text)
	_ = c.write(name, text) // it could be written before
}

// mend makes files that cannot be used ones that can, as those do whose scheduler does not start any more: most of a
// world passed without one otherwise.
func (c *configFiles) mend() {
	if c.w.calm {
		return
	}
	text := c.draw()
	for i := range len(c.of) {
		if slices.Contains(malformed, c.of[machine(i)].text) {
			c.change(machine(i), text)
		}
	}
}

// calm leaves files that can be used; or some that cannot be, which schedulers that run refuse: they go on by what they
// have.
func (c *configFiles) calm() {
	text, refused := c.draw(), c.w.chance(0.2)
	for i := range len(c.of) {
		name := machine(i)
		if p := c.w.life(name); refused && p != nil && !slices.Contains(malformed, c.of[name].text) {
			c.w.did("a configuration refused in the end")
			c.change(name, malformed[len(malformed)-1])
			continue
		}
		_ = c.write(name, text)
	}
}

// dumps is where a process saves what it dumps: where nothing can be written, in some worlds.
func (c *configFiles) dumps() string {
	if c.w.Trouble.NoDisk {
		c.w.did("a scheduler without a disk")
		return filepath.Join(c.of[machine(0)].path, "is", "no", "folder")
	}
	return c.disk
}

// configured checks that a scheduler evicts by actions only that its configuration names.
func (c *checker) configured(write apimodel.Write, why string) {
	action, _, ok := strings.Cut(why, ": ")
	if !ok || strings.Contains(action, " ") {
		return // no action evicts it
	}
	c.w.did("an eviction by an action")
	if !c.w.conf.mayDo(base(write.Client), action) {
		c.w.wrong("%s evicts %s by %s, which its configuration does not name: %s", write.Client, write.Key(), action, why)
	}
}
