package cli

import "testing"

// With two processors a third thread runs the loop beside two estimates, unless the user says how many there are.
func TestThreads(t *testing.T) {
	for _, c := range []struct {
		processors int
		set        string
		want       int
	}{{1, "", 1}, {2, "", 3}, {2, "2", 2}, {3, "", 3}, {64, "", 64}, {4, "2", 4}} {
		env := map[string]string{"GOMAXPROCS": c.set}
		if got := threads(c.processors, func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%d processors, GOMAXPROCS=%q: %d threads, want %d", c.processors, c.set, got, c.want)
		}
	}
}
