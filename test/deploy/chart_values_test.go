package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// An API server before 1.30 does not know ValidatingAdmissionPolicies, and Helm installs nothing of a chart with a kind
// that is not known. So those that are on by default are left out there; one that was asked for is refused.
func TestTheChartOnAnOlderKubernetes(t *testing.T) {
	for version, want := range map[string]bool{"v1.29.9": false, "v1.29.10-gke.100": false, "v1.30.0": true,
		"v1.30.0-eks-1": true, "v1.36.3": true} {
		files, err := renderOn(version, releaseName, releaseNamespace, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(fmt.Sprint(files), "ValidatingAdmissionPolicy"); got != want {
			t.Errorf("%s: it has policies: %t, want %t", version, got, want)
		}
	}
	tenants := values{"admissionPolicies": values{"tenants": true}}
	_, err := renderOn("v1.29.9", releaseName, releaseNamespace, tenants)
	if err == nil || !strings.Contains(err.Error(), "admissionPolicies.tenants needs Kubernetes 1.30") {
		t.Errorf("policies for tenants before 1.30: %v, want them refused", err)
	}
}

// A tag of an image may be longer than a label, and end as none may; then the API server would refuse every object.
func TestAnyTagMakesLabels(t *testing.T) {
	for _, tag := range []string{"v1.2.3", "main-" + strings.Repeat("0123456789", 12), "v1.", "_nightly_",
		strings.Repeat("a", 62) + ".b"} {
		d, c := install(t, values{"image": values{"tag": tag}}).pod(t)
		if c.Image != "ashlar:"+tag {
			t.Errorf("the image is %s, want the tag %s", c.Image, tag)
		}
		for key, value := range d.Spec.Template.Labels {
			if wrong := validation.IsValidLabelValue(value); len(wrong) > 0 || value == "" {
				t.Errorf("tag %s: label %s is %q: %v", tag, key, value, wrong)
			}
		}
	}
}

// The Prometheus operator takes what has the labels that its selectors name: with kube-prometheus-stack, those of its
// release. Without them nothing is scraped, no alert fires, and nothing says so.
func TestWhatTheOperatorSelectsHasItsLabels(t *testing.T) {
	objects := install(t, values{"metrics": values{"serviceMonitor": true, "rules": true,
		"labels": values{"release": "monitoring"}}})
	for _, kind := range []string{"ServiceMonitor", "PrometheusRule"} {
		labels := (*objects[kind][0].(*map[string]any))["metadata"].(map[string]any)["labels"].(map[string]any)
		if labels["release"] != "monitoring" || labels["app.kubernetes.io/name"] != "ashlar" {
			t.Errorf("%s has the labels %v", kind, labels)
		}
	}
}

// With further names the scheduler's Lease would be called volcano, which its role does not name, and it would never
// act; and it may make the default queue that it was told of, without which it decides nothing.
func TestFlagsOfOnesOwnAndTheRights(t *testing.T) {
	objects := install(t, values{"schedulerName": "night", "extraArgs": []any{"--scheduler-name=day",
		"--default-queue=first", "--default-queue=all"}})
	_, c := objects.pod(t)
	if !slices.Contains(c.Args, "--leader-elect-resource-name=night") {
		t.Errorf("the arguments %v do not name the Lease", c.Args)
	}
	var leases []string
	for _, o := range objects["Role"] {
		for _, rule := range o.(*rbacv1.Role).Rules {
			if slices.Contains(rule.Resources, "leases") && slices.Contains(rule.Verbs, "update") {
				leases = append(leases, rule.ResourceNames...)
			}
		}
	}
	if !slices.Equal(leases, []string{"night"}) {
		t.Errorf("it may write the Leases %v, want night", leases)
	}
	files, err := render(values{"extraArgs": []any{"--default-queue=first", "--default-queue=all"}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(files[policies], `expression: "['root', 'all']"`) {
		t.Error("the policy does not let the scheduler make the default queue of its flag")
	}
	files, err = render(values{"extraArgs": []any{"--scheduler-name=day", "-v=5", "--scheduler-name=dusk"},
		"admissionPolicies": values{"schedulerNames": []any{"dawn"}}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(files[policies], `expression: "['dawn', 'day', 'dusk', 'volcano']"`) {
		t.Error("the policy does not let the scheduler evict pods of each name that its flags give it")
	}
}

// Users of the read API find the scheduler by its Lease, wherever that is, and reach its pod.
func TestUsersOfTheReadAPIFindTheLease(t *testing.T) {
	for name, c := range map[string]struct {
		values values
		want   []string
	}{
		"as it is by default": {nil,
			[]string{"ashlar-system/leases", "ashlar-system/pods", "ashlar-system/pods/portforward"}},
		"a Lease elsewhere": {values{"leaderElection": values{"namespace": "batch"}},
			[]string{"ashlar-system/pods", "ashlar-system/pods/portforward", "batch/leases"}},
	} {
		var got []string
		for _, o := range install(t, c.values)["Role"] {
			if role := o.(*rbacv1.Role); role.Name == releaseName+"-read-api" {
				for _, rule := range role.Rules {
					got = append(got, role.Namespace+"/"+rule.Resources[0])
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: its users may reach %v, want %v", name, got, c.want)
		}
	}
}
