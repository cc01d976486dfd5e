package filters

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"

	"ashlar.sh/sched/model"
)

// inOrder has the default queue serve its jobs in order.
func (w *world) inOrder() {
	w.e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue}, Version: 1,
		Object: &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1, FIFO: true}})
}

// holder is a claim that has a volume.
func holder(name, pv string) *corev1.PersistentVolumeClaim {
	c := claim(name, "local")
	c.Spec.VolumeName = pv
	c.Annotations = map[string]string{volume.AnnBindCompleted: "yes"}
	return c
}

// has is a local volume that a claim has.
func has(name, node, claim string) *corev1.PersistentVolume {
	v := localVolume(name, "local", node, "1Gi")
	v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: claim, UID: types.UID("uid-" + claim)}
	return v
}

// immediate is a class of which volumes are made as soon as they are claimed.
func immediate() *storagev1.StorageClass {
	c := class("none", "csi.example.com")
	at := storagev1.VolumeBindingImmediate
	c.VolumeBindingMode = &at
	return c
}

// first is a pod that is larger than what is left of any node.
func first(claims ...string) *corev1.Pod {
	p := pod("first", claims...)
	p.CreationTimestamp = metav1.Unix(1, 0)
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("8")
	return p
}

// held says whether the first pod of a queue in order holds back the second, in a cluster that has some objects more.
type held struct {
	first   *corev1.Pod
	holds   bool
	objects []metav1.Object
}

func (c held) check(t *testing.T) {
	second := pod("second", "held")
	second.CreationTimestamp = metav1.Unix(2, 0)
	w := newWorld(t, disks()...)
	w.inOrder()
	for _, n := range []string{"n0", "n1", "n2"} { // each node has a pod already
		runs := pod("on-" + n)
		runs.Spec.NodeName, runs.Status.Phase = n, corev1.PodRunning
		w.tell(runs)
	}
	w.tell(holder("held", "v1"), holder("other", "v2"), has("v1", "n1", "held"), has("v2", "n2", "other"))
	w.tell(c.objects...)
	w.tell(c.first, second)
	want := "second on n1"
	if c.holds {
		want = ""
	}
	if binds := w.decide(); binds != want {
		code, text := w.why("second")
		t.Errorf("bound %q, want %q; the second waits because %s: %s", binds, want, code, text)
	}
}

// A job of a fifo queue holds others back for as long as it could start if there were room. Volumes are no room: those
// of others' claims stay theirs when pods end, and the others might never end, since they wait behind it.
func TestAJobThatLacksVolumesHoldsNoOtherBack(t *testing.T) {
	free, leaves := localVolume("v3", "local", "n0", "1Gi"), localVolume("v3", "local", "n0", "1Gi")
	leaves.DeletionTimestamp = &metav1.Time{}
	waits, none := claim("waits", "local"), claim("waits", "none")
	large, lost := claim("waits", "local"), claim("waits", "local")
	half, typo := holder("waits", "v3"), holder("waits", "v9")
	large.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse("9Gi")
	lost.Status.Phase, half.Annotations, typo.Annotations = corev1.ClaimLost, nil, nil
	elsewhere := class("none", "csi.example.com")
	elsewhere.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.
		TopologySelectorLabelRequirement{{Key: corev1.LabelHostname, Values: []string{"n9"}}}}}
	zoned, inZone := has("v4", "z", "zoned"), node("n1")
	inZone.Labels[corev1.LabelTopologyZone], inZone.ResourceVersion = "z", "2"
	zoned.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Key = corev1.LabelTopologyZone
	for name, c := range map[string]held{
		"its claim finds no volume": {first("waits"), false, []metav1.Object{waits}},
		"its claim is not there":    {first("waits"), false, nil},
		"its volume is on no node": {first("waits"), false,
			[]metav1.Object{holder("waits", "lost"), localVolume("lost", "local", "n9", "1Gi")}},
		"another claim has the only volume": {first("waits"), false, []metav1.Object{waits, has("v3", "n0", "gone")}},
		"the only volume is being deleted":  {first("waits"), false, []metav1.Object{waits, leaves}},
		"one of its two claims finds no volume": {first("has", "waits"), false,
			[]metav1.Object{free, none, class("none", ""), claim("has", "local")}},
		"its claim asks for more than any volume has": {first("waits"), false, []metav1.Object{large, free}},
		"its claim is lost":                           {first("waits"), false, []metav1.Object{lost, free}},
		"its volumes are on two nodes": {first("waits", "held"), false,
			[]metav1.Object{holder("waits", "v3"), has("v3", "n0", "waits")}},
		"its claim is about to be bound":             {first("waits"), true, []metav1.Object{half, has("v3", "n0", "waits")}},
		"its volume was not heard of yet":            {first("waits"), true, []metav1.Object{holder("waits", "v3")}},
		"its claim names a volume that is not there": {first("waits"), false, []metav1.Object{typo, free}},
		"its claim names the volume of another": {first("waits"), false,
			[]metav1.Object{half, has("v3", "n0", "gone")}},
		"the only volume is on no node": {first("waits"), false,
			[]metav1.Object{waits, localVolume("v3", "local", "n9", "1Gi")}},
		"its volumes ask for a node and a zone": {first("waits", "zoned"), false,
			[]metav1.Object{holder("waits", "v3"), has("v3", "n0", "waits"), holder("zoned", "v4"), zoned,
				inZone}},
		"a volume is to be made for it before the pod, and was not": {first("waits"), false,
			[]metav1.Object{none, immediate()}},
		"there is a volume for it, and no room": {first("waits"), true, []metav1.Object{waits, free}},
		"a volume was given to it, and it lacks room": {first("waits"), true,
			[]metav1.Object{waits, has("v3", "n0", "waits")}},
		"its volume is there, and it lacks room":       {first("waits"), true, []metav1.Object{holder("waits", "v3"), free}},
		"a volume can be made for it where no node is": {first("waits"), false, []metav1.Object{none, elsewhere}},
		"a volume can be made for it, and no room": {first("waits"), true,
			[]metav1.Object{none, class("none", "csi.example.com")}},
		"it asks for no volume, and lacks room": {first(), true, nil},
	} {
		t.Run(name, c.check)
	}
}

