package kubescheduler

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// topologyKeys are the labels of domains, and one that no node has.
var topologyKeys = []string{corev1.LabelTopologyZone, corev1.LabelTopologyZone, corev1.LabelHostname,
	corev1.LabelHostname,
	"rack", "none"}

func (d *draw) nodeAffinity(p *corev1.Pod) {
	var out corev1.NodeAffinity
	if d.percent(60) && d.has("node affinity") {
		out.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{}
		for range 1 + d.upTo(1) {
			s := out.RequiredDuringSchedulingIgnoredDuringExecution
			s.NodeSelectorTerms = append(s.NodeSelectorTerms, d.nodeTerm())
		}
	}
	for d.percent(60) && d.often("preferred nodes") {
		out.PreferredDuringSchedulingIgnoredDuringExecution = append(
			out.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.PreferredSchedulingTerm{Weight: int32(1 + d.upTo(99)), Preference: d.nodeTerm()})
	}
	if out.RequiredDuringSchedulingIgnoredDuringExecution != nil ||
		out.PreferredDuringSchedulingIgnoredDuringExecution != nil {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &out}
	}
}

func (d *draw) nodeTerm() (t corev1.NodeSelectorTerm) {
	for range d.upTo(2) {
		r := corev1.NodeSelectorRequirement{Key: d.from("disk", "rack", "tier", corev1.LabelTopologyZone,
			corev1.LabelHostname),
			Operator: corev1.NodeSelectorOperator(d.from("In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))}
		switch r.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			r.Values = d.some("ssd", "r1", "2", "a", "b", "n1")
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			r.Key, r.Values = d.from("tier", "tier", "disk"), []string{d.from("1", "2", "9", "-1")}
		}
		t.MatchExpressions = append(t.MatchExpressions, r)
	}
	if d.percent(20) {
		t.MatchFields = append(t.MatchFields, corev1.NodeSelectorRequirement{Key: metav1.ObjectNameField,
			Operator: corev1.NodeSelectorOperator(d.from("In", "NotIn")), Values: []string{d.from(d.nodes...)}})
	}
	return t
}

func (d *draw) podAffinity(p *corev1.Pod) {
	var with, apart corev1.PodAffinity
	required := func(feature string, a *corev1.PodAffinity) {
		for d.has(feature) {
			a.RequiredDuringSchedulingIgnoredDuringExecution = append(a.RequiredDuringSchedulingIgnoredDuringExecution,
				d.near(p))
		}
		for d.percent(60) && d.often("preferred "+feature) {
			a.PreferredDuringSchedulingIgnoredDuringExecution = append(
				a.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.WeightedPodAffinityTerm{Weight: int32(1 + d.upTo(99)), PodAffinityTerm: d.near(p)})
		}
	}
	required("pods near", &with)
	required("pods apart", &apart)
	any := func(a *corev1.PodAffinity) bool {
		return len(a.RequiredDuringSchedulingIgnoredDuringExecution)+len(
			a.PreferredDuringSchedulingIgnoredDuringExecution) > 0
	}
	if (any(&with) || any(&apart)) && p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	if any(&with) {
		p.Spec.Affinity.PodAffinity = &with
	}
	if any(&apart) {
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  apart.RequiredDuringSchedulingIgnoredDuringExecution,
			PreferredDuringSchedulingIgnoredDuringExecution: apart.PreferredDuringSchedulingIgnoredDuringExecution}
	}
}

// near is a term about other pods.
func (d *draw) near(p *corev1.Pod) corev1.PodAffinityTerm {
	t := corev1.PodAffinityTerm{TopologyKey: d.from(topologyKeys...), LabelSelector: d.labelSelector()}
	switch d.upTo(5) {
	case 0:
		t.Namespaces = d.some("here", "there")
	case 1:
		t.NamespaceSelector = &metav1.LabelSelector{}
	case 2:
		t.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": d.from("a", "b")}}
		if d.percent(30) {
			t.Namespaces = d.some("here", "there")
		}
	}
	if t.LabelSelector != nil && d.percent(20) {
		if d.percent(50) {
			t.MatchLabelKeys = []string{"track"}
		} else {
			t.MismatchLabelKeys = []string{"track"}
		}
		merge(t.LabelSelector, t.MatchLabelKeys, metav1.LabelSelectorOpIn, p.Labels)
		merge(t.LabelSelector, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, p.Labels)
	}
	return t
}

// labelSelector selects pods; nil selects none.
func (d *draw) labelSelector() *metav1.LabelSelector {
	s := &metav1.LabelSelector{}
	switch d.upTo(9) {
	case 0:
		return nil
	case 1:
		return s
	case 2, 3:
		s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: d.from("app", "track"),
			Operator: metav1.LabelSelectorOperator(d.from("In", "NotIn")), Values: d.some("web", "db", "a")}}
	case 4:
		s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: d.from("app", "track"),
			Operator: metav1.LabelSelectorOperator(d.from("Exists", "DoesNotExist"))}}
	default:
		s.MatchLabels = map[string]string{"app": d.from("web", "web", "db", "cache")}
	}
	return s
}

func (d *draw) spread(p *corev1.Pod) {
	for d.percent(60) && d.often("spread") {
		s := corev1.TopologySpreadConstraint{MaxSkew: int32(1 + d.upTo(2)), TopologyKey: d.from(topologyKeys[:5]...),
			WhenUnsatisfiable: corev1.UnsatisfiableConstraintAction(d.from("DoNotSchedule", "ScheduleAnyway")),
			LabelSelector:     d.labelSelector()}
		if d.percent(25) && s.WhenUnsatisfiable == corev1.DoNotSchedule {
			s.MinDomains = pointer(int32(1 + d.upTo(4)))
		}
		policy := func() *corev1.NodeInclusionPolicy {
			return []*corev1.NodeInclusionPolicy{nil, nil, pointer(corev1.NodeInclusionPolicyHonor),
				pointer(corev1.NodeInclusionPolicyIgnore)}[d.upTo(3)]
		}
		s.NodeAffinityPolicy, s.NodeTaintsPolicy = policy(), policy()
		if s.LabelSelector != nil && d.percent(20) {
			s.MatchLabelKeys = []string{"track"}
			merge(s.LabelSelector, s.MatchLabelKeys, metav1.LabelSelectorOpIn, p.Labels)
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, s)
	}
}

// merge makes the values of the pod's own labels a part of a selector, as the API server does with matchLabelKeys.
func merge(s *metav1.LabelSelector, keys []string, op metav1.LabelSelectorOperator, labels map[string]string) {
	for _, key := range keys {
		if v, has := labels[key]; has {
			s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: op,
				Values: []string{v}})
		}
	}
}
