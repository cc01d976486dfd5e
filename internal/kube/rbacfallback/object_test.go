package rbacfallback

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// A JSON patch is applied where what it tests is so, and is told from one that cannot be read.
func TestAJSONPatchIsApplied(t *testing.T) {
	const before = `{"metadata":{"uid":"u"},"status":{"allocation":{},"reservedFor":["p"]}}`
	for patch, want := range map[string]string{
		`[{"op":"test","path":"/metadata/uid","value":"u"},{"op":"remove","path":"/status/allocation"}]`://
		`{"metadata":{"uid":"u"},"status":{"reservedFor":["p"]}}`,
		`[{"op":"test","path":"/metadata/uid","value":"v"},{"op":"remove","path":"/status/allocation"}]`: "",
	} {
		got, err := apply(string(types.JSONPatchType), "/resourceclaims/status", []byte(before), []byte(patch))
		if string(got) != want || errors.Is(err, errPatch) != (want == "") {
			t.Errorf("%s gives %s, %v; want %s", patch, got, err, want)
		}
	}
}
