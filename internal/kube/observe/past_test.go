package observe_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/test/world/apimodel"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refresh(t *testing.T, w *observe.Observer) {
	t.Helper()
	must(t, w.Refresh(t.Context(), func() error { return nil }))
}

// pods are what an engine knows that was given facts: of each pod how it stands.
func pods(l *ledger.Ledger) map[string]string {
	out := map[string]string{}
	l.Tasks.Each(func(id ledger.TaskID) bool {
		if p := l.Task(id).Pod; p != nil {
			switch {
			case p.Phase == model.PodSucceeded:
				out[p.Name] = "finished"
			case p.Node != "":
				out[p.Name] = "on " + p.Node
			default:
				out[p.Name] = "waits"
			}
		}
		return true
	})
	return out
}

func apply(l *ledger.Ledger, facts []model.Fact) {
	for _, f := range facts {
		l.Apply(f)
	}
	l.ExtendDims()
}

// While the watch lags pods are deleted, deleted and made anew under their names, bound, finished, and made. What a
// scheduler knows before its first cycle is what there is, and so does one that is made anew from all facts. The watch
// that catches up changes nothing of it.
func TestARefreshKnowsWhatThereIs(t *testing.T) {
	s := newServer(t)
	s.make("stays", "gone", "again", "other", "bound", "done", "brief", "leaves")
	s.do(http.MethodPatch, podsPath+"/leaves", `{"metadata":{"finalizers":["batch.kubernetes.io/job-tracking"]}}`)
	w := s.observe()
	l := ledger.New()
	take := func() {
		facts, _ := w.Drain()
		apply(l, facts)
	}
	take()
	if len(pods(l)) != 8 {
		t.Fatalf("at first it knows %v", pods(l))
	}
	s.hold(true)
	s.kill("gone", "again", "other", "brief", "leaves")
	s.make("again", "other", "brief", "new")
	s.kill("brief")
	s.do(http.MethodPost, podsPath+"/other/binding", `{"metadata":{"name":"other"},"target":{"name":"n1"}}`)
	s.do(http.MethodPost, podsPath+"/bound/binding", `{"metadata":{"name":"bound"},"target":{"name":"n2"}}`)
	s.do(http.MethodPatch, podsPath+"/done/status", `{"status":{"phase":"Succeeded"}}`)
	want := map[string]string{"stays": "waits", "again": "waits", "other": "on n1", "bound": "on n2",
		"done": "finished", "new": "waits", "leaves": "waits"}
	check := func(when string) {
		t.Helper()
		anew := ledger.New()
		apply(anew, w.All())
		for who, known := range map[string]map[string]string{"it": pods(l), "an engine made anew": pods(anew)} {
			if fmt.Sprint(known) != fmt.Sprint(want) {
				t.Errorf("%s %s knows %v, want %v", when, who, known, want)
			}
		}
		for _, name := range []string{"stays", "gone", "again", "other", "bound", "done", "brief", "new", "leaves"} {
			there := want[name] != "" && want[name] != "finished" && name != "leaves"
			if w.PodUID("ns", name) != "" != there {
				t.Errorf("%s %s has the uid %q to bind it by, want one: %v", when, name, w.PodUID("ns", name), there)
			}
		}
	}
	refresh(t, w)
	take()
	check("before the first cycle")
	refresh(t, w) // as one does that could not take over the first time
	if facts, _ := w.Drain(); len(facts) > 0 {
		t.Errorf("it tells again of %v", facts)
	}
	s.hold(false)
	s.make("last")
	want["last"] = "waits"
	await(t, "the watch to catch up", func() bool {
		take()
		return pods(l)["last"] != ""
	})
	check("in the end")
}

// On a cluster at rest no pod is read again: metadata is listed, and nothing is told.
func TestARefreshAtRestReadsNoPod(t *testing.T) {
	s := newServer(t)
	for i := range 2500 {
		s.make(fmt.Sprint("p", i))
	}
	w := s.observe()
	w.Drain()
	s.first(nil)
	refresh(t, w)
	if facts, _ := w.Drain(); len(facts) > 0 {
		t.Errorf("it tells of %d pods", len(facts))
	}
	if heads, whole, single := s.requests(listsHeads), s.requests(listsWhole), s.requests(getsPod); heads != 3 ||
		whole+single > 0 {
		t.Errorf("it lists metadata %d times, whole pods %d times, and reads %d pods; want 3, 0 and 0", heads, whole, single)
	}
}

// Few pods of which the watch has not told are read one by one; of many, their page is listed.
func TestARefreshReadsWhatIsNews(t *testing.T) {
	for _, c := range []struct{ news, whole, single int }{{3, 0, 3}, {600, 1, 0}} {
		s := newServer(t)
		for i := range 2000 {
			s.make(fmt.Sprintf("old-%04d", i))
		}
		w := s.observe()
		w.Drain()
		s.hold(true)
		for i := range c.news {
			s.make(fmt.Sprint("new-", i))
		}
		s.first(nil)
		refresh(t, w)
		if facts, _ := w.Drain(); len(facts) != c.news {
			t.Errorf("of %d new pods it tells of %d", c.news, len(facts))
		}
		if whole, single := s.requests(listsWhole), s.requests(getsPod); whole != c.whole || single != c.single {
			t.Errorf("for %d new pods it lists %d pages in full and reads %d pods, want %d and %d", c.news, whole, single,
				c.whole, c.single)
		}
		s.hold(false)
	}
}

