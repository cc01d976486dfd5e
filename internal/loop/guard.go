package loop

import (
	"fmt"
	"runtime/debug"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/sched"
)

// mostRest is the longest pause between panics that no job could be blamed for.
const mostRest = 30 * time.Second

// guard runs a step. A panic in it is told, with what led to it saved, and costs this
// step: the engine is made anew from what is known, with the job aside that makes it
// panic, if there is one.
func (l *loop) guard(step string, do func()) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		l.panics++
		l.metrics.panics.Inc()
		klog.ErrorS(fmt.Errorf("%v", cause), "Panic: this is a bug in ashlar", "step", step, "stack", string(debug.Stack()))
		l.recoverFrom()
	}()
	do()
}

// recoverFrom makes the engine anew.
func (l *loop) recoverFrom() {
	var held sched.Commitments
	survives(func() { held = l.engine.Commitments() })
	state := State{Version: l.o.Version, Now: l.now(), Facts: l.seen.All(), Commitments: held, Configuration: l.conf.inEffect()}
	if path, err := save(l.o.DumpDir, "panic", state); err != nil {
		klog.ErrorS(err, "What led to it could not be saved")
	} else {
		klog.InfoS("What led to it was saved; ashlar replay has the same cycle again", "file", path)
	}
	fresh := func() *sched.Engine {
		e, err := l.conf.engine(l.o)
		if err != nil {
			panic(err) // it was made of the same profile before
		}
		return e
	}
	if job, found := l.aside.blame(state, fresh); found {
		klog.InfoS("A job is set aside until this scheduler is started again: deciding about it panics", "job", job)
	} else if l.panics > 1 {
		l.rest = time.Now().Add(min(time.Second<<min(l.panics, 6), mostRest))
	}
	next := fresh()
	if !survives(func() { l.aside.feed(next, state) }) {
		next = fresh() // facts come in again as they change; nothing is decided on none
		l.rest = time.Now().Add(mostRest)
	}
	l.engine = next
}

// survives runs do and says that it did not panic.
func survives(do func()) (fine bool) {
	defer func() {
		if recover() != nil {
			fine = false
		}
	}()
	do()
	return true
}
