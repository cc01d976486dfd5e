package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
	nodeinfov1alpha1 "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	shardv1alpha1 "volcano.sh/apis/pkg/apis/shard/v1alpha1"
	topologyv1alpha1 "volcano.sh/apis/pkg/apis/topology/v1alpha1"
)

// What lies in deploy/ is what the types and the chart make, file for file.
func TestDeployIsWhatIsMade(t *testing.T) {
	crds, err := generateCRDs()
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := plain(crds)
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]map[string]string{filepath.Join(folder, chartFolder, "crds"): crds,
		folder: manifests} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]string{}
		for name := range want { // some are in folders below, beside files that are written by hand
			paths = append(paths, filepath.Join(dir, name))
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				t.Fatal(err)
			}
			have[name] = string(text)
		}
		if diff := cmp.Diff(have, want); diff != "" {
			t.Errorf("%s is not what is made: make manifests\n%s", dir, diff)
		}
	}
}

// The kinds are those of the version that Ashlar itself is built with.
func TestTheTypesAreAshlars(t *testing.T) {
	own, err := goCommand("list", "-m", "-f", "{{.Version}}", "volcano.sh/apis")
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(gomod), "volcano.sh/apis "+own+"\n") {
		t.Errorf("the CRDs are made of volcano.sh/apis %s, go.mod names another", own)
	}
}

// Every field that a client of volcano.sh/apis can write is in the schema, or the API server
// would drop it without a word.
func TestEveryFieldIsInTheSchema(t *testing.T) {
	for file, kind := range map[string]any{
		"queues.yaml":         schedulingv1beta1.Queue{},
		"podgroups.yaml":      schedulingv1beta1.PodGroup{},
		"hypernodes.yaml":     topologyv1alpha1.HyperNode{},
		"nodeshards.yaml":     shardv1alpha1.NodeShard{},
		"numatopologies.yaml": nodeinfov1alpha1.Numatopology{},
	} {
		crd := crdIn(t, file)
		schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		object := reflect.TypeOf(kind)
		for _, part := range []string{"Spec", "Status"} {
			if field, ok := object.FieldByName(part); ok {
				name := strings.ToLower(part)
				inSchema(t, crd.Spec.Names.Kind+"."+name, field.Type, schema.Properties[name])
			}
		}
	}
}

// A Queue's status is a subresource and a PodGroup's is not, as with Volcano: clients depend on it.
func TestWhichStatusIsASubresource(t *testing.T) {
	for file, want := range map[string]bool{"queues.yaml": true, "podgroups.yaml": false, "hypernodes.yaml": true,
		"nodeshards.yaml": true, "numatopologies.yaml": false} {
		version := crdIn(t, file).Spec.Versions[0]
		if got := version.Subresources != nil && version.Subresources.Status != nil; got != want {
			t.Errorf("%s: the status is a subresource: %v, want %v", file, got, want)
		}
	}
}

func crdIn(t *testing.T, file string) apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, chartFolder, "crds", file))
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &crd); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return crd
}

// inSchema compares a Go type, as JSON has it, with a schema. What has a schema without fields
// of its own (a quantity, a time, a map of scalars) is taken as it is.
func inSchema(t *testing.T, path string, goType reflect.Type, schema apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	switch goType.Kind() {
	case reflect.Pointer:
		inSchema(t, path, goType.Elem(), schema)
	case reflect.Slice:
		if schema.Items == nil || schema.Items.Schema == nil {
			t.Errorf("%s is a list, the schema has none", path)
			return
		}
		inSchema(t, path+"[]", goType.Elem(), *schema.Items.Schema)
	case reflect.Struct:
		if goType.PkgPath() != "" && !strings.HasPrefix(goType.PkgPath(), "volcano.sh/") && len(schema.Properties) == 0 {
			return
		}
		for i := range goType.NumField() {
			field := goType.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" && field.Anonymous {
				inSchema(t, path, field.Type, schema)
				continue
			}
			below, ok := schema.Properties[name]
			if !ok {
				t.Errorf("the schema has no %s.%s", path, name)
				continue
			}
			inSchema(t, path+"."+name, field.Type, below)
		}
	}
}
