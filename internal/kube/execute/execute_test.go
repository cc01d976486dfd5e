package execute_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/test/heap"
)

var podsResource = corev1.Resource("pods")

// server is an API server; a test chooses its answers to bindings.
type server struct {
	kube    *fake.Clientset
	volcano *volcano.Clientset
	posts   atomic.Int64
	answer  func(nth int) error
	node    string // what reading the pod shows
	uid     string
	leading atomic.Bool
	quiet   bool // --quiet-binds
}

func newServer() *server {
	s := &server{kube: fake.NewClientset(), volcano: volcano.NewSimpleClientset(), uid: "life",
		answer: func(int) error { return nil }}
	s.leading.Store(true)
	s.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		if a.GetSubresource() != "binding" {
			return false, nil, nil
		}
		return true, nil, s.answer(int(s.posts.Add(1)))
	})
	s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: types.UID(s.uid)},
			Spec: corev1.PodSpec{NodeName: s.node}}, nil
	})
	return s
}

func (s *server) carrier(ctx context.Context) *execute.Executor {
	return execute.New(ctx, execute.Options{Leading: s.leading.Load, QuietBinds: s.quiet,
		Clients: execute.Clients{Fast: []kubernetes.Interface{s.kube}, Slow: s.kube, Events: s.kube, Groups: s.volcano,
			Figures: s.volcano}})
}

var bindP = sched.Item{ID: 7, Kind: sched.BindPod, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life", Node: "n"}

// receipt carries one item and returns its receipt and how long it took to come.
func (s *server) receipt(t *testing.T, item sched.Item) (sched.Receipt, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := s.carrier(ctx)
	began := time.Now()
	c.Execute([]sched.Item{item})
	<-c.Wake()
	took := time.Since(began)
	all := c.Receipts()
	c.Wait(ctx)
	c.WaitForStatuses(ctx)
	if len(all) != 1 || all[0].Item.ID != item.ID {
		t.Fatalf("the receipts are %+v, want one for the item", all)
	}
	return all[0], took
}

// What becomes of a binding follows from what the server answers and, where that says
// nothing sure, from what the pod shows.
func TestWhatBecomesOfABinding(t *testing.T) {
	always := func(err error) func(int) error { return func(int) error { return err } }
	first := func(n int, err error) func(int) error {
		return func(nth int) error {
			if nth <= n {
				return err
			}
			return nil
		}
	}
	conflict := apierrors.NewConflict(podsResource, "p", errors.New("already assigned"))
	for name, c := range map[string]struct {
		answer    func(int) error
		node, uid string
		want      sched.Outcome
		posts     int64
	}{
		"taken": {answer: always(nil), want: sched.Done, posts: 1},
		"the pod is gone": {answer: always(apierrors.NewNotFound(podsResource, "p")),
			want: sched.Missing, posts: 1},
		"forbidden": {answer: always(apierrors.NewForbidden(podsResource, "p", errors.New("no"))),
			want: sched.Failed, posts: 1},
		"bound elsewhere by somebody": {answer: always(conflict), node: "other", want: sched.Failed, posts: 1},
		"bound here already":          {answer: always(conflict), node: "n", want: sched.Done, posts: 1},
		"another life of the name":    {answer: always(conflict), uid: "next", want: sched.Missing, posts: 1},
		"lost after it was done":      {answer: always(context.DeadlineExceeded), node: "n", want: sched.Done, posts: 1},
		"lost before it was done":     {answer: first(2, context.DeadlineExceeded), want: sched.Done, posts: 3},
		"too many requests, then taken": {answer: first(3, apierrors.NewTooManyRequests("later", 0)),
			want: sched.Done, posts: 4},
		"an internal error, then taken": {answer: first(1, apierrors.NewInternalError(errors.New("etcd"))),
			want: sched.Done, posts: 2},
		"the pod is too large for the store": {answer: always(&apierrors.StatusError{ErrStatus: metav1.Status{Code: 500,
			Status: metav1.StatusFailure, Message: "etcdserver: request is too large"}}), want: sched.Failed, posts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				s.answer, s.node = c.answer, c.node
				if c.uid != "" {
					s.uid = c.uid
				}
				got, _ := s.receipt(t, bindP)
				if got.Outcome != c.want || s.posts.Load() != c.posts {
					t.Errorf("outcome %d after %d posts, want %d after %d", got.Outcome, s.posts.Load(), c.want, c.posts)
				}
			})
		})
	}
}

// A binding that was taken without a word, could not be read back and was then refused is done: its
// node holds the pod, whatever the last answer was.
func TestARefusalAfterAnAnswerThatWasLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.node = bindP.Node
		s.answer = func(nth int) error {
			if nth == 1 {
				return context.DeadlineExceeded
			}
			return apierrors.NewForbidden(podsResource, "p", errors.New("no more"))
		}
		reads := 0
		s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
			if reads++; reads < 3 {
				return true, nil, apierrors.NewInternalError(errors.New("etcd"))
			}
			return false, nil, nil
		})
		if got, _ := s.receipt(t, bindP); got.Outcome != sched.Done {
			t.Errorf("outcome %d, want Done", got.Outcome)
		}
	})
}

