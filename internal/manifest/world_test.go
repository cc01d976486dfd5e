package manifest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
)

// everyKind is a List as kubectl prints it, with one object of each kind.
const everyKind = `apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    annotations:
      node.alpha.kubernetes.io/ttl: "0"
    creationTimestamp: "2025-11-20T10:00:00Z"
    labels:
      kubernetes.io/hostname: n1
    name: n1
    resourceVersion: "4711"
    uid: 6b1f
  spec: {}
  status:
    allocatable: {cpu: "8", memory: 32Gi, pods: "110"}
    capacity: {cpu: "8", memory: 32Gi, pods: "110"}
- apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      scheduling.k8s.io/group-name: train
    creationTimestamp: "2025-11-20T10:00:01Z"
    name: train-0
    namespace: team
    resourceVersion: "4712"
  spec:
    containers:
    - image: busybox
      name: main
      resources:
        requests: {cpu: "2"}
    nodeName: n1
    schedulerName: volcano
  status:
    phase: Running
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: pdb, namespace: team}, spec: {minAvailable: 1}}
- {apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}}
- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: pvc, namespace: team}}
- {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: sc}, provisioner: x.io/y}
- {apiVersion: v1, kind: Namespace, metadata: {name: team}}
- {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {capability: {cpu: 4}}}
- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: train, namespace: team},
   spec: {minMember: 1, queue: q}}
- {apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: rack}, spec: {tier: 1}}
- {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: vj},
   spec: {tasks: [{name: w, replicas: 1, template: {spec: {}}}]}}
- {apiVersion: batch/v1, kind: Job, metadata: {name: bj}, spec: {template: {spec: {}}}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: dep}, spec: {template: {spec: {}}}}
- {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: sts}, spec: {template: {spec: {}}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs}, spec: {template: {spec: {}}}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}
- {apiVersion: v1, kind: Service, metadata: {name: svc}, spec: {selector: {b: x, a: z}}}
- {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}
kind: List
metadata:
  resourceVersion: ""
`

func TestEveryKindAsKubectlPrintsIt(t *testing.T) {
	w := expanded(t, everyKind)
	want := "HyperNode/rack Namespace/team Node/n1 PersistentVolume/pv PersistentVolumeClaim/team/pvc" +
		" Pod/default/bj-0 Pod/default/dep-0 Pod/default/rs-0 Pod/default/sts-0 Pod/default/vj-w-0 Pod/team/train-0" +
		" PodDisruptionBudget/team/pdb PodGroup/default/vj PodGroup/team/train PriorityClass/high Queue/q " +
		"Service/default/svc StorageClass/sc"
	if got := refs(w); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if want := map[string]int{"ConfigMap": 1, "Widget": 1}; !reflect.DeepEqual(w.Skipped, want) {
		t.Errorf("skipped %v", w.Skipped)
	}
	if len(w.Problems) != 0 {
		t.Errorf("%v", w.Problems)
	}
	n := item(t, w, "Node/n1")
	if node := n.Fact.Object.(*model.Node); n.Where.Line != 3 || n.Fact.Version != 0 || n.Fact.UID != "6b1f" ||
		node.Created != 1763632800e9 {
		t.Errorf("%v %+v", n.Where, n.Fact)
	}
	q := item(t, w, "Queue/q").Fact.Object.(*model.Queue)
	if q.Weight != 1 || len(q.Faults) != 0 {
		t.Errorf("a queue that gives no weight has weight %d, faults %v", q.Weight, q.Faults)
	}
	pdb := item(t, w, "PodDisruptionBudget/team/pdb").Fact.Object.(*model.Budget)
	if pdb.MinAvailable == nil || pdb.MinAvailable.Value != 1 {
		t.Errorf("%+v", pdb)
	}
	svc := item(t, w, "Service/default/svc").Fact.Object.(*model.Service)
	if want := []model.Label{{Key: "a", Value: "z"}, {Key: "b", Value: "x"}}; !reflect.DeepEqual(svc.Selector, want) {
		t.Errorf("%+v", svc)
	}
	p := item(t, w, "Pod/team/train-0")
	if pod := p.Fact.Object.(*model.Pod); !p.Owned || pod.Phase != model.PodRunning || pod.Group != "train" || !pod.Ours {
		t.Errorf("%+v", pod)
	}
}

