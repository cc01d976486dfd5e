package player

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
)

const apiVersion = "ashlar.sh/v1alpha1"

// How many rows a list has at most, and when the client does not say: as the read API.
const (
	mostRowsOfList = 5000
	usualRows      = 500
)

// List is a list of rows, as the read API's.
type List[T any] struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Cycle      uint64    `json:"cycle"`
	At         time.Time `json:"at"`
	Items      []*T      `json:"items"`
	Continue   string    `json:"continue,omitempty"`
}

// Handler answers the requests of the page.
func (p *Player) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/state", func(w http.ResponseWriter, _ *http.Request) {
		_, s, _ := p.at()
		write(w, s)
	})
	mux.HandleFunc("GET /v1/jobs", func(w http.ResponseWriter, r *http.Request) {
		f, _, _ := p.at()
		list(w, r, f, "JobList", f.jobs, func(j *explain.Job, q query) bool {
			return q.is("namespace", j.Namespace) && q.is("queue", j.Queue) &&
				q.is("waiting", strconv.FormatBool(j.Reason.Code != ""))
		})
	})
	mux.HandleFunc("GET /v1/queues", func(w http.ResponseWriter, r *http.Request) {
		f, _, _ := p.at()
		list(w, r, f, "QueueList", f.queues, func(*explain.QueueStand, query) bool { return true })
	})
	mux.HandleFunc("GET /v1/nodes", func(w http.ResponseWriter, r *http.Request) {
		f, _, _ := p.at()
		list(w, r, f, "NodeList", f.nodes, func(*explain.Node, query) bool { return true })
	})
	mux.HandleFunc("GET /v1/pods", func(w http.ResponseWriter, r *http.Request) {
		f, _, _ := p.at()
		list(w, r, f, "PodList", f.pods, func(x *explain.Pod, q query) bool {
			return q.is("namespace", x.Namespace) && q.is("job", x.Job) && q.is("node", x.Node)
		})
	})
	mux.HandleFunc("GET /v1/evictions", p.evictions)
	mux.HandleFunc("GET /v1/problems", func(w http.ResponseWriter, _ *http.Request) {
		f, _, _ := p.at()
		write(w, map[string]any{"apiVersion": apiVersion, "kind": "ProblemList", "items": f.problems})
	})
	mux.HandleFunc("GET /v1/bookings", func(w http.ResponseWriter, _ *http.Request) {
		f, _, _ := p.at()
		write(w, map[string]any{"apiVersion": apiVersion, "kind": "BookingList", "items": f.bookings})
	})
	mux.HandleFunc("GET /v1/devices", func(w http.ResponseWriter, r *http.Request) {
		f, _, _ := p.at()
		devices(w, r, f)
	})
	mux.HandleFunc("GET /v1/list/devices", func(w http.ResponseWriter, _ *http.Request) {
		f, _, _ := p.at()
		write(w, map[string]any{"apiVersion": apiVersion, "kind": "DeviceGroupList", "items": explain.DeviceSums(f.devices)})
	})
	mux.HandleFunc("GET /v1/history", p.history)
	mux.HandleFunc("GET /v1/history/cycles", p.cycles)
	mux.HandleFunc("GET /v1/history/cycle/{number}", p.oneCycle)
	mux.HandleFunc("GET /v1/history/queues", p.queuesOverTime)
	mux.HandleFunc("GET /v1/history/job/{namespace}/{name}", p.historyOfJob)
	mux.HandleFunc("GET /v1/watch", p.watch)
	mux.HandleFunc("GET /v1/why/queue/{name}", p.whyQueue)
	mux.HandleFunc("GET /v1/why/job/{namespace}/{name}", p.whyJob)
	mux.HandleFunc("GET /v1/page", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]string{"title": p.o.Title, "source": p.o.Source})
	})
	mux.HandleFunc("GET /v1/configuration", func(w http.ResponseWriter, _ *http.Request) {
		text := ""
		if p.o.Configuration != nil {
			p.world.Lock()
			text = p.o.Configuration()
			p.world.Unlock()
		}
		write(w, map[string]any{"apiVersion": apiVersion, "kind": "Configuration", "text": text,
			"fromStart": p.o.Start != nil})
	})
	mux.HandleFunc("POST /v1/play", p.play)
	mux.Handle("POST /v1/whatif", p.whatIf)
	return mux
}

