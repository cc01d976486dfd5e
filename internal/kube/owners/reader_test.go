package owners

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/translate"
)

const (
	queueKey = "scheduling.volcano.sh/queue-name"
	leastKey = "scheduling.volcano.sh/group-min-member"
)

// server is an API server with objects that may own pods.
type server struct {
	mu        sync.Mutex
	objects   map[string]*metav1.PartialObjectMetadata // by resource/namespace/name
	forbidden map[string]bool                          // by resource
	broken    int                                      // so many reads fail
	reads     []string
	discovery *fakediscovery.FakeDiscovery
	answered  map[string]int // by the owner's key
}

func newServer() *server {
	d := fake.NewClientset().Discovery().(*fakediscovery.FakeDiscovery)
	kinds := func(version string, of ...metav1.APIResource) *metav1.APIResourceList {
		return &metav1.APIResourceList{GroupVersion: version, APIResources: of}
	}
	d.Resources = []*metav1.APIResourceList{
		kinds("apps/v1", metav1.APIResource{Name: "deployments", Kind: "Deployment", Namespaced: true},
			metav1.APIResource{Name: "replicasets", Kind: "ReplicaSet", Namespaced: true},
			metav1.APIResource{Name: "replicasets/scale", Kind: "ReplicaSet", Namespaced: true}),
		kinds("batch/v1", metav1.APIResource{Name: "jobs", Kind: "Job", Namespaced: true}),
		kinds("v1", metav1.APIResource{Name: "nodes", Kind: "Node"}),
	}
	return &server{objects: map[string]*metav1.PartialObjectMetadata{}, forbidden: map[string]bool{}, discovery: d,
		answered: map[string]int{}}
}

// has puts an object there; above is its controller, nil without.
func (s *server) has(resource, name string, above *metav1.OwnerReference, annotations ...string) {
	m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name),
		Annotations: map[string]string{}}}
	for i := 0; i < len(annotations); i += 2 {
		m.Annotations[annotations[i]] = annotations[i+1]
	}
	if above != nil {
		m.OwnerReferences = []metav1.OwnerReference{*above}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[resource+"/"+name] = m
}

// ref names an owner with its name as UID.
func ref(apiVersion, kind, name string) *metav1.OwnerReference {
	yes := true
	return &metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(name), Controller: &yes}
}

func (s *server) get(a clienttesting.Action) (bool, runtime.Object, error) {
	get := a.(clienttesting.GetAction)
	s.mu.Lock()
	defer s.mu.Unlock()
	resource := get.GetResource().Resource
	s.reads = append(s.reads, resource+"/"+get.GetName())
	of := schema.GroupResource{Group: get.GetResource().Group, Resource: resource}
	switch m := s.objects[resource+"/"+get.GetName()]; {
	case s.broken > 0:
		s.broken--
		return true, nil, apierrors.NewInternalError(fmt.Errorf("a bad day"))
	case s.forbidden[resource]:
		return true, nil, apierrors.NewForbidden(of, get.GetName(), nil)
	case m == nil:
		return true, nil, apierrors.NewNotFound(of, get.GetName())
	default:
		return true, m, nil
	}
}

func (s *server) seen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.reads)
}

// told is how often more was known of an owner.
func (s *server) told(o *Owner) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answered[o.Key()]
}

// running is a reader of what the server has, in a bubble of its own time.
func running(t *testing.T, test func(*server, *Reader)) {
	t.Helper()
	s := newServer()
	heads := metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
	heads.PrependReactor("get", "*", s.get)
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{Discovery: s.discovery, Metadata: heads, Answered: func(o *Owner) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.answered[o.Key()]++
		}})
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		test(s, r)
		cancel()
		synctest.Wait()
	})
}

