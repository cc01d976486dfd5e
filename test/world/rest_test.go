package world

import (
	"fmt"
	"runtime"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"ashlar.sh/test/world/apimodel"
)

// What a world may hold in the end, however long it lasted: the API server and the nodes, and each scheduler that was
// started, since client-go keeps its connections for good. What is kept of objects that are gone would add up.
const (
	heapOfWorld     = 32 << 20
	heapOfScheduler = 3 << 20
)

// heapHeld is how much memory is held.
func heapHeld() uint64 {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc
}

// idles checks, where there is no trouble, that jobs do not wait for long while nothing runs. It returns when something
// ran last.
func (c *checker) idles(since time.Time) time.Time {
	switch {
	case len(c.bound) > 0 || len(c.w.jobs.alive()) == 0:
	case time.Since(since) > idleAtMost:
		c.w.wrong("%d jobs wait, and nothing has run since %s", len(c.w.jobs.alive()), since.Sub(c.w.began))
	default:
		return since
	}
	return time.Now()
}

// idleAtMost is for how long nothing runs at most, while jobs wait without trouble: a job of which bindings were
// refused again and again is tried after half an hour.
const idleAtMost = 35 * time.Minute

// rest checks what must hold once nothing happens any more: every status is true, and nothing is written.
func (w *World) rest() {
	w.others.rest()
	stays := w.jobs.add(&job{name: "stays", pods: 3, least: 2, cores: 1, lasts: 100 * time.Hour, queue: queueNames[0]})
	never := w.jobs.add(&job{name: "never", pods: 2, least: 2, cores: nodeCores + 1, lasts: time.Hour,
		queue: queueNames[0]})
	w.until(time.Since(w.began) + 3*time.Minute)
	w.check.repeats.rest()
	before := w.result.Writes - w.check.repeats.number
	w.until(time.Since(w.began) + time.Minute)
	if n := w.result.Writes - w.check.repeats.number - before; n > 0 {
		w.wrong("at rest, schedulers wrote %d times in a minute", n)
	}
	w.truth(stays, never)
	w.api.Compact(w.api.Version())
	most := uint64(heapOfWorld + heapOfScheduler*w.result.Did["a scheduler started"])
	if held := heapHeld(); held > w.heap+most {
		w.wrong("in the end %d MiB are held, and at most %d are needed", (held-w.heap)>>20, most>>20)
	}
	for _, one := range []*job{stays, never} {
		one.ended = true
		w.jobs.clear(one)
	}
}

// truth checks what statuses say.
func (w *World) truth(stays, never *job) {
	status := func(k *apimodel.Kind, namespace, name string) map[string]any {
		if o := w.api.Get(k, namespace, name); o != nil {
			return asMap(o.Object["status"])
		}
		return nil
	}
	of := func(o map[string]any, kind string) map[string]any {
		list, _ := o["conditions"].([]any)
		for _, x := range list {
			if one := asMap(x); one["type"] == kind {
				return one
			}
		}
		return nil
	}
	s := status(w.jobs.groups, userNamespace, stays.name)
	if fmt.Sprint(s["phase"], s["running"]) != "Running3" {
		w.wrong("job %s runs with three pods, and its PodGroup says %v", stays.name, s)
	}
	s = status(w.jobs.groups, userNamespace, never.name)
	if c := of(s, "Unschedulable"); c["status"] != "True" || s["phase"] == "Running" {
		w.wrong("job %s can never run, and its PodGroup says %v", never.name, s)
	}
	for i := range never.pods {
		s = status(w.jobs.pods, userNamespace, podName(never, i))
		if c := of(s, "PodScheduled"); c["status"] != "False" {
			w.wrong("pod %s can never run, and says %v", podName(never, i), s)
		}
	}
	for _, g := range w.api.List(w.jobs.groups) {
		if g.Meta().GetNamespace() == evilNamespace && text(g.Object, "status", "phase") == "Running" &&
			time.Since(w.check.repeats.over[g.Meta().GetUID()]) > saidAgain {
			w.wrong("nothing of %s runs, and its PodGroup %s says Running", evilNamespace, g.Meta().GetName())
		}
	}
	for _, name := range queueNames {
		allocated := asMap(status(w.api.Kind("scheduling.volcano.sh", "queues"), "", name)["allocated"])
		cpu, _ := allocated["cpu"].(string)
		if cpu == "" {
			cpu = "0"
		}
		if said, err := resource.ParseQuantity(cpu); err != nil || said.Value() != w.check.held(name) {
			w.wrong("queue %s holds %d cores, and says %v", name, w.check.held(name), allocated)
		}
	}
}
