package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"ashlar.sh/internal/loop"
)

// A role, of an older chart for instance, may not list a kind that a configured plugin reads. Then nothing is decided,
// /readyz says which kind it is and what the role has to grant, and with that right pods start.
func TestLiveAKindThatMayNotBeListedIsNamed(t *testing.T) {
	ns := namespace(t)
	queue(t, ns)
	node(t, ns+"-a", "16")
	act, grant := restricted(t, ns)
	health := address(t)
	live(t, ns, act, func(o *loop.Options) { o.Addresses.Health = health })
	p := pod(ns, "one")
	p.Spec.SchedulerName = ns
	create(t, p)
	says := ""
	eventually(t, "/readyz to name the kind", func(ctxless) (bool, error) {
		answer, err := http.Get("http://" + health + "/readyz")
		if err != nil {
			return false, nil // it does not listen yet
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		says = string(text)
		return answer.StatusCode == http.StatusServiceUnavailable && strings.Contains(says, "ResourceSlice (forbidden: "+
			"the scheduler's role has to grant list and watch on resourceslices.resource.k8s.io)"), err
	}, func() string { return says })
	if on := get(t, ns, "one").Spec.NodeName; on != "" {
		t.Errorf("the pod was bound to %s though not all was known", on)
	}
	grant()
	awaitRunning(t, ns, "one", 1)
}