// A bound pod is two writes, its binding and the event that says where it went, or one.
func TestABindingSaysWhereItWentUnlessItIsToBeQuiet(t *testing.T) {
	for name, c := range map[string]struct {
		quiet bool
		want  int
	}{"by default": {false, 1}, "with --quiet-binds": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				s.quiet = c.quiet
				s.receipt(t, bindP)
				events, err := s.kube.CoreV1().Events("ns").List(t.Context(), metav1.ListOptions{})
				if err != nil || len(events.Items) != c.want || s.posts.Load() != 1 {
					t.Errorf("%d bindings and %d events (%v), want 1 and %d", s.posts.Load(), len(events.Items), err, c.want)
				}
			})
		})
	}
}

func TestPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.answer = func(int) error { return apierrors.NewServiceUnavailable("down") }
		got, took := s.receipt(t, bindP)
		if got.Outcome != sched.Failed || took < 40*time.Second || took > 45*time.Second {
			t.Errorf("outcome %d after %v, want Failed after some 30 s and the ten in which the last try may be done",
				got.Outcome, took)
		}
	})
}

// What cannot be done is not asked for without a pause: a pod that is bound elsewhere, and one
// that a scheduler without the right to bind may not have.
func TestFailuresInARowPutTheReceiptOff(t *testing.T) {
	for name, answer := range map[string]error{
		"bound elsewhere": apierrors.NewConflict(podsResource, "p", errors.New("already assigned")),
		"without a token": apierrors.NewUnauthorized("no"),
		"without the right": apierrors.NewForbidden(podsResource, "p",
			errors.New(`User "u" cannot create resource "pods/binding" in API group "" in the namespace "ns"`)),
	} {
		t.Run(name, func(t *testing.T) { putOff(t, answer) })
	}
}

func putOff(t *testing.T, answer error) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.node, s.answer = "other", func(int) error { return answer }
		c := s.carrier(t.Context())
		var last time.Duration
		for range 8 {
			began := time.Now()
			c.Execute([]sched.Item{bindP})
			<-c.Wake()
			if r := c.Receipts(); r[0].Refused != "" {
				t.Errorf("the receipt says that the pod was refused: %s", r[0].Refused)
			}
			took := time.Since(began)
			if took < last {
				t.Errorf("a receipt after %v follows one after %v, want no less", took, last)
			}
			last = took
		}
		if last < 5*time.Second || last > 11*time.Second {
			t.Errorf("the eighth failure in a row is answered after %v, want between 5 and 11 s", last)
		}
	})
}

func TestWithoutTheLeaseNothingIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.leading.Store(false)
		got, _ := s.receipt(t, bindP)
		if got.Outcome != sched.Failed || len(s.kube.Actions()) != 0 {
			t.Errorf("outcome %d and %v sent, want Failed and nothing", got.Outcome, s.kube.Actions())
		}
	})
}

// A PodGroup's phases, counts and conditions that come together are written together,
// the newest of each; Inqueue does not wait.
func TestAPodGroupsStatusIsGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g",
			ResourceVersion: "1"}}
		if _, err := s.volcano.SchedulingV1beta1().PodGroups("ns").Create(t.Context(), g,
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		c := s.carrier(t.Context())
		group := ledger.Key{Namespace: "ns", Name: "g"}
		phase := func(id uint64, p model.GroupPhase) sched.Item {
			return sched.Item{ID: id, Kind: sched.SetPhase, Group: group, UID: "g", Phase: p}
		}
		c.Execute([]sched.Item{phase(1, model.GroupPending), phase(2, model.GroupRunning)})
		c.PodGroupStatus(group, "g", execute.GroupStatus{Counts: execute.Counts{Running: 2}})
		c.PodGroupStatus(group, "g", execute.GroupStatus{Counts: execute.Counts{Running: 3},
			Conditions: []schedulingv1beta1.PodGroupCondition{{Type: "Scheduled", Status: "True"}}})
		<-time.After(time.Second)
		c.Wait(t.Context())
		patches := 0
		for _, a := range s.volcano.Actions() {
			if a.GetVerb() == "patch" {
				patches++
			}
		}
		now, err := s.volcano.SchedulingV1beta1().PodGroups("ns").Get(t.Context(), "g", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if patches != 1 || now.Status.Phase != "Running" || now.Status.Running != 3 || len(now.Status.Conditions) != 1 {
			t.Errorf("%d patches gave %+v, want one, Running with three and a condition", patches, now.Status)
		}
		if n := len(c.Receipts()); n != 2 {
			t.Errorf("%d receipts for two phases, want 2", n)
		}
	})
}

