package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// halfBound is for how long a gang may stand with fewer members bound than it needs: what
// --stranded-gang-timeout is by default.
const halfBound = time.Minute

// halfSlack is for noticing that the bound is over, for bindings under way then, and for members that are given up, to
// leave.
const halfSlack = 15 * time.Second

func reasonOf(err error) metav1.StatusReason { return errors.ReasonForError(err) }

// witness watches the pods of a world past the scheduler and its faults, and says what must never
// be: a pod that changed its node, a node with more than it holds, a gang that stood half too long.
type witness struct {
	w       world
	cpu     map[string]int64 // by node, in cores
	minimum func(*corev1.Pod) int

	mu    sync.Mutex
	on    map[types.UID]*corev1.Pod // as seen last
	half  map[string]time.Time      // since when a gang stands half
	ended map[types.UID]bool        // pods that have succeeded or failed
	risen int                       // sights of one that runs or waits all the same
	notes map[string][]string       // by node: what was seen of its pods last
	whole map[string]bool           // gangs that had their minimum: what they lose later is their own business
	wrong []string
	full  []overfull
}

// overfull is a node that held more than it can.
type overfull struct {
	pods map[types.UID]int64 // those on it, in cores
	core int64
	said string
}

// watch begins to watch; nodes are their cores by name, gangs all have the same minimum.
func (w world) watch(nodes map[string]int64, minimum int) *witness {
	w.t.Helper()
	return w.watchGangs(nodes, func(*corev1.Pod) int { return minimum })
}

// watchGangs watches gangs of which each pod says how many its gang needs.
func (w world) watchGangs(nodes map[string]int64, minimum func(*corev1.Pod) int) *witness {
	w.t.Helper()
	seen := &witness{w: w, cpu: nodes, minimum: minimum, on: map[types.UID]*corev1.Pod{}, half: map[string]time.Time{},
		whole: map[string]bool{}, ended: map[types.UID]bool{}, notes: map[string][]string{}}
	pods := cache.NewFilteredListWatchFromClient(w.kube.CoreV1().RESTClient(), "pods", w.ns, func(*metav1.ListOptions) {})
	_, controller := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: pods, ObjectType: &corev1.Pod{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) { seen.saw(o.(*corev1.Pod)) },
			UpdateFunc: func(before, o any) {
				if was := before.(*corev1.Pod); was.UID != o.(*corev1.Pod).UID {
					seen.gone(was) // a list made up for a watch that was lost
				}
				seen.saw(o.(*corev1.Pod))
			},
			DeleteFunc: seen.gone,
		}})
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	go controller.RunWithContext(ctx)
	return seen
}

func (s *witness) saw(p *corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.on[p.UID]
	s.note(p, "is")
	if before != nil && before.Spec.NodeName != p.Spec.NodeName {
		s.wrong = append(s.wrong, fmt.Sprintf("pod %s was bound to %s and then to %s", p.Name, before.Spec.NodeName,
			p.Spec.NodeName))
	}
	// A pod that has ended holds no room, whatever it is called afterwards.
	if s.ended[p.UID] && !finished(p) {
		s.risen++
	}
	s.ended[p.UID] = s.ended[p.UID] || finished(p)
	if p.Spec.NodeName == "" {
		return
	}
	if s.on[p.UID] = p; before != nil {
		return
	}
	on := overfull{pods: map[types.UID]int64{}, core: s.cpu[p.Spec.NodeName]}
	for _, other := range s.on {
		if other.Spec.NodeName == p.Spec.NodeName && !s.ended[other.UID] {
			on.pods[other.UID] = other.Spec.Containers[0].Resources.Requests.Cpu().Value()
		}
	}
	if used := on.used(); used > on.core {
		on.said = fmt.Sprintf("node %s holds %d cores and its pods ask for %d: %s", p.Spec.NodeName, on.core, used,
			strings.Join(s.notes[p.Spec.NodeName], "\n"))
		s.full = append(s.full, on)
	}
	s.gang(gangOf(p), s.members(p) < s.minimum(p))
}

// used is what the pods ask for, in cores.
func (o *overfull) used() (sum int64) {
	for _, cores := range o.pods {
		sum += cores
	}
	return sum
}

// missed takes a pod off the nodes that were seen overfull with it: its end was missed, and a list that made up for
// that told of the pods that have its room before it told of the end.
func (s *witness) missed(p *corev1.Pod) {
	s.full = slices.DeleteFunc(s.full, func(o overfull) bool {
		delete(o.pods, p.UID)
		return o.used() <= o.core
	})
}

// note remembers what was seen of a node's pods last, to be told if the node is overfull.
func (s *witness) note(p *corev1.Pod, what string) {
	if p.Spec.NodeName == "" {
		return
	}
	list := append(s.notes[p.Spec.NodeName], fmt.Sprintf("%s %s %s of %s cores %s %s at version %s, deleting %v",
		time.Now().Format(time.StampMilli), p.Name, p.UID,
		p.Spec.Containers[0].Resources.Requests.Cpu(), what, p.Status.Phase, p.ResourceVersion, p.DeletionTimestamp != nil))
	s.notes[p.Spec.NodeName] = list[max(0, len(list)-60):]
}

