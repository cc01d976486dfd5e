package translate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/ephemeral"

	"ashlar.sh/sched/model"
)

// spec is everything that placing a pod reads, with lists in an order of their own.
func (f *faults) spec(p *corev1.Pod) *model.Spec {
	out := &model.Spec{
		Requests:    f.requests(p),
		Selector:    labels(p.Spec.NodeSelector),
		Tolerations: f.tolerations(p.Spec.Tolerations),
		Ports:       hostPorts(&p.Spec),
		Extra:       claims(p),
		Devices:     devices(p),
		Features:    features(&p.Spec),
		Revocable:   revocable(p.Annotations),
		Neighbours:  f.neighbours(p),
		NUMA:        f.numa(p),
		Images:      imagesOf(&p.Spec),
	}
	if p.Spec.Affinity != nil && p.Spec.Affinity.NodeAffinity != nil {
		a := p.Spec.Affinity.NodeAffinity
		out.Affinity = f.required(a.RequiredDuringSchedulingIgnoredDuringExecution)
		out.Preferred = f.preferred(a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return out
}

const affinityPath = "spec.affinity.nodeAffinity."

// required translates the terms one of which must hold. A selector without terms holds
// for no node, which one empty term says.
func (f *faults) required(s *corev1.NodeSelector) []model.Term {
	if s == nil {
		return nil
	}
	out := make([]model.Term, 0, len(s.NodeSelectorTerms))
	for i := range s.NodeSelectorTerms {
		path := fmt.Sprintf("%srequiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[%d]", affinityPath, i)
		out = append(out, f.term(path, &s.NodeSelectorTerms[i]))
	}
	if len(out) == 0 {
		return []model.Term{{}}
	}
	slices.SortFunc(out, compareTerms)
	return slices.CompactFunc(out, func(a, b model.Term) bool { return compareTerms(a, b) == 0 })
}

// preferred translates the terms that are worth points; those worth none are left out.
func (f *faults) preferred(list []corev1.PreferredSchedulingTerm) []model.Preference {
	var out []model.Preference
	for i := range list {
		path := fmt.Sprintf("%spreferredDuringSchedulingIgnoredDuringExecution[%d].preference", affinityPath, i)
		if p := (model.Preference{Weight: list[i].Weight, Term: f.term(path, &list[i].Preference)}); p.Weight != 0 {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b model.Preference) int {
		return cmp.Or(cmp.Compare(a.Weight, b.Weight), compareTerms(a.Term, b.Term))
	})
	return out
}

func (f *faults) term(path string, t *corev1.NodeSelectorTerm) model.Term {
	var out model.Term
	for i := range t.MatchExpressions {
		out.All = append(out.All, f.requirement(fmt.Sprintf("%s.matchExpressions[%d]", path, i), &t.MatchExpressions[i],
			false))
	}
	for i := range t.MatchFields {
		out.All = append(out.All, f.requirement(fmt.Sprintf("%s.matchFields[%d]", path, i), &t.MatchFields[i], true))
	}
	slices.SortFunc(out.All, compareRequirements)
	out.All = slices.CompactFunc(out.All, func(a, b model.Requirement) bool { return compareRequirements(a, b) == 0 })
	return out
}

// requirement translates one condition. One that Kubernetes cannot evaluate would let
// the pod nowhere, or everywhere: the pod is set aside.
func (f *faults) requirement(path string, r *corev1.NodeSelectorRequirement, field bool) model.Requirement {
	out := model.Requirement{Key: r.Key, Op: model.Operator(r.Operator), Field: field}
	if field && r.Key != metav1.ObjectNameField {
		f.fatal(path+".key", "%q is not a field of a node that can be matched (metadata.name)", short(r.Key))
	}
	switch out.Op {
	case model.In, model.NotIn:
		out.Values = slices.Compact(slices.Sorted(slices.Values(r.Values)))
	case model.Exists, model.DoesNotExist:
	case model.Gt, model.Lt:
		out.Values = slices.Clone(r.Values)
		if len(r.Values) != 1 {
			f.fatal(path+".values", "%s needs one number, has %d", out.Op, len(r.Values))
		} else if _, err := strconv.ParseInt(r.Values[0], 10, 64); err != nil {
			f.fatal(path+".values", "%s needs a number, has %q", out.Op, short(r.Values[0]))
		}
	default:
		f.fatal(path+".operator", "%q is not an operator (In, NotIn, Exists, DoesNotExist, Gt, Lt)", short(string(out.Op)))
	}
	return out
}

func compareTerms(a, b model.Term) int {
	return slices.CompareFunc(a.All, b.All, compareRequirements)
}

func compareRequirements(a, b model.Requirement) int {
	fields := 0
	if a.Field != b.Field {
		fields = 1
		if b.Field {
			fields = -1
		}
	}
	return cmp.Or(fields, cmp.Compare(a.Key, b.Key), cmp.Compare(a.Op, b.Op), slices.Compare(a.Values, b.Values))
}

// tolerations leaves out how long one holds: that is nothing to a scheduler.
func (f *faults) tolerations(list []corev1.Toleration) []model.Toleration {
	var out []model.Toleration
	for i, t := range list {
		m := model.Toleration{Key: t.Key, Value: t.Value, Effect: model.Effect(t.Effect)}
		switch t.Operator {
		case "", corev1.TolerationOpEqual:
		case corev1.TolerationOpExists:
			m.Exists, m.Value = true, ""
		default:
			f.taken(fmt.Sprintf("spec.tolerations[%d].operator", i), "%q is not known: the toleration is left out",
				short(string(t.Operator)))
			continue
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b model.Toleration) int {
		exists := 0
		if a.Exists != b.Exists {
			exists = 1
			if b.Exists {
				exists = -1
			}
		}
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Effect, b.Effect), exists)
	})
	return slices.Compact(out)
}

