package loop

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ashlar.sh/internal/config"
)

// A replica that takes over while its file cannot be used goes by what the file held before that, not by what it held
// when the replica began.
func TestAReplicaThatStandsByLooksAtItsConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scheduler.conf")
	text := func(actions string) string {
		return "actions: \"" + actions + "\"\ntiers:\n- plugins:\n  - name: gang\n"
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, second := text("enqueue, allocate, reclaim"), text("enqueue, allocate")
	for _, held := range []struct {
		what  string
		while []string // it stands by
		then  string   // what holds once it acts
		fine  bool     // the file does
	}{
		{"another one, and none", []string{second, "actions: ["}, second, false},
		{"none", []string{"actions: ["}, first, false},
		{"another one, and the first again", []string{second, first}, first, true},
		{"another one, the first again, and none", []string{second, first, "actions: ["}, first, false},
		{"another one", []string{second}, second, true},
	} {
		write(first)
		c, err := newConfiguration(Options{ConfigFile: path, Mode: config.Strict})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range held.while {
			write(text)
			c.looked = time.Time{}
			if c.glance(); c.taken != first {
				t.Fatalf("%s: it goes by another one while it stands by", held.what)
			}
		}
		refused := false
		for range 2 {
			if c.glanced == nil {
				c.looked = time.Time{} // the next look is due
			}
			_, err := c.changed()
			refused = refused || err != nil
		}
		if c.taken != held.then || refused == held.fine || c.fileHolds() != held.fine {
			t.Errorf("%s: it goes by %q, refused: %t; want %q", held.what, c.taken, refused, held.then)
		}
	}
}
