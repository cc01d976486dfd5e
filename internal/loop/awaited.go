package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// awaitedEngine is an engine, without facts, of a configuration that reads kinds which have not been listed yet. The
// configuration before it holds until they are: without their objects the new one would decide wrongly.
type awaitedEngine struct {
	engine *sched.Engine // nil: nothing is awaited
	since  time.Time
	told   bool // that the configuration is refused until they are listed
	holds  bool // nothing is decided until then, or until it is refused: see holdsAtTakeOver
}

// longestAwaited is how long kinds may take to be listed until it is told that the configuration is not in force.
const longestAwaited = time.Minute

// holdsAtTakeOver keeps a scheduler that takes over from deciding by the configuration from before the one that is
// awaited: the scheduler that acted until then went by the new one. It returns whether there is one.
func (c *configuration) holdsAtTakeOver() bool {
	c.awaited.holds = c.awaited.engine != nil
	return c.awaited.holds
}

// reading says which kinds have to be listed before anything is decided.
func (l *loop) reading() func(model.Kind) bool {
	a := l.conf.awaited
	if !a.holds || a.engine == nil {
		return l.engine.Reads
	}
	return func(k model.Kind) bool { return l.engine.Reads(k) || a.engine.Reads(k) }
}

// awaits says that an engine reads kinds that the present one does not, of which not all have been listed. They are
// watched from now on.
func (l *loop) awaits(next *sched.Engine) bool {
	if !slices.ContainsFunc(observe.Kinds(), l.newOf(next)) {
		return false
	}
	if l.reads.of(l.engine, next) {
		l.observer.Look()
	}
	missing, _ := l.observer.Awaited(l.newOf(next))
	return len(missing) > 0
}

// newOf says which kinds an engine reads and the present one does not.
func (l *loop) newOf(next *sched.Engine) func(model.Kind) bool {
	return func(k model.Kind) bool { return next.Reads(k) && !l.engine.Reads(k) }
}

// lookAtAwaited has the configuration that is awaited taken at the next reload, if what it reads has been listed. What
// was listed has to be drained before that. If a kind may not be listed, or cannot be for a minute, the configuration
// is refused until it is.
func (l *loop) lookAtAwaited() {
	a := &l.conf.awaited
	if a.engine == nil {
		return
	}
	missing, forbidden := l.observer.Awaited(l.newOf(a.engine))
	switch {
	case len(missing) == 0:
		l.conf.glanced = l.conf.text
	case !a.told && (forbidden || time.Since(a.since) > longestAwaited):
		a.told, a.holds = true, false
		l.configurationRefusedBy(fmt.Errorf("%s: it is taken once what it reads has been listed: %s", l.conf.path,
			strings.Join(missing, ", ")))
	}
}
