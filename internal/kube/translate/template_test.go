package translate

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// trains is a pod that runs a program.
func trains(change func(p *corev1.Pod, c *corev1.Container)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"},
		Spec: corev1.PodSpec{SchedulerName: "volcano", Containers: []corev1.Container{{Name: "c",
			Image: "registry:5000/train:v1", Command: []string{"python", "train.py"}, Args: []string{"--lr", "0.1"},
			Resources: corev1.ResourceRequirements{Requests: list("cpu", "2", "nvidia.com/gpu", "4")}}}}}
	change(p, &p.Spec.Containers[0])
	return p
}

func TestWhatIsOfOneTemplate(t *testing.T) {
	of := func(change func(p *corev1.Pod, c *corev1.Container)) uint64 {
		return Pod(trains(change), Options{}).Template
	}
	one := of(func(*corev1.Pod, *corev1.Container) {})
	if one == 0 {
		t.Fatal("a pod of ours has no template")
	}
	for name, c := range map[string]struct {
		same   bool
		change func(p *corev1.Pod, c *corev1.Container)
	}{
		"another name":   {true, func(p *corev1.Pod, _ *corev1.Container) { p.Name = "b" }},
		"another tag":    {true, func(_ *corev1.Pod, c *corev1.Container) { c.Image = "registry:5000/train:v2@sha256:11" }},
		"no tag":         {true, func(_ *corev1.Pod, c *corev1.Container) { c.Image = "registry:5000/train" }},
		"another number": {true, func(_ *corev1.Pod, c *corev1.Container) { c.Args = []string{"--lr", "0.25"} }},
		"another node":   {true, func(p *corev1.Pod, _ *corev1.Container) { p.Spec.NodeName = "n" }},
		"the same amount as text": {true, func(_ *corev1.Pod, c *corev1.Container) {
			c.Resources.Requests = list("cpu", "2000m", "nvidia.com/gpu", "4")
		}},
		"amounts as limits": {true, func(_ *corev1.Pod, c *corev1.Container) {
			c.Resources.Limits, c.Resources.Requests = c.Resources.Requests, nil
		}},
		"another image":    {false, func(_ *corev1.Pod, c *corev1.Container) { c.Image = "registry:5000/test:v1" }},
		"another argument": {false, func(_ *corev1.Pod, c *corev1.Container) { c.Args = []string{"--rate", "0.1"} }},
		"words apart":      {false, func(_ *corev1.Pod, c *corev1.Container) { c.Command = []string{"python train.py"} }},
		"an argument in front": {false, func(_ *corev1.Pod, c *corev1.Container) {
			c.Command, c.Args = append(c.Command, "--lr"), c.Args[1:]
		}},
		"fewer GPUs": {false, func(_ *corev1.Pod, c *corev1.Container) {
			c.Resources.Requests = list("cpu", "2", "nvidia.com/gpu", "1")
		}},
		"a container more": {false, func(p *corev1.Pod, c *corev1.Container) {
			p.Spec.Containers = append(p.Spec.Containers, *c)
		}},
		"before the others": {false, func(p *corev1.Pod, _ *corev1.Container) {
			p.Spec.InitContainers, p.Spec.Containers = p.Spec.Containers, nil
		}},
	} {
		if is := of(c.change); (is == one) != c.same {
			t.Errorf("%s: %x, and without it %x", name, is, one)
		}
	}
	if of(func(p *corev1.Pod, _ *corev1.Container) { p.Spec.SchedulerName = "other" }) != 0 {
		t.Error("a pod of another scheduler has a template")
	}
}

func TestWhenAPodEnded(t *testing.T) {
	at := func(s int64) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			FinishedAt: metav1.Unix(s, 0)}}}
	}
	for name, c := range map[string]struct {
		phase    corev1.PodPhase
		statuses []corev1.ContainerStatus
		want     int64 // seconds
	}{
		"the last container": {corev1.PodSucceeded, []corev1.ContainerStatus{at(100), at(300), at(200)}, 300},
		"it failed":          {corev1.PodFailed, []corev1.ContainerStatus{at(100)}, 100},
		"it runs":            {corev1.PodRunning, []corev1.ContainerStatus{at(100)}, 0},
		"nothing says it":    {corev1.PodSucceeded, []corev1.ContainerStatus{{}}, 0},
	} {
		p := trains(func(p *corev1.Pod, _ *corev1.Container) {
			p.Status.Phase, p.Status.ContainerStatuses = c.phase, c.statuses
		})
		if got := Pod(p, Options{}).Rare().Ended; got != c.want*int64(time.Second) {
			t.Errorf("%s: %d, want %d s", name, got, c.want)
		}
	}
}