// says is what is known of an owner once everything has come to rest.
func says(t *testing.T, r *Reader, o *Owner) translate.Said {
	t.Helper()
	r.Ask(o, true)
	synctest.Wait()
	said, known := r.Said(o)
	if known != Final {
		t.Errorf("of %s everything is known: %d, want %d", o.Key(), known, Final)
	}
	return said
}

// known is an owner, with the UID that the server gives it.
func known(kind, name string) translate.Owner {
	return translate.Owner{Kind: schema.ParseGroupKind(kind), Name: name, UID: types.UID(name)}
}

func TestWhatOwnersSay(t *testing.T) {
	type said = translate.Said
	for name, c := range map[string]struct {
		there func(*server)
		of    *metav1.OwnerReference
		want  said
		reads int
	}{
		"the owner says both": {func(s *server) {
			s.has("jobs", "train", ref("batch/v1", "Job", "above"), queueKey, "research", leastKey, "4")
		}, ref("batch/v1", "Job", "train"), said{Queue: "research", MinMember: "4", Job: known("Job.batch", "train")}, 1},
		"the one above says what the owner does not": {func(s *server) {
			s.has("replicasets", "web-5f", ref("apps/v1", "Deployment", "web"), queueKey, "research")
			s.has("deployments", "web", nil, queueKey, "other", leastKey, "3")
		}, ref("apps/v1", "ReplicaSet", "web-5f"), said{Queue: "research", MinMember: "3",
			Job: known("Deployment.apps", "web")}, 2},
		"no owner says anything": {func(s *server) {
			s.has("jobs", "train", nil)
		}, ref("batch/v1", "Job", "train"), said{}, 1},
		"it is gone": {func(*server) {}, ref("batch/v1", "Job", "train"), said{}, 1},
		"a later one has its name": {func(s *server) {
			s.has("jobs", "train", nil, leastKey, "4")
			s.objects["jobs/train"].UID = "later"
		}, ref("batch/v1", "Job", "train"), said{}, 1},
		"its version is served no more, another is": {func(s *server) { s.has("jobs", "train", nil, queueKey, "research") },
			ref("batch/v1beta1", "Job", "train"), said{Queue: "research"}, 1},
		"it belongs to no namespace": {func(s *server) { s.has("nodes", "n", nil, queueKey, "research") },
			ref("v1", "Node", "n"), said{Queue: "research"}, 1},
		"a circle": {func(s *server) {
			s.has("jobs", "a", ref("batch/v1", "Job", "b"))
			s.has("jobs", "b", ref("batch/v1", "Job", "a"), queueKey, "research")
		}, ref("batch/v1", "Job", "a"), said{Queue: "research"}, 2},
		"a chain without end": {func(s *server) {
			for i := range 100 {
				s.has("jobs", fmt.Sprint(i), ref("batch/v1", "Job", fmt.Sprint(i+1)))
			}
		}, ref("batch/v1", "Job", "0"), said{}, mostOwners},
		"a name that leads elsewhere": {func(*server) {}, ref("batch/v1", "Job", "../pods/x"), said{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			running(t, func(s *server, r *Reader) {
				c.there(s)
				o := r.Of("ns", c.of)
				if got := says(t, r, o); got != c.want {
					t.Errorf("they say %+v, want %+v", got, c.want)
				}
				says(t, r, r.Of("ns", c.of))
				if s.seen() != c.reads {
					t.Errorf("read were %v, want %d", s.reads, c.reads)
				}
				if s.told(o) == 0 {
					t.Error("no answer came")
				}
			})
		})
	}
}

