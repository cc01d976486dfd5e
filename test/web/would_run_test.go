package web

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestWhatWouldMakeAJobRun: of a live scheduler the page tells when a job starts, with what that rests on, and what
// would make it run. Changes take the scheduler a while: meanwhile the page says so, and moments go by.
func TestWhatWouldMakeAJobRun(t *testing.T) {
	b := start(t)
	goesOn := make(chan struct{})
	var asked, refused atomic.Int32
	const told = "queue q: weight 3 instead of 1"
	at := time.Now().UTC().Truncate(time.Second)
	starts := map[string]any{"earliest": at.Add(10 * time.Minute).Format(time.RFC3339), "source": "declared",
		"latest":  at.Add(40*time.Minute + time.Second).Format(time.RFC3339),
		"message": "it starts between this and that if nothing new comes"}
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1),
		why: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			ways, tried := "", ""
			switch {
			case r.URL.Query().Get("wouldRun") == "":
			case refused.Add(1) == 1: // the page asks again
				w.WriteHeader(http.StatusServiceUnavailable)
				fmt.Fprint(w, `{"kind": "Status", "code": 503, "message": "busy with other jobs"}`)
				return
			default:
				asked.Add(1)
				select {
				case <-goesOn:
				case <-r.Context().Done():
					return
				}
				ways, tried = fmt.Sprintf(`{"kind": "weight", "text": %q, "least": true}`, told), at.Format(time.RFC3339)
			}
			fmt.Fprintf(w, `{"kind": "Answer", "state": "WaitsForQueue", "summary": "waits", "wouldRunIf": [%s],
			  "wouldRunTried": %q, "notes": ["what would make it run was tried 12s ago", "something else"],
			  "path": [{"name": "pods", "verdict": "passed", "text": "2 pods exist"}]}`, ways, tried)
		}}
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	l.streams <- func(f *feed) {
		j := waitingJob("train")
		j["start"] = starts
		f.at = at
		f.tell("Job", "ADDED", j)
		f.mark()
		for more := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-more.C:
				f.mark()
			case <-end:
				more.Stop()
				return
			}
		}
	}
	p := l.opens(t, b)
	p.Goes("#/jobs")
	p.Until("when it starts, in the list",
		`document.querySelector(".rows .tall .row").innerText.includes("in 10m–40m")`)
	p.Goes("#/jobs?job=ns/train")
	p.Until("its way", `document.querySelector(".way li")`)
	p.Until("that changes cannot be tried",
		`document.querySelector(".drawer").innerText.includes("busy with other jobs")`)
	p.forgivesBusy()
	p.Until("both ends, and what they rest on", `["in 10m", "in 40m 1s", "by what their authors say",
	  "It starts between this and that"].every((s) => document.querySelector(".when").innerText.includes(s))`)
	for asked.Load() == 0 {
		p.Until("moments", `document.querySelector(".drawer")`)
	}
	close(goesOn)
	p.Until("what would make it run", fmt.Sprintf(`document.querySelector(".would li").innerText === %q`, told))
	if text := p.Text(".drawer"); strings.Contains(text, "Something else") ||
		!strings.Contains(text, "What would make it run was tried 12s ago.") {
		t.Errorf("it tells %s", text)
	}
	if n := asked.Load(); n > 2 {
		t.Errorf("what would make it run was asked for %d times", n)
	}
	p.Goes("#/jobs?job=ns/train&lang=zh")
	p.Until("the same in Chinese", `[...document.querySelectorAll(".drawer h3")].map((e) => e.innerText).
	  filter((s) => s === "何时启动" || s === "满足以下条件即可运行").length === 2`)
	p.Sound()
}

// forgivesBusy forgives the one answer that was meant to be refused.
func (p *page) forgivesBusy() { p.Forgives("wouldRun") }

// TestWhoTookMyGPUsLive: the evictions of a live cluster, with their time and the job that got the room, and what the
// person may not read.
func TestWhoTookMyGPUsLive(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1),
		why: emptyAnswer,
		evicted: `{"namespace": "ns", "name": "sweep-0", "queue": "batch", "action": "reclaim", "for": "ns/train",
		  "time": "0s", "at": "2026-11-24T01:02:03Z", "reason": "reclaim: makes room on node n2 for <b>ns/train-0</b>"}`}
	l.streams <- stays(t, func(f *feed) {
		f.tell("Job", "ADDED", waitingJob("train"))
		f.mark()
	})
	p := l.opens(t, b)
	p.Until("the page", `document.querySelector(".tiles")`)
	p.Click(`nav a[href*="recorder"]`)
	p.Until("the eviction", `["01:02:03", "sweep-0", "batch", "train", "reclaim", "<b>ns/train-0</b>"].every((s) =>
	  document.querySelector(".evictions .tall .row").innerText.includes(s))`)
	p.Until("what may not be read", `document.querySelector("main").innerText.includes("no right to list events")`)
	p.Click(".evictions .tall .row a")
	p.Until("the job that got the room", `document.querySelector(".drawer .name").innerText === "train" &&
	  document.querySelector(".drawer").innerText.includes("sweep-0")`)
	p.Sound()
}
