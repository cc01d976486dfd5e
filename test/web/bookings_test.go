package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestBookingsOnThePage: when nodes are booked and for what, which pods may run on into a window, and where the nodes
// are. The job that waits for the end of one has a history that says so.
func TestBookingsOnThePage(t *testing.T) {
	b := start(t)
	address, _ := serve(t, "test/web/testdata/bookings.yaml", "--paused")
	p := b.open(t, address, 1280, 800)
	p.Click(`nav a[href*="cluster"]`)
	p.Until("that there are bookings", `document.querySelector(".tools .segments b")`)
	p.Click(`.tools .segments:last-child button:last-child`)
	p.Until("three bookings on an axis, two of them with nodes", `document.querySelectorAll("li .booking").length === 3 &&
	  document.querySelectorAll(".booking .stretch i").length === 3 &&
	  document.querySelector(".booking.axis").innerText.includes("15:00:00")`)
	p.Until("the one with a pod that runs on", `[...document.querySelectorAll("li .booking")].some((e) =>
	  ["disks", "maintenance", "1 conflict", "2 nodes", "in 2h"].every((s) => e.innerText.includes(s)))`)
	p.Eval(`[...document.querySelectorAll("li .booking")].find((e) => e.innerText.includes("disks")).id = "disks"`, nil)
	p.Click("#disks")
	p.Until("its window, its nodes and the pod", `["02:00:00", "04:00:00", "rack-a-1", "notebook-0", "Nothing is evicted"].
	  every((s) => document.querySelector(".drawer").innerText.includes(s))`)
	p.Click(".drawer .asks a")
	p.Until("its nodes on the map", `[...document.querySelectorAll(".cell.booked")].map((e) =>
	  e.innerText.trim()).join() === "rack-a-1,rack-a-2" && location.hash.includes("booking=disks")`)
	p.Click(`.cell[title^="rack-a-1"]`)
	p.Until("what the node is booked for", `document.querySelector(".drawer").innerText.includes("It is booked") &&
	  document.querySelector('.drawer a[href*="booking=disks"]')`)
	p.Goes("#/cluster?as=bookings&booking=benchmark")
	p.Until("why one has no nodes", `document.querySelector(".drawer").innerText.includes("no node matches its selector")`)
	p.Goes("#/jobs?job=lab/endless")
	p.Click(".past summary")
	p.Until("what happened to the job", `["came", "waits: ", "booking disks"].every((s) =>
	  document.querySelector(".past").innerText.includes(s)) && location.hash.includes("past=1")`)
	p.Goes("#/jobs?job=lab/short&past=1")
	p.Until("where the other was bound",
		`document.querySelector(".past").innerText.includes("bind lab/short-worker-0 to")`)
	p.Sound()
}

// TestAHistoryGoesThere: a moment of a job's history is a way to that moment.
func TestAHistoryGoesThere(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	p.Goes("#/jobs?state=over&sort=name")
	p.Click(".rows .tall .row")
	p.Click(".past summary")
	p.Until("its moments", `document.querySelectorAll(".past .moments > li").length > 1`)
	var then string
	p.Eval(`document.querySelector(".past .moments > li:last-of-type button").innerText`, &then)
	p.Click(".past .moments > li:last-of-type button")
	p.Until("that moment, or the one that is kept before it", fmt.Sprintf(`document.querySelector(".transport .past") &&
	  document.querySelector(".transport .clock").innerText <= %q`, then))
	p.Sound()
}

// TestTheHistoryOfALiveJob is what the scheduler says of it, with markup as text, and why there is none.
func TestTheHistoryOfALiveJob(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1),
		why: emptyAnswer,
		history: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if !strings.HasSuffix(r.URL.Path, "/ns/train") {
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, `{"kind": "Status", "code": 404, "message": "this scheduler keeps no recording"}`)
				return
			}
			fmt.Fprint(w, `{"kind": "History", "since": "2026-11-24T01:00:00.000Z", "notes": ["it is known from then on"],
			  "moments": [{"cycle": 7, "time": "2026-11-24T01:02:03.000Z", "what": ["train-0: came (waits)", "<b>x</b>"]},
			  {"time": "2026-11-24T01:03:04.000Z", "what": ["waits: no node has room"]}]}`)
		},
		bookings: `{"name": "disks", "for": "maintenance", "phase": "Pending", "nodes": ["<i>n</i>"], "conflictCount": 0,
		  "of": "a later version"}`}
	l.streams <- stays(t, func(f *feed) {
		f.tell("Job", "ADDED", waitingJob("train"))
		f.tell("Job", "ADDED", waitingJob("other"))
		f.tell("Node", "ADDED", map[string]any{"name": "n", "allocatable": map[string]string{"cpu": "4"},
			"used": map[string]string{}, "idle": map[string]string{"cpu": "4"}, "releasing": map[string]string{},
			"pipelined": map[string]string{}, "futureIdle": map[string]string{"cpu": "4"}})
		f.mark()
	})
	p := l.opens(t, b)
	p.Goes("#/jobs?job=ns/train&past=1")
	p.Until("the last moment first", `((m) => m.length === 2 && m[0].innerText.includes("01:03:04") &&
	  m[1].innerText.includes("<b>x</b>"))(document.querySelectorAll(".past .moments > li"))`)
	p.Goes("#/jobs?job=ns/other&past=1")
	p.Until("why there is none", `document.querySelector(".past").innerText.includes("keeps no recording")`)
	p.Forgives("history")
	p.Goes("#/cluster?as=bookings&booking=disks")
	p.Until("a booking without a window", `document.querySelector(".drawer").innerText.includes("<i>n</i>")`)
	p.Sound()
}