// A server that fails is asked again; a pod's owner that waits for the one above it is told
// of once that is read.
func TestAnOwnerThatCannotBeReadAtOnce(t *testing.T) {
	running(t, func(s *server, r *Reader) {
		s.mu.Lock()
		s.broken = 2
		s.mu.Unlock()
		s.has("replicasets", "web-5f", ref("apps/v1", "Deployment", "web"))
		s.has("deployments", "web", nil, leastKey, "3")
		o := r.Of("ns", ref("apps/v1", "ReplicaSet", "web-5f"))
		r.Ask(o, true)
		synctest.Wait()
		if _, known := r.Said(o); known != Unread || s.told(o) != 0 {
			t.Fatalf("known %d, told %d times; want nothing", known, s.told(o))
		}
		<-time.After(10 * time.Second)
		if said := says(t, r, o); said.MinMember != "3" || s.told(o) != 1 {
			t.Errorf("they say %+v, told %d times; want 3 and once", said, s.told(o))
		}
	})
}

// References that cannot name an object cost no request.
func TestReferencesToNothing(t *testing.T) {
	running(t, func(_ *server, r *Reader) {
		for name, change := range map[string]func(*metav1.OwnerReference){
			"no uid":             func(o *metav1.OwnerReference) { o.UID = "" },
			"no name":            func(o *metav1.OwnerReference) { o.Name = "" },
			"a name without end": func(o *metav1.OwnerReference) { o.Name = strings.Repeat("x", 1<<20) },
			"a kind without end": func(o *metav1.OwnerReference) { o.Kind = strings.Repeat("X", 64) },
			"slashes":            func(o *metav1.OwnerReference) { o.APIVersion = "a/b/c" },
		} {
			of := ref("batch/v1", "Job", "train")
			if change(of); r.Of("ns", of) != nil {
				t.Errorf("%s: there is such an owner", name)
			}
		}
	})
}

// The author of a pod chooses its owner's UID. The UID of an owner in another namespace says nothing in that
// namespace, and does not stand in its way.
func TestAUIDOfAnotherNamespace(t *testing.T) {
	running(t, func(s *server, r *Reader) {
		s.has("jobs", "train", nil, queueKey, "research")
		thief := ref("batch/v1", "Job", "made-up")
		thief.UID = "train"
		if said := says(t, r, r.Of("elsewhere", thief)); said != (translate.Said{}) {
			t.Errorf("elsewhere it says %+v, want nothing", said)
		}
		if said := says(t, r, r.Of("ns", ref("batch/v1", "Job", "train"))); said.Queue != "research" {
			t.Errorf("at home it says %+v, want its queue", said)
		}
	})
}

// Where the right to read a kind is missing, that is said once with the rule, one owner is
// tried now and then, and all are read once the right is there.
func TestARightThatIsMissing(t *testing.T) {
	var log bytes.Buffer
	klog.LogToStderr(false)
	klog.SetOutput(&log)
	defer klog.LogToStderr(true)
	running(t, func(s *server, r *Reader) {
		s.forbidden["jobs"] = true
		var all []*Owner
		for i := range 100 {
			name := fmt.Sprint("job-", i)
			s.has("jobs", name, nil, queueKey, "research")
			all = append(all, r.Of("ns", ref("batch/v1", "Job", name)))
			r.Ask(all[i], true)
		}
		synctest.Wait()
		first := s.seen()
		for _, o := range all {
			if _, known := r.Said(o); known != Provisional {
				t.Fatalf("of %s is known %d, want that pods need not wait", o.Key(), known)
			}
		}
		<-time.After(10*tryRefused + time.Second)
		if n := s.seen(); first > atOneTime || n != first+10 {
			t.Errorf("%d reads at first and %d after ten minutes, want at most %d and one a minute", first, n, atOneTime)
		}
		klog.Flush()
		if text := log.String(); strings.Count(text, `{apiGroups: [\"batch\"], resources: [\"jobs\"], verbs: [get]}`) != 1 {
			t.Errorf("want the missing rule once in:\n%s", text)
		}
		s.mu.Lock()
		s.forbidden["jobs"] = false
		s.mu.Unlock()
		<-time.After(tryRefused + time.Second)
		for _, o := range all {
			if said := says(t, r, o); said.Queue != "research" || s.told(o) < 2 {
				t.Fatalf("%s says %+v, and that was told %d times; want its queue, told anew", o.Key(), said, s.told(o))
			}
		}
	})
}

