package story_test

import (
	"flag"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/story"
	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

var update = flag.Bool("update", false, "write the stories' answers anew")

// most is how many lines a story may have: what is longer holds two ideas.
const most = 60

// shuffles is how often a story is told in another order.
const shuffles = 6

func TestStories(t *testing.T) {
	paths, err := filepath.Glob("../../stories/*.story")
	if err != nil || len(paths) < 30 {
		t.Errorf("%d stories found, at least 30 expected (%v)", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".story"), func(t *testing.T) { hold(t, path) })
	}
}

// hold runs a story in every way it has to hold in.
func hold(t *testing.T, path string) {
	s, text := read(t, path)
	if n := strings.Count(text, "\n"); n > most {
		t.Errorf("%d lines, %d at most: a story is about one thing", n, most)
	}
	written := run(t, s, story.Options{Watch: invariants})
	if written.Text != text {
		if !*update {
			t.Fatalf("what happened is not what the story says (-update accepts it):\n%s", cmp.Diff(text, written.Text))
		}
		if err := os.WriteFile(path, []byte(written.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settles(t, written.World)
	if again := run(t, s, story.Options{Twin: true}); again.Text != written.Text {
		t.Errorf("another run gave another answer:\n%s", cmp.Diff(written.Text, again.Text))
	}
	for seed := range int64(shuffles) {
		other := run(t, s, story.Options{Shuffle: rand.New(rand.NewSource(seed))})
		if other.Text != written.Text {
			t.Fatalf("told in another order (seed %d) it gave another answer:\n%s", seed, cmp.Diff(written.Text, other.Text))
		}
	}
}

func read(t *testing.T, path string) (*story.Story, string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := story.Parse(filepath.Base(path), string(text))
	if err != nil {
		t.Fatal(err)
	}
	return s, string(text)
}

func run(t *testing.T, s *story.Story, o story.Options) story.Result {
	t.Helper()
	r, err := s.Run(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range r.Wrong {
		t.Errorf("%s: %s", s.Name, w)
	}
	return r
}

// complainer is a test, written or random.
type complainer interface {
	Helper()
	Errorf(format string, args ...any)
}

// settles asks a world that came to rest twice more, without anything new: it must
// decide nothing, and give the same reasons. A story that ends before its world comes
// to rest is left at that.
func settles(t complainer, w *sim.World) {
	t.Helper()
	for range 3 {
		c, more := w.Step()
		if !more {
			break
		}
		if len(c.Plan.Items) > 0 {
			return
		}
	}
	if _, more := w.Step(); more {
		return
	}
	before := waiting(w.Engine().Report())
	for i := range int64(2) {
		plan, _, _ := w.Engine().Decide(int64(w.Now()) + (i+1)*1e9)
		if len(plan.Items) > 0 {
			t.Errorf("nothing was new, and it decided %+v", plan.Items)
		}
	}
	if after := waiting(w.Engine().Report()); !reflect.DeepEqual(before, after) {
		t.Errorf("nothing was new, and the reasons changed:\n%s", cmp.Diff(before, after))
	}
}

func waiting(r sched.Report) map[string]trace.Reason {
	out := map[string]trace.Reason{}
	for _, j := range r.Jobs {
		out[j.Namespace+"/"+j.Name] = j.Reason
	}
	return out
}

// Stories in stories/pending say what is right and is not so yet: none may stay there
// once it holds.
func TestPendingStories(t *testing.T) {
	paths, err := filepath.Glob("../../stories/pending/*.story")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s, text := read(t, path)
			r, err := s.Run(story.Options{})
			if err == nil && r.Text == text {
				t.Error("it holds now: move it to stories")
			}
		})
	}
}
