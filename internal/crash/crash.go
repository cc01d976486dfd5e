// Package crash keeps a panic, which is a bug, to the step that it came up in: the process
// runs on, and the caller of the step knows that it was not finished. It does not say
// what is right then: what a step had half done, the caller puts right. What Go cannot
// recover from (two goroutines in one map, no memory) ends the process all the same.
package crash

import (
	"fmt"
	"runtime/debug"

	"k8s.io/klog/v2"
)

// Handler is told of every panic that was caught. Any goroutine may call it. nil: it is
// only logged.
type Handler func(step string)

// Panicked is the error of a step that panicked.
type Panicked struct {
	Step  string
	Cause any
}

// Error says which step panicked and over what.
func (p *Panicked) Error() string { return fmt.Sprintf("panic while %s: %v", p.Step, p.Cause) }

// Recover runs a step and returns nil. If it panics, that is logged, the handler is told, and
// it is the error.
func (h Handler) Recover(step string, do func()) (err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		err = &Panicked{step, cause}
		klog.ErrorS(fmt.Errorf("%v", cause), "Panic: this is a bug in ashlar", "step", step, "stack", string(debug.Stack()))
		if h != nil {
			h(step)
		}
	}()
	do()
	return nil
}

// Go runs a step in a goroutine of its own.
func (h Handler) Go(step string, do func()) {
	go func() { _ = h.Recover(step, do) }() // it was told
}
