package translate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched/model"
)

// Bounds on a pod's affinity and spread. Kubernetes has none; useful pods have fewer, and every
// term is looked at for many pods.
const (
	mostTerms  = 64   // affinity terms and spread constraints of a pod
	mostValues = 1024 // requirements, values and namespaces of one term
)

// neighbours translates a pod's affinity and spread; nil where it has none. A pod with an error
// in them is set aside. It may run all the same, so its required anti-affinity is kept as far as
// it can be read.
func (f *faults) neighbours(p *corev1.Pod) *model.Neighbours {
	var own faults
	out := own.neighboursOf(p)
	*f = append(*f, own...)
	if fatal(own) {
		out = &model.Neighbours{Apart: keptApart(p)}
	}
	if n := len(out.With) + len(out.Apart) + len(out.Prefer) + len(out.Spread); n == 0 {
		return nil
	}
	return out
}

// keptApart are the terms of a pod's required anti-affinity, each of which can be meant by itself:
// as many as are looked at, in an order of their own.
func keptApart(p *corev1.Pod) []model.Near {
	if p.Spec.Affinity == nil || p.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	list := p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	var out []model.Near
	for i := range list {
		var own faults
		if t := own.near(p, "", &list[i]); !fatal(own) {
			out = append(out, t)
		}
	}
	out = ordered(out, nearForm, true)
	return out[:min(len(out), mostTerms)]
}

func fatal(list faults) bool {
	return slices.ContainsFunc(list, func(f model.Fault) bool { return f.Fatal })
}

func (f *faults) neighboursOf(p *corev1.Pod) *model.Neighbours {
	out := &model.Neighbours{}
	required := func(path string, list []corev1.PodAffinityTerm) (terms []model.Near) {
		for i := range list {
			terms = append(terms, f.near(p, fmt.Sprintf("%s.requiredDuringSchedulingIgnoredDuringExecution[%d]", path, i),
				&list[i]))
		}
		return terms
	}
	preferred := func(path string, list []corev1.WeightedPodAffinityTerm, sign int32) {
		for i := range list {
			at := fmt.Sprintf("%s.preferredDuringSchedulingIgnoredDuringExecution[%d]", path, i)
			t := f.near(p, at+".podAffinityTerm", &list[i].PodAffinityTerm)
			if t.Weight = sign * f.liking(at+".weight", list[i].Weight); t.Weight != 0 {
				out.Prefer = append(out.Prefer, t)
			}
		}
	}
	asked := len(p.Spec.TopologySpreadConstraints)
	if a := p.Spec.Affinity; a != nil {
		if x := a.PodAffinity; x != nil {
			asked += len(x.RequiredDuringSchedulingIgnoredDuringExecution) +
				len(x.PreferredDuringSchedulingIgnoredDuringExecution)
		}
		if x := a.PodAntiAffinity; x != nil {
			asked += len(x.RequiredDuringSchedulingIgnoredDuringExecution) +
				len(x.PreferredDuringSchedulingIgnoredDuringExecution)
		}
	}
	if asked > mostTerms {
		f.fatal("spec.affinity", "%d terms of affinity between pods and of topology spread; at most %d are looked at", asked,
			mostTerms)
		return out
	}
	if a := p.Spec.Affinity; a != nil {
		if x := a.PodAffinity; x != nil {
			out.With = required("spec.affinity.podAffinity", x.RequiredDuringSchedulingIgnoredDuringExecution)
			preferred("spec.affinity.podAffinity", x.PreferredDuringSchedulingIgnoredDuringExecution, 1)
		}
		if x := a.PodAntiAffinity; x != nil {
			out.Apart = required("spec.affinity.podAntiAffinity", x.RequiredDuringSchedulingIgnoredDuringExecution)
			preferred("spec.affinity.podAntiAffinity", x.PreferredDuringSchedulingIgnoredDuringExecution, -1)
		}
	}
	for i := range p.Spec.TopologySpreadConstraints {
		out.Spread = append(out.Spread, f.spread(p, fmt.Sprintf("spec.topologySpreadConstraints[%d]", i),
			&p.Spec.TopologySpreadConstraints[i]))
	}
	out.With, out.Apart = ordered(out.With, nearForm, true), ordered(out.Apart, nearForm, true)
	out.Prefer = ordered(out.Prefer, nearForm, false)
	out.Spread = ordered(out.Spread, spreadForm, true)
	return out
}

// near translates a term. Without namespaces it is about those of the pod's own.
func (f *faults) near(p *corev1.Pod, path string, t *corev1.PodAffinityTerm) model.Near {
	out := model.Near{Key: f.topologyKey(path, t.TopologyKey)}
	c := &out.Pods
	c.Namespaces = slices.Compact(slices.Sorted(slices.Values(t.Namespaces)))
	c.ByLabels = t.NamespaceSelector != nil
	if c.ByLabels {
		c.InSuch = f.selector(path+".namespaceSelector", t.NamespaceSelector)
	}
	if len(c.Namespaces) == 0 && !c.ByLabels {
		c.Namespaces = []string{p.Namespace}
	}
	f.podSelector(p, path, c, t.LabelSelector, t.MatchLabelKeys, t.MismatchLabelKeys)
	return out
}

