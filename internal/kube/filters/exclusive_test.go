package filters

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// alone is a claim for one pod alone, which has its volume everywhere.
func alone(name string) []metav1.Object {
	c, v := claim(name, "shared"), localVolume("of-"+name, "shared", "", "1Gi")
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	c.Spec.VolumeName = v.Name
	c.Status.Phase = corev1.ClaimBound
	c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	v.Spec.AccessModes, v.Spec.NodeAffinity = c.Spec.AccessModes, nil
	v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: name, UID: c.UID}
	v.Status.Phase = corev1.VolumeBound
	return []metav1.Object{c, v}
}

// on says where a pod runs.
func on(node string, p *corev1.Pod) *corev1.Pod {
	p.Spec.NodeName, p.Status.Phase, p.ResourceVersion = node, corev1.PodRunning, "2"
	return p
}

// only lets a pod go to one node.
func only(node string, p *corev1.Pod) *corev1.Pod {
	p.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node}
	return p
}

func TestAClaimForOnePodHasOne(t *testing.T) {
	w := newWorld(t, append(alone("data"), node("n1"), node("n2"), class("shared", ""),
		pod("p", "data"), only("n2", pod("q", "data")), pod("r"))...)
	binds := w.decide()
	if binds != "p on n1, r on n2" && binds != "p on n2, r on n1" && binds != "p on n1, r on n1" &&
		binds != "p on n2, r on n2" {
		t.Fatalf("bound %q, want one of the two that share the claim", binds)
	}
	w.tell(on("n1", pod("p", "data")))
	if binds := w.decide(); binds != "" {
		t.Errorf("while the first runs: bound %q", binds)
	}
	w.e.Apply(gone(t, on("n1", pod("p", "data"))))
	if binds := w.decide(); binds != "q on n2" {
		t.Errorf("when the first is gone, from a node where the second may not go: %q", binds)
	}
}

func TestAClaimForOnePodIsUsedByPodsOfOthers(t *testing.T) {
	foreign := on("n1", pod("theirs", "data"))
	foreign.Spec.SchedulerName = "default-scheduler"
	w := newWorld(t, append(alone("data"), node("n1"), class("shared", ""), foreign, pod("p", "data"))...)
	if binds := w.decide(); binds != "" {
		t.Errorf("bound %q beside another scheduler's pod", binds)
	}
	if code, text := w.why("p"); code != "VolumeInUse" || text != "data" {
		t.Errorf("the pod waits because %s %q, want VolumeInUse data", code, text)
	}
	w.e.Apply(gone(t, foreign))
	if binds := w.decide(); binds != "p on n1" {
		t.Errorf("without it: %q", binds)
	}
}

func TestAGangThatSharesAClaimForOnePodWaitsWhole(t *testing.T) {
	w := newWorld(t, append(alone("data"), node("n1"), class("shared", ""), gangOf("g", 2),
		member("g", pod("g-0", "data")), member("g", pod("g-1", "data")))...)
	before := w.v.dump()
	w.equal(before, w.decide(), "")
	if code, _ := w.why("g"); code != "VolumeInUse" {
		t.Errorf("the gang waits because %q", code)
	}
	w.tell(pod("p", "data"))
	if binds := w.decide(); binds != "p on n1" {
		t.Errorf("the claim that the gang cannot use: %q", binds)
	}
}

func TestAClaimForSeveralIsSharedAsEver(t *testing.T) {
	objects := alone("data")
	objects[0].(*corev1.PersistentVolumeClaim).Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	w := newWorld(t, append(objects, node("n1"), class("shared", ""), pod("p", "data"), pod("q", "data"))...)
	if binds := w.decide(); binds != "p on n1, q on n1" {
		t.Errorf("bound %q", binds)
	}
}

// A pod that is more important takes the claim from one that runs, where eviction is
// configured: on the node of that one.
func TestAClaimForOnePodMayBeTakenByPreemption(t *testing.T) {
	profile := policy.Profile{Actions: []string{"enqueue", "allocate", "preempt"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}}, {{Plugin: "predicates"}}}}
	e, err := sched.New(profile, sched.WithPlugin(Predicates()))
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue},
		Object: &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1}})
	urgent, high := pod("urgent", "data"), int32(100)
	urgent.Spec.Priority = &high
	for _, o := range append(alone("data"), node("n1"), node("n2"), class("shared", ""), on("n1", pod("p", "data")),
		urgent) {
		e.Apply(fact(t, o))
	}
	plan, _, _ := e.Decide(1)
	var evicted []string
	for _, i := range plan.Items {
		if i.Kind == sched.EvictPod {
			evicted = append(evicted, i.Pod.Name)
		}
	}
	if len(evicted) != 1 || evicted[0] != "p" {
		t.Errorf("evicted %v, want p, which uses the claim", evicted)
	}
}

func TestAuditFindsUsersThatWereMiscounted(t *testing.T) {
	d := newDesk(t, node("n1"), pod("p", "a"))
	d.v.users["ns/a"] = [ledger.NumHolds]int32{1}
	if found := d.l.Audit(); len(found) == 0 {
		t.Error("the audit finds nothing")
	}
}
