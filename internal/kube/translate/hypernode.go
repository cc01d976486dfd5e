package translate

import (
	"fmt"
	"regexp/syntax"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	topologyv1alpha1 "volcano.sh/apis/pkg/apis/topology/v1alpha1"

	"ashlar.sh/sched/model"
)

// The bounds of a HyperNode and of what a job asks of them.
const (
	highestTier  = 1_000_000
	longPattern  = 512
	largePattern = 2048 // steps of the compiled pattern
)

// HyperNode translates a domain of the network. An error in a tier or a member
// sets it aside: its extent would be a guess.
func HyperNode(h *topologyv1alpha1.HyperNode) *model.HyperNode {
	var f faults
	out := &model.HyperNode{Meta: meta(&h.ObjectMeta), TierName: h.Spec.TierName}
	if h.Spec.Tier < 0 || h.Spec.Tier > highestTier {
		f.fatal("spec.tier", "%d is not from 0 to %d", h.Spec.Tier, highestTier)
	} else {
		out.Tier = int32(h.Spec.Tier)
	}
	for i := range h.Spec.Members {
		if m, ok := f.member(fmt.Sprintf("spec.members[%d]", i), &h.Spec.Members[i]); ok {
			out.Members = append(out.Members, m)
		}
	}
	out.Faults = f
	return out
}

// member reads one member; false when it is at fault.
func (f *faults) member(path string, m *topologyv1alpha1.MemberSpec) (out model.Member, ok bool) {
	switch m.Type {
	case topologyv1alpha1.MemberTypeNode:
		out.Node = true
	case topologyv1alpha1.MemberTypeHyperNode:
	default:
		f.fatal(path+".type", "%q is neither Node nor HyperNode", short(string(m.Type)))
		return out, false
	}
	s := &m.Selector
	given := 0
	for _, is := range [...]bool{s.ExactMatch != nil, s.RegexMatch != nil, s.LabelMatch != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		f.fatal(path+".selector", "exactly one of exactMatch, regexMatch and labelMatch says which members are meant; %d "+
			"are given",
			given)
		return out, false
	case s.ExactMatch != nil:
		if out.Name = s.ExactMatch.Name; out.Name == "" {
			f.fatal(path+".selector.exactMatch.name", "it is empty")
		}
		return out, out.Name != ""
	case s.RegexMatch != nil:
		out.Pattern = s.RegexMatch.Pattern
		return out, f.pattern(path+".selector.regexMatch.pattern", out.Pattern)
	case !out.Node:
		f.fatal(path+".selector.labelMatch", "labels select nodes only; name HyperNodes by exactMatch or regexMatch")
		return out, false
	default:
		out.Labels = f.selector(path+".selector.labelMatch", s.LabelMatch)
		return out, true
	}
}

// pattern says that a pattern is one of RE2, and a small one.
func (f *faults) pattern(field, pattern string) bool {
	if pattern == "" || len(pattern) > longPattern {
		f.fatal(field, "it has %d characters: at least 1 and at most %d are read", len(pattern), longPattern)
		return false
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		f.fatal(field, "%q is no regular expression of RE2: %v", short(pattern), err)
		return false
	}
	if prog, err := syntax.Compile(re.Simplify()); err != nil || len(prog.Inst) > largePattern {
		f.fatal(field, "%q is too large: it takes more than %d steps", short(pattern), largePattern)
		return false
	}
	return true
}

// topology reads what is asked of the network; nil for nothing.
func (f *faults) topology(path string, t *schedulingv1beta1.NetworkTopologySpec) *model.Topology {
	if t == nil {
		return nil
	}
	out := &model.Topology{Highest: -1, HighestName: t.HighestTierName}
	switch t.Mode {
	case "", schedulingv1beta1.HardNetworkTopologyMode:
		out.Hard = true
	case schedulingv1beta1.SoftNetworkTopologyMode:
	default:
		f.taken(path+".mode", "%q is neither hard nor soft: hard taken", short(string(t.Mode)))
		out.Hard = true
	}
	if t.HighestTierAllowed != nil {
		out.Highest = int32(min(max(*t.HighestTierAllowed, 0), highestTier+1))
		if *t.HighestTierAllowed < 0 {
			f.taken(path+".highestTierAllowed", "%d is below 0: 0 taken", *t.HighestTierAllowed)
		}
		if t.HighestTierName != "" {
			f.taken(path+".highestTierName", "highestTierAllowed is given too: that is taken")
		}
	} else if out.Hard && out.HighestName == "" {
		f.taken(path, "mode hard binds nothing without highestTierAllowed or highestTierName: soft taken")
		out.Hard = false
	}
	return out
}

// subGroups reads how members divide into sub-groups.
func (f *faults) subGroups(list []schedulingv1beta1.SubGroupPolicySpec) (out []model.SubGroups) {
	for i := range list {
		s, path := &list[i], fmt.Sprintf("spec.subGroupPolicy[%d]", i)
		g := model.SubGroups{Name: s.Name, Keys: s.MatchLabelKeys, Size: 1,
			Topology: f.topology(path+".networkTopology", s.NetworkTopology)}
		if s.LabelSelector != nil {
			g.Selector = f.selector(path+".labelSelector", s.LabelSelector)
		}
		if s.SubGroupSize != nil {
			if g.Size = *s.SubGroupSize; g.Size < 1 {
				f.taken(path+".subGroupSize", "%d is below 1: 1 taken", g.Size)
				g.Size = 1
			}
		}
		if s.MinSubGroups != nil {
			g.Min = f.notNegative(path+".minSubGroups", *s.MinSubGroups)
		}
		out = append(out, g)
	}
	return out
}
