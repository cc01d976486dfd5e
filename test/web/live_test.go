package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/web"
)

// live is the page of a live scheduler that says what a test tells it to.
type live struct {
	page    string // the answer of /v1/page
	streams chan func(*feed)
	why     http.HandlerFunc // answers /v1/why/; nil: there is none
	evicted string           // the items of /v1/evictions
	hidden  string           // what it says of others; "": nothing
	cycles  http.HandlerFunc // answers /v1/history/cycles; nil: there is none
	history http.HandlerFunc // answers /v1/history/job/; nil: there is none
	devices http.HandlerFunc // answers /v1/devices; nil: there is none

	bookings string // the items of /v1/bookings
	whatIf   string // the answer of /v1/whatif
}

// feed is one stream that the page reads.
type feed struct {
	t  *testing.T
	to http.ResponseWriter
	at time.Time // by the scheduler's clock
	n  int       // cycles so far
}

// tell writes an event; an object may lack what a scheduler of another version does not know.
func (f *feed) tell(kind, event string, object map[string]any) {
	line, err := json.Marshal(map[string]any{"type": event, "kind": kind, "cycle": f.n, "at": f.at, "object": object})
	if err != nil {
		f.t.Error(err)
	}
	_, _ = f.to.Write(append(line, '\n')) // the page may have gone
}

// mark ends a moment.
func (f *feed) mark() {
	f.n++
	fmt.Fprintf(f.to, `{"type":"BOOKMARK","cycle":%d,"at":%q}`+"\n", f.n, f.at.Format(time.RFC3339Nano))
	_ = http.NewResponseController(f.to).Flush() // the page may have gone
}

// job is a job that waits, without all that was added to the read API later.
func waitingJob(name string) map[string]any {
	return map[string]any{"namespace": "ns", "name": name, "queue": "q", "phase": "Inqueue", "minMember": 2, "priority": 0,
		"tasks": map[string]int{"Pending": 2}, "reason": map[string]string{"code": "NotEnoughResources",
			"message": "no node has room: cpu: 8 asked, 4 on the largest"}}
}

// emptyQueue is a queue that holds and asks for nothing.
func emptyQueue(name string) map[string]any {
	return map[string]any{"name": name, "parent": "root", "state": "Open", "weight": 1, "share": 0,
		"deserved": map[string]string{}, "allocated": map[string]string{}, "request": map[string]string{},
		"guarantee": map[string]string{}, "capability": map[string]string{}, "realCapability": map[string]string{}}
}

