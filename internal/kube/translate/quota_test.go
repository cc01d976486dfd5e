package translate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

func quotaOf(amounts ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(amounts); i += 2 {
		out[corev1.ResourceName(amounts[i])] = quantity.MustParse(amounts[i+1])
	}
	return out
}

func TestAQuotaBoundsRequests(t *testing.T) {
	for name, c := range map[string]struct {
		hard corev1.ResourceList
		want resource.List
	}{
		"requests.cpu and cpu are one, the smaller limit": {quotaOf("cpu", "4", "requests.cpu", "3"),
			resource.List{{Name: "cpu", Value: 3000}}},
		"the order of the two means nothing": {quotaOf("cpu", "3", "requests.cpu", "4"),
			resource.List{{Name: "cpu", Value: 3000}}},
		"devices are written requests.": {quotaOf("requests.nvidia.com/gpu", "2"),
			resource.List{{Name: "nvidia.com/gpu", Value: 2000}}},
		"limits, objects and storage are left out": {quotaOf("limits.cpu", "1", "pods", "1", "count/pods", "1",
			"requests.storage", "1", "services", "1"), nil},
		"a limit of nothing is a limit": {quotaOf("memory", "0"),
			resource.List{{Name: "memory", Value: 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Quota(&corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: c.hard}})
			if d := cmp.Diff(c.want, got.Hard); d != "" {
				t.Errorf("hard (-want +got):\n%s", d)
			}
			if len(got.Faults) > 0 {
				t.Errorf("faults: %v", got.Faults)
			}
		})
	}
}

func TestAQuotaThatCannotBeHeeded(t *testing.T) {
	scoped := Quota(&corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{
		Hard: quotaOf("cpu", "1"), Scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}}})
	if len(scoped.Hard) > 0 || len(scoped.Faults) != 1 || scoped.Faults[0].Fatal {
		t.Errorf("a quota with scopes is empty and says so; got %+v", scoped)
	}
}

func TestOneAmountOfAQuotaNeverCostsItsOthers(t *testing.T) {
	q := Quota(&corev1.ResourceQuota{
		Spec:   corev1.ResourceQuotaSpec{Hard: quotaOf("cpu", "-1", "memory", "1Gi", "requests.x.io/bytes", "1e30")},
		Status: corev1.ResourceQuotaStatus{Used: quotaOf("memory", "2Ei")}})
	want := model.Quota{Hard: resource.List{{Name: "cpu", Value: 0}, {Name: "memory", Value: 1 << 30},
		{Name: "x.io/bytes", Value: 1 << 62}},
		Used: resource.List{{Name: "memory", Value: 1 << 60}}}
	if _, aside := q.SetAside(); aside || len(q.Faults) != 3 {
		t.Errorf("faults: %v", q.Faults)
	}
	if d := cmp.Diff(want.Hard, q.Hard) + cmp.Diff(want.Used, q.Used); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAQueuesPathInTheHierarchy(t *testing.T) {
	for name, c := range map[string]struct {
		path, weights string
		want          []model.Level
		faults        int
	}{
		"levels below root with their weights": {"root/eng/dev", "1/2/3.5",
			[]model.Level{{Name: "eng", Weight: 2000}, {Name: "dev", Weight: 3500}}, 0},
		"root alone is no level":      {"root", "1", nil, 0},
		"what does not begin at root": {"eng/dev", "1/2", nil, 1},
		"a level without a name":      {"root//dev", "1/2/3", nil, 1},
		"a weight is missing": {"root/eng/dev", "1/2",
			[]model.Level{{Name: "eng", Weight: 1000}, {Name: "dev", Weight: 1000}}, 1},
		"a weight below one":         {"root/eng", "1/0.5", []model.Level{{Name: "eng", Weight: 1000}}, 1},
		"a weight that is no number": {"root/eng", "1/much", []model.Level{{Name: "eng", Weight: 1000}}, 1},
		"a weight too long to be meant": {"root/eng", "1/99999999999999999999",
			[]model.Level{{Name: "eng", Weight: 1000}}, 1},
		"a fourth place behind the point is cut": {"root/eng", "1/1.23456", []model.Level{{Name: "eng", Weight: 1234}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := Queue(&schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1}, ObjectMeta: metav1.ObjectMeta{
				Annotations: map[string]string{"volcano.sh/hierarchy": c.path, "volcano.sh/hierarchy-weights": c.weights}}})
			if d := cmp.Diff(c.want, got.Path); d != "" {
				t.Errorf("path (-want +got):\n%s", d)
			}
			if _, bad := got.SetAside(); bad || len(got.Faults) != c.faults {
				t.Errorf("%d faults, none fatal, expected; got %v", c.faults, got.Faults)
			}
		})
	}
}

func TestTheTimeAJobMayWait(t *testing.T) {
	for name, c := range map[string]struct {
		annotations map[string]string
		want        int64
		faults      int
	}{
		"nothing is said": {nil, 0, 0},
		"Volcano's key":   {map[string]string{"volcano.sh/sla-waiting-time": "1h"}, 3600e9, 0},
		"the bare key":    {map[string]string{"sla-waiting-time": "90s"}, 90e9, 0},
		"Volcano's key goes first": {map[string]string{"sla-waiting-time": "90s", "volcano.sh/sla-waiting-time": "1h"},
			3600e9, 0},
		"a number without a unit":     {map[string]string{"sla-waiting-time": "90"}, 0, 1},
		"no time at all is not meant": {map[string]string{"sla-waiting-time": "0s"}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			group := PodGroup(&schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Annotations: c.annotations}})
			pod := Pod(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: c.annotations}}, Options{})
			if group.MaxWait != c.want || pod.Adopt.MaxWait != c.want {
				t.Errorf("PodGroup %d, pod %d, want %d", group.MaxWait, pod.Adopt.MaxWait, c.want)
			}
			if len(group.Faults) != c.faults {
				t.Errorf("%d faults expected; got %v", c.faults, group.Faults)
			}
		})
	}
}
