package observe

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// A sight is what the API server has under one name at a version, which is its place in the
// history and one; no uid: nothing.
type sight struct{ uid, node string }

// namesHistory is a pod that is bound and deleted, and another one of its name.
var namesHistory = []sight{{"first", ""}, {"first", "n"}, {"", ""}, {"second", ""}, {"second", "m"}}

// witnessed is one way in which an informer and a list past it (Refresh) can tell of a history.
type witnessed struct {
	w      *Observer
	l      *ledger.Ledger
	states []*Pod
	known  int // the sight that the informer's store shows, -1 before the first
}

// states are the pods of a history, nil where there is none.
func states(t *testing.T, history []sight) (out []*Pod) {
	w := (&Observer{options: Options{Adopt: true,
		Translate: translate.Options{Schedulers: []string{translate.DefaultScheduler}, Specs: &translate.Specs{}}}}).wire()
	for i, m := range history {
		o, err := w.pod(&corev1.Pod{Spec: corev1.PodSpec{SchedulerName: translate.DefaultScheduler, NodeName: m.node},
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: types.UID(m.uid),
				ResourceVersion: fmt.Sprint(i + 1)}})
		if err != nil {
			t.Fatal(err)
		}
		if out = append(out, o.(*Pod)); m.uid == "" {
			out[i] = nil
		}
	}
	return out
}

func (s *witnessed) there(at int) bool { return at >= 0 && s.states[at] != nil }

// report has the informer tell of a sight: by the watch if it is the next one and no list was
// needed, otherwise as what a list shows, for which a deletion is only something that is missing.
func (s *witnessed) report(at int, listed bool) {
	h, before := s.w.ownership.podHandler(), s.known
	s.known = at
	var shown []any
	if s.there(at) {
		shown = append(shown, s.states[at])
	}
	_ = s.w.pods.Replace(shown, "") // the store is ahead of the handlers; keys of pods do not err
	switch {
	case s.there(before) && s.there(at):
		h.OnUpdate(s.states[before], s.states[at])
	case s.there(at):
		h.OnAdd(s.states[at], false)
	case s.there(before) && listed:
		h.OnDelete(cache.DeletedFinalStateUnknown{Key: "ns/p", Obj: s.states[before]})
	case s.there(before):
		last := &Pod{ObjectMeta: &nothing, fact: s.states[before].fact}
		last.fact.Version = uint64(at + 1) // a watch says when it was deleted
		h.OnDelete(last)
	}
}

// nothingAsked is a client that is never used: the sights are what there is.
var nothingAsked = fake.NewClientset()

// refresh has a list past the watch show a sight; single pods are read when there is the sight got.
func (s *witnessed) refresh(t *testing.T, at, got int) {
	t.Helper()
	pods := listedPods(s.w)
	pods.keep = func(o any) (any, error) { return &Pod{ObjectMeta: &nothing, fact: o.(*Pod).fact}, nil }
	pods.get = func(_ context.Context, r model.Ref) (metav1.Object, error) {
		if !s.there(got) {
			return nil, apierrors.NewNotFound(corev1.Resource("pods"), r.Name)
		}
		return s.states[got], nil
	}
	r := &refresh{w: s.w, listed: pods, goOn: always, there: map[types.UID]bool{}, began: uint64(at + 1),
		at: uint64(at + 1)}
	if s.there(at) {
		r.there[types.UID(s.states[at].fact.UID)] = true
		if err := r.handOn(s.states[at]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.missing(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *witnessed) drain() {
	facts, _ := s.w.Drain()
	for _, f := range facts {
		s.l.Apply(f)
	}
}

// However an informer tells of a name that is used again (every change by the watch, or some lost
// and made up for by a list), whenever it is drained, and whatever a list past it has told the
// engine before: in the end the engine knows of the name what is true.
func TestANameThatIsUsedAgainIsKnownByItsLastLife(t *testing.T) {
	ways := 0
	for length := 3; length <= len(namesHistory); length++ {
		history := states(t, namesHistory[:length])
		for seen := range 1 << (length - 1) { // which moments but the last are reported
			var moments []int
			for at := range length {
				if at == length-1 || seen>>at&1 == 1 {
					moments = append(moments, at)
				}
			}
			for drains := range 1 << (len(moments) - 1) {
				for _, listed := range []bool{false, true} {
					for _, r := range readings(length, moments, drains) {
						ways++
						tellOf(t, history, namesHistory[length-1], moments, drains, listed, r)
					}
				}
			}
		}
	}
	if ways < 1000 {
		t.Errorf("only %d ways were tried", ways)
	}
}

// A reading is a refresh that lists what there is at a sight, after so many reports, and hands on what it read after
// as many or more: others come meanwhile, and nothing is drained, for it is the loop that waits. Single pods are read
// then, or later.
type reading struct{ at, after, until, got int }

func readings(length int, moments []int, drains int) []reading {
	out := []reading{{at: -1}}
	for after := range len(moments) + 1 {
		for until := after; until <= len(moments); until++ {
			if until > after && drains>>after&(1<<(until-after)-1) != 0 {
				break
			}
			oldest := 0 // it is never older than what was heard
			if after > 0 {
				oldest = moments[after-1]
			}
			for at := oldest; at < length; at++ {
				now := at
				if until > 0 {
					now = max(now, moments[until-1])
				}
				for got := now; got < length; got++ {
					out = append(out, reading{at, after, until, got})
				}
			}
		}
	}
	return out
}

func tellOf(t *testing.T, history []*Pod, want sight, moments []int, drains int, listed bool, r reading) {
	t.Helper()
	s := &witnessed{w: (&Observer{options: Options{Kube: nothingAsked}, queue: newQueue(),
		pods: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)}).wire(),
		l: ledger.New(), states: history, known: -1}
	for _, p := range history {
		if p != nil {
			p.handedOver.Store(false)
		}
	}
	for i := range len(moments) + 1 {
		if r.until == i && r.at >= 0 {
			s.refresh(t, r.at, r.got)
		}
		if i == len(moments) {
			break
		}
		// A sight that was passed over can only have been made up for by a list.
		skipped := i == 0 && moments[0] > 0 || i > 0 && moments[i] != moments[i-1]+1
		s.report(moments[i], listed || skipped)
		if drains>>i&1 == 1 {
			s.drain()
		}
	}
	s.w.confirm(time.Now(), func(model.Ref) (string, error) { return want.uid, nil })
	s.drain()
	got := sight{}
	if id, ok := s.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "p"}); ok {
		got = sight{s.l.Task(id).Pod.UID, s.l.Task(id).Pod.Node}
	}
	if got != want {
		t.Fatalf("the engine knows %+v of the name, want %+v: reports %v (by lists: %t), drained after %b, refreshed %+v",
			got, want, moments, listed, drains, r)
	}
}