// emptyAnswer is an answer of /v1/why/ that says nothing.
func emptyAnswer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"kind": "Answer", "wouldRunIf": [], "notes": [], "path": []}`)
}

// opens serves the page of a live scheduler and opens it. Each stream is what the next function tells.
func (l *live) opens(t *testing.T, b *browser) *page {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, l.page)
	})
	mux.HandleFunc("GET /v1/watch", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		select {
		case tells := <-l.streams:
			tells(&feed{t: t, to: w, at: time.Now()})
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /v1/pods", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"items": []}`)
	})
	mux.HandleFunc("GET /v1/evictions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"items": [%s], "total": 1, "unknown": ["no right to list events in all namespaces"], "hidden": %s}`,
			l.evicted, cmp.Or(l.hidden, "null"))
	})
	if l.cycles != nil {
		mux.HandleFunc("GET /v1/history/cycles", l.cycles)
	}
	mux.HandleFunc("GET /v1/bookings", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"items": [%s], "unknown": []}`, l.bookings)
	})
	mux.HandleFunc("POST /v1/whatif", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, l.whatIf)
	})
	if l.history != nil {
		mux.HandleFunc("GET /v1/history/job/", l.history)
	}
	if l.devices != nil {
		mux.HandleFunc("GET /v1/devices", l.devices)
	}
	if l.why != nil {
		mux.HandleFunc("GET /v1/why/", l.why)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.NewServer(listener.Addr(), mux)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: site}
	go func() { _ = server.Serve(listener) }() // it ends with the test
	t.Cleanup(func() { server.Close() })
	return b.open(t, site.URL(), 1280, 800)
}

// stays keeps a stream open until the test is over.
func stays(t *testing.T, tells func(*feed)) func(*feed) {
	return func(f *feed) {
		tells(f)
		<-t.Context().Done()
	}
}

// TestALateEventChangesNoNewerAddress: the browser tells that a dialogue was closed in the next frame, and that
// something was unfolded soon after it. A page that was sent elsewhere meanwhile goes there, and stays.
func TestALateEventChangesNoNewerAddress(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster", "whatIf": true}`, streams: make(chan func(*feed), 1), why: emptyAnswer,
		history: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"kind": "History", "moments": [], "notes": []}`)
		}}
	l.streams <- stays(t, func(f *feed) {
		f.tell("Queue", "ADDED", emptyQueue("q"))
		f.tell("Job", "ADDED", waitingJob("train"))
		f.mark()
	})
	p := l.opens(t, b)
	const queue, job = "#/queues?queue=q", "#/jobs?job=ns/train"
	// The frame after the dialogue was closed may come before the page is told of its address.
	const closes = `((d) => { d.close(); location.hash = %q; d.dispatchEvent(new Event("close")); })(
	  document.querySelector("dialog"))`
	const unfolds = `document.querySelector(".past summary").click(); void (location.hash = %q)`
	for _, c := range []struct{ from, at, does, to, see string }{
		{queue + "&whatif=queue", "dialog[open] select", closes, job, `!document.querySelector("dialog")`},
		{queue + "&whatif=queue", "dialog[open] select", closes, job + "&whatif=drop",
			`document.querySelector("dialog[open] input.long")`},
		{job, ".past summary", unfolds, queue, `!document.querySelector(".past")`},
	} {
		p.Goes(c.from)
		p.Until(c.from, fmt.Sprintf(`document.querySelector(%q)`, c.at))
		p.Eval(fmt.Sprintf(c.does, c.to), nil)
		p.Eval(`new Promise((done) => setTimeout(done, 100))`, nil) // all that is on its way has come
		p.Until(c.to, fmt.Sprintf(`location.hash === %q && document.querySelector(".drawer") && `, c.to)+c.see)
	}
	p.Sound()
}

// TestAnOlderScheduler: a scheduler that knows less than the page, and one that tells what the page does not know.
func TestAnOlderScheduler(t *testing.T) {
	b := start(t)
	l := &live{page: `{"title": "pod a", "source": "cluster", "version": "v2.0.0", "scheduler": "v1.0.0"}`,
		streams: make(chan func(*feed), 1)}
	l.streams <- stays(t, func(f *feed) {
		f.tell("Queue", "ADDED", emptyQueue("q"))
		f.tell("Node", "ADDED", map[string]any{"name": "n", "allocatable": map[string]string{"cpu": "4"},
			"used": map[string]string{}, "idle": map[string]string{"cpu": "4"}, "releasing": map[string]string{},
			"pipelined": map[string]string{}, "futureIdle": map[string]string{"cpu": "4"}})
		f.tell("Job", "ADDED", waitingJob("train"))
		f.tell("Reservation", "ADDED", map[string]any{"name": "of a later version"})
		f.tell("Job", "TELEPORTED", waitingJob("train"))
		f.mark()
	})
	p := l.opens(t, b)
	p.Until("both versions", `document.querySelector(".chip.warn").innerText.includes("v1.0.0")`)
	for hash, see := range map[string]string{"#/pulse": `document.querySelector(".ranking a")`,
		"#/jobs?job=ns/train":     `document.querySelector(".drawer .sentence").innerText.includes("No node has room")`,
		"#/queues?queue=q":        `document.querySelector(".drawer .figures-table")`,
		"#/cluster?node=n":        `document.querySelector(".drawer")`,
		"#/recorder":              `document.querySelector(".empty")`,
		"#/recorder?compare=1":    `document.querySelector(".view")`,
		"#/jobs?whatif=drop&wj=x": `document.querySelector(".rows")`,
	} {
		p.Goes(hash)
		p.Until(hash, see)
		if text := p.Text("main"); strings.Contains(text, "This view has failed") {
			t.Errorf("%s: %s", hash, text)
		}
	}
}

// TestClocksThatDiffer: how long a job waits is told by the scheduler's clock, whatever the browser's says.
func TestClocksThatDiffer(t *testing.T) {
	b := start(t)
	for _, off := range []time.Duration{-3 * time.Hour, 3 * time.Hour} {
		l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1)}
		l.streams <- stays(t, func(f *feed) {
			f.at = f.at.Add(off)
			j := waitingJob("train")
			j["created"] = f.at.Add(-10*time.Minute - 5*time.Second).Format(time.RFC3339)
			f.tell("Job", "ADDED", j)
			f.mark()
		})
		p := l.opens(t, b)
		p.Goes("#/jobs")
		p.Until("for how long it is there", `document.querySelector(".rows .tall .row").innerText.includes("10m")`)
	}
}

// TestASchedulerThatRestarts counts its cycles anew, and has forgotten jobs: the page shows what it says now.
func TestASchedulerThatRestarts(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 2)}
	l.streams <- func(f *feed) {
		f.n = 70_000
		f.tell("Job", "ADDED", waitingJob("before"))
		f.tell("Job", "ADDED", waitingJob("both"))
		f.mark()
		f.tell("Job", "ADDED", waitingJob("half-told")) // and it ends in the middle of a moment
	}
	p := l.opens(t, b)
	p.Goes("#/jobs")
	p.Until("its jobs", `document.querySelectorAll(".rows .tall .row").length === 2`)
	p.Until("that it is gone", `document.querySelector(".banner")`)
	l.streams <- stays(t, func(f *feed) {
		f.tell("Job", "ADDED", waitingJob("both"))
		f.tell("Job", "ADDED", waitingJob("after"))
		f.mark()
	})
	p.Until("what the new one says", `!document.querySelector(".banner") &&
	  [...document.querySelectorAll(".rows .tall .row b")].map((e) => e.innerText).sort().join() === "after,both"`)
}

// TestAPageThatStaysOpen: what a page holds does not grow with what it has seen. Eight hours are 1 440 moments here,
// 20 s apart, in each of which jobs come, change and go.
func TestAPageThatStaysOpen(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1)}
	const moments, rows = 1440, 400
	more := make(chan int)
	l.streams <- stays(t, func(f *feed) {
		for i := range rows {
			f.tell("Job", "ADDED", waitingJob(fmt.Sprint("job-", i)))
		}
		f.mark()
		for upTo := range more {
			for ; f.n < upTo; f.mark() {
				f.at = f.at.Add(20 * time.Second)
				f.tell("Job", "DELETED", waitingJob(fmt.Sprint("job-", f.n-1)))
				f.tell("Job", "ADDED", waitingJob(fmt.Sprint("job-", f.n-1+rows)))
				changed := waitingJob(fmt.Sprint("job-", f.n+rows/2))
				changed["priority"] = f.n
				f.tell("Job", "MODIFIED", changed)
			}
		}
	})
	p := l.opens(t, b)
	defer close(more)
	p.Until("the page", `document.querySelector(".tiles")`)
	held := func(upTo int) float64 {
		more <- upTo
		p.Goes("#/jobs?job=ns/job-" + fmt.Sprint(upTo-1+rows-1) + "&sort=-name")
		p.Until("the last of them", `document.querySelector(".drawer .sentence")`)
		p.Goes("#/pulse")
		p.Until("curves", `document.querySelector(".uplot")`)
		p.Do("HeapProfiler.enable", nil)
		p.Do("HeapProfiler.collectGarbage", nil)
		var got struct{ UsedSize float64 }
		p.Into(&got, "Runtime.getHeapUsage", nil)
		return got.UsedSize / (1 << 20)
	}
	first, middle, last := held(moments/8), held(moments/2), held(moments)
	t.Logf("after one hour %.1f MiB, after four %.1f, after eight %.1f", first, middle, last)
	if last > first+6 || last > middle+3 {
		t.Errorf("a page that stays open holds %.1f, %.1f, %.1f MiB after 1, 4 and 8 hours", first, middle, last)
	}
}
