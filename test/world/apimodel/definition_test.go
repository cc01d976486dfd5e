package apimodel

import (
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"ashlar.sh/deploy"
)

// A custom resource is pruned, filled in and refused as its CRD says; what was wrong before may stay.
func TestCustomResourcesAreAsTheirCRDSays(t *testing.T) {
	s := NewServer(time.Now)
	groups := s.Kind("scheduling.volcano.sh", "podgroups")
	do := func(method, name, body string) Response {
		return s.Do(&Request{Method: method, Path: groups.Path("default", name),
			ContentType: "application/merge-patch+json", Body: []byte(body)})
	}
	out := do(http.MethodPost, "", `{"metadata":{"name":"old"},"spec":{"minMember":-1}}`)
	if out.Code != http.StatusCreated {
		t.Fatalf("without a definition an object may say anything: %v", out.Body)
	}
	crds, err := deploy.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range crds {
		if err := s.Define(crd); err != nil {
			t.Fatal(err)
		}
	}
	do(http.MethodPost, "", `{"metadata":{"name":"new"},"spec":{"nosuch":1,"minMember":2}}`)
	got := s.Get(groups, "default", "new")
	if got == nil {
		t.Fatal("it was not made")
	}
	spec, _, _ := unstructured.NestedMap(got.Object, "spec")
	if len(spec) != 2 || spec["queue"] != "default" || spec["minMember"] != int64(2) {
		t.Errorf("spec %v: want it without the unknown field, and with its queue", spec)
	}
	for body, want := range map[string]int{`{"spec":{"minMember":-1}}`: http.StatusUnprocessableEntity,
		`{"status":{"phase":"nosuch"}}`: http.StatusUnprocessableEntity, `{"status":{"phase":"Running"}}`: http.StatusOK} {
		if out := do(http.MethodPatch, "new", body); out.Code != want {
			t.Errorf("%s: %d, want %d: %v", body, out.Code, want, out.Body)
		}
	}
	if out := do(http.MethodPatch, "old", `{"status":{"phase":"Running"}}`); out.Code != http.StatusOK {
		t.Errorf("one that was wrong before cannot be changed at all: %v", out.Body)
	}
}
