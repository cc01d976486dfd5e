package match

import (
	"slices"
	"strconv"

	"ashlar.sh/sched/model"
)

// nodeName is the only field of a node that a term can name.
const nodeName = "metadata.name"

// Labels says that a node has every label of a selector (spec.nodeSelector); an empty
// selector holds for every node.
func Labels(selector []model.Label, n *model.Node) bool {
	for _, want := range selector {
		if have, ok := model.LabelValue(n.Labels, want.Key); !ok || have != want.Value {
			return false
		}
	}
	return true
}

// Any says that one of the terms of a required node affinity holds. No terms hold for
// no node: ask only where an affinity is required.
func Any(terms []model.Term, n *model.Node) bool {
	return slices.ContainsFunc(terms, func(t model.Term) bool { return Term(t, n) })
}

// Term says that all requirements of a term hold; a term without requirements holds
// for no node.
func Term(t model.Term, n *model.Node) bool {
	for _, r := range t.All {
		if !requirement(r, n) {
			return false
		}
	}
	return len(t.All) > 0
}

func requirement(r model.Requirement, n *model.Node) bool {
	if r.Field {
		return field(r, n)
	}
	value, has := model.LabelValue(n.Labels, r.Key)
	switch r.Op {
	case model.In:
		return has && slices.Contains(r.Values, value)
	case model.NotIn:
		return !has || !slices.Contains(r.Values, value)
	case model.Exists:
		return has
	case model.DoesNotExist:
		return !has
	case model.Gt, model.Lt:
		return has && compares(r, value)
	default:
		return false
	}
}

// field knows In and NotIn only, as Kubernetes does.
func field(r model.Requirement, n *model.Node) bool {
	if r.Key != nodeName || r.Op != model.In && r.Op != model.NotIn {
		return false
	}
	return slices.Contains(r.Values, n.Name) == (r.Op == model.In)
}

// compares relates a label to the one value of Gt or Lt, both whole numbers of 64
// bits; what is no such number is neither greater nor less.
func compares(r model.Requirement, label string) bool {
	if len(r.Values) != 1 {
		return false
	}
	have, err := strconv.ParseInt(label, 10, 64)
	if err != nil {
		return false
	}
	bound, err := strconv.ParseInt(r.Values[0], 10, 64)
	if err != nil {
		return false
	}
	if r.Op == model.Gt {
		return have > bound
	}
	return have < bound
}