// item finds an item by its reference.
func item(t *testing.T, w *World, ref string) Item {
	t.Helper()
	for _, it := range w.Items {
		if it.Fact.Ref.String() == ref {
			return it
		}
	}
	t.Fatalf("no %s among %s", ref, refs(w))
	return Item{}
}

func TestTypedListsNeedNotRepeatTheirKind(t *testing.T) {
	w := expanded(t, `{"apiVersion": "v1", "kind": "NodeList", "items": [{"metadata": {"name": "a"}},`+"\n"+
		`{"metadata": {"name": "b"}}]} {"apiVersion": "v1", "kind": "SecretList", "items": [{}, {}]}`+
		`{"apiVersion": "v1", "kind": "List", "items": null}`)
	if got := refs(w); got != "Node/a Node/b" || w.Items[1].Where.Line != 2 || w.Skipped["Secret"] != 2 {
		t.Errorf("%s, line %d, skipped %v", got, w.Items[1].Where.Line, w.Skipped)
	}
}

func TestTheLastOfTwoOfOneNameHolds(t *testing.T) {
	w := expanded(t, "apiVersion: v1\nkind: Node\nmetadata: {name: a, uid: one}\n---\napiVersion: v1\nkind: Node\n"+
		"metadata: {name: a, uid: two}\n")
	want := []told{{"Node/a", "is given twice: -:5 replaces -:1"}}
	if len(w.Items) != 1 || w.Items[0].Fact.UID != "two" || !reflect.DeepEqual(toldOf(w), want) {
		t.Errorf("%v %v", w.Items, w.Problems)
	}
}

func TestUnknownFieldsAreProblemsOnceAKind(t *testing.T) {
	w := expanded(t, pod("a", "  futureField: 1\n")+"---\n"+pod("b", "  futureField: 2\n")+"---\n"+
		"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nSpec: {}\n")
	want := []told{
		{"Node/n1", `unknown field "Spec" is ignored`},
		{"Pod/default/a", `unknown field "spec.futureField" is ignored, here and in 1 more Pods`},
	}
	if !reflect.DeepEqual(toldOf(w), want) {
		t.Errorf("%v", w.Problems)
	}
}

func TestAPodWithANodeAndNoPhaseIsRunning(t *testing.T) {
	w := expanded(t, pod("a", "  nodeName: n1\n")+"---\n"+pod("b", "  nodeName: n1\nstatus: {phase: Pending}\n")+"---\n"+
		pod("c", "  {}\nstatus: {nominatedNodeName: n2}\n")+"---\n"+pod("d", "  nodeName: n1\nstatus: {phase: Failed}\n"))
	for ref, want := range map[string]model.Phase{"a": model.PodRunning, "b": model.PodPending, "c": model.PodPending,
		"d": model.PodFailed} {
		if got := item(t, w, "Pod/default/"+ref).Fact.Object.(*model.Pod).Phase; got != want {
			t.Errorf("%s: phase %d, want %d", ref, got, want)
		}
	}
	if p := item(t, w, "Pod/default/c").Fact.Object.(*model.Pod); p.Nominated != "n2" {
		t.Errorf("nominated %q", p.Nominated)
	}
}