// The claim of a generic ephemeral volume ends with its pod, and its volume comes free then.
func TestClaimsThatEndWithTheirPodsMayLeaveAVolume(t *testing.T) {
	free, waits := localVolume("v3", "local", "n0", "1Gi"), claim("waits", "local")
	scratch := first()
	scratch.Spec.Volumes = []corev1.Volume{{Name: "s", VolumeSource: corev1.VolumeSource{
		Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{}}}}}
	own, other, wrong := claim("first-s", "local"), claim("first-s", "local"), claim("first-s", "none")
	ends := holder("gone", "v3")
	for c, p := range map[*corev1.PersistentVolumeClaim]*corev1.Pod{own: scratch, wrong: scratch, ends: pod("ended")} {
		c.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(p, corev1.SchemeGroupVersion.WithKind("Pod"))}
	}
	for name, c := range map[string]held{
		"its ephemeral claim is another's":                 {scratch, false, []metav1.Object{other, free}},
		"its ephemeral claim finds no volume":              {scratch, false, []metav1.Object{wrong, free}},
		"its ephemeral claim is not made":                  {scratch, false, nil},
		"its ephemeral claim waits, and there is a volume": {scratch, true, []metav1.Object{own, free}},
		"a claim that ends with its pod has the only volume": {first("waits"), true,
			[]metav1.Object{waits, ends, has("v3", "n0", "gone")}},
	} {
		t.Run(name, c.check)
	}
}

// A role that cannot have its volume holds nothing back either, though the others are enough for the job's minimum.
func TestARoleThatLacksItsVolumeHoldsNoOtherBack(t *testing.T) {
	gang := gangOf("gang", 2)
	gang.Spec.MinTaskMember = map[string]int32{"lead": 1, "work": 1}
	w := newWorld(t, node("n0"), class("local", ""), claim("waits", "local"), gang)
	w.inOrder()
	for name, role := range map[string]string{"m0": "lead", "m1": "work", "m2": "work"} {
		p := pod(name)
		if role == "lead" {
			p = pod(name, "waits")
		}
		p = member("gang", p)
		p.Annotations[batchv1alpha1.TaskSpecKey] = role
		w.tell(p)
	}
	late := pod("late")
	late.CreationTimestamp = metav1.Unix(9, 0)
	w.tell(late)
	if binds := w.decide(); binds != "late on n0" {
		code, text := w.why("late")
		t.Errorf("bound %q; it waits because %s: %s", binds, code, text)
	}
}

// What a job lacks may come: then others wait behind it again. And a gang holds back as long as enough of its members
// have their volumes.
func TestAJobThatGetsItsVolumesComesFirst(t *testing.T) {
	w := newWorld(t, append(disks(), holder("x", "v1"), holder("y", "v2"), has("v1", "n1", "x"), has("v2", "n2", "y"),
		claim("waits", "local"), gangOf("gang", 2))...)
	w.inOrder()
	for _, n := range []string{"n0", "n1", "n2"} {
		runs := pod("on-" + n)
		runs.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("6")
		runs.Spec.NodeName, runs.Status.Phase = n, corev1.PodRunning
		w.tell(runs)
	}
	for _, m := range []*corev1.Pod{pod("m0"), pod("m1", "waits")} {
		m.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("5")
		w.tell(member("gang", m))
	}
	late := func(name string) *corev1.Pod {
		p := pod(name)
		p.CreationTimestamp = metav1.Unix(9, 0)
		return p
	}
	w.tell(late("a"))
	if binds := w.decide(); binds == "" {
		t.Error("a gang that lacks a volume holds back what comes after it")
	}
	w.tell(localVolume("v3", "local", "n0", "1Gi"), late("b"))
	if binds := w.decide(); binds != "" {
		t.Errorf("%s, before a gang that has all its volumes", binds)
	}
}
