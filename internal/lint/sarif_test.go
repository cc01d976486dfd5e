package lint_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"ashlar.sh/internal/lint"
)

// A finding about a live cluster, where no file says a line, is at an object of it: by its qualified name, which stays
// the same when more have the same mistake.
func TestTheObjectsOfSARIF(t *testing.T) {
	r := lint.Report{Findings: []lint.Finding{
		{Rule: "job-queue", Severity: lint.Error, Object: "PodGroup/default/train and 3 more", Message: "m"},
		{Rule: "queue-parent", Severity: lint.Error, Object: "Queue/research", Message: "m"},
		{Rule: "configuration", Severity: lint.Error, File: lint.LiveConfiguration + "volcano-system/conf", Line: 3},
		{Rule: "job-queue", Severity: lint.Error, Object: "PodGroup/default/gang", File: "a.yaml", Line: 2, Message: "m"},
	}}
	var b bytes.Buffer
	if err := r.SARIF(&b, ""); err != nil {
		t.Fatal(err)
	}
	type logical struct{ Name, FullyQualifiedName, Kind string }
	var log struct {
		Runs []struct {
			Results []struct {
				Locations []struct {
					PhysicalLocation *struct{}
					LogicalLocations []logical
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	for i, want := range []logical{{"train", "PodGroup/default/train", "resource"},
		{"research", "Queue/research", "resource"},
		{"conf", "ConfigMap/volcano-system/conf", "resource"}, {"gang", "PodGroup/default/gang", "resource"}} {
		at := log.Runs[0].Results[i].Locations
		if len(at) != 1 || len(at[0].LogicalLocations) != 1 || at[0].LogicalLocations[0] != want ||
			(at[0].PhysicalLocation != nil) != (i == 3) {
			t.Errorf("result %d is at %+v, want %+v", i, at, want)
		}
	}
}
