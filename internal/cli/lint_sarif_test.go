package cli_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// SARIF has addresses that a code host can resolve: relative ones as they were given, absolute ones with their scheme;
// and what was not looked at.
func TestTheAddressesOfSARIF(t *testing.T) {
	const job = "apiVersion: v1\nkind: Pod\nmetadata: {name: a b}\n---\n" + "values: 1\n"
	absolute := file(t, "a b.yaml", job)
	t.Chdir(filepath.Dir(absolute))
	for given, want := range map[string]string{"a b.yaml": "a%20b.yaml", "./a b.yaml": "./a%20b.yaml",
		absolute: "file://" + filepath.Dir(absolute) + "/a%20b.yaml"} {
		got := run("", "ashlar", "lint", "-o", "sarif", given)
		var log struct {
			Runs []struct {
				Invocations []struct {
					ExecutionSuccessful        bool
					ToolExecutionNotifications []struct{ Message struct{ Text string } }
				}
				Results []struct {
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(got.out), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
			t.Fatalf("error %v\n%s%s", err, got.out, got.err)
		}
		run := log.Runs[0]
		if at := run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; at != want {
			t.Errorf("%s has the address %s, want %s", given, at, want)
		}
		if len(run.Invocations) != 1 || !run.Invocations[0].ExecutionSuccessful ||
			len(run.Invocations[0].ToolExecutionNotifications) != 1 {
			t.Errorf("what was not looked at is %+v", run.Invocations)
		}
	}
}