// However many PodGroups are to be told something, and however long the server takes over
// it, a binding does not wait for them.
func TestABindingWaitsForNoStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		block := make(chan struct{})
		c := execute.New(t.Context(), execute.Options{
			Clients: execute.Clients{Fast: []kubernetes.Interface{s.kube}, Slow: s.kube, Events: s.kube, Groups: s.volcano,
				Figures: s.volcano},
			PodGroup: func(string, string) *schedulingv1beta1.PodGroup { // asked as each is sent
				<-block
				return nil
			}})
		for i := range 500 {
			c.PodGroupStatus(ledger.Key{Namespace: "ns", Name: fmt.Sprint("g", i)}, "g", execute.GroupStatus{})
		}
		<-time.After(time.Second)
		c.Execute([]sched.Item{bindP})
		<-c.Wake()
		if got := c.Receipts(); len(got) != 1 || got[0].Outcome != sched.Done || s.posts.Load() != 1 {
			t.Errorf("with 500 statuses under way the receipts are %+v after %d posts, want that the pod is bound",
				got, s.posts.Load())
		}
		close(block)
		c.Wait(t.Context())
	})
}

// The clients that say words have a bound on their rate, those of bindings have none.
func TestWordsHaveABoundOnTheirRate(t *testing.T) {
	c, err := execute.NewClients(&rest.Config{Host: "https://example", QPS: 7}, func() bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	rate := func(client rest.Interface) float32 {
		if l := client.GetRateLimiter(); l != nil {
			return l.QPS()
		}
		return 0
	}
	for name, got := range map[string][2]float32{
		"pods' conditions": {rate(c.Slow.CoreV1().RESTClient()), 50},
		"events":           {rate(c.Events.CoreV1().RESTClient()), 100},
		"queues' figures":  {rate(c.Figures.SchedulingV1beta1().RESTClient()), 50},
		"bindings":         {rate(c.Fast[0].CoreV1().RESTClient()), 0},
		"PodGroups":        {rate(c.Groups.SchedulingV1beta1().RESTClient()), 0},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %v requests a second, want %v (0: no bound)", name, got[0], got[1])
		}
	}
}

// What is gathered for a PodGroup is answered though another one has its name before it was sent.
func TestAPhaseOfAPodGroupThatWasMadeAnewIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "second",
			ResourceVersion: "2"}}
		if _, err := s.volcano.SchedulingV1beta1().PodGroups("ns").Create(t.Context(), g,
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		c := s.carrier(t.Context())
		for i, uid := range []string{"first", "second"} {
			c.Execute([]sched.Item{{ID: uint64(i + 1), Kind: sched.SetPhase, Group: ledger.Key{Namespace: "ns", Name: "g"},
				UID: uid, Phase: model.GroupRunning}})
		}
		<-time.After(5 * time.Second)
		c.Wait(t.Context())
		outcomes := map[uint64]sched.Outcome{}
		for _, r := range c.Receipts() {
			outcomes[r.Item.ID] = r.Outcome
		}
		if want := (map[uint64]sched.Outcome{1: sched.Missing, 2: sched.Done}); !maps.Equal(outcomes, want) {
			t.Errorf("the outcomes by item are %v, want %v", outcomes, want)
		}
	})
}

// Of words that wait only as much is held as will be said.
func TestLongWordsThatWaitAreHeldAsTheyWillBeSaid(t *testing.T) {
	s := newServer()
	block := make(chan struct{})
	s.kube.PrependReactor("create", "events", func(k8stesting.Action) (bool, runtime.Object, error) {
		<-block
		return false, nil, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	c := s.carrier(ctx)
	before := heap.InUse()
	for i := range 300 {
		c.Event(execute.Event{Kind: "Pod", Object: ledger.Key{Namespace: "ns", Name: "p"}, Reason: "Problem",
			Message: fmt.Sprint(i) + strings.Repeat("x", 1<<18)})
	}
	if more := heap.InUse() - before; more > 8<<20 {
		t.Errorf("300 words that wait hold %d KiB", more>>10)
	}
	cancel()
	close(block)
	c.WaitForStatuses(t.Context())
}

// Words beyond what may wait are dropped and counted; nothing waits for them.
func TestTooManyWordsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		block := make(chan struct{})
		s.kube.PrependReactor("create", "events", func(k8stesting.Action) (bool, runtime.Object, error) {
			<-block
			return false, nil, nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		c := s.carrier(ctx)
		for i := range 10_000 {
			c.Event(execute.Event{Kind: "Pod", Object: ledger.Key{Namespace: "ns", Name: fmt.Sprint(i)}, Reason: "Scheduled"})
		}
		if n := c.Dropped(); n < 1000 || n > 2000 {
			t.Errorf("%d of 10000 words were dropped, want those beyond some 8200", n)
		}
		cancel() // the rest need not be said
		close(block)
		c.WaitForStatuses(t.Context())
	})
}
