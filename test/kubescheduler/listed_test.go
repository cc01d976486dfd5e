package kubescheduler

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// Each of these is a row of docs/differences.md.

// listedFailure says that kube-scheduler cannot judge a pod for a listed reason: a number below zero is no label.
func listedFailure(text string) bool { return strings.Contains(text, "a valid label must be") }

// Each cluster of testdata says in its first line what differs, and why in its second.
func TestListed(t *testing.T) {
	k := newKubeScheduler(t)
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no clusters: ", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := read(t, string(text))
		what, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		all := compareAll(t, k, c, nil, false)
		if !slices.ContainsFunc(all, func(d difference) bool { return d.what == what }) {
			t.Errorf("%s: not %q, but %v", file, what, all)
		}
		if left := compare(t, k, c, nil); len(left) > 0 {
			t.Errorf("%s: not listed: %v", file, left)
		}
	}
}

// listedFilter says why a node is feasible for one side only, where that is listed.
func listedFilter(c cluster, p *corev1.Pod, d difference) bool {
	switch d.what {
	case "only kube-scheduler refuses: " + names.VolumeRestrictions:
		return strings.Contains(d.text, "no available disk")
	case "only kube-scheduler refuses: " + names.DynamicResources:
		return strings.Contains(d.text, "resourceclaim not available on the node") && movable(c, p) || namedTwice(p)
	}
	if strings.Contains(d.text, "filter plugin: PVC") {
		return true // an error about another pod's claim
	}
	return strings.HasSuffix(d.what, "refuses: "+names.PodTopologySpread) && countsAll(p, corev1.DoNotSchedule)
}

// movable says that a pod has a claim with devices that no pod uses, or that pod alone: it may get others.
func movable(c cluster, p *corev1.Pod) bool {
	var claims []string
	for _, used := range p.Spec.ResourceClaims {
		if used.ResourceClaimName != nil {
			claims = append(claims, *used.ResourceClaimName)
		}
	}
	for _, made := range p.Status.ResourceClaimStatuses {
		if made.ResourceClaimName != nil {
			claims = append(claims, *made.ResourceClaimName)
		}
	}
	return slices.ContainsFunc(of[*resourcev1.ResourceClaim](c), func(o *resourcev1.ResourceClaim) bool {
		return o.Namespace == p.Namespace && slices.Contains(claims, o.Name) && o.Status.Allocation != nil &&
			!slices.ContainsFunc(o.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
				return r.UID != p.UID
			})
	})
}

// namedTwice says that a pod names a resource claim by two names: kube-scheduler looks for its devices twice.
func namedTwice(p *corev1.Pod) bool {
	seen := map[string]bool{}
	for _, c := range p.Spec.ResourceClaims {
		if c.ResourceClaimName != nil {
			if seen[*c.ResourceClaimName] {
				return true
			}
			seen[*c.ResourceClaimName] = true
		}
	}
	return false
}

// countsAll says that a pod has a spread constraint about all pods of its namespace, of which kube-scheduler counts
// none.
func countsAll(p *corev1.Pod, when corev1.UnsatisfiableConstraintAction) bool {
	return slices.ContainsFunc(p.Spec.TopologySpreadConstraints, func(s corev1.TopologySpreadConstraint) bool {
		l := s.LabelSelector
		return s.WhenUnsatisfiable == when && l != nil && len(l.MatchLabels)+len(l.MatchExpressions) == 0
	})
}

// listedScore says that a score orders nodes otherwise for a listed reason.
func listedScore(c cluster, p *corev1.Pod, plugin string) bool {
	switch plugin {
	case names.NodeResourcesFit, mostRequested:
		return p.Spec.Resources != nil || lent(p) || slices.ContainsFunc(of[*corev1.Pod](c), lent)
	case names.PodTopologySpread:
		byDefault := len(p.Spec.TopologySpreadConstraints) == 0
		return byDefault && (alone(c, p) || len(p.Spec.NodeSelector) > 0 || p.Spec.Affinity != nil) || countsAll(p,
			corev1.ScheduleAnyway) || oneHost(c)
	}
	return false
}

// lent says that kube-scheduler's score of what is requested counts more for a pod than it asks for: 100m of cpu and
// 200Mi of memory for each container that asks for none.
func lent(p *corev1.Pod) bool {
	lacks := func(l corev1.ResourceList) bool {
		_, cpu := l[corev1.ResourceCPU]
		_, memory := l[corev1.ResourceMemory]
		return !cpu || !memory
	}
	return slices.ContainsFunc(slices.Concat(p.Spec.Containers, p.Spec.InitContainers), func(c corev1.Container) bool {
		return lacks(c.Resources.Requests)
	}) || slices.ContainsFunc(slices.Concat(p.Status.ContainerStatuses, p.Status.InitContainerStatuses),
		func(s corev1.ContainerStatus) bool { return s.Resources != nil && lacks(s.Resources.Requests) })
}

// oneHost says that two nodes have one label of the host's name: kube-scheduler counts the pods of each by itself.
func oneHost(c cluster) bool {
	seen := map[string]bool{}
	for _, n := range of[*corev1.Node](c) {
		name, has := n.Labels[corev1.LabelHostname]
		if has && seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// alone says that a pod is the only one of its controller, or of a Service: then there is nothing to spread.
func alone(c cluster, p *corev1.Pod) bool {
	pods := of[*corev1.Pod](c)
	count := func(is func(*corev1.Pod) bool) (n int) {
		for _, o := range pods {
			if o.Namespace == p.Namespace && is(o) {
				n++
			}
		}
		return n
	}
	if by := metav1.GetControllerOf(p); by != nil {
		return count(func(o *corev1.Pod) bool { return metav1.IsControlledBy(o, &metav1.ObjectMeta{UID: by.UID}) }) < 2
	}
	return count(func(o *corev1.Pod) bool { return o.Labels["app"] == p.Labels["app"] }) < 2
}
