package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"ashlar.sh/deploy"
)

var crdResource = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
}

// InstallCRDs installs the kinds of Volcano that Ashlar reads, as deploy/ has them, and returns
// when the API server serves them. As with Volcano, a Queue's status is a subresource and a
// PodGroup's is not. Installing them again changes nothing.
func (c *Cluster) InstallCRDs(ctx context.Context) error {
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	crds, err := deploy.CRDs()
	if err != nil {
		return err
	}
	for _, crd := range crds {
		if err := installCRD(ctx, client, crd); err != nil {
			return fmt.Errorf("install %s: %w", crd.GetName(), err)
		}
	}
	return nil
}

// InstallVolcanosCRDs installs the kinds of Volcano as Volcano ships them, from the folder that Volcano returns.
func (c *Cluster) InstallVolcanosCRDs(ctx context.Context, dir string) error {
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.volcano.sh_*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		crd := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &crd.Object); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		if err := installCRD(ctx, client, crd); err != nil {
			return fmt.Errorf("install %s: %w", crd.GetName(), err)
		}
	}
	return nil
}

func installCRD(ctx context.Context, client dynamic.Interface, crd *unstructured.Unstructured) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	all := client.Resource(crdResource)
	how := metav1.ApplyOptions{FieldManager: "ashlar-cluster", Force: true}
	if _, err := all.Apply(ctx, crd.GetName(), crd, how); err != nil {
		return err
	}
	var last error
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		got, err := all.Get(ctx, crd.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		if !established(got) {
			last = fmt.Errorf("not established: %v", got.Object["status"])
			return false, nil
		}
		_, last = client.Resource(served(got)).List(ctx, metav1.ListOptions{Limit: 1})
		return last == nil, nil
	})
	if err != nil && last != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	return err
}

func established(crd *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	for _, each := range conditions {
		condition, _ := each.(map[string]any)
		if condition["type"] == "Established" && condition["status"] == "True" {
			return true
		}
	}
	return false
}

// served is the resource of the first version of crd; each CRD here has only one.
func served(crd *unstructured.Unstructured) schema.GroupVersionResource {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	version, _ := versions[0].(map[string]any)
	name, _ := version["name"].(string)
	return schema.GroupVersionResource{Group: group, Version: name, Resource: plural}
}
