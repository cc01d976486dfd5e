package world

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// busy are defects that cost others: room that gangs hold in vain, writes, memory, and what a tenant may not have.
func busy() map[string]func() Breaks {
	return map[string]func() Breaks{
		"takes gangs for smaller than they are": func() Breaks {
			return Breaks{event: atLeast(1), world: func(o *Options) {
				o.Nodes, o.Lasts, o.MostJobs = 2, 10*time.Minute, 12
				o.Trouble = Trouble{ProcessTrouble: ProcessTrouble{Panics: time.Minute}}
			}, shows: "was bound in part"}
		},
		"writes to PodGroups again and again": func() Breaks {
			return Breaks{wrap: again(20, http.MethodPatch, "/podgroups/", ""), shows: "was written to"}
		},
		"writes to queues at rest": func() Breaks {
			return Breaks{wrap: again(1, http.MethodPut, "/leases/", queuePath), shows: "at rest, schedulers wrote",
				world: quietly}
		},
		"keeps all that it ever sent": func() Breaks {
			return Breaks{wrap: hoards(), shows: "MiB are held", world: quietly}
		},
		"does not see what a tenant may not have": func() Breaks {
			return Breaks{event: replaces("Queue", `"capability":`, `"nothing":`), shows: "its queue may hold next to nothing",
				world: func(o *Options) { o.Nodes, o.Trouble.Hostile = 6, 2*time.Second }}
		},
	}
}

// quietly leaves out what ends schedulers.
func quietly(o *Options) { o.Schedulers, o.Trouble = 1, Trouble{} }

const queuePath = "/apis/scheduling.volcano.sh/v1beta1/queues/blue"

// again has a request that succeeds followed by so many writes of an annotation of ours: to the same object, or to one
// at another path.
func again(times int, method, path, to string) func(http.RoundTripper) http.RoundTripper {
	n := 0
	return with(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err != nil || answer.StatusCode >= http.StatusMultipleChoices || r.Method != method ||
			!strings.Contains(r.URL.Path, path) {
			return answer, err
		}
		at := to
		if at == "" {
			at = r.URL.Path
		}
		for range times {
			n++
			sent(next, r, http.MethodPatch, at, "application/merge-patch+json",
				fmt.Sprintf(`{"metadata":{"annotations":{"ashlar.sh/n":"%d"}}}`, n))
		}
		return answer, nil
	})
}

// hoards keeps memory for each write.
func hoards() func(http.RoundTripper) http.RoundTripper {
	var kept [][]byte
	return with(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet {
			kept = append(kept, make([]byte, 256<<10))
		}
		return next.RoundTrip(r)
	})
}
