package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ashlar.sh/internal/loop"
)

// A pod that was evicted and has gone is asked for by its name: an admin, a tenant of the namespace and one who may
// read nothing are told what their rights allow, from the events that the scheduler wrote.
func TestLiveWhyEviction(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "2")
	queue(t, ns)
	urgent := ns + "-urgent"
	priority(t, urgent, 1000)
	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte("actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins:\n"+
		"  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: proportion\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	live(t, ns, func(o *loop.Options) { o.ConfigFile = conf })
	submit(t, ns, ns, "low", 2, 1, "1")
	awaitRunning(t, ns, "low", 2)
	foreign(t, ns, object("PodGroup", "high", map[string]any{"minMember": int64(1), "queue": ns,
		"priorityClassName": urgent}))
	p := member(ns, "high", 0, "1")
	p.Spec.SchedulerName, p.Spec.PriorityClassName = ns, urgent
	create(t, p)
	awaitRunning(t, ns, "high", 1)
	if left := list(t, ns, "low"); len(left) != 1 {
		t.Fatalf("of the two of low %d are left", len(left))
	}
	gone := evictedOf(t, ns, "low-", 2)
	whole := []string{"pod " + ns + "/" + gone + " was evicted Preempt evicted it at ",
		"to make room on node " + ns + "-a for " + ns + "/high-0",
		"preempt: priority 1000 against 0, both in queue " + ns, "tier 1 of the configuration permitted it: ",
		ns + "/high-0: it runs on node " + ns + "-a",
		ns + "/" + gone + ": it has gone, and no pod of that name was made again"}
	tenant := reader(t, ns, "tenant", "namespace")
	for who, config := range map[string]string{"admin": shared.Kubeconfig, "tenant": tenant} {
		got := ask(config, "why", "eviction", gone, "-n", ns)
		for _, want := range whole {
			if got.code != 0 || !strings.Contains(unwrapped(got.out), want) {
				t.Errorf("as %s exit %d, no %q in\n%s%s", who, got.code, want, got.out, got.err)
			}
		}
		got = ask(config, "why", "eviction", "high-0", "-n", ns)
		if got.code != 1 || !strings.Contains(got.err, `there is no event of an eviction of pod "high-0" in namespace `+ns) ||
			!strings.Contains(got.err, "it runs on node") {
			t.Errorf("as %s of a pod that runs exit %d:\n%s%s", who, got.code, got.out, got.err)
		}
	}
	evictionsOnThePage(t, ns, gone, tenant)
	got := ask(reader(t, ns, "nobody", "nowhere"), "why", "eviction", gone, "-n", ns)
	if got.code != 1 || got.out != "" || !strings.Contains(got.err, "no right to list them; not known: evictions") {
		t.Errorf("as one who may read nothing exit %d:\n%s%s", got.code, got.out, got.err)
	}
}

// evictionsOnThePage: the page lists the eviction for those that may list events, everywhere or in their namespace, and
// says what it does not know to others. It needs no read API for that: here there is none.
func evictionsOnThePage(t *testing.T, ns, gone, tenant string) {
	t.Helper()
	program := built(t)
	for who, c := range map[string]struct {
		config, unknown string
		knows           bool
	}{
		"admin":  {shared.Kubeconfig, "", true},
		"tenant": {tenant, "evictions in namespace " + ns + " alone are shown", true},
		"nobody": {reader(t, ns, "nobody2", "nowhere"), "evictions are not known", false},
	} {
		b := webOf(t, program, c.config, "--read-api", "https://127.0.0.1:1", "--read-api-certificate", "AB:CD")
		code, text := b.get("/v1/evictions?job=" + ns + "/high")
		if code != http.StatusOK || !strings.Contains(text, c.unknown) ||
			strings.Contains(text, `"name":"`+gone+`"`) != c.knows ||
			strings.Contains(text, `"action":"preempt","for":"`+ns+`/high"`) != c.knows {
			t.Errorf("the page of %s is told %d %s", who, code, text)
		}
		if _, text := b.get("/v1/evictions?job=" + ns + "/low"); !strings.Contains(text, `"items":[]`) {
			t.Errorf("the page of %s is told of evictions for the victims: %s", who, text)
		}
	}
}
