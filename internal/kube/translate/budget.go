package translate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"ashlar.sh/sched/model"
)

// Budget translates a PodDisruptionBudget. With an error in its selector it is set aside; with an
// error in its amounts it allows no eviction.
func Budget(b *policyv1.PodDisruptionBudget) *model.Budget {
	var f faults
	out := &model.Budget{
		Meta:           meta(&b.ObjectMeta),
		MatchesNothing: b.Spec.Selector == nil,
		AlwaysEvictUnhealthy: b.Spec.UnhealthyPodEvictionPolicy != nil &&
			*b.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow,
		Counted:  b.Status.ObservedGeneration > 0 && b.Status.ObservedGeneration >= b.Generation,
		Allowed:  max(0, b.Status.DisruptionsAllowed),
		Healthy:  b.Status.CurrentHealthy,
		Desired:  b.Status.DesiredHealthy,
		Expected: b.Status.ExpectedPods,
		Leaving:  slices.Sorted(maps.Keys(b.Status.DisruptedPods)),
	}
	f.budgetBounds(out, &b.Spec)
	if b.Spec.Selector != nil {
		out.Selector = f.selector("spec.selector", b.Spec.Selector)
	}
	out.Faults = f
	return out
}

// budgetBounds reads how many pods a budget keeps, or lets be away. If either value cannot be right it sets neither,
// and the budget then allows no eviction.
func (f *faults) budgetBounds(out *model.Budget, s *policyv1.PodDisruptionBudgetSpec) {
	least, ok := portion(s.MinAvailable)
	if !ok {
		f.taken("spec.minAvailable", "%s: no eviction is allowed", notPortion(s.MinAvailable))
	}
	most, also := portion(s.MaxUnavailable)
	if !also {
		f.taken("spec.maxUnavailable", "%s: no eviction is allowed", notPortion(s.MaxUnavailable))
	}
	if ok && also {
		out.MinAvailable, out.MaxUnavailable = least, most
	}
}

func notPortion(v *intstr.IntOrString) string {
	return fmt.Sprintf("%q is neither a number of pods nor a percentage such as 50%%", short(v.String()))
}

// portion reads a number of pods or a percentage; nil when none is given, and false for
// what cannot be meant.
func portion(v *intstr.IntOrString) (p *model.Portion, ok bool) {
	switch {
	case v == nil:
		return nil, true
	case v.Type == intstr.Int && v.IntVal >= 0:
		return &model.Portion{Value: v.IntVal}, true
	case v.Type == intstr.String:
		text, percent := strings.CutSuffix(v.StrVal, "%")
		if n, err := strconv.ParseInt(text, 10, 32); err == nil && percent && n >= 0 && n <= 100 {
			return &model.Portion{Value: int32(n), Percent: true}, true
		}
	}
	return nil, false
}

// selector lists a label selector's requirements in an order of their own; matchLabels
// are requirements of one value.
func (f *faults) selector(path string, s *metav1.LabelSelector) []model.Requirement {
	var out []model.Requirement
	for key, value := range s.MatchLabels {
		out = append(out, model.Requirement{Key: key, Op: model.In, Values: []string{value}})
	}
	for i, e := range s.MatchExpressions {
		r := model.Requirement{Key: e.Key, Op: model.Operator(e.Operator),
			Values: slices.Compact(slices.Sorted(slices.Values(e.Values)))}
		switch r.Op {
		case model.In, model.NotIn:
			if len(r.Values) == 0 {
				f.fatal(fmt.Sprintf("%s.matchExpressions[%d].values", path, i), "%s needs a value", r.Op)
			}
		case model.Exists, model.DoesNotExist:
			r.Values = nil
		default:
			f.fatal(fmt.Sprintf("%s.matchExpressions[%d].operator", path, i),
				"%q is not an operator (In, NotIn, Exists, DoesNotExist)", short(string(r.Op)))
		}
		out = append(out, r)
	}
	slices.SortFunc(out, compareRequirements)
	return slices.CompactFunc(out, func(a, b model.Requirement) bool { return compareRequirements(a, b) == 0 })
}
