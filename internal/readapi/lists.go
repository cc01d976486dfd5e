package readapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"ashlar.sh/internal/kube/access"
	"ashlar.sh/sched"
)

// How many rows a list has at most, and when the client does not say.
const (
	mostRows  = 5000
	usualRows = 500
)

// APIVersion is that of the documents.
const APIVersion = "ashlar.sh/v1alpha1"

// List is a list of rows: Kind is JobList, QueueList, NodeList or PodList, and the items are as in the documents of
// the command line. Rows that the user may not see are summed up in Hidden. Continue, if there is one, asks for the
// rows after these; they may be of a later cycle.
type List struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Moment
	Items    []any   `json:"items"`
	Hidden   *Hidden `json:"hidden,omitempty"`
	Continue string  `json:"continue,omitempty"`
}

// list answers with the rows of a kind.
func list[T any](k *kind[T]) handler {
	names := []string{"limit", "continue"}
	for name := range k.filters {
		names = append(names, name)
	}
	slices.Sort(names)
	answer := func(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
		limit, after, err := page(r)
		if err != nil {
			return err
		}
		if waiting := r.URL.Query().Get("waiting"); waiting != "" && waiting != "true" && waiting != "false" {
			return badRequest("waiting: expected true or false")
		}
		v := newView(r.Context(), s.access, u)
		if ns := r.URL.Query().Get("namespace"); ns != "" && !v.namespace(ns) {
			if v.err != nil {
				return v.err
			}
			return forbidden(u, access.ListPods(ns))
		}
		c, err := k.read(s, r)
		if err != nil {
			return err
		}
		done, err := s.slots.take(r.Context(), u)
		if err != nil {
			return err
		}
		defer done()
		out, err := pageOf(k, c, v, r, limit, after)
		if err != nil {
			return err
		}
		return s.write(w, r, out)
	}
	return handler{parameters: names, answer: answer}
}

// read returns what has the rows that a request asks for.
func (k *kind[T]) read(s *Server, r *http.Request) (*copied, error) {
	if k.few != nil {
		if few := k.few(r.URL.Query().Get); few != nil {
			c := &copied{}
			err := s.o.Scheduler.Ask(r.Context(), Brief, func(e *sched.Engine, m Moment) {
				c.Moment, c.Report = m, few(e)
			})
			return c, err
		}
	}
	need := k.part
	if need&ofJobs != 0 {
		need |= ofReasons
	}
	return s.copies.get(r.Context(), need)
}

// page is how many rows a request asks for, and after which one.
func page(r *http.Request) (limit int, after *place, err error) {
	limit = usualRows
	if text := r.URL.Query().Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > mostRows {
			return 0, nil, badRequest("limit: expected a number from 1 to " + strconv.Itoa(mostRows))
		}
	}
	if text := r.URL.Query().Get("continue"); text != "" {
		data, err := base64.RawURLEncoding.DecodeString(text)
		after = &place{}
		if err != nil || json.Unmarshal(data, after) != nil {
			return 0, nil, badRequest("continue: expected what an earlier answer had as continue")
		}
	}
	return limit, after, nil
}

// pageOf picks the rows that a user may see and asked for. Those that the user may not see are summed up in the last
// page of a request without filters: with one, sums would tell whether names exist.
func pageOf[T any](k *kind[T], c *copied, v *view, r *http.Request, limit int, after *place) (*List, error) {
	out := &List{APIVersion: APIVersion, Kind: k.name + "List", Moment: c.Moment}
	rows, hidden := k.rows(c), &Hidden{parents: parents(&c.Report)}
	query := r.URL.Query()
	all := k.unfiltered(query.Get)
	var picked []T
	for i := range rows {
		row := &rows[i]
		if !all && !k.asked(row, query.Get) {
			continue
		}
		if !k.seen(v, k.at(row)) {
			hidden.Count++
			k.hide(hidden, row)
			continue
		}
		if after != nil && k.at(row).compare(*after) <= 0 {
			continue
		}
		if len(picked) == limit {
			data, err := json.Marshal(k.at(&picked[limit-1]))
			if err != nil {
				return nil, err
			}
			out.Continue = base64.RawURLEncoding.EncodeToString(data)
			break
		}
		picked = append(picked, k.nameless(v, row))
	}
	if v.err != nil {
		return nil, v.err
	}
	if all && out.Continue == "" {
		out.Hidden = hidden.shown(v.unchecked)
	}
	if k.render == nil {
		out.Items = k.show(picked)
	} else if out.Items = k.render(c, v, picked); v.err != nil {
		return nil, v.err
	}
	return out, nil
}

// nameless is a row without the names of queues that the user may not see.
func (k *kind[T]) nameless(v *view, row *T) T {
	if k.bare != nil && !v.may(access.GetQueue("")) {
		if bare, hid := k.bare(row, v.queue); hid {
			return bare
		}
	}
	return *row
}

// asked says that a row passes the filters of a request.
func (k *kind[T]) asked(row *T, value func(string) string) bool {
	for name, passes := range k.filters {
		if v := value(name); v != "" && !passes(row, v) {
			return false
		}
	}
	return true
}

func (k *kind[T]) unfiltered(value func(string) string) bool {
	for name := range k.filters {
		if value(name) != "" {
			return false
		}
	}
	return true
}

// parents are the queues with others below them.
func parents(r *sched.Report) map[string]bool {
	out := map[string]bool{}
	for i := range r.Queues {
		out[r.Queues[i].Parent] = true
	}
	return out
}
