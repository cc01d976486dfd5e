package loop

import (
	"strings"
	"testing"
	"time"
)

// losesTheLast has a gang of four run, and lose its last member for good: the API server binds none that is called so.
func (w *living) losesTheLast(refused string) {
	w.Helper()
	w.gangOf4()
	w.after(10 * time.Second)
	if n := w.bound("g"); n != 4 {
		w.Fatalf("%d members are bound, want 4", n)
	}
	w.delete("g-3")
	w.refuse(refused)
}

// Members of a running gang that are refused, and made anew by their controller under the same name or another, soon or
// late, are tried less and less often, as one pod would be; one that is bound at last ends that.
func TestARefusedMemberThatIsMadeAnewPausesAsTheOneBefore(t *testing.T) {
	for name, c := range map[string]struct {
		names int
		gap   time.Duration
	}{"at once": {1, 0}, "under other names": {5, 0}, "after a while": {1, 3 * time.Second},
		"under other names, after a while": {5, 3 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 2, func(w *living) {
				refused := []string{"g-3", "g-4", "g-5", "g-6", "g-7"}
				w.losesTheLast(strings.Join(refused, " "))
				last := ""
				for i := range 60 {
					if last = refused[i%c.names]; i > 0 {
						w.after(c.gap)
					}
					w.owned(last, "g", "ray", "1")
					w.after(10*time.Second - c.gap)
					if i < 59 {
						w.delete(last)
					}
				}
				tries := w.bindings(refused...)
				if tries > 14 { // 0.2 s and its doubles are ten minutes after 12 tries
					t.Errorf("%d tries in ten minutes", tries)
				}
				w.refuse("")
				w.after(30 * time.Minute)
				if n := w.bound("g"); n != 4 {
					t.Fatalf("once nothing is refused %d members are bound, want 4", n)
				}
				w.delete(last)
				w.owned("g-8", "g", "ray", "1")
				w.after(time.Second)
				if n := w.bound("g"); n != 4 {
					t.Errorf("a member that is lost later waits: %d are bound", n)
				}
			})
		})
	}
}

// The backoff of a refused member goes on after a restart, and the gang's other members have none.
func TestThePauseOfAMemberOutlivesTheScheduler(t *testing.T) {
	inVirtualTime(t, 2, func(w *living) {
		w.losesTheLast("g-3")
		w.owned("g-3", "g", "ray", "1")
		w.after(5 * time.Minute)
		before := w.bindings("g-3")
		w.restart()
		w.owned("g-4", "g", "ray", "1")
		w.after(time.Minute)
		if n := w.bindings("g-3") - before; n > 1 {
			t.Errorf("%d tries in the minute after the restart, want one at most", n)
		}
		if w.bindings("g-4") != 1 {
			t.Error("another member was not bound")
		}
		w.after(30 * time.Minute)
		if n := w.bindings("g-3") - before; n > 4 {
			t.Errorf("%d tries in half an hour after the restart", n)
		}
		w.keeps("g-0", "g-1", "g-2", "g-3", "g-4")
	})
}
