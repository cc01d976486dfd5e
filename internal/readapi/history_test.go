package readapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/access"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// memory is what a world remembers.
type memory struct {
	ring *recording.Ring
	told []ReportedReason
}

func (p *memory) Lately() (recording.Lately, bool) { return p.ring.Lately() }

func (p *memory) Reasons(_, name string) []ReportedReason {
	if name != "train" {
		return nil
	}
	return p.told
}

// evictingWorld has a job of blue that lost its node's room to one of red, and remembers it.
func evictingWorld(t *testing.T) *world {
	w := newWorld(t)
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "reclaim"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}}, {{Plugin: "predicates"}, {Plugin: "proportion"},
			{Plugin: "nodeorder"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.engine, w.past = e, &memory{ring: recording.NewRing(1<<20, time.Now)}
	w.decide(func() {
		for _, q := range []string{"default", "red", "blue"} {
			w.put(model.KindQueue, "", q, &model.Queue{Meta: model.Meta{Name: q}, Weight: 1, Reclaimable: true})
		}
		w.node("n1", 4000)
		for _, name := range []string{"one", "two"} {
			w.gang("blue", name, "blue", 1, 2000)
		}
	})
	w.bound()
	w.decide(func() { w.gang("red", "train", "red", 1, 2000) })
	w.decide(nil)
	return w
}

// bound has the pods run that were bound.
func (w *world) bound() {
	w.decide(func() {
		for _, i := range w.plan.Items {
			if i.Kind == sched.BindPod {
				fact, _ := w.engine.Ledger().Fact(model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace, Name: i.Pod.Name})
				pod := *fact.Object.(*model.Pod)
				pod.Node, pod.Phase, pod.Preemptable = i.Node, model.PodRunning, true
				w.put(model.KindPod, pod.Namespace, pod.Name, &pod)
			}
		}
	})
}

// A tenant is told what happened to its job and what was done for it, with no name of another namespace and of no queue
// that it may not get; an administrator is told all.
func TestTheHistoryOfAJob(t *testing.T) {
	w := evictingWorld(t)
	w.past.told = []ReportedReason{{At: 2500 * int64(time.Millisecond), Cycle: 2, Why: "there is no room"}}
	s := served(w, people())
	code, h := get[explain.History](t, s, "tenant", "/v1/history/job/red/train")
	text := plain(h)
	if code != http.StatusOK || h.Since == "" || len(h.Moments) < 2 || h.Now == "" ||
		!strings.Contains(text, "train: came (queue red, minMember 1") || !strings.Contains(text, "evict */*: reclaim") ||
		!strings.Contains(text, "takes back its due from queue *") || strings.Contains(text, "blue") ||
		strings.Contains(text, "deserved") || !strings.Contains(text, "waits: there is no room") {
		t.Errorf("a tenant is told %d %s", code, text)
	}
	if !slices.IsSortedFunc(h.Moments, func(a, b explain.Happens) int { return strings.Compare(a.Time, b.Time) }) {
		t.Errorf("the moments are not in their order: %s", text)
	}
	if _, h := get[explain.History](t, s, "admin", "/v1/history/job/red/train"); !strings.Contains(plain(h),
		"evict blue/") || !strings.Contains(plain(h), "queue blue held cpu ") {
		t.Errorf("an administrator is told %s", plain(h))
	}
	victim := ""
	for _, name := range []string{"one", "two"} {
		_, h := get[explain.History](t, s, "admin", "/v1/history/job/blue/"+name)
		if strings.Contains(plain(h), "evict blue/"+name+"-0: reclaim: makes room on node n1 for red/train-0") {
			victim = name
		}
	}
	if victim == "" {
		t.Error("no job of blue has the eviction in its history")
	}
	for path, want := range map[string]int{"/v1/history/job/blue/one": http.StatusForbidden,
		"/v1/history/job/red/trian": http.StatusNotFound, "/v1/history/job/red": http.StatusNotFound} {
		if code, status := get[map[string]any](t, s, "tenant", path); code != want {
			t.Errorf("%s: %d %v, want %d", path, code, status, want)
		}
	}
}

