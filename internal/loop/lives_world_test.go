package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corescheme "k8s.io/client-go/kubernetes/scheme"
	metadatafake "k8s.io/client-go/metadata/fake"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"
	volcanoscheme "volcano.sh/apis/pkg/client/clientset/versioned/scheme"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/kube/stranded"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// tracker keeps objects as an API server does: every write gives a version of its own, and
// one that was made from an older version is refused.
type tracker struct {
	k8stesting.ObjectTracker
	mu sync.Mutex
	n  int
}

func newTracker(s *runtime.Scheme) *tracker {
	return &tracker{ObjectTracker: k8stesting.NewObjectTracker(s, serializer.NewCodecFactory(s).UniversalDecoder())}
}

func (k *tracker) next(o runtime.Object) runtime.Object {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n++
	m, err := meta.Accessor(o)
	if err != nil {
		panic(err)
	}
	m.SetResourceVersion(strconv.Itoa(k.n))
	return o
}

func (k *tracker) Create(gvr schema.GroupVersionResource, o runtime.Object, ns string,
	opts ...metav1.CreateOptions) error {
	return k.ObjectTracker.Create(gvr, k.next(o), ns, opts...)
}

func (k *tracker) Update(gvr schema.GroupVersionResource, o runtime.Object, ns string,
	opts ...metav1.UpdateOptions) error {
	return k.ObjectTracker.Update(gvr, k.next(o), ns, opts...)
}

func (k *tracker) Patch(gvr schema.GroupVersionResource, o runtime.Object, ns string,
	opts ...metav1.PatchOptions) error {
	return k.ObjectTracker.Patch(gvr, k.next(o), ns, opts...)
}

// serve has a client's requests answered from the tracker.
func (k *tracker) serve(f *k8stesting.Fake) {
	answer := k8stesting.ObjectReaction(k)
	f.PrependReactor("*", "*", answer)
	f.PrependReactor("patch", "*", func(a k8stesting.Action) (bool, runtime.Object, error) {
		var p struct{ Metadata metav1.ObjectMeta }
		patch := a.(k8stesting.PatchAction)
		if err := json.Unmarshal(patch.GetPatch(), &p); err != nil {
			return true, nil, err
		}
		o, err := k.Get(a.GetResource(), a.GetNamespace(), patch.GetName())
		if err != nil {
			return true, nil, err
		}
		m, err := meta.Accessor(o)
		if err != nil {
			return true, nil, err
		}
		if p.Metadata.UID != m.GetUID() || p.Metadata.ResourceVersion != "" &&
			p.Metadata.ResourceVersion != m.GetResourceVersion() {
			return true, nil, apierrors.NewConflict(a.GetResource().GroupResource(), patch.GetName(), nil)
		}
		return false, nil, nil
	})
	f.PrependWatchReactor("*", func(a k8stesting.Action) (bool, watch.Interface, error) {
		w, err := k.Watch(a.GetResource(), a.GetNamespace(), a.(k8stesting.WatchActionImpl).ListOptions)
		return true, w, err
	})
}

// The kinds that a test makes.
var (
	podsKind   = corev1.SchemeGroupVersion.WithResource("pods")
	nodesKind  = corev1.SchemeGroupVersion.WithResource("nodes")
	groupsKind = schedulingv1beta1.SchemeGroupVersion.WithResource("podgroups")
	queuesKind = schedulingv1beta1.SchemeGroupVersion.WithResource("queues")
)

// living is a cluster in virtual time, with a scheduler and a count of its writes, and
// kubelets that run what is bound.
type living struct {
	*testing.T
	core, groups *tracker
	kube         *fake.Clientset
	volcano      *volcano.Clientset
	owners       *metadatafake.FakeMetadataClient
	kubelets     time.Duration // how long they take to run a pod
	refused      atomic.Value  // the pods that the API server refuses to bind
	adopts       bool          // pods without a PodGroup are the scheduler's
	reads        []model.Kind  // beside those that every test reads
	again        []string      // pods that were to be bound once more
	options      Options
	token        string                        // the file with the scheduler's own token
	spoil        func(*loop, *execute.Options) // changes what a scheduler is made of; nil: nothing
	loop         *loop
	order        atomic.Int64 // what a test reads of the engine comes before the cycles that follow
	mayLose      bool         // the Lease: that is no failure
	end          func()
}

// inVirtualTime has a test live in a cluster with nodes of eight cores.
func inVirtualTime(t *testing.T, nodes int, do func(w *living)) {
	t.Helper()
	inVirtualTimeWith(t, nodes, func(*living) {}, do)
}