// query is the parameters of a request.
type query map[string][]string

// is says that a parameter is not given, or has a value.
func (q query) is(name, value string) bool {
	asked := q[name]
	return len(asked) == 0 || asked[0] == "" || asked[0] == value
}

// list answers with a page of the rows that pass.
func list[T any](w http.ResponseWriter, r *http.Request, f *frame, kind string, from rows[T],
	pass func(*T, query) bool) {
	q := query(r.URL.Query())
	page(w, r, f, kind, paged[T]{len: len(from.list), key: func(i int) string { return from.keys[i] },
		after: func(key string) int {
			if i, known := from.at[key]; known {
				return i + 1
			}
			return 0 // of a row that has gone, the list begins anew
		},
		pass: func(i int) bool { return pass(from.list[i], q) }, row: func(i int) *T { return from.list[i] }})
}

// paged is rows by their numbers. A list goes on after the row of a key.
type paged[T any] struct {
	len   int
	key   func(int) string
	after func(key string) int
	pass  func(int) bool
	row   func(int) *T
}

// page answers with a page of rows.
func page[T any](w http.ResponseWriter, r *http.Request, f *frame, kind string, from paged[T]) {
	limit, begin := usualRows, 0
	if v := r.URL.Query().Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > mostRowsOfList {
			refuse(w, http.StatusBadRequest, "limit: expected a number from 1 to "+strconv.Itoa(mostRowsOfList))
			return
		}
		limit = n
	}
	if v := r.URL.Query().Get("continue"); v != "" {
		key, err := base64.RawURLEncoding.DecodeString(v)
		if err != nil {
			refuse(w, http.StatusBadRequest, "continue: expected what an earlier answer had as continue")
			return
		}
		begin = from.after(string(key))
	}
	out := List[T]{APIVersion: apiVersion, Kind: kind, Cycle: f.cycle, At: f.at, Items: []*T{}}
	last := 0
	for i := begin; i < from.len; i++ {
		if !from.pass(i) {
			continue
		}
		if len(out.Items) == limit {
			out.Continue = base64.RawURLEncoding.EncodeToString([]byte(from.key(last)))
			break
		}
		last = i
		out.Items = append(out.Items, from.row(i))
	}
	write(w, out)
}

// mostEvictions is how many evictions an answer has: the last ones.
const mostEvictions = 2000

// evictions answers with those up to the moment that is shown, the last first; of or for one job, if it is named.
func (p *Player) evictions(w http.ResponseWriter, r *http.Request) {
	f, _, _ := p.at()
	job := r.URL.Query().Get("job")
	out := []explain.Eviction{}
	for i := len(f.evictions) - 1; i >= 0 && len(out) < mostEvictions; i-- {
		e := &f.evictions[i]
		if job == "" || e.PreemptorJob == job || e.Namespace+"/"+e.Job == job {
			out = append(out, *e)
		}
	}
	write(w, map[string]any{"apiVersion": apiVersion, "kind": "EvictionList", "items": out, "total": len(f.evictions)})
}

// history answers with the figures of all frames after a number.
func (p *Player) history(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64) // what is no number is 0: everything
	p.mu.Lock()
	points := p.ring.points(after)
	p.mu.Unlock()
	write(w, map[string]any{"apiVersion": apiVersion, "kind": "History", "items": points})
}

// play changes how the run is shown, and answers with the state.
func (p *Player) play(w http.ResponseWriter, r *http.Request) {
	var c Command
	if !read(w, r, &c, 1<<10) {
		return
	}
	if p.o.Source == "dump" {
		refuse(w, http.StatusConflict, "a saved state is one moment: there is nothing to play")
		return
	}
	if err := p.Do(c); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	_, s, _ := p.at()
	write(w, s)
}

// read reads a body of JSON, of a bounded size; false after it has refused it.
func read(w http.ResponseWriter, r *http.Request, into any, most int64) bool {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "expected application/json")
		return false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, most))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "the body cannot be read: "+err.Error())
		return false
	}
	return true
}

func write(w http.ResponseWriter, document any) {
	data, err := json.Marshal(document)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(data, '\n')) // the client may have gone
}

// refuse answers with an error in the form of Kubernetes' Status, as the read API does.
func refuse(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code,
		"message": message}) // the client may have gone
}
