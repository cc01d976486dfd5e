package devices

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ashlar.sh/sched/ledger"
)

// Name implements ledger.PluginState.
func (d *Devices) Name() string { return Name }

// Take shows what was chosen for a task, or kept for it while it is pipelined, as taken.
func (d *Devices) Take(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	d.move(task, n, how, 1)
}

// Give is the exact inverse of Take.
func (d *Devices) Give(_ ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	d.move(task, n, how, -1)
}

func (d *Devices) move(task *ledger.Task, n ledger.NodeID, how ledger.Hold, by int) {
	if how == ledger.Leaving && (len(task.Pod.Spec.Devices) > 0 || asksExtended(task.Pod.Spec)) {
		d.version++
		d.leaves.leave(task, n, by)
	}
	if task.Chosen == "" {
		return
	}
	w, err := WritesOf(task.Chosen)
	if err != nil || !w.Any() {
		return // of another version's making, or another book's: facts alone hold for it
	}
	d.version++
	if how == ledger.Pipelined {
		d.leaves.count(w, by)
		return
	}
	d.account(w, task.Pod, by)
}

// Audit recounts which task has which devices, and which devices are therefore taken.
func (d *Devices) Audit(sits func(yield func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID,
	how ledger.Hold) bool)) []string {
	want := New(d.l)
	for _, f := range d.l.Facts() {
		if want.Reads(f.Ref.Kind) {
			want.Fact(f)
		}
	}
	sits(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		want.Take(t, task, n, how)
		return true
	})
	d.l.PluginStates.EachKept(Name, func(choice string) { want.Keep(choice, 1) })
	var out []string
	is, should := d.dump(), want.dump()
	all := maps.Clone(is)
	maps.Copy(all, should)
	for _, at := range slices.Sorted(maps.Keys(all)) {
		if is[at] != should[at] {
			out = append(out, fmt.Sprintf("%s is %q, recounted %q", at, is[at], should[at]))
		}
	}
	return out
}

// dump is all that the book holds, as text.
func (d *Devices) dump() map[string]string {
	out := map[string]string{}
	d.used.dump(out)
	for n, of := range d.leaves.pods { // order-free: into a map
		out["leaving "+d.l.Node(n).Name] = fmt.Sprint(of)
	}
	for key, c := range d.claims { // order-free: into a map
		version := "none"
		if c.fact != nil {
			version = c.fact.ResourceVersion
		}
		out["claim "+key] = fmt.Sprint("version ", version, " users ", c.users, " chosen ", c.chosen)
	}
	for uid, of := range d.special.of { // order-free: into a map
		out["special of "+uid] = fmt.Sprint(of)
	}
	for name, b := range d.inventory.slices { // order-free: into a map
		out["slice "+name] = b.slice.ResourceVersion
	}
	for name, c := range d.classes.of { // order-free: into a map
		out["class "+name] = c.ResourceVersion
	}
	return out
}

func count(n int) string { return strconv.Itoa(n) }
