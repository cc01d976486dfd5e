package e2e

import (
	"encoding/json"
	"testing"

	"ashlar.sh/internal/doctor"
)

// An admin is told everything of a real control plane in which no scheduler is installed, a tenant and one who may read
// nothing what their rights allow; nothing is written.
func TestLiveDoctor(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "2")
	queue(t, ns)
	before := versions(t, ns)
	for _, c := range []struct {
		who, config string
		want        map[string]doctor.Status
	}{
		{"admin", shared.Kubeconfig, map[string]doctor.Status{"versions": doctor.OK, "crds": doctor.OK,
			"schedulers": doctor.Warning, "rights": doctor.OK, "webhooks": doctor.OK, "queues": doctor.OK,
			"gates": doctor.OK, "clock": doctor.OK, "volcano": doctor.OK}},
		{"tenant", reader(t, ns, "patient", "namespace"), map[string]doctor.Status{"versions": doctor.OK, "crds": doctor.OK,
			"schedulers": doctor.NotAllowed, "webhooks": doctor.NotAllowed, "queues": doctor.NotAllowed,
			"gates": doctor.NotAllowed, "clock": doctor.OK, "nodes": doctor.NotAllowed}},
		{"nobody", reader(t, ns, "stranger", "nowhere"), map[string]doctor.Status{"versions": doctor.OK,
			"schedulers": doctor.NotAllowed, "rights": doctor.NotAllowed, "queues": doctor.NotAllowed, "clock": doctor.OK}},
	} {
		got := ask(c.config, "doctor", "-n", ns, "-o", "json")
		var r doctor.Report
		if err := json.Unmarshal([]byte(got.out), &r); err != nil || got.code != 0 {
			t.Errorf("as %s exit %d: %v\n%s%s", c.who, got.code, err, got.out, got.err)
			continue
		}
		checks := map[string]doctor.Check{}
		for _, check := range r.Checks {
			checks[check.Name] = check
		}
		for name, want := range c.want {
			if check := checks[name]; check.Status != want {
				t.Errorf("as %s %s is %q, want %s: %s %q", c.who, name, check.Status, want, check.Message, check.Details)
			}
		}
	}
	if after := versions(t, ns); after != before {
		t.Errorf("looking changed objects:\n%s\n%s", before, after)
	}
	t.Logf("as an admin reads it:\n%s", ask(shared.Kubeconfig, "doctor").out)
}
