package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// TestTheRecorder: all cycles that decided something are listed, and each leads to its moment, its decisions and the
// records of its evictions. Old links lead there, too.
func TestTheRecorder(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	p.Goes("#/timeline?show=cycles")
	p.Until("the recorder", `document.querySelector("h1").innerText === "Recorder" &&
	  document.querySelector('nav a[aria-current="page"]').innerText === "Recorder"`)
	var all struct{ Rows, Drawn, Evicts int }
	p.Until("cycles", `document.querySelectorAll(".cycles .tall .row").length > 5`)
	p.Eval(`fetch("/v1/history/cycles").then((r) => r.json()).then((c) => ({Rows: c.items.length,
	  Drawn: document.querySelectorAll(".cycles .tall .row").length,
	  Evicts: c.items.findLast((x) => x.evicted > 0)?.cycle ?? 0}))`, &all)
	if all.Rows < 100 || all.Drawn > 60 || all.Evicts == 0 {
		t.Fatalf("of %d cycles %d are drawn; the last that evicts is %d", all.Rows, all.Drawn, all.Evicts)
	}
	p.Until("as many rows", fmt.Sprintf(`document.querySelector(".cycles").getAttribute("aria-rowcount") === "%d"`,
		all.Rows+1))
	p.Goes(fmt.Sprintf("#/recorder?show=cycles&cycle=%d", all.Evicts))
	p.Until("what it decided", fmt.Sprintf(`document.querySelector(".drawer .name").innerText === "%d" &&
	  /pods? evicted/.test(document.querySelector(".drawer .outcome").innerText) &&
	  [...document.querySelectorAll(".drawer .decisions li")].some((e) => e.innerText.startsWith("evict "))`, all.Evicts))
	p.Click(`.drawer a[href*="eviction="]`)
	p.Until("its record, at that moment", `location.hash.includes("at=") &&
	  document.querySelector(".drawer .permits li b").innerText.length > 2 &&
	  document.querySelector(".drawer .sentence").innerText.includes("makes room on node")`)
	p.Goes("#/recorder?show=cycles")
	p.Until("the list", `document.querySelector(".cycles .tall .row")`)
	p.Eval(`document.querySelector(".cycles .scroll").focus()`, nil)
	p.Key("ArrowDown")
	p.Until("the newest cycle's decisions", `document.querySelector(".drawer .name").innerText === document.
	  querySelector(".cycles .row[aria-selected=true]").children[1].innerText &&
	  document.querySelector(".drawer .decisions li")`)
	p.Sound()
}

// TestEvictionsOfTheLastHour: Pulse counts them by rule and queue up to the moment that is shown, and each figure leads
// to the evictions that it counts.
func TestEvictionsOfTheLastHour(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	// The moment of the last eviction before noon, or the one before it that was kept: a busy machine keeps fewer.
	var last float64
	p.Eval(`fetch("/v1/evictions").then((r) => r.json()).then((e) => {
	  const second = (x) => [...x.time.matchAll(/([0-9.]+)(h|m|s)/g)].reduce((s, m) =>
	    s + m[1] * {h: 3600, m: 60, s: 1}[m[2]], 0);
	  window.evictedAt = e.items.map(second);
	  return window.evictedAt[0];
	})`, &last)
	p.play(fmt.Sprintf(`{"playing": false, "seek": %f}`, last+1))
	var pods int
	p.Eval(`fetch("/v1/state").then((r) => r.json()).then((s) =>
	  window.evictedAt.filter((at) => at <= s.play.now && s.play.now - at < 3600).length)`, &pods)
	if pods == 0 {
		t.Fatalf("no pod was evicted in the hour before %.0f s", last)
	}
	p.Goes("#/pulse")
	p.Until("how many", fmt.Sprintf(`((tile) => tile.startsWith("Evictions\n") && tile.includes("\n%d\n") &&
	  tile.includes("in the last hour"))([...document.querySelectorAll(".tile")].at(-1).innerText)`, pods))
	p.Until("that the groups add up to them", fmt.Sprintf(`[...document.querySelectorAll(".evicted-lately .ranking b")].
	  reduce((n, e) => n + Number(e.textContent), 0) === %d`, pods))
	var group string
	p.Eval(`document.querySelector(".evicted-lately .ranking span").innerText`, &group)
	p.Click(".evicted-lately .ranking a")
	p.Until("the evictions of that rule and queue", fmt.Sprintf(`document.querySelector(".tools .chip").innerText.
	  startsWith(%q) && document.querySelectorAll(".evictions .tall .row").length > 0 &&
	  [...document.querySelectorAll(".evictions .tall .row")].every((r) => %q.split(" · ").every((w) =>
	  r.innerText.includes(w)))`, group, group))
	p.Click(".tools .chip")
	p.Until("all evictions", `!document.querySelector(".tools .chip")`)
	p.Sound()
}

