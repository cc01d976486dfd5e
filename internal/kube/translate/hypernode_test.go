package translate

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	topologyv1alpha1 "volcano.sh/apis/pkg/apis/topology/v1alpha1"

	"ashlar.sh/sched/model"
)

func nodeMember(s topologyv1alpha1.MemberSelector) topologyv1alpha1.MemberSpec {
	return topologyv1alpha1.MemberSpec{Type: topologyv1alpha1.MemberTypeNode, Selector: s}
}

func exactly(name string) topologyv1alpha1.MemberSelector {
	return topologyv1alpha1.MemberSelector{ExactMatch: &topologyv1alpha1.ExactMatch{Name: name}}
}

func pattern(p string) topologyv1alpha1.MemberSelector {
	return topologyv1alpha1.MemberSelector{RegexMatch: &topologyv1alpha1.RegexMatch{Pattern: p}}
}

func TestAHyperNodeAsItIsMeant(t *testing.T) {
	got := HyperNode(&topologyv1alpha1.HyperNode{ObjectMeta: metav1.ObjectMeta{Name: "s"},
		Spec: topologyv1alpha1.HyperNodeSpec{
			Tier: 2, TierName: "spine", Members: []topologyv1alpha1.MemberSpec{
				nodeMember(exactly("n1")), nodeMember(pattern("^n-[0-9]+$")),
				nodeMember(topologyv1alpha1.MemberSelector{
					LabelMatch: &metav1.LabelSelector{MatchLabels: map[string]string{"rack": "a"}}}),
				{Type: topologyv1alpha1.MemberTypeHyperNode, Selector: exactly("rack-a")},
			}}})
	want := &model.HyperNode{Meta: model.Meta{Name: "s"}, Tier: 2, TierName: "spine", Members: []model.Member{
		{Node: true, Name: "n1"}, {Node: true, Pattern: "^n-[0-9]+$"},
		{Node: true, Labels: []model.Requirement{{Key: "rack", Op: model.In, Values: []string{"a"}}}}, {Name: "rack-a"}}}
	got.Faults = append([]model.Fault(nil), got.Faults...)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// An error sets a HyperNode aside and names the field; a pattern is RE2 and small.
func TestAHyperNodeWithoutMeaning(t *testing.T) {
	for name, c := range map[string]struct {
		tier   int
		member topologyv1alpha1.MemberSpec
		want   string
	}{
		"a tier below 0":    {-1, nodeMember(exactly("n1")), "spec.tier: -1 is not from 0 to 1000000"},
		"a tier beyond all": {1 << 40, nodeMember(exactly("n1")), "spec.tier: 1099511627776 is not from 0 to 1000000"},
		"no type": {1, topologyv1alpha1.MemberSpec{Selector: exactly("n1")},
			`spec.members[0].type: "" is neither Node nor HyperNode`},
		"no selector": {1, nodeMember(topologyv1alpha1.MemberSelector{}),
			"spec.members[0].selector: exactly one of exactMatch, regexMatch and labelMatch says which members are meant; 0 " +
				"are given"},
		"a pattern that is none": {1, nodeMember(pattern("(")),
			"spec.members[0].selector.regexMatch.pattern: \"(\" is no regular expression of RE2"},
		"a pattern looking behind": {1, nodeMember(pattern("(?<=a)b")), "spec.members[0].selector.regexMatch.pattern:"},
		"a bomb": {1, nodeMember(pattern("((a{100}){10}){10}")),
			"spec.members[0].selector.regexMatch.pattern:"},
		"a large one": {1, nodeMember(pattern("(abcdefgh){400}")),
			"is too large: it takes more than 2048 steps"},
		"a long one": {1, nodeMember(pattern(strings.Repeat("a", 600))), "it has 600 characters"},
		"HyperNodes by label": {1, topologyv1alpha1.MemberSpec{Type: topologyv1alpha1.MemberTypeHyperNode,
			Selector: topologyv1alpha1.MemberSelector{LabelMatch: &metav1.LabelSelector{}}},
			"spec.members[0].selector.labelMatch: labels select nodes only"},
	} {
		h := HyperNode(&topologyv1alpha1.HyperNode{Spec: topologyv1alpha1.HyperNodeSpec{Tier: c.tier,
			Members: []topologyv1alpha1.MemberSpec{c.member}}})
		f, bad := h.SetAside()
		if text := f.Field + ": " + f.Message; !bad || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

func TestWhatAJobAsksOfTheNetwork(t *testing.T) {
	tier, below, size, none := 2, -3, int32(0), int32(-1)
	for name, c := range map[string]struct {
		spec   schedulingv1beta1.NetworkTopologySpec
		want   model.Topology
		faults int
	}{
		"hard is the default": {schedulingv1beta1.NetworkTopologySpec{HighestTierAllowed: &tier},
			model.Topology{Hard: true, Highest: 2}, 0},
		"soft": {schedulingv1beta1.NetworkTopologySpec{Mode: "soft"}, model.Topology{Highest: -1},
			0},
		"a tier by name": {schedulingv1beta1.NetworkTopologySpec{HighestTierName: "rack"},
			model.Topology{Hard: true, Highest: -1, HighestName: "rack"}, 0},
		"both: the number is taken": {schedulingv1beta1.NetworkTopologySpec{HighestTierName: "rack",
			HighestTierAllowed: &tier}, model.Topology{Hard: true, Highest: 2, HighestName: "rack"}, 1},
		"hard without a tier binds no pod": {schedulingv1beta1.NetworkTopologySpec{}, model.Topology{Highest: -1}, 1},
		"below 0": {schedulingv1beta1.NetworkTopologySpec{HighestTierAllowed: &below},
			model.Topology{Hard: true}, 1},
		"an unknown mode": {schedulingv1beta1.NetworkTopologySpec{Mode: "firm", HighestTierAllowed: &tier},
			model.Topology{Hard: true, Highest: 2}, 1},
	} {
		g := PodGroup(&schedulingv1beta1.PodGroup{Spec: schedulingv1beta1.PodGroupSpec{NetworkTopology: &c.spec}})
		if *g.Topology != c.want || len(g.Faults) != c.faults {
			t.Errorf("%s: %+v, %v", name, *g.Topology, g.Faults)
		}
	}
	g := PodGroup(
		&schedulingv1beta1.PodGroup{
			Spec: schedulingv1beta1.PodGroupSpec{SubGroupPolicy: []schedulingv1beta1.SubGroupPolicySpec{
				{Name: "replica", MatchLabelKeys: []string{"r"}, SubGroupSize: &size, MinSubGroups: &none}}}})
	if s := g.SubGroups[0]; s.Size != 1 || s.Min != 0 || s.Name != "replica" || len(g.Faults) != 2 {
		t.Errorf("%+v, %v", s, g.Faults)
	}
}
