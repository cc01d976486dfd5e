package match

import (
	"testing"

	"ashlar.sh/sched/model"
)

func node() *model.Node {
	return &model.Node{
		Meta:   model.Meta{Name: "worker-1"},
		Labels: []model.Label{{Key: "cores", Value: "32"}, {Key: "disk", Value: "ssd"}, {Key: "rack", Value: ""}},
	}
}

func TestALabelRequirementHolds(t *testing.T) {
	need := func(key string, op model.Operator, values ...string) model.Requirement {
		return model.Requirement{Key: key, Op: op, Values: values}
	}
	for name, c := range map[string]struct {
		r    model.Requirement
		want bool
	}{
		"In: one of the values":                     {need("disk", model.In, "hdd", "ssd"), true},
		"In: none of the values":                    {need("disk", model.In, "hdd"), false},
		"In: a missing label is no value":           {need("gpu", model.In, ""), false},
		"In: an empty label is the empty value":     {need("rack", model.In, ""), true},
		"NotIn: another value":                      {need("disk", model.NotIn, "hdd"), true},
		"NotIn: one of the values":                  {need("disk", model.NotIn, "hdd", "ssd"), false},
		"NotIn: a missing label is not among them":  {need("gpu", model.NotIn, "a"), true},
		"Exists: with an empty value too":           {need("rack", model.Exists), true},
		"Exists: not there":                         {need("gpu", model.Exists), false},
		"DoesNotExist: not there":                   {need("gpu", model.DoesNotExist), true},
		"DoesNotExist: there":                       {need("disk", model.DoesNotExist), false},
		"Gt: a greater number, not a later text":    {need("cores", model.Gt, "4"), true},
		"Gt: the same number is not greater":        {need("cores", model.Gt, "32"), false},
		"Gt: a missing label is no number":          {need("gpu", model.Gt, "0"), false},
		"Gt: a label that is no number":             {need("disk", model.Gt, "0"), false},
		"Gt: a bound that is no number":             {need("cores", model.Gt, "few"), false},
		"Gt: a bound beyond 64 bits":                {need("cores", model.Lt, "99999999999999999999"), false},
		"Gt: two bounds are none":                   {need("cores", model.Gt, "1", "2"), false},
		"Lt: a smaller number":                      {need("cores", model.Lt, "33"), true},
		"Lt: the same number is not smaller":        {need("cores", model.Lt, "32"), false},
		"Lt: a negative bound":                      {need("cores", model.Gt, "-1"), true},
		"an operator that Kubernetes does not know": {need("disk", "Near", "ssd"), false},
		"metadata.name as a label is a label":       {need("metadata.name", model.In, "worker-1"), false},
		"field In: this node": {
			model.Requirement{Key: nodeName, Op: model.In, Values: []string{"worker-1"}, Field: true}, true},
		"field In: another node": {
			model.Requirement{Key: nodeName, Op: model.In, Values: []string{"worker-2"}, Field: true}, false},
		"field NotIn: another node": {
			model.Requirement{Key: nodeName, Op: model.NotIn, Values: []string{"worker-2"}, Field: true}, true},
		"field NotIn: this node": {
			model.Requirement{Key: nodeName, Op: model.NotIn, Values: []string{"worker-1"}, Field: true}, false},
		"field Exists: not an operator of fields": {
			model.Requirement{Key: nodeName, Op: model.Exists, Field: true}, false},
		"a field other than the name holds nowhere": {model.Requirement{Key: "disk", Op: model.In, Values: []string{"ssd"},
			Field: true}, false},
		"and so does the contrary of it, everywhere": {
			model.Requirement{Key: "disk", Op: model.NotIn, Values: []string{"ssd"}, Field: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Term(model.Term{All: []model.Requirement{c.r}}, node()); got != c.want {
				t.Errorf("Term(%+v) = %v, want %v", c.r, got, c.want)
			}
		})
	}
}

func TestTermsAreAlternativesAndRequirementsAreNot(t *testing.T) {
	ssd := model.Requirement{Key: "disk", Op: model.In, Values: []string{"ssd"}}
	gpu := model.Requirement{Key: "gpu", Op: model.Exists}
	for name, c := range map[string]struct {
		terms []model.Term
		want  bool
	}{
		"both requirements of a term must hold": {[]model.Term{{All: []model.Requirement{ssd, gpu}}}, false},
		"one of two terms is enough": {
			[]model.Term{{All: []model.Requirement{gpu}}, {All: []model.Requirement{ssd}}}, true},
		"a term without requirements holds nowhere":   {[]model.Term{{}}, false},
		"an empty term does not spoil the one beside": {[]model.Term{{}, {All: []model.Requirement{ssd}}}, true},
		"no terms hold nowhere":                       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Any(c.terms, node()); got != c.want {
				t.Errorf("Any(%+v) = %v, want %v", c.terms, got, c.want)
			}
		})
	}
}

func TestASelectorNeedsEveryLabel(t *testing.T) {
	for name, c := range map[string]struct {
		selector []model.Label
		want     bool
	}{
		"no selector holds for every node": {nil, true},
		"all labels are there":             {[]model.Label{{Key: "cores", Value: "32"}, {Key: "disk", Value: "ssd"}}, true},
		"one has another value":            {[]model.Label{{Key: "cores", Value: "32"}, {Key: "disk", Value: "hdd"}}, false},
		"a missing label is not empty":     {[]model.Label{{Key: "gpu", Value: ""}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Labels(c.selector, node()); got != c.want {
				t.Errorf("Labels(%+v) = %v, want %v", c.selector, got, c.want)
			}
		})
	}
}

func TestATolerationMatchesATaint(t *testing.T) {
	taint := model.Taint{Key: "team", Value: "ml", Effect: model.NoSchedule}
	for name, c := range map[string]struct {
		tolerations []model.Toleration
		want        bool
	}{
		"nothing is tolerated without tolerations": {nil, false},
		"equal key, value and effect": {
			[]model.Toleration{{Key: "team", Value: "ml", Effect: model.NoSchedule}}, true},
		"another value": {
			[]model.Toleration{{Key: "team", Value: "web", Effect: model.NoSchedule}}, false},
		"another key": {
			[]model.Toleration{{Key: "tier", Value: "ml", Effect: model.NoSchedule}}, false},
		"another effect": {
			[]model.Toleration{{Key: "team", Value: "ml", Effect: model.NoExecute}}, false},
		"an empty effect is every effect":   {[]model.Toleration{{Key: "team", Value: "ml"}}, true},
		"Exists does not look at the value": {[]model.Toleration{{Key: "team", Exists: true}}, true},
		"Exists still looks at the effect": {
			[]model.Toleration{{Key: "team", Exists: true, Effect: model.PreferNoSchedule}}, false},
		"an empty key with Exists is every taint": {[]model.Toleration{{Exists: true}}, true},
		"one toleration among several is enough": {
			[]model.Toleration{{Key: "tier", Exists: true}, {Key: "team", Exists: true}}, true},
		"an empty value is not every value (Equal)": {[]model.Toleration{{Key: "team"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Tolerated(c.tolerations, taint); got != c.want {
				t.Errorf("Tolerated(%+v) = %v, want %v", c.tolerations, got, c.want)
			}
		})
	}
}