// members is how many of a pod's gang are bound.
func (s *witness) members(p *corev1.Pod) (n int) {
	for _, other := range s.on {
		if gangOf(other) == gangOf(p) {
			n++
		}
	}
	return n
}

func finished(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// gang notes since when a gang stands half, and that it did too long.
func (s *witness) gang(name string, half bool) {
	since, was := s.half[name]
	if half {
		if !was && !s.whole[name] {
			s.half[name] = time.Now()
		}
		return
	}
	s.whole[name] = true
	if took := time.Since(since); was && took > halfBound+halfSlack {
		s.wrong = append(s.wrong, fmt.Sprintf("gang %s stood half for %v", name, took))
	}
	delete(s.half, name)
}

// lifeMark tells the lives of a gang's name apart, where a test makes it anew.
const lifeMark = "e2e.ashlar.sh/life"

func gangOf(p *corev1.Pod) string {
	return p.Annotations["scheduling.k8s.io/group-name"] + p.Annotations[lifeMark]
}

func (s *witness) gone(o any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	made, missed := o.(cache.DeletedFinalStateUnknown)
	if missed {
		o = made.Obj
	}
	p, ok := o.(*corev1.Pod)
	if !ok {
		return
	}
	if missed {
		s.missed(p)
	}
	s.note(p, "gone, was")
	delete(s.on, p.UID)
	if since, half := s.half[gangOf(p)]; half && s.members(p) == 0 {
		if took := time.Since(since); took > halfBound+halfSlack {
			s.wrong = append(s.wrong, fmt.Sprintf("gang %s stood half for %v", gangOf(p), took))
		}
		delete(s.half, gangOf(p))
	}
}

// testify waits until the witness has seen so many pods bound, and fails the test for all that was
// wrong on the way.
func (s *witness) testify(want int) {
	s.w.t.Helper()
	s.w.await(fmt.Sprintf("hear of %d pods bound", want), func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.on) != want {
			return fmt.Errorf("heard of %d", len(s.on))
		}
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, wrong := range s.wrong {
		s.w.t.Error(wrong)
	}
	for _, o := range s.full {
		s.w.t.Error(o.said)
	}
	for _, name := range slices.Sorted(maps.Keys(s.half)) {
		s.w.t.Errorf("gang %s still stands half", name)
	}
}

// A witness that overlooks what it is there for would make every test of faults worthless.
func TestFaultsTheWitnessSeesANodeOverfull(t *testing.T) {
	w := sharedWorld(t)
	name := w.ns + "-small"
	node(t, name, "1")
	w.queue()
	seen := w.watch(map[string]int64{name: 1}, 3)
	w.gang("greedy", 3)
	bind(t, w.ns, "greedy-0", name)
	bind(t, w.ns, "greedy-1", name)
	w.await("have the witness see both", func(context.Context) error {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		if len(seen.on) != 2 || len(seen.full) != 1 || len(seen.wrong) != 0 || len(seen.half) != 1 {
			return fmt.Errorf("it saw %d pods bound, %d nodes overfull, %q wrong and %d gangs that stand half",
				len(seen.on), len(seen.full), seen.wrong, len(seen.half))
		}
		return nil
	})
}

// A watch that is lost is made up for by a list, and client-go tells of all pods of it before it tells which are gone:
// a pod that was bound to the room of one that had gone meanwhile is then seen beside it.
func TestFaultsTheWitnessIsNotMisledByAList(t *testing.T) {
	seen := &witness{minimum: func(*corev1.Pod) int { return 0 }, cpu: map[string]int64{"n": 2},
		on: map[types.UID]*corev1.Pod{}, half: map[string]time.Time{}, whole: map[string]bool{},
		ended: map[types.UID]bool{}, notes: map[string][]string{}}
	pod := func(name string) *corev1.Pod {
		p := member("ns", name, 0, "2")
		p.UID, p.Spec.NodeName = types.UID(name), "n"
		return p
	}
	seen.saw(pod("before"))
	seen.saw(pod("after"))
	if len(seen.full) != 1 {
		t.Fatalf("with two pods of two cores, it saw %d nodes overfull", len(seen.full))
	}
	seen.gone(cache.DeletedFinalStateUnknown{Key: "ns/before-0", Obj: pod("before")})
	if len(seen.full) != 0 {
		t.Errorf("the first was gone already, and it says: %s", seen.full[0].said)
	}
	seen.saw(pod("third"))
	seen.gone(pod("after"))
	if len(seen.full) != 1 {
		t.Errorf("two pods were there at once, and it saw %d nodes overfull", len(seen.full))
	}
}
