package loop

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// What a test waits for at the most: for a word, and for all words.
const (
	soon  = 10 * time.Second
	quiet = 3 * time.Minute
)

// Owners with controllers that wait for a PodGroup's phase before they make pods, or do not.
const (
	patient = "kubeflow.org/v1"
	hasty   = "ray.io/v1"
	pull    = 90 * time.Second // kubelets that pull an image
	noOwner = ""
)

// lives are the lives of a gang of two, g, as docs/live.md lists them, in a cluster of
// eight cores.
var lives = []struct {
	name string
	live func(w *living)
}{
	{"starts at once", func(w *living) { w.gang("2") }},
	{"starts at once, and its kubelets take longer than ten seconds", func(w *living) {
		w.kubelets = pull
		w.gang("2")
	}},
	{"starts at once and ends within a second", func(w *living) {
		w.kubelets = 100 * time.Millisecond
		w.gang("2")
		w.after(200 * time.Millisecond)
		w.ends("g-0", corev1.PodSucceeded)
		w.ends("g-1", corev1.PodSucceeded)
	}},
	{"starts at once, and ends later", func(w *living) {
		w.gang("2")
		w.after(quiet)
		w.ends("g-0", corev1.PodSucceeded)
		w.ends("g-1", corev1.PodFailed)
	}},
	{"waits, then starts", func(w *living) {
		w.gang("6")
		w.after(soon)
		w.node("n1", "8")
	}},
	{"waits, then starts, and its kubelets take longer than ten seconds", func(w *living) {
		w.kubelets = pull
		w.gang("6")
		w.after(soon)
		w.node("n1", "8")
	}},
	{"waits for one reason, then for another, then starts", func(w *living) {
		w.pods("g", 0, 1, "2")
		w.group("g", 2, noOwner)
		w.after(soon)
		w.pods("g", 1, 1, "8")
		w.after(soon)
		w.node("n1", "8")
	}},
	{"is not admitted, then is, and starts", func(w *living) {
		w.full("4")
		w.bounded("g", "6")
		w.pods("g", 0, 2, "3")
		w.after(soon)
		w.delete("first-0", "first-1")
	}},
	{"comes before its pods, of no owner or of one that makes them without waiting; starts", func(w *living) {
		w.group("g", 2, hasty)
		w.after(time.Second)
		w.pods("g", 0, 2, "2")
	}},
	{"comes before its pods, of no owner or of one that makes them without waiting; waits, then starts", func(w *living) {
		w.group("g", 2, noOwner)
		w.after(time.Second)
		w.pods("g", 0, 2, "6")
		w.after(soon)
		w.node("n1", "8")
	}},
	{"comes before its pods, of an owner that waits for Inqueue; starts", func(w *living) {
		w.group("g", 2, patient)
		w.inqueueAtOnce()
		w.pods("g", 0, 2, "2")
	}},
	{"comes before its pods, of an owner that waits for Inqueue; waits, then starts", func(w *living) {
		w.group("g", 2, patient)
		w.inqueueAtOnce()
		w.pods("g", 0, 2, "6")
		w.after(soon)
		w.node("n1", "8")
	}},
	{"comes without pods, which come seconds later; starts", func(w *living) {
		w.group("g", 2, noOwner)
		w.after(soon)
		w.pods("g", 0, 2, "2")
	}},
	{"comes without pods, which come seconds later; waits, then starts", func(w *living) {
		w.group("g", 2, noOwner)
		w.after(soon)
		w.pods("g", 0, 2, "6")
		w.after(soon)
		w.node("n1", "8")
	}},
	{"comes without pods, and never gets any", func(w *living) { w.group("g", 2, noOwner) }},
	{"lacks pods for a minute, then starts", func(w *living) {
		w.group("g", 2, noOwner)
		w.pods("g", 0, 1, "2")
		w.after(time.Minute)
		w.pods("g", 1, 1, "2")
	}},
	{"starts at once, then grows by three pods", func(w *living) {
		w.gang("2")
		w.after(quiet)
		for i := range 3 {
			w.pods("g", 2+i, 1, "1")
			w.after(5 * time.Second)
		}
	}},
	{"starts at once, loses a member and has another at once", func(w *living) {
		w.gang("2")
		w.after(quiet)
		w.delete("g-1")
		w.after(500 * time.Millisecond)
		w.pods("g", 1, 1, "2")
	}},
	{"starts at once, loses a member and has another after a minute", func(w *living) {
		w.gang("2")
		w.after(quiet)
		w.delete("g-1")
		w.after(time.Minute)
		w.pods("g", 1, 1, "2")
	}},
	{"starts at once, loses a member and has no other", func(w *living) {
		w.gang("2")
		w.after(quiet)
		w.delete("g-1")
	}},
	{"starts at once, is evicted, waits and starts again", func(w *living) {
		w.gang("3")
		w.after(quiet)
		w.full("4") // waits, and is first
		w.delete("g-0", "g-1")
		w.pods("g", 0, 2, "3")
		w.after(soon)
		w.delete("first-0", "first-1")
	}},
	{"starts at once, is evicted and starts again at once", func(w *living) {
		w.gang("3")
		w.after(quiet)
		w.delete("g-0", "g-1")
		w.pods("g", 0, 2, "3")
	}},
	{"waits, then starts, under schedulers that are started anew all the time", func(w *living) {
		w.gang("6")
		for range 3 {
			w.after(soon)
			w.restart()
		}
		w.node("n1", "8")
		for range 3 {
			w.after(soon)
			w.restart()
		}
	}},
}

