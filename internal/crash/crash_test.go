package crash

import (
	"errors"
	"testing"
)

func TestAPanicEndsItsStepAlone(t *testing.T) {
	var told []string
	h := Handler(func(step string) { told = append(told, step) })
	var p *Panicked
	err := h.Recover("dividing", func() { panic("by zero") })
	if !errors.As(err, &p) || p.Step != "dividing" || p.Cause != "by zero" {
		t.Errorf("the error is %v, want one that names the step and the cause", err)
	}
	if err := h.Recover("resting", func() {}); err != nil {
		t.Errorf("a step that did not panic: %v", err)
	}
	if len(told) != 1 || told[0] != "dividing" {
		t.Errorf("told was %v, want the one panic", told)
	}
	if Handler(nil).Recover("without a handler", func() { panic(1) }) == nil {
		t.Error("without a handler the panic is no error")
	}
	done := make(chan struct{})
	h.Go("elsewhere", func() {
		defer close(done)
		panic("in a goroutine")
	})
	<-done
}