// inVirtualTimeWith is inVirtualTime with something changed before the scheduler starts.
func inVirtualTimeWith(t *testing.T, nodes int, prepare, do func(w *living)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &living{T: t, kubelets: 3 * time.Second, core: newTracker(corescheme.Scheme),
			groups: newTracker(volcanoscheme.Scheme),
			kube:   fake.NewClientset(), volcano: volcano.NewSimpleClientset(), owners: owners(t),
			options: Options{Stranded: time.Minute, DumpDir: t.TempDir()}}
		if len(t.Name())%2 == 0 {
			w.options.Recording.Memory = 24 << 10 // the oldest is dropped
		}
		w.core.serve(&w.kube.Fake)
		w.groups.serve(&w.volcano.Fake)
		w.kube.PrependReactor("create", "pods", w.bind)
		w.kube.Resources = []*metav1.APIResourceList{{GroupVersion: "policy/v1",
			APIResources: []metav1.APIResource{{Name: "poddisruptionbudgets"}}}}
		for i := range nodes {
			w.node(fmt.Sprint("n", i), "8")
		}
		for _, name := range []string{"root", "default"} {
			w.must(w.groups.Create(queuesKind, &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: name,
				UID: types.UID(name)},
				Spec: schedulingv1beta1.QueueSpec{Weight: 1}}, ""))
		}
		w.refuse("")
		prepare(w)
		w.schedule()
		defer func() { w.end() }()
		do(w)
	})
}

// owners serves the metadata of objects of any kind.
func owners(t *testing.T) *metadatafake.FakeMetadataClient {
	scheme := metadatafake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return metadatafake.NewSimpleMetadataClient(scheme)
}

// schedule starts a scheduler; end ends it.
func (w *living) schedule() {
	work, end := context.WithCancel(w.Context())
	ctx, cancel := context.WithCancel(work)
	var l *loop
	seen, err := observe.New(observe.Options{Kube: w.kube, Volcano: w.volcano, Adopt: w.adopts,
		Reads: func(k model.Kind) bool {
			return k == model.KindBudget || slices.Contains(w.reads, k) || l.reads.has(k)
		}, Translate: translate.Options{Schedulers: []string{"volcano"}, DefaultQueue: "default"}})
	w.must(err)
	w.options.Simulated.BeforeCycle = func() { w.order.Add(1) }
	o := w.options.withDefaults()
	conf, err := newConfiguration(o)
	w.must(err)
	lead, err := elect(work, o, w.kube, func() map[string]string { return nil })
	w.must(err)
	l = (&loop{o: o, conf: conf, observer: seen, rivals: rivalSchedulers{kube: w.kube, token: w.token},
		volcano: w.volcano,
		lead:    lead, metrics: newMetrics(), reported: newReported(),
		refusals: refusedBindings{memory: newRefusalMemory()}, health: &health{},
		began: time.Now(), background: background{auditAt: time.Now()}}).wire()
	w.must(l.input.recorder.start())
	conf.watch = &stopwatch{m: l.metrics}
	carrying := execute.Options{Urgent: l.urgent, PodGroup: seen.PodGroup, Answered: l.metrics.answered,
		Panicked: l.panicked, Storage: seen,
		Clients: execute.Clients{Fast: []kubernetes.Interface{trying{w.kube}}, Slow: w.kube, Events: w.kube,
			Groups: w.volcano, Figures: w.volcano}}
	if w.spoil != nil {
		w.spoil(l, &carrying)
	}
	l.engine, err = conf.engine(o)
	w.must(err)
	requests, cut := context.WithCancel(work)
	l.cut = cut
	l.executor = execute.New(requests, carrying)
	l.stranded.reader = &stranded.Reader{Kube: w.kube, Volcano: w.volcano, Metadata: w.owners}
	w.loop = l
	seen.Start(work)
	ended := make(chan error)
	go func() { ended <- l.cycles(ctx) }()
	w.end = func() {
		cancel()
		err := <-ended
		if !w.mayLose || !errors.Is(err, errLost) {
			w.must(err)
		}
		l.stop(err)
		l.input.recorder.stop()
		if w.spoil == nil { // else its engine may panic by chance
			decidesAgain(w.T, l)
		}
		end()
		seen.Shutdown()
	}
	w.after(time.Second)
}

func (w *living) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// after lets time pass, and what happens at its end be done. The race detector does not know that simulated time stands
// still while a test reads the engine: order says so.
func (w *living) after(d time.Duration) {
	w.order.Add(1)
	<-time.After(d)
	synctest.Wait()
}

func (w *living) node(name, cpu string) {
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu),
		corev1.ResourcePods: resource.MustParse("110")}
	w.must(w.core.Create(nodesKind, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room}}, ""))
}