// gang makes group g and its two pods, of so many cores each.
func (w *living) gang(cpu string) {
	w.group("g", 2, noOwner)
	w.pods("g", 0, 2, cpu)
}

// full makes a gang of two that comes before g, of so many cores a pod.
func (w *living) full(cpu string) {
	w.group("first", 2, noOwner)
	w.pods("first", 0, 2, cpu)
	w.after(soon)
}

// bounded makes a group of two that is let in when the cluster has so many cores for it.
func (w *living) bounded(name, cpu string) {
	w.group(name, 2, noOwner)
	o, err := w.groups.Get(groupsKind, "ns", name)
	w.must(err)
	g := o.(*schedulingv1beta1.PodGroup).DeepCopy()
	g.Spec.MinResources = &corev1.ResourceList{corev1.ResourceCPU: cores(cpu)}
	w.must(w.groups.Update(groupsKind, g, "ns"))
}

// inqueueAtOnce is an owner that waits for its PodGroup to be let in: not for long.
func (w *living) inqueueAtOnce() {
	w.after(100 * time.Millisecond)
	if phase := w.status("g").Phase; phase != schedulingv1beta1.PodGroupInqueue {
		w.Errorf("its owner waits for Inqueue, and after a tenth of a second it shows %q", phase)
	}
	w.after(time.Second)
}

// restart ends the scheduler and starts one that knows only what the API shows.
func (w *living) restart() {
	w.end()
	w.schedule()
}

// A PodGroup and its pods are written as often as docs/live.md says of each life, events
// apart; and what is there in the end is true.
func TestEachLifeIsAsManyWritesAsThePageSays(t *testing.T) {
	page := livesOnThePage(t)
	for _, life := range lives {
		t.Run(life.name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				life.live(w)
				w.after(quiet)
				toGroup, toPod := w.written("g", "g-0")
				want, ok := page[life.name]
				if !ok || want != [2]string{fmt.Sprint(toGroup), fmt.Sprint(toPod)} {
					t.Errorf("%d writes to the PodGroup and %d to a pod; the page says %v", toGroup, toPod, want)
				}
				w.right("g")
				w.after(2 * believed)
				if again, _ := w.written("g", "g-0"); again != toGroup {
					t.Errorf("at rest the PodGroup was written %d times", again-toGroup)
				}
			})
		})
	}
	if len(page) != len(lives) {
		t.Errorf("the page lists %d lives, and %d are tested", len(page), len(lives))
	}
}

// livesOnThePage are the rows of docs/live.md: writes to the PodGroup and to a pod, by life.
func livesOnThePage(t *testing.T) map[string][2]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| a gang that | writes to its PodGroup | to a pod of it |")
	if !ok {
		t.Fatal("docs/live.md has no table of lives")
	}
	rows := map[string][2]string{}
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			break
		}
		rows[strings.TrimSpace(cells[1])] = [2]string{strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])}
	}
	return rows
}

// right fails a test in which a PodGroup says what is not so.
func (w *living) right(group string) {
	w.Helper()
	s, by, bound := w.status(group), map[corev1.PodPhase]int32{}, 0
	pods := w.members(group)
	for _, p := range pods {
		by[p.Status.Phase]++
		if p.Spec.NodeName != "" {
			bound++
		}
	}
	if s.Running != by[corev1.PodRunning] || s.Succeeded != by[corev1.PodSucceeded] || s.Failed != by[corev1.PodFailed] {
		w.Errorf("its pods are %v, and it says %d running, %d succeeded, %d failed", by, s.Running, s.Succeeded, s.Failed)
	}
	if bound == 0 && len(pods) == 0 {
		return // nothing is said of it
	}
	phase, ready := schedulingv1beta1.PodGroupInqueue, bound >= 2
	switch {
	case !ready && by[corev1.PodRunning] > 0:
		phase = schedulingv1beta1.PodGroupUnknown
	case ready && by[corev1.PodRunning] == 0:
		phase = schedulingv1beta1.PodGroupCompleted
	case ready:
		phase = schedulingv1beta1.PodGroupRunning
	}
	if s.Phase != phase {
		w.Errorf("it says %s, want %s", s.Phase, phase)
	}
	for _, c := range s.Conditions {
		want := c.Type == schedulingv1beta1.PodGroupScheduled || phase == schedulingv1beta1.PodGroupUnknown
		if isTrue := c.Status == corev1.ConditionTrue; isTrue != want {
			w.Errorf("it started, is %s, and it says %s: %s", phase, c.Type, c.Status)
		}
	}
}
