package recording

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// What is saved has the volumes too: replayed, a pod gets the one that it got.
func TestAReplayHeedsVolumes(t *testing.T) {
	mode, class := storagev1.VolumeBindingWaitForFirstConsumer, "local"
	room := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	once := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	var facts []model.Fact
	for _, o := range []any{
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("9"),
				corev1.ResourceCPU: resource.MustParse("4")}}},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "kubernetes.io/no-provisioner",
			VolumeBindingMode: &mode},
		&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v"},
			Spec:   corev1.PersistentVolumeSpec{StorageClassName: class, AccessModes: once, Capacity: room},
			Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable}},
		&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c"},
			Spec: corev1.PersistentVolumeClaimSpec{
				StorageClassName: &class, AccessModes: once, Resources: corev1.VolumeResourceRequirements{Requests: room}}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "p"},
			Spec: corev1.PodSpec{SchedulerName: "volcano",
				Containers: []corev1.Container{{Name: "c",
					Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(
						"1")}}}},
				Volumes: []corev1.Volume{{Name: "d",
					VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
						ClaimName: "c"}}}}}},
	} {
		f, ok := translate.Fact(o, translate.Options{})
		if !ok {
			t.Fatalf("%T is no fact", o)
		}
		facts = append(facts, f)
	}
	facts = append(facts, model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: "default"},
		Object: &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1}})
	saved, err := json.Marshal(State{Now: 1, Facts: facts})
	if err != nil {
		t.Fatal(err)
	}
	var state State
	if err := json.Unmarshal(saved, &state); err != nil {
		t.Fatal(err)
	}
	profile := policy.Profile{Actions: []string{"enqueue", "allocate"},
		Tiers: [][]policy.Choice{{{Plugin: "gang"}, {Plugin: "predicates"}}}}
	e, err := sched.New(profile, sched.WithPlugin(filters.Predicates()))
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(state.Facts...)
	plan, _, _ := e.Decide(state.Now)
	for _, i := range plan.Items {
		if i.Kind == sched.BindPod {
			if w, err := filters.WritesOf(i.Chosen); err != nil || len(w.Volumes) != 1 || w.Volumes[0].Volume != "v" {
				t.Errorf("the pod is bound with %+v (%v), want volume v", w, err)
			}
			return
		}
	}
	t.Errorf("the plan is %+v, want the pod bound", plan.Items)
}