// hostPorts are the ports of the node that a pod takes while it runs: those of its
// containers and of its restartable init containers.
func hostPorts(s *corev1.PodSpec) []model.HostPort {
	var out []model.HostPort
	add := func(c *corev1.Container) {
		for _, p := range c.Ports {
			h := model.HostPort{IP: p.HostIP, Protocol: string(p.Protocol), Port: p.HostPort}
			if h.Port == 0 && s.HostNetwork {
				h.Port = p.ContainerPort
			}
			if h.Port <= 0 {
				continue
			}
			h.IP = cmp.Or(h.IP, "0.0.0.0")
			h.Protocol = cmp.Or(h.Protocol, string(corev1.ProtocolTCP))
			out = append(out, h)
		}
	}
	for i := range s.Containers {
		add(&s.Containers[i])
	}
	for i := range s.InitContainers {
		if r := s.InitContainers[i].RestartPolicy; r != nil && *r == corev1.ContainerRestartPolicyAlways {
			add(&s.InitContainers[i])
		}
	}
	slices.SortFunc(out, func(a, b model.HostPort) int {
		return cmp.Or(cmp.Compare(a.IP, b.IP), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Port, b.Port))
	})
	return slices.Compact(out)
}

// claims is the canonical form of the volume claims a pod names, those made for it alone
// included: pods with different claims may be tied to different nodes.
func claims(p *corev1.Pod) string {
	var out []string
	for i := range p.Spec.Volumes {
		switch v := &p.Spec.Volumes[i]; {
		case v.PersistentVolumeClaim != nil:
			out = append(out, "claim:"+p.Namespace+"/"+v.PersistentVolumeClaim.ClaimName)
		case v.Ephemeral != nil:
			out = append(out, "claim:"+p.Namespace+"/"+ephemeral.VolumeClaimName(p, v))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ",")
}

// devices are the pod's resource claims: the names it has for them, and which claim each is
// or which template it is made from. Pods with the same template are alike, for their
// claims are; those that name claims are tied to what these are allocated.
func devices(p *corev1.Pod) (out []string) {
	for i := range p.Spec.ResourceClaims {
		c, what := &p.Spec.ResourceClaims[i], ""
		switch {
		case c.ResourceClaimName != nil:
			what = "claim:" + p.Namespace + "/" + *c.ResourceClaimName
		case c.ResourceClaimTemplateName != nil:
			what = "template:" + p.Namespace + "/" + *c.ResourceClaimTemplateName
		}
		out = append(out, c.Name+model.DeviceOf+what)
	}
	slices.Sort(out)
	return out
}