func (f *faults) spread(p *corev1.Pod, path string, s *corev1.TopologySpreadConstraint) model.Spread {
	out := model.Spread{Key: f.topologyKey(path, s.TopologyKey), MaxSkew: s.MaxSkew}
	if s.MaxSkew < 1 {
		f.fatal(path+".maxSkew", "%d is no number of pods by which domains may differ: at least 1", s.MaxSkew)
	}
	switch s.WhenUnsatisfiable {
	case corev1.DoNotSchedule:
	case corev1.ScheduleAnyway:
		out.Soft = true
	default:
		f.fatal(path+".whenUnsatisfiable", "%q is neither DoNotSchedule nor ScheduleAnyway",
			short(string(s.WhenUnsatisfiable)))
	}
	if s.MinDomains != nil && !out.Soft {
		if out.MinDomains = *s.MinDomains; out.MinDomains < 1 {
			f.taken(path+".minDomains", "%d is no number of domains: 1 taken", out.MinDomains)
			out.MinDomains = 0
		}
	}
	out.Everywhere = f.ignores(path+".nodeAffinityPolicy", s.NodeAffinityPolicy, corev1.NodeInclusionPolicyHonor)
	out.Untainted = !f.ignores(path+".nodeTaintsPolicy", s.NodeTaintsPolicy, corev1.NodeInclusionPolicyIgnore)
	out.Pods.Namespaces = []string{p.Namespace}
	f.podSelector(p, path, &out.Pods, s.LabelSelector, s.MatchLabelKeys, nil)
	return out
}

// ignores reads a policy about which nodes count.
func (f *faults) ignores(path string, policy *corev1.NodeInclusionPolicy, otherwise corev1.NodeInclusionPolicy) bool {
	is := otherwise
	if policy != nil {
		is = *policy
	}
	if is != corev1.NodeInclusionPolicyHonor && is != corev1.NodeInclusionPolicyIgnore {
		f.taken(path, "%q is neither Honor nor Ignore: %s taken", short(string(is)), otherwise)
		is = otherwise
	}
	return is == corev1.NodeInclusionPolicyIgnore
}

// podSelector reads which pods a term is about. Values of the pod's own labels become a part of
// the selector, as the API server makes them.
func (f *faults) podSelector(p *corev1.Pod, path string, c *model.PodSelector, s *metav1.LabelSelector, match,
	mismatch []string) {
	if s == nil {
		c.MatchesNothing = true
		return
	}
	c.Selector = f.selector(path+".labelSelector", s)
	for op, keys := range map[model.Operator][]string{model.In: match, model.NotIn: mismatch} {
		for _, k := range keys {
			if v, has := p.Labels[k]; has {
				c.Selector = append(c.Selector, model.Requirement{Key: k, Op: op, Values: []string{v}})
			}
		}
	}
	slices.SortFunc(c.Selector, compareRequirements)
	c.Selector = slices.CompactFunc(c.Selector, func(a, b model.Requirement) bool {
		return compareRequirements(a, b) == 0
	})
	size := len(c.Namespaces)
	for _, list := range [...][]model.Requirement{c.Selector, c.InSuch} {
		for _, r := range list {
			size += 1 + len(r.Values)
		}
	}
	if size > mostValues {
		f.fatal(path, "%d requirements, values and namespaces; at most %d are looked at", size, mostValues)
	}
}

func (f *faults) topologyKey(path, key string) string {
	if key == "" {
		f.fatal(path+".topologyKey", "no label is named, by which domains are told apart")
	}
	return key
}

// liking is the weight of a preference, from 1 to 100.
func (f *faults) liking(path string, w int32) int32 {
	switch {
	case w < 1:
		f.taken(path, "%d is below 1: the term is left out", w)
		return 0
	case w > 100:
		f.taken(path, "%d is above 100: 100 taken", w)
	}
	return min(w, 100)
}

// ordered puts terms into an order of their own; once leaves out repetitions.
func ordered[T any](list []T, form func(*T) string, once bool) []T {
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(form(&a), form(&b)) })
	if !once {
		return list
	}
	return slices.CompactFunc(list, func(a, b T) bool { return form(&a) == form(&b) })
}

func nearForm(n *model.Near) string {
	var w model.Form
	w.Text(n.Key)
	w.Number(int64(n.Weight))
	w.PodSelector(&n.Pods)
	return w.String()
}

func spreadForm(s *model.Spread) string {
	var w model.Form
	w.Neighbours(&model.Neighbours{Spread: []model.Spread{*s}})
	return w.String()
}

// Namespace translates a namespace. The label with its name is the API server's to give;
// one from a file has it all the same.
func Namespace(n *corev1.Namespace) *model.Namespace {
	named := maps.Clone(n.Labels)
	if named == nil {
		named = map[string]string{}
	}
	named[model.NamespaceNameLabel] = n.Name
	return &model.Namespace{Meta: meta(&n.ObjectMeta), Labels: labels(named)}
}
