package web

import (
	"fmt"
	"testing"
)

// counting is a person that clicks.
type counting struct {
	*page
	clicks int
}

// begins opens the page as somebody finds it, with no click so far.
func (c *counting) begins(t *testing.T) {
	c.T, c.clicks = t, 0
	c.Goes("#/pulse")
	c.Until("the first view", `document.querySelector(".tiles") && !document.querySelector(".drawer, dialog")`)
}

func (c *counting) click(selector string) {
	c.T.Helper()
	c.clicks++
	c.Click(selector)
}

// within fails if it took more than three clicks.
func (c *counting) within() {
	c.T.Helper()
	if c.clicks > 3 {
		c.T.Errorf("it took %d clicks", c.clicks)
	}
}

// asks asks what a person wants to know, from the first view on. There are a job that waits, which borrows and lends a
// queue, and an eviction.
func (c *counting) asks(t *testing.T, job, borrows, lends, victim, winner string) {
	t.Run("why does my job wait", func(t *testing.T) {
		c.begins(t)
		c.click(`a.tile[href*="state=waiting"]`)
		c.Until("jobs", `document.querySelector(".rows .tall .row")`)
		c.Eval(fmt.Sprintf(`[...document.querySelectorAll(".rows .tall .row")].find((r) =>
		  r.querySelector("b").textContent === %q).classList.add("mine")`, job), nil)
		c.click(".rows .tall .row.mine")
		c.Until("its reason", fmt.Sprintf(`document.querySelector(".drawer .name").innerText === %q &&
		  document.querySelector(".drawer .sentence").innerText.length > 20`, job))
		c.within()
	})
	t.Run("which queue lends to which", func(t *testing.T) {
		c.begins(t)
		c.click(`nav a[href*="queues"]`)
		c.Until("who borrows and who lends", fmt.Sprintf(`((said) => said(%q, "borrows") && said(%q, "lends"))((q, word) =>
		  [...document.querySelectorAll(".queue .title")].some((e) => e.querySelector("b").textContent === q &&
		  e.innerText.includes(word)))`, borrows, lends))
		c.Eval(fmt.Sprintf(`[...document.querySelectorAll(".queue")].find((e) =>
		  e.querySelector("b")?.textContent === %q).classList.add("mine")`, lends), nil)
		c.click(".queue.mine")
		c.Until("who has its room", fmt.Sprintf(`[...document.querySelectorAll(".drawer .lent a")].some((a) =>
		  a.innerText === %q)`, borrows))
		c.within()
	})
	t.Run("who took my GPUs", func(t *testing.T) {
		c.begins(t)
		c.click(`nav a[href*="recorder"]`)
		c.Until("the victim, the job that got the room and the rule", fmt.Sprintf(`[...document.querySelectorAll(
		  ".evictions .tall .row")].some((r) => [%q, %q, "reclaim"].every((s) => r.innerText.includes(s)))`, victim, winner))
		c.within()
	})
}

// weighs asks what another weight of a queue would change.
func (c *counting) weighs(t *testing.T, queue string) {
	t.Run("what would a weight of 3 change", func(t *testing.T) {
		var more string
		c.begins(t)
		c.click(`nav a[href*="queues"]`)
		c.Until("queues", `document.querySelector(".queue b")`)
		c.Eval(fmt.Sprintf(`[...document.querySelectorAll(".queue")].find((e) =>
		  e.querySelector("b")?.textContent === %q).classList.add("mine")`, queue), nil)
		c.click(".queue.mine")
		c.click(`.drawer a[href*="whatif=queue"]`)
		c.Until("what one more moves", `document.querySelector("dialog .result")`)
		if c.Eval(`document.querySelector("dialog input[type=number]").value`, &more); more != "3" {
			c.Eval(`document.querySelector("dialog input[type=number]").select()`, nil)
			c.Do("Input.insertText", map[string]any{"text": "3"})
			c.Until("that this was not asked yet", `!document.querySelector("dialog .result")`)
			c.Key("Enter")
		}
		c.Until("what 3 moves", `document.querySelector("dialog .result") &&
		  document.querySelector("dialog input[type=number]").value === "3"`)
		c.within()
		c.Key("Escape")
		c.Until("no dialogue", `!document.querySelector("dialog")`)
	})
}