// A job that is gone has a history while it is recorded, and one made again under its name has both; after a fail-over,
// when nothing is recorded, that is said.
func TestTheHistoryOfAJobThatIsGone(t *testing.T) {
	w := evictingWorld(t)
	s := served(w, people())
	s.recalling = make(chan struct{}, 9) // no pauses
	w.decide(func() {
		w.apply(model.Fact{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "red", Name: "train"}, UID: "redtrain",
			Version: 90})
		w.apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "red", Name: "train-0"}, UID: "redtrain-0",
			Version: 91})
	})
	code, h := get[explain.History](t, s, "tenant", "/v1/history/job/red/train")
	if code != http.StatusOK || !strings.Contains(plain(h), "train-0: gone") || h.Now != "" {
		t.Errorf("of a job that is gone: %d %s", code, plain(h))
	}
	w.version = 100
	w.decide(func() { w.gang("red", "train", "red", 3, 1000) })
	if _, h = get[explain.History](t, s, "tenant", "/v1/history/job/red/train"); !strings.Contains(plain(h),
		"minMember 3") || !strings.Contains(plain(h), "minMember 1") {
		t.Errorf("of a job made again: %s", plain(h))
	}
	w.decide(func() { w.past.ring.Forget() })
	before := h.Since
	if _, h = get[explain.History](t, s, "tenant", "/v1/history/job/red/train"); h.Since <= before ||
		strings.Contains(plain(h), "minMember 1") {
		t.Errorf("after a fail-over it is known from %s on, was %s: %s", h.Since, before, plain(h))
	}
	w.past.ring = nil
	if code, status := get[map[string]any](t, s, "tenant", "/v1/history/job/red/train"); code != http.StatusNotFound ||
		!strings.Contains(plain(status), "keeps no recording") {
		t.Errorf("without a recording: %d %v", code, status)
	}
}

// A pod that another job has by now under its name is told to each for its time.
func TestAPodOfTheSameNameIsOfOneJobAtATime(t *testing.T) {
	w := evictingWorld(t)
	pods := map[ledger.Key]bool{{Namespace: "red", Name: "train-0"}: true}
	pod := func(group string) {
		w.decide(func() {
			w.put(model.KindPod, "red", "train-0", &model.Pod{Meta: model.Meta{Namespace: "red", Name: "train-0",
				UID: "again"}, Ours: true, Group: group, Spec: &model.Spec{}})
		})
	}
	pod("other")
	pod("other")
	l, _ := w.past.ring.Lately()
	first, then := l.Job("red/train", nil), l.Job("red/other", pods)
	if len(first) == 0 || len(then) == 0 || first[len(first)-1].Now > then[0].Now {
		t.Errorf("train has %+v\nother has %+v", first, then)
	}
}

// The service accounts of one namespace are one user to every bound: a tenant that may make one may make hundreds, and
// would keep others from the histories, lists, streams and changes of which only so many are looked for at a time.
func TestManyServiceAccountsCountAsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		who := people()
		account := func(i int) string { return fmt.Sprintf("system:serviceaccount:red:a%d", i) }
		for i := range 4 * mostAnswers {
			who.may[account(i)] = who.may["tenant"]
		}
		s := served(evictingWorld(t), who)
		asks := func(user, path string) int {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("Authorization", user)
			got := httptest.NewRecorder()
			s.ServeHTTP(got, r)
			return got.Code
		}
		s.recalling <- struct{}{} // somebody's history is being read
		var refused atomic.Int32
		for i := range mostAnswers {
			go func() {
				if asks(account(i), "/v1/history/job/red/train") == http.StatusTooManyRequests {
					refused.Add(1)
				}
			}()
		}
		synctest.Wait()
		if n := refused.Load(); n != mostAnswers-1 {
			t.Errorf("%d of %d accounts are refused, want all but one", n, mostAnswers)
		}
		answered := make(chan int, 1)
		go func() { answered <- asks("admin", "/v1/history/job/red/train") }()
		<-s.recalling
		if code := <-answered; code != http.StatusOK {
			t.Errorf("another user's history: %d", code)
		}
		ends := []func(){}
		for i := range mostOfUser {
			end, err := s.streams.begin(&access.User{Username: account(i)}, []string{"jobs"})
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end)
		}
		if _, err := s.streams.begin(&access.User{Username: account(mostOfUser)}, nil); err == nil {
			t.Error("one account more has a stream")
		}
		for _, end := range ends {
			end()
		}
		for i := range mostAnswersOfUser {
			if _, err := s.slots.take(t.Context(), &access.User{Username: account(i)}); err != nil {
				t.Fatal(err)
			}
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.slots.take(soon, &access.User{Username: account(mostAnswersOfUser)}); err == nil {
			t.Error("one account more has its answer made")
		}
		if s.copies.forget != nil {
			s.copies.forget.Stop()
		}
	})
}
