package owners

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/translate"
)

// Kinds that are made up cost no request each.
func TestKindsThatAreNotServed(t *testing.T) {
	running(t, func(s *server, r *Reader) {
		var all []*Owner
		for i := range 1000 {
			for _, of := range []*metav1.OwnerReference{
				ref(fmt.Sprintf("group-%d.example/v1", i), "Thing", fmt.Sprint("a", i)),
				ref("batch/v1", fmt.Sprintf("Kind%d", i), fmt.Sprint("b", i)),
			} {
				o := r.Of("ns", of)
				r.Ask(o, true)
				all = append(all, o)
			}
		}
		<-time.After(time.Minute)
		for _, o := range all {
			if said := says(t, r, o); said != (translate.Said{}) {
				t.Fatalf("%s says %+v", o.Key(), said)
			}
		}
		asked := len(s.discovery.Actions())
		if s.seen() != 0 || asked > 10 {
			t.Errorf("%d reads and %d questions after kinds, want none and a few", s.seen(), asked)
		}
	})
}

// A kind that is installed a moment later is found.
func TestAKindThatIsNew(t *testing.T) {
	running(t, func(s *server, r *Reader) {
		says(t, r, r.Of("ns", ref("batch/v1", "Job", "gone"))) // what is served was asked
		s.discovery.Resources = append(
			s.discovery.Resources, &metav1.APIResourceList{GroupVersion: "jobset.x-k8s.io/v1alpha2",
				APIResources: []metav1.APIResource{{Name: "jobsets", Kind: "JobSet", Namespaced: true}}})
		s.has("jobsets", "sweep", nil, leastKey, "8")
		o := r.Of("ns", ref("jobset.x-k8s.io/v1alpha2", "JobSet", "sweep"))
		r.Ask(o, true)
		<-time.After(2 * lookAround)
		if said := says(t, r, o); said.MinMember != "8" {
			t.Errorf("it says %+v, want 8 members", said)
		}
	})
}

// Owners that are to be read while the API server is asked what it serves wait for that answer
// and no longer.
func TestOwnersThatAreAskedForAtOnce(t *testing.T) {
	running(t, func(s *server, r *Reader) {
		takes := time.Second
		s.discovery.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
			<-time.After(takes)
			return false, nil, nil
		})
		var all []*Owner
		for i := range 3 * atOneTime {
			name := fmt.Sprint("job-", i)
			s.has("jobs", name, nil, queueKey, "research")
			all = append(all, r.Of("ns", ref("batch/v1", "Job", name)))
			r.Ask(all[i], i%2 == 0)
		}
		<-time.After(2*takes + time.Millisecond) // for the groups, and for what is in one
		for _, o := range all {
			if said, known := r.Said(o); known != Final || said.Queue != "research" || s.told(o) != 1 {
				t.Errorf("%s says %+v and is known %d, told %d times; want its queue as soon as the API server said what it serves",
					o.Key(), said, known, s.told(o))
			}
		}
		if n := len(s.discovery.Actions()); n != 2 {
			t.Errorf("%d questions after kinds, want two", n)
		}
	})
}
