package recording_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
	"ashlar.sh/test/heap"
)

// What tenants write decides how large an object is, and each change of it keeps another copy: a recording takes no
// more of the heap than it may, however large they are.
func TestARecordingOfLargeObjectsTakesOfTheHeapWhatItMay(t *testing.T) {
	text := func(version, length int) string { return fmt.Sprintf("%08d", version) + strings.Repeat("x", length) }
	labels := func(version, number int) (out []model.Label) {
		for i := range number {
			out = append(out, model.Label{Key: text(version*number+i, 20), Value: text(i, 20)})
		}
		return out
	}
	pod := func(p model.Pod) (model.Kind, model.Object) {
		if p.Spec == nil {
			p.Spec = &model.Spec{}
		}
		return model.KindPod, &p
	}
	for name, of := range map[string]func(version int) (model.Kind, model.Object){
		"a PodGroup with many roles": func(v int) (model.Kind, model.Object) {
			g := &model.PodGroup{}
			for i := range 10_000 {
				g.MinTaskMember = append(g.MinTaskMember, model.RoleMin{Role: text(v*10_000+i, 20), Min: 1})
			}
			return model.KindPodGroup, g
		},
		"a PodGroup with many faults": func(v int) (model.Kind, model.Object) {
			g := &model.PodGroup{}
			for i := range 5000 {
				g.Faults = append(g.Faults, model.Fault{Field: text(v, 50), Message: text(i, 50)})
			}
			return model.KindPodGroup, g
		},
		"a PodGroup with sub-groups": func(v int) (model.Kind, model.Object) {
			return model.KindPodGroup, &model.PodGroup{SubGroups: []model.SubGroups{{Keys: []string{text(v, 1<<18)}}}}
		},
		"a pod of a long role": func(v int) (model.Kind, model.Object) { return pod(model.Pod{Role: text(v, 1<<18)}) },
		"a pod of a long queue": func(v int) (model.Kind, model.Object) {
			return pod(model.Pod{Adopt: model.Adopt{Queue: text(v, 1<<18)}})
		},
		"a pod with many labels": func(v int) (model.Kind, model.Object) {
			return pod(model.Pod{Labels: labels(v, 4000)})
		},
		"a pod with a large spec": func(v int) (model.Kind, model.Object) {
			return pod(model.Pod{Spec: &model.Spec{Selector: labels(v, 12_000)}}) // the engine keeps some
		},
		"a pod with many containers": func(v int) (model.Kind, model.Object) {
			p := &corev1.Pod{Spec: corev1.PodSpec{Containers: make([]corev1.Container, 500)}}
			for i := range p.Spec.Containers {
				p.Spec.Containers[i].Name = text(v, 0)
			}
			return pod(model.Pod{Opaque: p})
		},
		"a claim with many labels": func(v int) (model.Kind, model.Object) {
			c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}}}
			for i := range 4000 {
				c.Labels[text(v*4000+i, 0)] = ""
			}
			return translate.KindResourceClaim, &model.Opaque{Content: c}
		},
		"a Service with a large selector": func(v int) (model.Kind, model.Object) {
			return model.KindService, &model.Service{Selector: labels(v, 4000)}
		},
		"a node with many labels": func(v int) (model.Kind, model.Object) {
			return model.KindNode, &model.Node{Labels: labels(v, 4000)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNight(t)
			for i := range 100 {
				n.at(i)
				kind, o := of(i)
				n.tell(kind, "large", "u", o)
			}
			kind, _ := of(0)
			n.tell(kind, "large", "u", nil)
			n.at(100)
			n.takesLittle()
		})
	}
}

// takesLittle says whether the recording, which may take 1 MiB, takes much more. A part is dropped only when another
// has begun, so that the last versions are kept however large they are.
func (n *night) takesLittle() {
	n.Helper()
	with := heap.InUse()
	n.ring = nil
	if took := with - heap.InUse(); took > 5<<20 {
		n.Errorf("a recording that may take 1 MiB takes %d KiB", took>>10)
	}
	runtime.KeepAlive(n)
}

// What is chosen for a pod's claims, and why the API server refuses a pod, is as long as the claims and the pod make
// it.
func TestARecordingOfLongDecisionsTakesOfTheHeapWhatItMay(t *testing.T) {
	n := newNight(t)
	for i := range 100 {
		text := fmt.Sprintf("%08d", i) + strings.Repeat("x", 1<<18)
		pod := ledger.Key{Namespace: "team", Name: "train-0"}
		n.at(i, sched.Item{Kind: sched.BindPod, Pod: pod, Chosen: ledger.Chosen("a" + text)},
			sched.Item{Kind: sched.EvictPod, Pod: pod, Record: &trace.Eviction{Job: "b" + text}})
		n.ring.Receipts([]sched.Receipt{{Item: sched.Item{Kind: sched.BindPod, Pod: pod}, Refused: "c" + text}})
	}
	n.takesLittle()
}

// Where the disk is slower than a tenant that writes large objects, steps are left out before those that wait to be
// written fill the memory.
func TestStepsThatWaitForTheDiskTakeLittle(t *testing.T) {
	disk, err := recording.NewDisk(filepath.Join(t.TempDir(), "private"), 1<<30, recording.Head{}, time.Now,
		func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	n := newNight(t)
	n.ring.To = disk // nothing is written
	for i := range 800 {
		n.at(i)
		n.tell(model.KindPod, "large", "u", &model.Pod{Role: fmt.Sprint(i) + strings.Repeat("x", 1<<18),
			Spec: &model.Spec{}})
	}
	n.ring = nil
	with := heap.InUse()
	runtime.KeepAlive(disk)
	if took := (with - heap.InUse()) >> 20; took < 32 || took > 80 {
		t.Errorf("what waits takes %d MiB, want 64", took)
	}
}