// group makes a PodGroup; owner is the API version of its owner, "" without.
func (w *living) group(name string, members int, owner string) {
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)},
		Spec: schedulingv1beta1.PodGroupSpec{MinMember: int32(members), Queue: "default"}}
	if owner != "" {
		g.OwnerReferences = []metav1.OwnerReference{{APIVersion: owner, Kind: "Owner", Name: name, UID: "owner"}}
	}
	w.must(w.groups.Create(groupsKind, g, "ns"))
}

// pods makes members of a group, numbered from first, of so many cores.
func (w *living) pods(group string, first, n int, cpu string) {
	for i := range n {
		name := fmt.Sprintf("%s-%d", group, first+i)
		p := waiting(name)
		p.UID = types.UID(fmt.Sprint(name, time.Now().UnixNano()))
		p.Annotations = map[string]string{"scheduling.k8s.io/group-name": group}
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(cpu)
		w.must(w.core.Create(podsKind, p, "ns"))
	}
}

// refuse has the API server refuse to bind these pods from now on, and no others.
func (w *living) refuse(pods string) { w.refused.Store(pods) }

// answers has a server answer requests from now on as it is told to.
func (w *living) answers(server *k8stesting.Fake, verb, resource string, how k8stesting.ReactionFunc) {
	server.Lock()
	defer server.Unlock()
	server.PrependReactor(verb, resource, how)
}

// bind takes a binding as the API server does; the kubelet runs the pod after its time.
func (w *living) bind(a k8stesting.Action) (bool, runtime.Object, error) {
	b, ok := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding)
	if !ok {
		return false, nil, nil
	}
	if slices.Contains(strings.Fields(w.refused.Load().(string)), b.Name) {
		return true, nil, apierrors.NewForbidden(podsKind.GroupResource(), b.Name, nil)
	}
	if onlyTried(b) {
		return true, b, nil
	}
	taken := false
	w.change(b.Name, func(p *corev1.Pod) {
		if taken = p.Spec.NodeName != ""; taken {
			return
		}
		p.Spec.NodeName = b.Target.Name
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	})
	if taken {
		w.again = append(w.again, b.Name)
		return true, nil, apierrors.NewConflict(podsKind.GroupResource(), b.Name, nil)
	}
	time.AfterFunc(w.kubelets, func() {
		w.change(b.Name, func(p *corev1.Pod) {
			if p.UID == b.UID && p.Status.Phase == "" {
				p.Status.Phase = corev1.PodRunning
			}
		})
	})
	return true, b, nil
}

// change changes a pod, if it is there.
func (w *living) change(name string, how func(*corev1.Pod)) {
	o, err := w.core.Get(podsKind, "ns", name)
	if err != nil {
		return
	}
	p := o.(*corev1.Pod).DeepCopy()
	how(p)
	w.must(w.core.Update(podsKind, p, "ns"))
}

// ends has a pod end.
func (w *living) ends(name string, phase corev1.PodPhase) {
	w.change(name, func(p *corev1.Pod) { p.Status.Phase = phase })
}

func (w *living) delete(pods ...string) {
	for _, name := range pods {
		w.must(w.core.Delete(podsKind, "ns", name))
	}
}

// written is how often a scheduler has written a PodGroup, and a pod, events apart.
func (w *living) written(group, pod string) (toGroup, toPod int) {
	for _, a := range append(w.kube.Actions(), w.volcano.Actions()...) {
		name := ""
		switch a := a.(type) {
		case k8stesting.PatchAction:
			name = a.GetName()
		case k8stesting.CreateAction:
			if b, ok := a.GetObject().(*corev1.Binding); ok {
				name = b.Name
			}
		}
		switch {
		case a.GetResource() == groupsKind && name == group:
			toGroup++
		case a.GetResource() == podsKind && name == pod && !recordsCharge(a):
			toPod++
		}
	}
	return toGroup, toPod
}

// events is how many events of a reason there are about an object.
func (w *living) events(about, reason string) (n int) {
	all, err := w.kube.CoreV1().Events("ns").List(w.Context(), metav1.ListOptions{})
	w.must(err)
	for _, e := range all.Items {
		if e.InvolvedObject.Name == about && e.Reason == reason {
			n++
		}
	}
	return n
}

// status is what a PodGroup shows.
func (w *living) status(group string) schedulingv1beta1.PodGroupStatus {
	g, err := w.groups.Get(groupsKind, "ns", group)
	w.must(err)
	return g.(*schedulingv1beta1.PodGroup).Status
}

// members are the pods of a group.
func (w *living) members(group string) (pods []corev1.Pod) {
	o, err := w.core.List(podsKind, corev1.SchemeGroupVersion.WithKind("Pod"), "ns")
	w.must(err)
	for _, p := range o.(*corev1.PodList).Items {
		if p.Annotations["scheduling.k8s.io/group-name"] == group {
			pods = append(pods, p)
		}
	}
	return pods
}

func cores(n string) resource.Quantity { return resource.MustParse(n) }
