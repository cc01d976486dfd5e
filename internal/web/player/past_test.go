package player

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/model"
)

// said are the sentences of a history.
func said(h explain.History) (out []string) {
	for _, m := range h.Moments {
		for _, w := range m.What {
			out = append(out, m.Time[11:19]+" "+w)
		}
	}
	return out
}

// What happened to a job is told decision by decision, up to the moment that is shown.
func TestTheHistoryOfAJob(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4), job("second", "a", 10*time.Second, 6)))
	until(p, 20*time.Second)
	const path = "/v1/history/job/ns/"
	first := said(answer[explain.History](t, p, path+"first", ""))
	for _, want := range []string{"first-3: came (waits)", "bind ns/first-0 to n", "first-3: runs on n"} {
		if !slices.ContainsFunc(first, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("nothing says %q:\n%s", want, strings.Join(first, "\n"))
		}
	}
	second := answer[explain.History](t, p, path+"second", "")
	if got := said(second); len(got) == 0 || !strings.HasPrefix(got[0], "00:00:10 ") || second.Now == "" ||
		!strings.Contains(strings.Join(got, "\n"), "waits: ") {
		t.Errorf("of a job that waits: %q, now %q", got, second.Now)
	}
	answer[State](t, p, "/v1/play", `{"seek": 5}`)
	if got := said(answer[explain.History](t, p, path+"second", "")); len(got) > 0 {
		t.Errorf("before it came: %q", got)
	}
	if got := said(answer[explain.History](t, p, path+"first", "")); len(got) != len(first) {
		t.Errorf("wound back: %q, want %q", got, first)
	}
	still := player(t, cluster(), func(o *Options) { o.Source = "dump" })
	if got := ask(still, path+"first", ""); got.Code != http.StatusNotFound {
		t.Errorf("a saved state: %d %s", got.Code, got.Body)
	}
}

// What is kept of jobs is bounded: the older half goes, and the answer says from when on it is known.
func TestHistoriesAreBounded(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 1)))
	for i := range 2 * mostSentences {
		p.past.add("ns/busy", uint64(i), time.Duration(i)*time.Millisecond, "something")
	}
	if n := len(p.past.sentences); n > mostSentences || p.past.since == 0 {
		t.Errorf("%d sentences are kept, from %s on", n, p.past.since)
	}
	got := answer[explain.History](t, p, "/v1/history/job/ns/first", "")
	if len(got.Moments) > 0 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "kept no more") {
		t.Errorf("of a job whose past is gone: %+v", got)
	}
}

// Bookings are those of the moment that is shown.
func TestTheBookingsOfAMoment(t *testing.T) {
	hour := int64(time.Hour)
	items := append(cluster(), item(model.KindBooking, "disks", &model.Booking{Maintenance: true,
		Windows: []model.Window{{From: hour, To: 2 * hour}}}))
	p := player(t, items)
	type list struct{ Items []explain.Booking }
	got := answer[list](t, p, "/v1/bookings", "")
	if len(got.Items) != 1 || got.Items[0].Name != "disks" || fmt.Sprint(got.Items[0].Nodes) != "[n1 n2]" ||
		got.Items[0].From != "1970-01-01T01:00:00Z" {
		t.Errorf("the bookings are %+v", got.Items)
	}
}