// A list of which every page is asked for after the version of the one before is forgotten ends all the same, without
// a page that is listed twice, and misses none of what was there all the time.
func TestARefreshOutlastsWhatTheServerRemembers(t *testing.T) {
	s := newServer(t)
	w := s.observe()
	w.Drain()
	s.hold(true)
	for i := range 3500 {
		s.make(fmt.Sprintf("p%04d", i))
	}
	made := 0
	s.first(func(r *apimodel.Request) *apimodel.Response {
		if listsPods(r) && r.Query.Get("continue") != "" && made < 100 {
			made++
			s.now(http.MethodPost, podsPath, podNamed(fmt.Sprint("late-", made)))
			s.now(http.MethodDelete, podsPath+"/"+fmt.Sprintf("p%04d", 3500-made), `{"gracePeriodSeconds":0}`)
			s.api.Compact(s.api.Version())
		}
		return nil
	})
	refresh(t, w)
	facts, _ := w.Drain()
	told := map[string]bool{}
	for _, f := range facts {
		if f.Object != nil {
			told[f.Ref.Name] = true
		}
	}
	for i := range 3500 - made {
		if name := fmt.Sprintf("p%04d", i); !told[name] {
			t.Fatalf("it does not tell of %s, which was there all the time", name)
		}
	}
	if begun := s.requests(func(r *apimodel.Request) bool {
		return listsHeads(r) && r.Query.Get("continue") == ""
	}); begun != 1 || made < 3 {
		t.Errorf("it began %d times, and %d pages were forgotten", begun, made)
	}
}

// An API server that is too busy, fails or does not answer in the midst of the list, or of single pods, does not have
// it begin anew.
func TestARefreshGoesOnAfterErrors(t *testing.T) {
	resource := schema.GroupResource{Resource: "pods"}
	for name, fails := range map[string]*apierrors.StatusError{
		"too busy": apierrors.NewTooManyRequests("too busy", 0), "failed": apierrors.NewInternalError(fmt.Errorf("etcd")),
		"late": apierrors.NewServerTimeout(resource, "list", 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			for i := range 1500 {
				s.make(fmt.Sprintf("p%04d", i))
			}
			w := s.observe()
			w.Drain()
			s.hold(true)
			s.kill("p0003")
			s.make("new")
			failed := map[string]bool{}
			s.first(func(r *apimodel.Request) *apimodel.Response {
				if at := r.Path + r.Query.Get("continue"); (getsPod(r) || listsPods(r) && r.Query.Get("continue") != "") &&
					!failed[at] {
					failed[at] = true
					return &apimodel.Response{Code: int(fails.ErrStatus.Code), Body: fails.ErrStatus}
				}
				return nil
			})
			refresh(t, w)
			var told []string
			facts, _ := w.Drain()
			for _, f := range facts {
				told = append(told, fmt.Sprint(f.Ref.Name, " ", f.Object != nil))
			}
			if slices.Sort(told); !slices.Equal(told, []string{"new true", "p0003 false"}) {
				t.Errorf("it tells of %v", told)
			}
			if pages := s.requests(listsPods); pages != 3 || len(failed) != 3 {
				t.Errorf("it listed %d pages, want two, one of them twice; failed: %v", pages, failed)
			}
		})
	}
}

// The same holds of resource claims: the engine does not count on one that is gone.
func TestARefreshKnowsWhichClaimsThereAre(t *testing.T) {
	const path = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims"
	s := newServer(t)
	claim := func(name string) {
		s.do(http.MethodPost, path, fmt.Sprintf(`{"metadata":{"name":%q},"spec":{}}`, name))
	}
	for _, name := range []string{"stays", "gone", "again"} {
		claim(name)
	}
	w := s.observe(translate.KindResourceClaim)
	there := map[string]string{}
	take := func(facts []model.Fact) {
		for _, f := range facts {
			if f.Ref.Kind != translate.KindResourceClaim {
				continue
			}
			if there[f.Ref.Name] = f.UID; f.Object == nil {
				delete(there, f.Ref.Name)
			}
		}
	}
	facts, _ := w.Drain()
	take(facts)
	before := there["again"]
	s.hold(true)
	for _, name := range []string{"gone", "again"} {
		s.do(http.MethodDelete, path+"/"+name, `{}`)
	}
	claim("again")
	refresh(t, w)
	facts, _ = w.Drain()
	if len(facts) != 2 {
		t.Errorf("it tells of %v, want the one that is gone and the one that was made again", facts)
	}
	take(facts)
	if len(there) != 2 || there["gone"] != "" || there["again"] == "" || there["again"] == before {
		t.Errorf("it knows %v", there)
	}
	s.hold(false)
	claim("last")
	await(t, "the watch to catch up", func() bool {
		facts, _ := w.Drain()
		take(facts)
		return there["last"] != ""
	})
	if len(there) != 3 || there["gone"] != "" {
		t.Errorf("in the end it knows %v", there)
	}
}