func TestTimes(t *testing.T) {
	annotated := func(kind, name, annotations, rest string) string {
		return fmt.Sprintf("apiVersion: %s\nmetadata: {name: %s, annotations: {%s}}\n%s\n---\n", kind, name, annotations,
			rest)
	}
	const podKind, groupKind, deployment = "v1\nkind: Pod", "scheduling.volcano.sh/v1beta1\nkind: PodGroup",
		"apps/v1\nkind: Deployment"
	inGroup := "scheduling.k8s.io/group-name: g"
	w := expanded(t, annotated(groupKind, "g", "ashlar.sh/submit-at: 10s, ashlar.sh/duration: 1s", "")+
		annotated(podKind, "follows", inGroup, "")+
		annotated(podKind, "own", inGroup+", ashlar.sh/submit-at: 5s, ashlar.sh/duration: 1h30m", "")+
		annotated(podKind, "bad", "ashlar.sh/submit-at: soon, ashlar.sh/duration: -1s", "")+
		annotated(podKind, "never", "ashlar.sh/duration: 0s", "")+
		annotated(deployment, "web", "ashlar.sh/submit-at: 20s, ashlar.sh/duration: 1s",
			"spec: {template: {metadata: {annotations: {ashlar.sh/duration: 3s}}}}")+
		annotated(deployment, "late", "", "spec: {template: {metadata: {annotations: {ashlar.sh/submit-at: 7s}}}}")+
		annotated("batch.volcano.sh/v1alpha1\nkind: Job", "vj", "ashlar.sh/submit-at: 30s",
			"spec: {tasks: [{name: w, replicas: 1}]}"))
	type at struct {
		submit, duration time.Duration
		lasts            bool
	}
	for ref, want := range map[string]at{
		"PodGroup/default/g":  {submit: 10 * time.Second},
		"Pod/default/follows": {submit: 10 * time.Second, duration: time.Second, lasts: true},
		"Pod/default/own":     {submit: 5 * time.Second, duration: 90 * time.Minute, lasts: true},
		"Pod/default/bad":     {},
		"Pod/default/never":   {lasts: true},
		"Pod/default/web-0":   {submit: 20 * time.Second, duration: 3 * time.Second, lasts: true},
		"Pod/default/late-0":  {submit: 7 * time.Second},
		"PodGroup/default/vj": {submit: 30 * time.Second},
		"Pod/default/vj-w-0":  {submit: 30 * time.Second},
	} {
		it := item(t, w, ref)
		if got := (at{it.SubmitAt, it.Duration, it.HasDuration}); got != want {
			t.Errorf("%s: %v, want %v", ref, got, want)
		}
	}
	const ignored = "metadata.annotations[ashlar.sh/duration] belongs on a pod, a pod template or a PodGroup: ignored here"
	want := []told{
		{"Deployment/default/web", ignored},
		{"Pod/default/bad", `metadata.annotations[ashlar.sh/duration]: "-1s" is negative: the pod runs for ever`},
		{"Pod/default/bad",
			`metadata.annotations[ashlar.sh/submit-at]: "soon" is not a duration such as 90s or 1h30m: 0s is taken`},
	}
	if !reflect.DeepEqual(toldOf(w), want) {
		t.Errorf("%v", w.Problems)
	}
}

func TestTheSchedulersConfigurationIsFound(t *testing.T) {
	config := func(name, data string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: volcano-system}\ndata:\n" + data +
			"---\n"
	}
	block := config("block", "  volcano-scheduler.conf: |\n    actions: allocate\n    tiers: []\n")
	w := expanded(t, block)
	c, err := w.Config()
	want := ConfigText{Where: Position{"-", 1}, Name: "volcano-system/block", Text: "actions: allocate\ntiers: []\n",
		Line: 6, Literal: true}
	if err != nil || c == nil || *c != want {
		t.Errorf("%+v, %v", c, err)
	}
	w = expanded(t, config("quoted", "  volcano-scheduler.conf: \"actions: allocate\"\n"))
	if c, err := w.Config(); err != nil || c.Line != 5 || c.Literal || c.Text != "actions: allocate" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := expanded(t, node("n1")).Config(); c != nil || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = expanded(t, block+config("second", "  volcano-scheduler.conf: x\n")).Config()
	if want := "-:9: ConfigMap volcano-system/second has a volcano-scheduler.conf, and so has volcano-system/block in " +
		"-:1; give one of them, or the flag --scheduler-conf"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// The order of documents never changes a world.
func TestShuffledDocumentsGiveTheSameWorld(t *testing.T) {
	docs := strings.Split(everyKind, "\n- ")
	head, items := docs[0], docs[1:]
	items[len(items)-1], _, _ = strings.Cut(items[len(items)-1], "\nkind: List")
	world := func(items []string) []Item {
		w := expanded(t, head+"\n- "+strings.Join(items, "\n- ")+"\nkind: List\n")
		for i := range w.Items {
			w.Items[i].Where = Position{}
		}
		return w.Items
	}
	want := world(items)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if got := world(items); !reflect.DeepEqual(got, want) {
			rt.Fatalf("got %v\nwant %v", got, want)
		}
	})
}

// told is a problem without its place.
type told struct{ object, message string }

func toldOf(w *World) (out []told) {
	for _, p := range w.Problems {
		out = append(out, told{p.Object, p.Message})
	}
	return out
}
