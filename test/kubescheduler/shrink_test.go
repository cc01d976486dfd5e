package kubescheduler

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// shrink makes a cluster smaller as long as it has a difference of a kind: it leaves out objects, then fields and
// elements of lists of those kinds of which admitted knows what the API server would take.
func shrink(t testing.TB, k *kubeScheduler, c cluster, what string) cluster {
	t.Helper()
	differs := func(c cluster) bool {
		return slices.ContainsFunc(compare(t, k, c, nil), func(d difference) bool { return d.what == what })
	}
	for smaller := true; smaller; {
		smaller = false
		for i := len(c) - 1; i >= 0; i-- {
			if less := slices.Delete(slices.Clone(c), i, i+1); differs(less) {
				c, smaller = less, true
			}
		}
		for i := range c {
			for _, path := range paths(c[i]) {
				less, changed := without(c[i], path)
				if !changed || !admitted(less) || size(less) >= size(c[i]) {
					continue
				}
				try := slices.Clone(c)
				if try[i] = less; differs(try) {
					c, smaller = try, true
				}
			}
		}
	}
	return c
}

// size is that of an object as the API server has it: what is left out may come back as a default.
func size(o runtime.Object) int {
	text, err := json.Marshal(o)
	if err != nil {
		return 0
	}
	return len(text)
}

// kept are fields that say what an object is.
var kept = []string{"apiVersion", "kind", "metadata", "metadata/name", "metadata/namespace", "metadata/uid",
	"metadata/creationTimestamp", "metadata/resourceVersion", "spec", "status", "spec/schedulerName", "spec/nodeName"}

// paths are those to all fields and elements below an object, the last first; none of kinds that are left whole.
func paths(o runtime.Object) (out [][]string) {
	switch o.(type) {
	case *corev1.Pod, *corev1.Node, *corev1.PersistentVolume, *corev1.PersistentVolumeClaim:
	default:
		return nil
	}
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil
	}
	var walk func(at any, path []string)
	walk = func(at any, path []string) {
		if len(path) > 0 && !slices.Contains(kept, strings.Join(path, "/")) {
			out = append(out, slices.Clone(path))
		}
		switch at := at.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(at)) {
				walk(at[key], append(path, key))
			}
		case []any:
			for i := len(at) - 1; i >= 0; i-- {
				walk(at[i], append(path, element+string(rune('0'+i))))
			}
		}
	}
	walk(tree, nil)
	return out
}

// element begins the part of a path that is a number in a list.
const element = "#"

// without is an object without what is at a path.
func without(o runtime.Object, path []string) (runtime.Object, bool) {
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, false
	}
	changed := false
	cutOff(tree, path, &changed)
	out := o.DeepCopyObject()
	switch out.(type) {
	case *corev1.Pod:
		out = &corev1.Pod{}
	case *corev1.Node:
		out = &corev1.Node{}
	case *corev1.PersistentVolume:
		out = &corev1.PersistentVolume{}
	case *corev1.PersistentVolumeClaim:
		out = &corev1.PersistentVolumeClaim{}
	}
	if !changed || runtime.DefaultUnstructuredConverter.FromUnstructured(tree, out) != nil {
		return nil, false
	}
	return out, true
}

// cutOff removes what is at a path of a tree and returns what is left of it.
func cutOff(at any, path []string, changed *bool) any {
	switch at := at.(type) {
	case map[string]any:
		below, has := at[path[0]]
		switch {
		case !has:
		case len(path) == 1:
			delete(at, path[0])
			*changed = true
		default:
			at[path[0]] = cutOff(below, path[1:], changed)
		}
	case []any:
		i := int(path[0][len(element)] - '0')
		switch {
		case !strings.HasPrefix(path[0], element) || i < 0 || i >= len(at):
		case len(path) == 1:
			*changed = true
			return slices.Delete(slices.Clone(at), i, i+1)
		default:
			at[i] = cutOff(at[i], path[1:], changed)
		}
	}
	return at
}

// assumed are fields that are not written: read gives them back.
var assumed = []string{"creationTimestamp", "daemonEndpoints", "dnsPolicy", "enableServiceLinks", "imagePullPolicy",
	"nodeInfo", "resourceVersion", "securityContext", "terminationGracePeriodSeconds", "terminationMessagePath",
	"terminationMessagePolicy"}

// bare is a tree without what is assumed or empty; pods keep the selectors that are empty, which mean all.
func bare(tree map[string]any, in string) map[string]any {
	for key, v := range tree { // order-free: each by itself
		below, is := v.(map[string]any)
		if is {
			bare(below, key)
		}
		if list, is := v.([]any); is {
			for _, e := range list {
				if m, is := e.(map[string]any); is {
					bare(m, key)
				}
			}
		}
		empty := v == nil || is && len(below) == 0 && !strings.HasSuffix(strings.ToLower(key), "selector")
		if empty || slices.Contains(assumed, key) || key == "uid" && in == "metadata" {
			delete(tree, key)
		}
	}
	return tree
}

// written is a cluster as YAML.
func written(t testing.TB, c cluster) string {
	t.Helper()
	var out []string
	for _, o := range c {
		o = o.DeepCopyObject()
		kinds, _, err := scheme.Scheme.ObjectKinds(o)
		if err != nil {
			t.Fatal(err)
		}
		o.GetObjectKind().SetGroupVersionKind(kinds[0])
		tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := yaml.Marshal(bare(tree, ""))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return strings.Join(out, "---\n")
}

// read is a cluster from YAML.
func read(t testing.TB, text string) (c cluster) {
	t.Helper()
	for _, one := range strings.Split(text, "---\n") {
		o, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(one), nil, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, one)
		}
		m := o.(metav1.Object)
		m.SetUID(types.UID("uid-" + m.GetName()))
		m.SetResourceVersion("1")
		if bad := wrong(o); len(bad) > 0 {
			t.Fatalf("%v\n%s", bad, one)
		}
		c = append(c, o)
	}
	return c
}
