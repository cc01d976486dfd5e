package apimodel

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// definition is what a CRD says of the objects of its kind: Kubernetes' own code reads it and checks them.
type definition struct {
	structure     *schema.Structural
	whole, status validation.SchemaValidator
	rules         *cel.Validator
}

// Define has the objects of a kind pruned, filled in and checked as its CRD says. Without it they may say anything.
func (s *Server) Define(crd *unstructured.Unstructured) error {
	text, err := crd.MarshalJSON()
	if err != nil {
		return err
	}
	var from apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	k := s.Kind(from.Spec.Group, from.Spec.Names.Plural)
	if k == nil {
		return nil // a kind that is not served
	}
	whole := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		from.Spec.Versions[0].Schema.OpenAPIV3Schema, whole, nil); err != nil {
		return err
	}
	d := &definition{}
	if d.structure, err = schema.NewStructural(whole); err != nil {
		return fmt.Errorf("read the schema of %s: %w", crd.GetName(), err)
	}
	if d.whole, _, err = validation.NewSchemaValidator(whole); err != nil {
		return err
	}
	if status, has := whole.Properties["status"]; has {
		if d.status, _, err = validation.NewSchemaValidator(&status); err != nil {
			return err
		}
	}
	d.rules = cel.NewValidator(d.structure, true, celconfig.PerCallLimit)
	k.definition = d
	return nil
}

// fill drops from an object what its kind has no field for, and fills in defaults. A null where none may be is dropped
// from what is read, and stays in what was applied, which is not read again.
func (d *definition) fill(o map[string]any, applied bool) {
	if d == nil {
		return
	}
	pruning.Prune(o, d.structure, true)
	if !applied {
		defaulting.PruneNonNullableNullsWithoutDefaults(o, d.structure)
	}
	defaulting.Default(o, d.structure)
}

// check refuses a custom resource that its definition does not allow. Of one that takes the place of another, what was
// wrong before may stay.
func check(c *call, o, before map[string]any) error {
	d := c.kind.definition
	if d == nil {
		return nil
	}
	var found field.ErrorList
	var rules []cel.Option
	switch {
	case before == nil:
		found = validation.ValidateCustomResource(nil, o, d.whole)
	default:
		both := common.NewCorrelatedObject(o, before, &model.Structural{Structural: d.structure})
		rules = append(rules, cel.WithRatcheting(both))
		if c.sub != "status" {
			found = validation.ValidateCustomResourceUpdate(nil, o, before, d.whole, validation.WithRatcheting(both))
		} else if status, has := o["status"]; has && d.status != nil {
			found = validation.ValidateCustomResourceUpdate(field.NewPath("status"), status, before["status"], d.status,
				validation.WithRatcheting(both.Key("status")))
		}
	}
	if before == nil || len(listtype.ValidateListSetsAndMaps(nil, d.structure, before)) == 0 {
		found = append(found, listtype.ValidateListSetsAndMaps(nil, d.structure, o)...)
	}
	if len(found) == 0 {
		found, _ = d.rules.Validate(context.Background(), nil, d.structure, o, asAny(before), celconfig.RuntimeCELCostBudget,
			rules...)
	}
	if len(found) == 0 {
		return nil
	}
	name, _, _ := unstructured.NestedString(o, "metadata", "name")
	return c.invalid(name, found[0].Field, found.ToAggregate().Error())
}

// asAny is nil for no object: the rules take any value, of which an empty one is some.
func asAny(o map[string]any) any {
	if o == nil {
		return nil
	}
	return o
}
