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

// A job of a fifo queue holds others back for as long as it could start if there were room. Volumes are no room: those
// of others' claims stay theirs when pods end, and the others might never end, since they wait behind it.
func TestAJobThatLacksVolumesHoldsNoOtherBack(t *testing.T) {
	first := func(claims ...string) *corev1.Pod { // larger than what is left of any node
		p := pod("first", claims...)
		p.CreationTimestamp = metav1.Unix(1, 0)
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("8")
		return p
	}
	second := pod("second", "held")
	second.CreationTimestamp = metav1.Unix(2, 0)
	taken := []metav1.Object{holder("held", "v1"), holder("other", "v2"), has("v1", "n1", "held"),
		has("v2", "n2", "other")}
	free, leaves := localVolume("v3", "local", "n0", "1Gi"), localVolume("v3", "local", "n0", "1Gi")
	leaves.DeletionTimestamp = &metav1.Time{}
	waits, none := claim("waits", "local"), claim("waits", "none")
	large, picky, lost := claim("waits", "local"), claim("waits", "local"), claim("waits", "local")
	half := holder("waits", "v3")
	large.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse("9Gi")
	picky.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"disk": "fast"}}
	lost.Status.Phase, half.Annotations = corev1.ClaimLost, nil
	released, scratch := localVolume("v3", "local", "n0", "1Gi"), first()
	released.Status.Phase = corev1.VolumeReleased
	scratch.Spec.Volumes = []corev1.Volume{{Name: "s", VolumeSource: corev1.VolumeSource{
		Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{}}}}}
	for name, c := range map[string]struct {
		first   *corev1.Pod
		holds   bool
		objects []metav1.Object
	}{
		"its claim finds no volume": {first("waits"), false, []metav1.Object{waits}},
		"its claim is not there":    {first("waits"), false, nil},
		"its volume is on no node": {first("waits"), false,
			[]metav1.Object{holder("waits", "lost"), localVolume("lost", "local", "n9", "1Gi")}},
		"another claim has the only volume": {first("waits"), false, []metav1.Object{waits, has("v3", "n0", "gone")}},
		"the only volume is being deleted":  {first("waits"), false, []metav1.Object{waits, leaves}},
		"one of its two claims finds no volume": {first("has", "waits"), false,
			[]metav1.Object{free, none, class("none", ""), claim("has", "local")}},
		"its claim asks for more than any volume has": {first("waits"), false, []metav1.Object{large, free}},
		"its claim selects no volume":                 {first("waits"), false, []metav1.Object{picky, free}},
		"its claim is lost":                           {first("waits"), false, []metav1.Object{lost, free}},
		"the only volume is not cleaned":              {first("waits"), false, []metav1.Object{waits, released}},
		"its volumes are on two nodes": {first("waits", "held"), false,
			[]metav1.Object{holder("waits", "v3"), has("v3", "n0", "waits")}},
		"its claim is about to be bound":         {first("waits"), true, []metav1.Object{half, has("v3", "n0", "waits")}},
		"its volume was not heard of yet":        {first("waits"), true, []metav1.Object{holder("waits", "v3")}},
		"its ephemeral claim is to be made":      {scratch, true, nil},
		"a volume is made for it before the pod": {first("waits"), true, []metav1.Object{none, immediate()}},
		"there is a volume for it, and no room":  {first("waits"), true, []metav1.Object{waits, free}},
		"a volume was given to it, and it lacks room": {first("waits"), true,
			[]metav1.Object{waits, has("v3", "n0", "waits")}},
		"its volume is there, and it lacks room": {first("waits"), true, []metav1.Object{holder("waits", "v3"), free}},
		"a volume can be made for it, and no room": {first("waits"), true,
			[]metav1.Object{none, class("none", "csi.example.com")}},
		"it asks for no volume, and lacks room": {first(), true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, disks()...)
			w.inOrder()
			for _, n := range []string{"n0", "n1", "n2"} { // each node has a pod already
				runs := pod("on-" + n)
				runs.Spec.NodeName, runs.Status.Phase = n, corev1.PodRunning
				w.tell(runs)
			}
			w.tell(taken...)
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
		})
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
