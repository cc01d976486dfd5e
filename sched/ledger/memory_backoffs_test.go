package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
)

// When the next backoff ends is asked of the backoffs there are: one that was put off, or taken
// back, ends nothing at its old time.
func TestThePauseThatEndsNextIsOneThatThereIs(t *testing.T) {
	l := New()
	version := uint64(0)
	backoff := func(name string, until int64) {
		version++
		b := &model.Backoff{Meta: model.Meta{Namespace: "ns", Name: name}, NotBefore: until}
		f := model.Fact{Ref: b.Ref(), Version: version, Object: b}
		if until == 0 {
			f.Object = nil
		}
		l.Apply(f)
	}
	backoff("a", 10)
	backoff("b", 30)
	backoff("a", 40)
	if next := l.Backoffs.End(1); next != 30 {
		t.Errorf("the next backoff ends at %d, a was put off to 40 and b ends at 30", next)
	}
	backoff("b", 0)
	if next := l.Backoffs.End(2); next != 40 {
		t.Errorf("the next backoff ends at %d, b was taken back and a ends at 40", next)
	}
	backoff("a", 0)
	if next := l.Backoffs.End(0); next != 0 {
		t.Errorf("the next backoff ends at %d, and there is none", next)
	}
}
