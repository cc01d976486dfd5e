package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// chartFolder is the chart's place in deploy/, with slashes.
const chartFolder = "helm/ashlar"

// The release that the plain manifests are rendered as: in Volcano's namespace, where its Lease
// is and where Volcano's controllers are looked for.
const (
	releaseName      = "ashlar"
	releaseNamespace = "ashlar-system"
)

// render renders the chart with values over its defaults, as `helm install` would: the schema is
// checked first. What comes back is the templates' output by file name, without empty files and
// without the notes.
func render(values map[string]any) (map[string]string, error) {
	return renderAs(releaseName, releaseNamespace, values)
}

// renderAs is render for a release of another name or in another namespace.
func renderAs(name, namespace string, values map[string]any) (map[string]string, error) {
	return renderOn("v1.36.3", name, namespace, values)
}

// renderOn is renderAs for a cluster with a version of Kubernetes.
func renderOn(kubernetes, name, namespace string, values map[string]any) (map[string]string, error) {
	cluster := chartutil.DefaultCapabilities.Copy()
	cluster.KubeVersion.Version = kubernetes
	chart, err := loader.Load(filepath.Join(folder, chartFolder))
	if err != nil {
		return nil, err
	}
	release := chartutil.ReleaseOptions{Name: name, Namespace: namespace, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, release, cluster)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(chart, all)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for path, text := range rendered {
		name := filepath.Base(path)
		if text = strings.TrimSpace(text); text != "" && filepath.Ext(name) == ".yaml" {
			out[name] = text + "\n"
		}
	}
	return out, nil
}

// first are the templates with objects that others need; the rest follow by name.
var first = []string{"namespace.yaml", "serviceaccount.yaml", "rbac.yaml"}

// policies are the templates of admission policies.
const (
	policies       = "admission.yaml"
	tenantPolicies = "admission-tenants.yaml"
)

// plain is the files that the install lines of docs/install.md name: the CRDs, for `kubectl create`, then
// the chart's objects as they are by default, with the namespace; the policies for tenants, which are off by default;
// and those for the scheduler where it runs in the place of Volcano's.
func plain(crds map[string]string) (map[string]string, error) {
	templates, err := render(map[string]any{"namespace": map[string]any{"create": true}})
	if err != nil {
		return nil, fmt.Errorf("render the chart: %w", err)
	}
	const made = "# Made by test/deploy from deploy/helm/ashlar. Change the chart, then: make manifests\n"
	const inVolcanosPlace = "# For Ashlar in the place of Volcano's scheduler, by its image alone: apply it\n" +
		"# once no pod of Volcano's image is left, and delete it before Volcano's scheduler comes back. That one\n" +
		"# has the same service account, and brings annotations to pods with its bindings: it could bind none.\n"
	order := slices.Clone(first)
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	tenants, err := render(map[string]any{"admissionPolicies": map[string]any{"tenants": true}})
	if err != nil {
		return nil, fmt.Errorf("render the chart with the policies for tenants: %w", err)
	}
	volcano, err := renderAs("ashlar-in-place-of-volcano", "volcano-system",
		map[string]any{"serviceAccount": map[string]any{"name": "volcano-scheduler"}})
	if err != nil {
		return nil, fmt.Errorf("render the chart's policies for Volcano's place: %w", err)
	}
	return map[string]string{
		"10-crds.yaml":          made + join(crds, slices.Sorted(maps.Keys(crds))),
		"20-ashlar.yaml":        made + join(templates, order),
		"policies/tenants.yaml": made + tenants[tenantPolicies],
		"volcano/policies.yaml": made + inVolcanosPlace + volcano[policies],
	}, nil
}

// join makes one stream of documents out of files.
func join(files map[string]string, order []string) string {
	var out strings.Builder
	for _, name := range order {
		if files[name] != "" {
			out.WriteString("---\n" + files[name])
		}
	}
	return out.String()
}
