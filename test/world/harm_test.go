package world

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/internal/loop"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"ashlar.sh/test/world/apimodel"
)

// harmful are defects that harm what is others': their pods, what they wrote, and what others read.
func harmful() map[string]func() Breaks {
	return map[string]func() Breaks{
		"deletes pods of others": func() Breaks {
			return Breaks{wrap: with(deletesOthers), shows: "of another scheduler"}
		},
		"evicts for a tenant": func() Breaks {
			return Breaks{wrap: with(forTenant), shows: "was evicted for a tenant"}
		},
		"releases gangs that lost a member": func() Breaks {
			return Breaks{wrap: releaseOthers(), shows: "of a gang that was whole", world: func(o *Options) {
				o.Trouble, o.Lasts = Trouble{ClusterTrouble: ClusterTrouble{NodeFails: 30 * time.Second}}, 10*time.Minute
			}}
		},
		"changes annotations of others": func() Breaks {
			return Breaks{wrap: alsoWrites(`{"metadata":{"annotations":{"` + lastsAnnotation + `":"1s"}}}`),
				shows: "changed the annotations of"}
		},
		"changes labels of others": func() Breaks {
			return Breaks{wrap: alsoWrites(`{"metadata":{"labels":{"` + jobLabel + `":"other"}}}`),
				shows: "changed the labels of"}
		},
		"writes of usage what cannot be read": func() Breaks {
			return Breaks{wrap: with(garbled), world: func(o *Options) { o.Usage = true }, shows: "what cannot be read"}
		},
		"tells of planned starts in words": func() Breaks {
			return Breaks{wrap: with(inWords), world: func(o *Options) {
				o.Planned, o.Schedulers, o.Trouble = true, 1, Trouble{}
			}, shows: "says that it starts at"}
		},
		"does not end when it is asked to": func() Breaks {
			return Breaks{wrap: with(stubborn), shows: "was asked to end", world: quietly}
		},
		"records what cannot be played": func() Breaks {
			return Breaks{step: misconfigured, shows: "recorded what cannot be played", world: quietly}
		},
		"does not see bookings": func() Breaks {
			return Breaks{event: misses("Booking", "ADDED", "MODIFIED"), shows: "which is booked", world: func(o *Options) {
				o.Nodes, o.Lasts, o.Trouble = 2, 20*time.Minute, Trouble{ClusterTrouble: ClusterTrouble{Booked: time.Minute}}
			}}
		},
		"miscounts what a node has": func() Breaks {
			return Breaks{options: func(o *loop.Options) { o.Plugins = []policy.Definition{miscounting()} },
				shows: "counts that an invariant does not hold: figures", world: quietly}
		},
	}
}

// misconfigured has the engine made anew of what is no configuration.
func misconfigured(s *recording.Step) { s.Remade = &recording.Remade{Configuration: "actions: ["} }

// miscounting is a plugin that takes from what the first node has left.
func miscounting() policy.Definition {
	return policy.Definition{Name: "bug", Meaning: "miscounts", Arguments: []*policy.Argument{},
		New: func(_ policy.Choice, l *ledger.Ledger) (any, error) { return &miscounts{l: l}, nil }}
}

type miscounts struct {
	l    *ledger.Ledger
	done bool
}

// ValidateJob implements policy.JobValid.
func (m *miscounts) ValidateJob(ledger.JobID) trace.Reason {
	if cpus := m.l.Nodes.Idle(resource.CPU); !m.done && len(cpus) > 0 {
		cpus[0]--
		m.done = true
	}
	return trace.Reason{}
}

// deletesOthers deletes what came with its node when something is bound.
func deletesOthers(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	return afterBinding(next, r, func(string, string) {
		for i := range 20 {
			path := fmt.Sprintf("/api/v1/namespaces/%s/pods/static-%d", systemNamespace, i)
			sent(next, r, http.MethodDelete, path, "application/json", "{}")
		}
	})
}

// forTenant says of each eviction that it is for a tenant.
func forTenant(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/status") {
		return next.RoundTrip(r)
	}
	return changed(next, r, func(body string) string {
		return strings.ReplaceAll(body, " for "+userNamespace+"/", " for "+evilNamespace+"/")
	})
}

// alsoWrites has something written to some pods that were bound.
func alsoWrites(body string) func(http.RoundTripper) http.RoundTripper {
	return with(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		return afterBinding(next, r, func(path, _ string) {
			sent(next, r, http.MethodPatch, path, "application/merge-patch+json", body)
		})
	})
}

// garbled spoils what is kept of usage, which is text within a message in protobuf.
func garbled(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || !strings.Contains(r.URL.Path, "/configmaps") {
		return next.RoundTrip(r)
	}
	return changed(next, r, func(body string) string { return strings.ReplaceAll(body, `":[`, `":<`) })
}

var whenPlanned = regexp.MustCompile(`its start is planned for \S+ on`)

// inWords tells of a planned start as people do.
func inWords(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Body == nil {
		return next.RoundTrip(r)
	}
	return changed(next, r, func(body string) string {
		return whenPlanned.ReplaceAllString(body, "its start is planned for tomorrow on")
	})
}

// stubborn waits long before it gives up the lease, though that was given up.
func stubborn(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/leases/") {
		return next.RoundTrip(r)
	}
	return changed(next, r, func(body string) string {
		if !strings.Contains(body, "scheduler-") { // it names no holder
			<-time.NewTimer(20 * time.Minute).C
		}
		return body
	})
}

// What the API server sees to by itself is checked, too: no defect of a scheduler can show it.
func TestWhatTheAPIServerPreventsIsChecked(t *testing.T) {
	pod := func(node string) *apimodel.Stored {
		return &apimodel.Stored{Object: map[string]any{"metadata": map[string]any{"name": "p", "uid": "p"},
			"spec": map[string]any{"nodeName": node}}}
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Options{Nodes: 2})
		for i, step := range []struct{ was, is, wrong string }{
			{"", "node-0", ""},
			{"node-0", "node-1", "was on node-0 and is on node-1"},
			{"", "node-0", "is bound for the 2. time"},
		} {
			w.result.Wrong = nil
			w.check.pod(apimodel.Write{Client: "world", Kind: w.check.pods, Before: pod(step.was), After: pod(step.is)})
			if wrong := strings.Join(w.result.Wrong, "; "); (wrong == "") != (step.wrong == "") ||
				!strings.Contains(wrong, step.wrong) {
				t.Errorf("step %d: %q is wrong, want %q", i+1, wrong, step.wrong)
			}
		}
	})
}
