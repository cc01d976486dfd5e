package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched/model"
)

func selects(labels ...string) *metav1.LabelSelector {
	s := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	for _, l := range labels {
		k, v, _ := strings.Cut(l, "=")
		s.MatchLabels[k] = v
	}
	return s
}

func is(key, value string) model.Requirement {
	return model.Requirement{Key: key, Op: model.In, Values: []string{value}}
}

// amongPods is a pod of namespace ns with labels app=web and rev=2.
func amongPods(change func(*corev1.PodSpec)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p",
		Labels: map[string]string{"app": "web", "rev": "2"}}}
	change(&p.Spec)
	return p
}

func requires(t ...corev1.PodAffinityTerm) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: t}}
	}
}

func TestWhichPodsATermIsAbout(t *testing.T) {
	for name, c := range map[string]struct {
		term corev1.PodAffinityTerm
		want model.PodSelector
	}{
		"those of the pod's own namespace": {corev1.PodAffinityTerm{LabelSelector: selects("app=db")},
			model.PodSelector{Namespaces: []string{"ns"}, Selector: []model.Requirement{is("app", "db")}}},
		"those of the namespaces named": {corev1.PodAffinityTerm{LabelSelector: selects("app=db"),
			Namespaces: []string{"z", "a", "z"}},
			model.PodSelector{Namespaces: []string{"a", "z"}, Selector: []model.Requirement{is("app", "db")}}},
		"those of namespaces with a label": {corev1.PodAffinityTerm{LabelSelector: selects(),
			NamespaceSelector: selects("team=red")},
			model.PodSelector{ByLabels: true, InSuch: []model.Requirement{is("team", "red")}}},
		"an empty namespaceSelector means all": {corev1.PodAffinityTerm{LabelSelector: selects("app=db"),
			NamespaceSelector: selects()},
			model.PodSelector{ByLabels: true, Selector: []model.Requirement{is("app", "db")}}},
		"without a labelSelector no pod": {corev1.PodAffinityTerm{},
			model.PodSelector{Namespaces: []string{"ns"}, MatchesNothing: true}},
		"its own values of some labels, or none of them": {
			corev1.PodAffinityTerm{LabelSelector: selects("app=web"), MatchLabelKeys: []string{"rev", "none"},
				MismatchLabelKeys: []string{"app"}},
			model.PodSelector{Namespaces: []string{"ns"}, Selector: []model.Requirement{is("app", "web"),
				{Key: "app", Op: model.NotIn, Values: []string{"web"}}, is("rev", "2")}}},
	} {
		t.Run(name, func(t *testing.T) {
			c.term.TopologyKey = "zone"
			got := Pod(amongPods(requires(c.term)), Options{})
			if _, bad := got.SetAside(); bad || got.Spec.Neighbours == nil || len(got.Spec.Neighbours.With) != 1 {
				t.Fatalf("faults %v, asks %+v", got.Faults, got.Spec.Neighbours)
			}
			if n := got.Spec.Neighbours.With[0]; n.Key != "zone" || fmt.Sprint(n.Pods) != fmt.Sprint(c.want) {
				t.Errorf("%+v, want %+v", n.Pods, c.want)
			}
		})
	}
}

func TestASpreadConstraintIsTranslated(t *testing.T) {
	three, honor, ignore := int32(3), corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore
	p := Pod(amongPods(func(s *corev1.PodSpec) {
		s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
			{TopologyKey: "zone", MaxSkew: 1, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selects("app=web"),
				MinDomains: &three, NodeAffinityPolicy: &ignore, NodeTaintsPolicy: &honor, MatchLabelKeys: []string{"rev"}},
			{TopologyKey: "host", MaxSkew: 2, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selects("app=web")},
		}
	}), Options{})
	web := model.PodSelector{Namespaces: []string{"ns"}, Selector: []model.Requirement{is("app", "web")}}
	revised := model.PodSelector{Namespaces: []string{"ns"}, Selector: []model.Requirement{is("app", "web"),
		is("rev", "2")}}
	want := []model.Spread{{Key: "host", MaxSkew: 2, Soft: true, Pods: web},
		{Key: "zone", MaxSkew: 1, MinDomains: 3, Everywhere: true, Untainted: true, Pods: revised}}
	if len(p.Faults) > 0 || fmt.Sprint(p.Spec.Neighbours.Spread) != fmt.Sprint(want) {
		t.Errorf("%+v (%v), want %+v", p.Spec.Neighbours.Spread, p.Faults, want)
	}
}

func TestTermsWithoutMeaningSetThePodAside(t *testing.T) {
	values := make([]string, mostValues+1)
	for i := range values {
		values[i] = fmt.Sprint(i)
	}
	huge := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "In",
		Values: values}}}
	spread := func(c corev1.TopologySpreadConstraint) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) { s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{c} }
	}
	for field, change := range map[string]func(*corev1.PodSpec){
		"spec.affinity": requires(make([]corev1.PodAffinityTerm, mostTerms+1)...),
		"spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey": requires(
			corev1.PodAffinityTerm{LabelSelector: selects()}),
		"spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]": requires(
			corev1.PodAffinityTerm{LabelSelector: huge, TopologyKey: "zone"}),
		"spec.topologySpreadConstraints[0].maxSkew": spread(
			corev1.TopologySpreadConstraint{TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule}),
		"spec.topologySpreadConstraints[0].whenUnsatisfiable": spread(
			corev1.TopologySpreadConstraint{TopologyKey: "zone", MaxSkew: 1, WhenUnsatisfiable: "Perhaps"}),
	} {
		t.Run(field, func(t *testing.T) {
			p := Pod(amongPods(change), Options{})
			if !slices.ContainsFunc(p.Faults, func(f model.Fault) bool {
				return f.Fatal && f.Field == field
			}) || p.Spec.Neighbours != nil {
				t.Errorf("faults %v, asks %+v", p.Faults, p.Spec.Neighbours)
			}
		})
	}
}

func TestTheOrderOfTermsMakesNoDifference(t *testing.T) {
	a := corev1.PodAffinityTerm{LabelSelector: selects("app=db"), TopologyKey: "zone"}
	b := corev1.PodAffinityTerm{LabelSelector: selects("app=web"), TopologyKey: "rack"}
	x, y := Pod(amongPods(requires(a, b)), Options{}), Pod(amongPods(requires(b, a, a)), Options{})
	if key(x.Spec) != key(y.Spec) {
		t.Errorf("%+v and %+v", x.Spec.Neighbours, y.Spec.Neighbours)
	}
}
