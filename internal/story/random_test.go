package story_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/internal/story"
)

// A random story has to keep the laws too.
func TestRandomStories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := "# Whatever happens, the laws hold.\n\n" + plot(t)
		s, err := story.Parse("random.story", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		first, err := s.Run(story.Options{Watch: invariants})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		twin, err := s.Run(story.Options{Twin: true})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := append(first.Wrong, twin.Wrong...); len(wrong) > 0 {
			t.Fatalf("%s\n%s", strings.Join(wrong, "\n"), first.Text)
		}
		settles(t, first.World)
		for seed := range int64(2) {
			other, err := s.Run(story.Options{Shuffle: rand.New(rand.NewSource(seed))})
			if err != nil {
				t.Fatal(err)
			}
			if other.Text != first.Text {
				t.Fatalf("told in another order:\n%s\nas written:\n%s", other.Text, first.Text)
			}
		}
	})
}

// teller makes lines up.
type teller struct {
	*rapid.T
	jobs []string // there are
	made int
}

func plot(t *rapid.T) string {
	w := &teller{T: t}
	lines := []string{
		w.of("", "conf tier priority gang tier predicates binpack\n", "conf actions allocate backfill\n",
			"conf tier priority gang tier predicates capacity\n", "conf actions enqueue allocate backfill preempt reclaim\n",
			"conf actions enqueue preempt allocate gangreclaim tier priority gang tier predicates "+
				"capacity(enableHierarchy=true)\n",
			"conf actions allocate gangpreempt reclaim tier priority gang(enableJobStarving=false) tier drf predicates "+
				"proportion\n", "conf tier priority gang tier predicates capacity(enableHierarchy=true)\n"),
		"class urgent 100", "queue red weight=2", "queue blue" + w.of("", " capability=cpu:5", " guarantee=cpu:3",
			" priority=7"),
		"queue team" + w.of("", " capability=cpu:4", " guarantee=cpu:2", " deserved=cpu:3"), "queue dev parent=team" +
			w.of("", " deserved=cpu:2"),
		"queue ops parent=team" + w.of("", " deserved=cpu:1", " guarantee=cpu:3"), w.node("n1"), w.node("n2"), "cycle",
	}
	for range w.number(2, 6) {
		for range w.number(1, 4) {
			lines = append(lines, w.line())
		}
		lines = append(lines, "cycle phases")
	}
	return strings.Join(append(lines, "run until=1h", "jobs", "pods", "nodes used idle releasing pipelined", "queues",
		"problems"), "\n") + "\n"
}

func (w *teller) of(choices ...string) string { return rapid.SampledFrom(choices).Draw(w.T, "word") }

func (w *teller) number(least, most int) int { return rapid.IntRange(least, most).Draw(w.T, "number") }

func (w *teller) node(name string) string {
	return fmt.Sprintf("node %s cpu=%d gpu=%d pods=%d%s", name, w.number(0, 8), w.number(0, 2), w.number(0, 9),
		w.of("", "", "", " taint=team=ml:NoSchedule", " label=zone:east", " cordoned", " elsewhere", " fault=spec"))
}

func (w *teller) line() string {
	if len(w.jobs) == 0 || w.number(0, 2) == 0 {
		return w.submit()
	}
	job := rapid.SampledFrom(w.jobs).Draw(w.T, "job")
	switch w.number(0, 9) {
	case 0:
		w.jobs = slices.DeleteFunc(w.jobs, func(j string) bool { return j == job })
		return "delete " + job
	case 1:
		w.made++
		return w.node(fmt.Sprintf("more%d", w.made))
	case 2:
		return w.of("cordon n1", "uncordon n1", "drain n2")
	case 3:
		return w.of("close red", "open red", "queue red weight=5", "queue team parent=dev", "queue team")
	case 4:
		return "ungate " + job
	case 5:
		return fmt.Sprintf("grow %s %s", job, w.pods())
	default:
		return w.submit()
	}
}

func (w *teller) submit() string {
	job := fmt.Sprintf("x/job%d", w.made)
	w.made++
	line := fmt.Sprintf("submit %s queue=%s min=%d%s", job, w.of("red", "red", "blue", "dev", "ops", "team", "default",
		"nowhere"), w.number(0, 4),
		w.of("", "", " priority=urgent", " minresources=cpu:3", " minroles=ps:1", " fault=spec", " at=3s"))
	if !strings.Contains(line, "at=") { // it cannot be deleted before it is there
		w.jobs = append(w.jobs, job)
	}
	for range w.number(1, 2) {
		line += " " + w.pods()
	}
	return line
}

func (w *teller) pods() string {
	return fmt.Sprintf("%d x %s", w.number(1, 4), w.of("cpu=1", "cpu=2", "cpu=1,gpu=1", "cpu=3", "nothing")) +
		w.of("", "", " as ps", " as w") +
		w.of("", "", "", " gated", " queue-gated", " owned", " port=80", " selector=zone:east",
			" tolerate=team=ml:NoSchedule", " fault=spec", " nominated=n2", " pod-priority=5", " task-priority=7") +
		w.of("", "", " for=5s", " for=2s")
}
