package translate

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/sched/resource"
)

func container(requests, limits []string) corev1.Container {
	var c corev1.Container
	if requests != nil {
		c.Resources.Requests = list(requests...)
	}
	if limits != nil {
		c.Resources.Limits = list(limits...)
	}
	return c
}

func sidecar(requests ...string) corev1.Container {
	c := container(requests, nil)
	always := corev1.ContainerRestartPolicyAlways
	c.RestartPolicy = &always
	return c
}

func cpu(list ...string) []string {
	var out []string
	for _, v := range list {
		out = append(out, "cpu", v)
	}
	return out
}

func TestRequestsByTheFullFormula(t *testing.T) {
	pods := func(c ...corev1.Container) corev1.PodSpec { return corev1.PodSpec{Containers: c} }
	tests := map[string]struct {
		spec   corev1.PodSpec
		status corev1.PodStatus
		want   resource.List
	}{
		"a pod that asks for nothing asks for a place": {
			spec: pods(corev1.Container{}),
			want: resource.List{{Name: "pods", Value: 1}}},
		"containers add up": {
			spec: pods(container([]string{"cpu", "500m", "memory", "1Gi"}, nil), container([]string{"cpu", "300m"}, nil)),
			want: resource.List{{Name: "cpu", Value: 800}, {Name: "memory", Value: 1 << 30}, {Name: "pods", Value: 1}}},
		"the largest init container counts where it asks for more": {
			spec: corev1.PodSpec{
				Containers: []corev1.Container{container([]string{"cpu", "800m", "memory", "2Gi"}, nil)},
				InitContainers: []corev1.Container{container([]string{"cpu", "1", "memory", "1Gi"}, nil),
					container(cpu("200m"), nil)}},
			want: resource.List{{Name: "cpu", Value: 1000}, {Name: "memory", Value: 2 << 30}, {Name: "pods", Value: 1}}},
		"a sidecar counts with the containers and with the init containers after it": {
			spec: corev1.PodSpec{
				Containers:     []corev1.Container{container(cpu("1"), nil)},
				InitContainers: []corev1.Container{container(cpu("3"), nil), sidecar("cpu", "500m"), container(cpu("2"), nil)}},
			want: resource.List{{Name: "cpu", Value: 3000}, {Name: "pods", Value: 1}}},
		"overhead is added": {
			spec: corev1.PodSpec{Containers: []corev1.Container{container(cpu("1"), nil)}, Overhead: list("cpu", "250m")},
			want: resource.List{{Name: "cpu", Value: 1250}, {Name: "pods", Value: 1}}},
		"limits without requests are requests": {
			spec: pods(container(cpu("1"), []string{"cpu", "4", "nvidia.com/gpu", "2"})),
			want: resource.List{{Name: "cpu", Value: 1000}, {Name: "nvidia.com/gpu", Value: 2000}, {Name: "pods", Value: 1}}},
		"a limit beside a request is not read, whatever it is": {
			spec: corev1.PodSpec{
				Containers: []corev1.Container{container([]string{"cpu", "1", "memory", "1Gi"}, []string{"memory", "1Pi"})},
				Resources: &corev1.ResourceRequirements{Requests: list("cpu", "4", "memory", "2Gi"),
					Limits: list("cpu", "4", "memory", "1Pi")}},
			want: resource.List{{Name: "cpu", Value: 4000}, {Name: "memory", Value: 2 << 30}, {Name: "pods", Value: 1}}},
		"a request of zero is a request": {
			spec: pods(container(cpu("0"), cpu("4"))),
			want: resource.List{{Name: "pods", Value: 1}}},
		"requests of the pod as a whole replace the sum of its containers": {
			spec: corev1.PodSpec{
				Containers: []corev1.Container{container([]string{"cpu", "3", "nvidia.com/gpu", "1"}, nil)},
				Resources:  &corev1.ResourceRequirements{Requests: list("cpu", "2")}},
			want: resource.List{{Name: "cpu", Value: 2000}, {Name: "nvidia.com/gpu", Value: 1000}, {Name: "pods", Value: 1}}},
		"limits of the pod as a whole are requests where its containers ask for nothing": {
			spec: corev1.PodSpec{
				Containers: []corev1.Container{container(cpu("1"), nil)},
				Resources:  &corev1.ResourceRequirements{Limits: list("cpu", "4", "memory", "1Gi")}},
			want: resource.List{{Name: "cpu", Value: 1000}, {Name: "memory", Value: 1 << 30}, {Name: "pods", Value: 1}}},
		"a container that is being resized holds what it has until it has less": {
			spec:   pods(named("main", container(cpu("1"), nil))),
			status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{resized("main", "3", "2")}},
			want:   resource.List{{Name: "cpu", Value: 3000}, {Name: "pods", Value: 1}}},
		"a resize that cannot be holds what was allocated": {
			spec: pods(named("main", container(cpu("64"), nil))),
			status: corev1.PodStatus{
				ContainerStatuses: []corev1.ContainerStatus{resized("main", "2", "2")},
				Conditions:        []corev1.PodCondition{{Type: corev1.PodResizePending, Reason: corev1.PodReasonInfeasible}}},
			want: resource.List{{Name: "cpu", Value: 2000}, {Name: "pods", Value: 1}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: tt.spec, Status: tt.status}
			before := pod.DeepCopy()
			var f faults
			if got := f.requests(pod); !reflect.DeepEqual(got, tt.want) || len(f) != 0 {
				t.Errorf("got %v, faults %v, want %v", got, f, tt.want)
			}
			if !reflect.DeepEqual(pod, before) {
				t.Error("the pod given was changed")
			}
		})
	}
}