// TestQueuesOverTime: what the queues that hold the most held over time, beside what they deserved; others by name.
func TestQueuesOverTime(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	p.Goes("#/queues")
	p.Click(".tools .segments:last-of-type button:last-child")
	p.Until("a curve for each of some queues", `document.querySelectorAll(".overtime canvas").length >= 3 &&
	  document.querySelectorAll(".overtime canvas").length <= 6`)
	p.Until("what they held and deserve", `[...document.querySelectorAll(".overtime .chart [role=img]")].some((e) =>
	  /: Allocated [1-9].*, Deserved [1-9]/.test(e.getAttribute("aria-label")))`)
	var name string
	p.Eval(`document.querySelectorAll(".overtime h2 button")[1].innerText`, &name)
	p.Eval(`document.querySelector(".overtime input").focus()`, nil)
	p.Do("Input.insertText", map[string]any{"text": name})
	p.Key("Enter")
	one := fmt.Sprintf(`[...document.querySelectorAll(".overtime h2 button")].map((e) => e.innerText).join() === %q`, name)
	p.Until("that queue alone", one)
	p.Do("Page.reload", nil)
	p.Until("the same by its address", one)
	p.Click(".overtime .chip")
	p.Until("those that hold the most", `document.querySelectorAll(".overtime canvas").length >= 3`)
	p.Sound()
}

// TestTheRecorderOfALiveScheduler: evictions that the person may not see are counted, those of more than an hour ago
// are not, and a scheduler that restarts counts its cycles anew.
func TestTheRecorderOfALiveScheduler(t *testing.T) {
	b := start(t)
	now := time.Now().UTC()
	at := func(ago time.Duration) string { return now.Add(-ago).Format(time.RFC3339) }
	evicted := func(name string, ago time.Duration, more string) string {
		return fmt.Sprintf(`{"namespace": "ns", "name": %q, "queue": "batch", "action": "reclaim", "for": "ns/train",
		  "time": "0s", "cycle": 0, "at": %q, "reason": "reclaim: makes room"%s}`, name, at(ago), more)
	}
	first := make(chan struct{})
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1), why: emptyAnswer,
		evicted: evicted("young-0", time.Minute, `, "record": {"ofEvent": true, "forNode": "n1", "tier": 1,
		  "plugins": ["gang"], "alsoPermitted": [{"tier": 2, "plugins": ["proportion"]}], "whole": false,
		  "queueHeld": {"cpu": "6"}, "queueDeserved": {"cpu": "4"}}`) + "," + evicted("old-0", 2*time.Hour, ""),
		hidden: `{"count": 3, "byAction": {"preempt": 3}}`}
	l.cycles = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		list := map[string]any{"kind": "CycleList", "since": at(time.Hour), "last": 900, "items": []any{}}
		select {
		case <-first:
			list["last"], list["items"] = 3, []any{map[string]any{"cycle": 2, "time": at(0), "bound": 7, "took": 0.0123}}
		default:
			list["items"] = []any{map[string]any{"cycle": 899, "time": at(time.Minute), "evicted": 1, "bound": 2}}
		}
		if after := r.URL.Query().Get("after"); after != "" && after != "0" {
			list["items"] = []any{}
		}
		_ = json.NewEncoder(w).Encode(list) // the page may have gone
	}
	l.streams <- stays(t, func(f *feed) {
		f.tell("Queue", "ADDED", emptyQueue("batch"))
		f.mark()
	})
	p := l.opens(t, b)
	p.Until("what it may see, and how many more", `((tile) => ["Evictions", "1", "+ 3 of others"].every((s) =>
	  tile.includes(s)))([...document.querySelectorAll(".tile")].at(-1).innerText) &&
	  [...document.querySelectorAll(".evicted-lately .ranking a")].map((e) => e.innerText.replace(/\s+/g, " ")).join() ===
	  "reclaim · batch 1,preempt · of others 3"`)
	p.Click(".evicted-lately .ranking a")
	p.Click(".evictions .tall .row time")
	p.Until("what the event says, and no more", `["tier 1: gang", "tier 2: proportion", "batch", "6", "4",
	  "has recorded no more"].every((s) => document.querySelector(".drawer").innerText.toLowerCase().includes(s)) &&
	  !document.querySelector(".drawer").innerText.includes("Ran for")`)
	p.Goes("#/recorder?show=cycles")
	cells := func(want string) string {
		return fmt.Sprintf(`[...document.querySelectorAll(".cycles .tall .row")].map((r) =>
		  [...r.children].slice(1).map((e) => e.innerText).join(" ")).join() === %q`, want)
	}
	p.Until("its cycle", cells("899 2 1 – – "))
	close(first)
	p.Until("those of the scheduler that began anew", cells("2 7 – – – 12 ms"))
	p.Sound()
}