// TestWithinThreeClicks, on the made-up day.
func TestWithinThreeClicks(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	p.asks(t)
	p.play(`{"seek": 1e9}`)
	p.Until("the latest", `!document.querySelector(".transport .past")`)
	(&counting{page: p}).weighs(t, "language") // of which one more is not 3
	p.T = t
	p.Sound()
}

// TestWithinThreeClicksOfTheDemo, which stands still where `make demo` opens: the small queue borrows, and the large
// one takes back what it lent.
func TestWithinThreeClicksOfTheDemo(t *testing.T) {
	b := start(t)
	address, _ := serve(t, demo...)
	p := b.open(t, address, 1280, 800)
	p.Until("the page", `document.querySelector(".transport .play")`)
	p.asks(t)
	(&counting{page: p}).weighs(t, "vcvly") // of which one more is 3
	p.T = t
	p.Sound()
}

// asks asks of what is there: the first job that waits, the queues that borrow and lend the most, an eviction.
func (p *page) asks(t *testing.T) {
	var of struct{ Job, Borrows, Lends, Victim, Winner string }
	p.Eval(`Promise.all(["jobs?waiting=true", "queues", "evictions"].map((x) =>
	  fetch("/v1/" + x).then((r) => r.json()))).then(([j, q, e]) => {
	  const held = (x) => Number(x.allocated["nvidia.com/gpu"] ?? 0) - Number(x.deserved["nvidia.com/gpu"] ?? 0);
	  const list = q.items.filter((x) => x.name !== "root").sort((a, b) => held(b) - held(a));
	  const took = e.items.find((x) => x.action === "reclaim");
	  return {Job: j.items[0].name, Borrows: list[0].name, Lends: list.at(-1).name, Victim: took.name,
	    Winner: took.for.split("/")[1]};
	})`, &of)
	(&counting{page: p}).asks(t, of.Job, of.Borrows, of.Lends, of.Victim, of.Winner)
}

// TestWithinThreeClicksLive, on a scheduler that says what a real one does; what-if on a real one is in test/e2e.
func TestWithinThreeClicksLive(t *testing.T) {
	b := start(t)
	queue := func(name, held, deserved string) map[string]any {
		gpu := func(n string) map[string]string { return map[string]string{"nvidia.com/gpu": n} }
		return map[string]any{"name": name, "parent": "root", "state": "Open", "weight": 1, "share": 0,
			"deserved": gpu(deserved), "allocated": gpu(held), "request": gpu("8"), "guarantee": map[string]string{},
			"capability": map[string]string{}, "realCapability": map[string]string{}}
	}
	l := &live{page: `{"source": "cluster", "whatIf": true}`, streams: make(chan func(*feed), 1),
		why: emptyAnswer,
		evicted: `{"namespace": "ns", "name": "sweep-0", "queue": "batch", "action": "reclaim", "for": "ns/train",
		  "time": "0s", "at": "2026-11-24T01:02:03Z", "reason": "reclaim: makes room"}`,
		whatIf: `{"seconds": 3600, "queues": [], "jobs": [], "evicted": [], "spared": [], "problems": []}`}
	l.streams <- stays(t, func(f *feed) {
		f.tell("Job", "ADDED", waitingJob("train"))
		for _, q := range []map[string]any{queue("root", "8", "8"), queue("batch", "6", "4"), queue("research", "2", "4")} {
			f.tell("Queue", "ADDED", q)
		}
		f.mark()
	})
	p := l.opens(t, b)
	(&counting{page: p}).asks(t, "train", "batch", "research", "sweep-0", "train")
	(&counting{page: p}).weighs(t, "research")
	p.T = t
	p.Sound()
}
