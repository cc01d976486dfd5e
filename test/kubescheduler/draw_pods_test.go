package kubescheduler

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// owners adds the controllers that pods may have.
func (d *draw) owners() {
	if !d.has("controllers") {
		return
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: selector.MatchLabels}}
	switch d.upTo(3) {
	case 0:
		d.objects = append(d.objects, &appsv1.StatefulSet{ObjectMeta: d.meta("here", "owner", nil),
			Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template}})
	case 1:
		d.objects = append(d.objects, &corev1.ReplicationController{ObjectMeta: d.meta("here", "owner", nil),
			Spec: corev1.ReplicationControllerSpec{Selector: selector.MatchLabels, Template: &template}})
	default:
		d.objects = append(d.objects, &appsv1.ReplicaSet{ObjectMeta: d.meta("here", "owner", nil),
			Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template}})
	}
}

// owner is a reference to the controller, none if there is none.
func (d *draw) owner() []metav1.OwnerReference {
	out := metav1.OwnerReference{APIVersion: "apps/v1", Name: "owner", UID: "uid-owner", Controller: pointer(true)}
	switch {
	case len(of[*appsv1.ReplicaSet](d.objects)) > 0:
		out.Kind = "ReplicaSet"
	case len(of[*appsv1.StatefulSet](d.objects)) > 0:
		out.Kind = "StatefulSet"
	case len(of[*corev1.ReplicationController](d.objects)) > 0:
		out.APIVersion, out.Kind = "v1", "ReplicationController"
	default:
		return nil
	}
	return []metav1.OwnerReference{out}
}

// pod is a pod that waits.
func (d *draw) pod(name string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: d.meta(d.from("here", "here", "here", "there"), name, map[string]string{})}
	p.Spec.SchedulerName = scheduler
	p.Labels["app"] = d.from("web", "web", "db", "cache")
	if d.percent(50) {
		p.Labels["track"] = d.from("a", "b")
	}
	if p.Namespace == "here" && p.Labels["app"] == "web" {
		p.OwnerReferences = d.owner()
	}
	d.containers(p)
	if d.percent(60) && d.has("selectors") {
		p.Spec.NodeSelector = map[string]string{d.from("disk", "rack", corev1.LabelTopologyZone): d.from("ssd", "r1",
			"a")}
	}
	d.nodeAffinity(p)
	for d.has("tolerations") {
		t := corev1.Toleration{Key: d.from("dedicated", "slow", "", "node.kubernetes.io/unschedulable"),
			Operator: corev1.TolerationOperator(d.from("", "Equal", "Exists")), Value: d.from("", "a", "b"),
			Effect: corev1.TaintEffect(d.from("", "NoSchedule", "PreferNoSchedule", "NoExecute"))}
		p.Spec.Tolerations = append(p.Spec.Tolerations, t)
	}
	d.podAffinity(p)
	d.spread(p)
	if d.has("overhead") {
		p.Spec.Overhead = d.amounts([]string{"10m", "500m"}, []string{"16Mi", "512Mi"})
	}
	if d.has("amounts of pods") {
		p.Spec.Resources = &corev1.ResourceRequirements{}
		if d.percent(80) {
			p.Spec.Resources.Requests = d.amounts([]string{"1", "2", "3"}, []string{"1Gi", "2Gi"})
		}
		if d.percent(50) {
			p.Spec.Resources.Limits = d.amounts([]string{"3", "4"}, []string{"2Gi", "4Gi"})
		}
	}
	d.mount(p)
	d.claimDevices(p)
	return p
}

// containers gives a pod containers, with their ports and images.
func (d *draw) containers(p *corev1.Pod) {
	p.Spec.HostNetwork = d.has("host network")
	container := func(name string) corev1.Container {
		c := corev1.Container{Name: name, Image: "some:1", Resources: d.resources()}
		if d.often("image pods") {
			c.Image = d.from(append([]string{"registry.example.com/huge", "alias-of-7:1"}, imageNames...)...)
		}
		if d.has("host ports") {
			port := corev1.ContainerPort{ContainerPort: int32(8000 + d.upTo(2)), Protocol: corev1.Protocol(d.from("TCP",
				"TCP", "UDP")),
				HostIP: d.from("", "", "0.0.0.0", "127.0.0.1", "10.0.0.1")}
			if port.HostPort = port.ContainerPort; d.percent(20) && !p.Spec.HostNetwork {
				port.HostPort = 0
			}
			c.Ports = append(c.Ports, port)
		}
		return c
	}
	for i := range 1 + d.upTo(1) {
		p.Spec.Containers = append(p.Spec.Containers, container(fmt.Sprint("c", i)))
	}
	for i := 0; d.has("init containers") && i < 3; i++ {
		c := container(fmt.Sprint("i", i))
		if d.percent(50) {
			c.RestartPolicy = pointer(corev1.ContainerRestartPolicyAlways)
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
	if d.has("features") {
		p.Spec.Containers[0].RestartPolicy = pointer(corev1.ContainerRestartPolicyNever)
		p.Spec.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{{
			Action: corev1.ContainerRestartRuleAction(d.from("Restart", "RestartAllContainers")),
			ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn,
				Values: []int32{42}}}}
	}
}

// placed is a pod on a node.
func (d *draw) placed(name string) *corev1.Pod {
	var p *corev1.Pod
	for range 20 {
		if p = d.pod(name); admitted(p) {
			break
		}
	}
	p.Spec.NodeName = d.from(d.nodes...)
	p.Status.Phase = corev1.PodRunning
	if d.has("other schedulers") {
		p.Spec.SchedulerName = "default-scheduler"
	}
	switch {
	case d.has("ended pods"):
		p.Status.Phase = corev1.PodPhase(d.from("Succeeded", "Failed"))
	case d.has("leaving pods"):
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = pointer(metav1.Unix(1_700_000_100, 0)), pointer(int64(30))
	case d.has("resized pods"):
		d.resize(p)
	}
	return p
}

// resize gives a running pod the status of one that is being resized in place.
func (d *draw) resize(p *corev1.Pod) {
	if d.percent(30) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodResizePending,
			Status: corev1.ConditionTrue, Reason: d.from(corev1.PodReasonInfeasible, corev1.PodReasonDeferred)})
	}
	status := func(list []corev1.Container) (out []corev1.ContainerStatus) {
		for i := range list {
			s := corev1.ContainerStatus{Name: list[i].Name}
			if d.percent(70) {
				s.AllocatedResources = d.amounts([]string{"100m", "1", "2"}, []string{"64Mi", "1Gi"})
			}
			if d.percent(70) {
				s.Resources = &corev1.ResourceRequirements{Requests: d.amounts([]string{"100m", "1", "2"},
					[]string{"64Mi", "1Gi"})}
			}
			out = append(out, s)
		}
		return out
	}
	p.Status.ContainerStatuses = status(p.Spec.Containers)
	if d.percent(50) {
		p.Status.InitContainerStatuses = status(p.Spec.InitContainers)
	}
	if p.Spec.Resources != nil && d.percent(70) {
		p.Status.AllocatedResources = d.amounts([]string{"2", "3"}, []string{"1Gi", "2Gi"})
		p.Status.Resources = &corev1.ResourceRequirements{Requests: d.amounts([]string{"1", "3"}, []string{"1Gi",
			"2Gi"})}
	}
}
