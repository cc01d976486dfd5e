package translate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubelabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

func TestABudgetsSelectorIsKubernetesOwn(t *testing.T) {
	pods := map[string]map[string]string{
		"web":  {"app": "web", "tier": "front"},
		"db":   {"app": "db"},
		"bare": nil,
	}
	for name, selector := range map[string]*metav1.LabelSelector{
		"none selects no pod":            nil,
		"an empty one selects every pod": {},
		"a label":                        {MatchLabels: map[string]string{"app": "web"}},
		"a label and an expression both have to hold": {MatchLabels: map[string]string{"app": "web"},
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpNotIn,
				Values: []string{"front"}}}},
		"NotIn holds where the label is missing": {MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"front", "back"}}}},
		"In one of several": {MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"web", "db"}}}},
		"Exists": {MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier",
			Operator: metav1.LabelSelectorOpExists}}},
		"DoesNotExist": {MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app",
			Operator: metav1.LabelSelectorOpDoesNotExist}}},
	} {
		t.Run(name, func(t *testing.T) {
			theirs, err := metav1.LabelSelectorAsSelector(selector)
			if err != nil {
				t.Fatal(err)
			}
			b := Budget(&policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector}})
			for pod, set := range pods {
				got := !b.MatchesNothing && match.Selects(b.Selector, labels(set))
				if want := theirs.Matches(kubelabels.Set(set)); got != want {
					t.Errorf("%s: selected %v, Kubernetes says %v", pod, got, want)
				}
			}
			if len(b.Faults) > 0 {
				t.Errorf("faults: %v", b.Faults)
			}
		})
	}
}

func TestABudgetsPortion(t *testing.T) {
	for name, c := range map[string]struct {
		given    intstr.IntOrString
		expected int32
		want     int32
	}{
		"a number is itself":            {intstr.FromInt32(3), 10, 3},
		"a percentage of the expected":  {intstr.FromString("50%"), 10, 5},
		"parts of a pod round up":       {intstr.FromString("50%"), 7, 4},
		"nothing of nothing":            {intstr.FromString("50%"), 0, 0},
		"all of them, beyond any int32": {intstr.FromString("100%"), 1 << 30, 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			b := Budget(&policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &c.given}})
			if b.MinAvailable == nil || len(b.Faults) > 0 {
				t.Fatalf("%+v", b)
			}
			theirs, err := intstr.GetScaledValueFromIntOrPercent(&c.given, int(c.expected), true)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.MinAvailable.Of(c.expected); got != c.want || int(got) != theirs {
				t.Errorf("%d, want %d; Kubernetes says %d", got, c.want, theirs)
			}
		})
	}
}

func TestABudgetWithAnInvalidSelectorIsSetAside(t *testing.T) {
	for name, c := range map[string]struct {
		spec  policyv1.PodDisruptionBudgetSpec
		field string
	}{
		"an unknown operator":   {expression("Near", "x"), "spec.selector.matchExpressions[0].operator"},
		"In without any values": {expression("In"), "spec.selector.matchExpressions[0].values"},
	} {
		t.Run(name, func(t *testing.T) {
			b := Budget(&policyv1.PodDisruptionBudget{Spec: c.spec})
			if f, bad := b.SetAside(); !bad || f.Field != c.field {
				t.Errorf("%+v", b.Faults)
			}
		})
	}
}

// Kubernetes' controller allows none in that case.
func TestABudgetOfAnUnknownNumberAllowsNoEviction(t *testing.T) {
	one := intstr.FromInt32(1)
	for name, v := range map[string]intstr.IntOrString{
		"a negative number":     intstr.FromInt32(-1),
		"a text":                intstr.FromString("half"),
		"more than all of them": intstr.FromString("101%"),
		"a number without a %":  intstr.FromString("5"),
	} {
		t.Run(name, func(t *testing.T) {
			b := Budget(&policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &v,
				MinAvailable: &one}})
			if _, aside := b.SetAside(); aside || b.MinAvailable != nil || b.MaxUnavailable != nil || len(b.Faults) != 1 {
				t.Errorf("%+v", b)
			}
		})
	}
}

func expression(op metav1.LabelSelectorOperator, values ...string) policyv1.PodDisruptionBudgetSpec {
	return policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: op, Values: values}}}}
}

func TestWhatABudgetsControllerCounted(t *testing.T) {
	always := policyv1.AlwaysAllow
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "b", Generation: 2},
		Spec:       policyv1.PodDisruptionBudgetSpec{UnhealthyPodEvictionPolicy: &always},
		Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 2, DisruptionsAllowed: 1, CurrentHealthy: 4,
			DesiredHealthy: 3,
			ExpectedPods:   5, DisruptedPods: map[string]metav1.Time{"p2": {}, "p1": {}}},
	}
	want := &model.Budget{Meta: model.Meta{Name: "b"}, MatchesNothing: true, AlwaysEvictUnhealthy: true, Counted: true,
		Allowed: 1, Healthy: 4, Desired: 3, Expected: 5, Leaving: []string{"p1", "p2"}}
	if d := cmp.Diff(want, Budget(b)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	b.Generation = 3
	if Budget(b).Counted {
		t.Error("the spec has changed since its controller counted")
	}
	if Budget(&policyv1.PodDisruptionBudget{}).Counted {
		t.Error("a budget without a status counts as counted")
	}
}
