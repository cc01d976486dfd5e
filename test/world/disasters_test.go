package world

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// disasters sets clocks, and puts its store back to an older state.
func (w *World) disasters() {
	w.every(w.Trouble.Jumps, func() {
		w.did("a clock set")
		w.skew = w.between(-time.Hour, time.Hour)
		w.log("the clock of the API server differs by %s", w.skew)
	})
	w.every(w.Trouble.Clocks, func() {
		name, off := machine(w.random.IntN(len(w.conf.of))), w.between(-time.Hour, time.Hour)
		if w.chance(0.4) {
			off = w.between(-time.Minute, time.Minute)
		}
		w.did("a scheduler's clock set")
		w.log("the clock of %s is ahead by %s", name, off)
		w.clocks[name] = off
		// A life keeps the time that it began with: it moves no deadline. Some begin anew, as by an operator who sees that.
		if p := w.life(name); p != nil && w.chance(0.5) {
			p.cancel()
		}
	})
	w.every(w.Trouble.Restored/2, func() {
		backup := w.api.Backup()
		w.seq.after(w.between(time.Second, time.Minute), func() {
			if !w.calm {
				w.restore(backup)
			}
		})
	})
}

// setRight sets all clocks right: lives that began by others end, for they would keep what is wrong.
func (w *World) setRight() {
	clear(w.clocks)
	for _, p := range w.procs {
		if p.ahead != 0 {
			p.cancel()
		}
	}
}

// aheadOf is by how much a client's clock is ahead, or was, if it has ended: what it sent may be carried out later.
func (w *World) aheadOf(client string) time.Duration { return w.net.ahead[client] }

// restore puts the store back: what was written since is lost, while pods run and schedulers know better.
func (w *World) restore(backup apimodel.Backup) {
	w.did("etcd restored")
	w.log("the store is as it was before")
	for _, d := range w.net.streams {
		d.watch.End()
		w.seq.after(w.net.latency(), func() { w.net.end(d) })
	}
	w.api.Restore(backup)
	w.nodes.restored()
	w.others.restored()
	w.labels.restored()
	w.racks.look()
	w.devices.restored()
	w.budgets.restored()
	w.booked.restored()
	w.check.restored()
	w.jobs.restored()
}

// restored has kubelets act on what the API server shows by now.
func (k *kubelets) restored() {
	for i := range k.w.Nodes { // nodes register again
		if name := nodeName(i); k.up[name] == (k.w.api.Get(k.nodes, "", name) == nil) {
			k.up[name] = !k.up[name]
			if k.up[name] {
				k.w.seq.after(time.Second, func() { k.fail(name) })
				k.w.seq.after(10*time.Second, func() { k.come(name) })
			} else {
				k.come(name)
			}
		}
	}
	for i := range k.w.Nodes { // a cordon may be gone, or there again
		name := nodeName(i)
		node := k.w.api.Get(k.nodes, "", name)
		if node == nil || !k.up[name] {
			continue
		}
		if yes, _ := asMap(node.Object["spec"])["unschedulable"].(bool); !yes {
			delete(k.shut, name)
		} else if k.shut[name].IsZero() {
			k.shut[name] = time.Now()
		}
	}
	runs := map[types.UID]bool{}
	for _, p := range k.w.api.List(k.pods) {
		runs[p.Meta().GetUID()] = text(p.Object, "status", "phase") == "Running"
	}
	maps.DeleteFunc(k.ran, func(uid types.UID, _ time.Time) bool { return !runs[uid] }) // it has not run yet
	for _, p := range k.w.api.List(k.pods) {
		if text(p.Object, "spec", "nodeName") != "" {
			k.wrote(apimodel.Write{Kind: k.pods, After: p})
		}
		if p.Meta().GetDeletionTimestamp() != nil {
			k.w.seq.after(k.w.between(100*time.Millisecond, 10*time.Second), func() { k.remove(p) })
		}
	}
}

// restored has users look what there is: jobs that had ended are cleared away again.
func (j *jobs) restored() {
	for _, one := range j.all {
		if one.ended {
			j.w.seq.after(time.Second, func() { j.clear(one) })
			continue
		}
		clear(one.done)
		for i := range one.pods {
			p := j.w.api.Get(j.pods, userNamespace, podName(one, i))
			if p != nil && text(p.Object, "status", "phase") == "Succeeded" {
				one.done[i] = true
			}
		}
	}
}

// restored begins anew to follow what is there: what was bound since the backup may be bound again.
func (c *checker) restored() {
	c.restoredAt = time.Now()
	clear(c.bound)
	clear(c.bindsOf)
	clear(c.gangs)
	c.usage = keptUsage{}
	if lease := c.w.api.Get(c.lease, leaseNamespace, "volcano"); lease != nil {
		c.holder = text(lease.Object, "spec", "holderIdentity")
	}
	for _, g := range c.w.api.List(c.groups) {
		c.group(apimodel.Write{Kind: c.groups, After: g})
		c.spare(g.Meta().GetName())
	}
	for _, p := range c.w.api.List(c.pods) {
		node, phase := text(p.Object, "spec", "nodeName"), text(p.Object, "status", "phase")
		if node == "" {
			continue
		}
		c.bindsOf[p.Meta().GetUID()] = 1
		if phase != "Succeeded" && phase != "Failed" {
			c.bound[p.Meta().GetUID()] = node
		}
		c.stands(p)
	}
}
