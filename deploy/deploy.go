// Package deploy holds what Ashlar is installed with, and gives the CRDs to programs that
// install them themselves: the local cluster of `ashlar cluster` and the tests.
//
// It is data, not code: a Helm chart, the plain manifests that are rendered from it, a
// Dockerfile, alerts and a dashboard. What of it is made from something else is made by the
// module in test/deploy; its tests also check that it was.
//
// Invariants: helm/ashlar is the one source of every object but the CRDs; the CRDs are those
// of the types of volcano.sh/apis, of the version that go.mod names.
package deploy

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed helm/ashlar/crds/*.yaml 20-ashlar.yaml
var files embed.FS

// SchedulerRules are the rights in all namespaces that the manifests give the scheduler: those of ClusterRole ashlar.
func SchedulerRules() ([]rbacv1.PolicyRule, error) {
	const name = "20-ashlar.yaml"
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		role := rbacv1.ClusterRole{}
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			return nil, fmt.Errorf("read deploy/%s: %w", name, err)
		}
		if role.Kind == "ClusterRole" && role.Name == "ashlar" {
			return role.Rules, nil
		}
	}
	return nil, fmt.Errorf("deploy/%s has no ClusterRole ashlar", name)
}

// CRDs returns the CustomResourceDefinitions of the kinds that Ashlar reads, in the order of
// their files' names: each call makes them anew. An error names the file that is no YAML.
func CRDs() ([]*unstructured.Unstructured, error) {
	names, err := fs.Glob(files, "helm/ashlar/crds/*.yaml")
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		crd := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &crd.Object); err != nil {
			return nil, fmt.Errorf("read deploy/%s: %w", name, err)
		}
		out = append(out, crd)
	}
	return out, nil
}
