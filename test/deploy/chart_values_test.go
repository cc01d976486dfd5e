package main

import (
	"fmt"
	"strings"
	"testing"
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