// The rate of reads is bounded, and one namespace's owners do not keep another's waiting.
func TestANamespaceWithManyOwners(t *testing.T) {
	running(t, func(s *server, r *Reader) {
		for i := range 5000 {
			r.Ask(r.Of("hostile", ref("batch/v1", "Job", fmt.Sprint(i))), true)
		}
		<-time.After(time.Second)
		if n := s.seen(); n > atOnce+perSecond+atOneTime {
			t.Errorf("%d reads in the first second, want at most %d", n, atOnce+perSecond)
		}
		s.has("jobs", "train", nil, queueKey, "research")
		o := r.Of("ns", ref("batch/v1", "Job", "train"))
		r.Ask(o, true)
		<-time.After(100 * time.Millisecond)
		if _, known := r.Said(o); known != Final {
			t.Error("it was not read within 100 ms: the other namespace keeps it waiting")
		}
	})
}

// No pod waits for the owner of a pod that has a node, and it is read all the same.
func TestTheOrderInWhichOwnersAreRead(t *testing.T) {
	var turns readQueue
	var got []string
	for i := range 6 {
		for at, name := range map[place]string{soon: "s", later: "l"} {
			turns.add(&Owner{key: key{namespace: fmt.Sprint("ns", i%2)}, name: name}, at)
		}
	}
	promoted := &Owner{name: "p"}
	turns.add(promoted, later)
	turns.add(promoted, soon)
	for o := turns.next(); o != nil; o = turns.next() {
		got = append(got, o.name)
		o.place = reading
	}
	if text := strings.Join(got, ""); text != "ssplssslsllll" {
		t.Errorf("the order is %s, want those that somebody waits for first, but for each fourth", text)
	}
}

// What no pod names any more is forgotten, what is above one that is named is not.
func TestOwnersAreForgotten(t *testing.T) {
	running(t, func(s *server, r *Reader) {
		s.has("replicasets", "web-5f", ref("apps/v1", "Deployment", "web"))
		s.has("deployments", "web", nil, leastKey, "3")
		web := r.Of("ns", ref("apps/v1", "ReplicaSet", "web-5f"))
		says(t, r, web)
		for i := range fewest {
			r.Of("ns", ref("batch/v1", "Job", fmt.Sprint(i)))
		}
		if !r.Crowded() {
			t.Fatal("it is not crowded")
		}
		<-time.After(2 * young)
		reads := s.seen()
		r.Retain(func(yield func(*Owner) bool) { yield(web) })
		if r.Crowded() || len(r.owners) != 2 {
			t.Errorf("%d owners are known, want two", len(r.owners))
		}
		if said := says(t, r, r.Of("ns", ref("apps/v1", "ReplicaSet", "web-5f"))); said.MinMember != "3" ||
			s.seen() != reads {
			t.Errorf("it says %+v after %d reads, want what it said, without another", said, s.seen()-reads)
		}
	})
}

// An owner that is read again and again below one that may not be read takes no more memory for that.
func TestAnOwnerThatIsReadAgainIsKnownOnceAbove(t *testing.T) {
	running(t, func(s *server, r *Reader) {
		s.forbidden["deployments"] = true
		above := ref("apps/v1", "Deployment", "web")
		s.has("replicasets", "set", above)
		set := r.Of("ns", ref("apps/v1", "ReplicaSet", "set"))
		r.Ask(set, true)
		synctest.Wait()
		const times = 1000
		before := s.seen()
		for range times {
			r.ReadAgain(set)
			<-time.After(time.Second)
		}
		synctest.Wait()
		if n := s.seen() - before; n < times {
			t.Fatalf("it was read %d times, want %d", n, times)
		}
		if n := len(r.Of("ns", above).below); n != 1 {
			t.Errorf("the owner above tells %d, want one", n)
		}
	})
}
