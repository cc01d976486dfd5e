package policy

import "testing"

func TestAnAlarmKeepsTheEarliestTimeUntilItIsOver(t *testing.T) {
	var a Alarm
	if a.At(10) != 0 || a.Later() != 0 {
		t.Error("an alarm that nobody rang has a time")
	}
	a.Ring(40)
	a.Ring(30)
	a.Ring(50)
	a.Ring(5) // over already
	if got := a.Later(); got != 30 {
		t.Errorf("Later = %d, want 30", got)
	}
	if got := a.At(20); got != 30 {
		t.Errorf("before it is over: %d, want 30", got)
	}
	if got := a.At(30); got != 0 {
		t.Errorf("when it is over: %d, want none", got)
	}
}