func named(name string, c corev1.Container) corev1.Container {
	c.Name = name
	return c
}

func resized(name, actual, allocated string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, AllocatedResources: list("cpu", allocated),
		Resources: &corev1.ResourceRequirements{Requests: list("cpu", actual)}}
}

func TestAbsurdRequestsSetThePodAside(t *testing.T) {
	tests := map[string]struct {
		pod   corev1.Pod
		want  string
		holds resource.List
	}{
		"a container's request": {
			pod: corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{container(cpu("2"), nil),
				container([]string{"cpu", "1e16", "memory", "1Gi"}, nil)}}},
			want:  "spec.containers[1].resources.requests.cpu: 10e15 is more than the bound of 281474976710656m",
			holds: resource.List{{Name: "cpu", Value: 1 << 48}, {Name: "memory", Value: 1 << 30}}},
		"a limit that stands in for a request": {
			pod: corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{container([]string{"memory", "1Gi"},
				cpu("-1"))}}},
			want:  "spec.initContainers[0].resources.limits.cpu: -1 is negative",
			holds: resource.List{{Name: "memory", Value: 1 << 30}}},
		"the overhead": {
			pod:   corev1.Pod{Spec: corev1.PodSpec{Overhead: list("memory", "1Pi", "cpu", "1")}},
			want:  "spec.overhead.memory: 1Pi is more than the bound of 256Ti",
			holds: resource.List{{Name: "cpu", Value: 1000}, {Name: "memory", Value: 1 << 48}}},
		"the pod as a whole": {
			pod:   corev1.Pod{Spec: corev1.PodSpec{Resources: &corev1.ResourceRequirements{Limits: list("memory", "1e99")}}},
			want:  "spec.resources.limits.memory: 1e99 is more than the bound of 256Ti",
			holds: resource.List{{Name: "memory", Value: 1 << 48}}},
		"what is reported to be allocated": {
			pod: corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{resized("x", "1", "8Ei")}},
				Spec: corev1.PodSpec{Containers: []corev1.Container{named("x", container(cpu("1"), nil))}}},
			want: "status.containerStatuses[0].allocatedResources.cpu: 9223372036854775807 is more than the bound of " +
				"281474976710656m",
			holds: resource.List{{Name: "cpu", Value: 1 << 48}}},
		"a sum of what could be": {
			pod: corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{
				container([]string{"memory", "200Ti"}, nil), container([]string{"memory", "200Ti"}, nil)}}},
			want:  "spec: the requests of memory add up to 400Ti, more than the bound of 256Ti",
			holds: resource.List{{Name: "memory", Value: 1 << 48}}},
		"a limit where requests of the whole pod are made from limits": {
			pod: corev1.Pod{Spec: corev1.PodSpec{
				Containers: []corev1.Container{container([]string{"hugepages-2Mi", "2Mi"}, []string{"hugepages-2Mi", "1e999999"})},
				Resources:  &corev1.ResourceRequirements{Limits: list("cpu", "1")}}},
			want:  "spec.containers[0].resources.limits.hugepages-2Mi: 1e999999 is more than the bound of 256Ti",
			holds: resource.List{{Name: "cpu", Value: 1000}, {Name: "hugepages-2Mi", Value: 1 << 48}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Pod(&tt.pod, Options{})
			fault, aside := p.SetAside()
			if !aside || fault.Field+": "+fault.Message != tt.want {
				t.Errorf("%v", p.Faults)
			}
			if want := append(tt.holds, resource.Amount{Name: "pods", Value: 1}); !reflect.DeepEqual(p.Spec.Requests, want) {
				t.Errorf("while it runs it holds %v, want %v", p.Spec.Requests, want)
			}
		})
	}
}
