package web

import "testing"

// TestWhenJobsStartInASimulation: while a simulation stands still the page says when what waits starts; what is over
// when it is read is not told while it plays.
func TestWhenJobsStartInASimulation(t *testing.T) {
	b := start(t)
	address, _ := serve(t, "examples/time/maintenance.yaml", "--paused")
	p := b.open(t, address, 1280, 800)
	p.Goes("#/jobs?state=waiting")
	p.Until("that it starts after the maintenance, in the list", `[...document.querySelectorAll(".rows .tall .row")].some(
	  (r) => r.querySelector("b").textContent === "long" && r.innerText.includes("in 4h"))`)
	p.Goes("#/jobs?state=waiting&job=default/long")
	p.Until("when it starts, and what that rests on", `((text) => text.includes("in 4h") && text.includes(
	  "It starts about"))(document.querySelector(".drawer .when")?.innerText ?? "")`)
	p.Sound()
}
