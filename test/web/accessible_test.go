package web

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"ashlar.sh/test/chromium"
)

// axe is the text of axe-core, which comes with what the page is built with: `make page-check` gets it. Without npm the
// tests that need it say that they were skipped.
func axe(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(root + "/internal/web/page/node_modules/axe-core/axe.min.js")
	if err == nil {
		return string(text)
	}
	if _, none := exec.LookPath("npm"); os.Getenv("ASHLAR_BROWSER") == "required" && none == nil {
		t.Fatalf("axe-core is not there: run make page-check (%v)", err)
	}
	t.Skip("skipped: there is no axe-core (make page-check gets it, with npm)")
	return ""
}

// finding is a rule of WCAG that elements of the page break.
type finding struct {
	ID, Help string
	Nodes    []struct {
		Target         []any
		HTML           string
		FailureSummary string
	}
}

// TestEveryViewIsAccessible: no view breaks a rule that axe-core can see, of WCAG 2.2 A and AA and of what is good
// practice beside it, in light and dark, on a desktop and on a phone.
func TestEveryViewIsAccessible(t *testing.T) {
	script := axe(t)
	b := start(t)
	p := noon(t, b)
	p.Eval(script, nil)
	p.Eval(`document.querySelector("h1").style.color = "#eee"`, nil)
	if list := p.violations(); len(list) != 1 || list[0].ID != "color-contrast" {
		t.Fatalf("of a heading that cannot be read axe-core says %+v", list)
	}
	p.Eval(`document.querySelector("h1").removeAttribute("style")`, nil)
	p.accessibleIn([]view{
		{"#/pulse?", ".uplot"},
		{"#/jobs?state=waiting&", ".rows .tall .row"},
		{"#/jobs?job=trace/language-pretrain-large&", ".drawer .squares"},
		{"#/queues?queue=language&", ".drawer .sum table"},
		{"#/cluster?", ".rack .cell"},
		{"#/cluster?as=table&node=rack-a-1&", ".drawer"},
		{"#/recorder?", ".evictions .tall .row"},
		{"#/recorder?rule=none&", ".rows .empty"},
		{"#/recorder?eviction=" + evictionAtNoon(p) + "&", ".drawer .both table"},
		{"#/recorder?show=cycles&", ".cycles .tall .row"},
		{"#/recorder?show=cycles&cycle=" + cycleAtNoon(p) + "&", ".drawer .decisions li"},
		{"#/jobs?q=nothing-is-called-so&", ".rows .empty button"},
		{"#/recorder?compare=1&", ".compared"},
		{"#/queues?as=time&", ".overtime canvas"},
		{"#/jobs?job=trace/language-pretrain-large&past=1&", ".past .moments > li button"},
		{"#/cluster?as=bookings&", ".view .empty"},
		{"#/queues?whatif=queue&", "dialog select"},
		{"#/queues?whatif=drop&", "dialog input.long"},
	})
	address, _ := serve(t, "test/web/testdata/bookings.yaml", "--paused")
	p = b.open(t, address, 1280, 800)
	p.Until("the page", `document.querySelector(".transport .play")`)
	p.Eval(script, nil)
	p.accessibleIn([]view{
		{"#/cluster?as=bookings&", "li .booking .stretch i"},
		{"#/cluster?as=bookings&booking=disks&", ".drawer .pods li"},
		{"#/cluster?as=bookings&booking=benchmark&", ".drawer .plain li"},
		{"#/cluster?booking=disks&node=rack-a-1&", `.drawer a[href*="booking=disks"]`},
		{"#/jobs?job=lab/endless&past=1&", ".past .moments > li button"},
	})
}

// evictionAtNoon is the last eviction of the made-up day up to noon of which the record says what both queues held, as
// an address names it.
func evictionAtNoon(p *page) (name string) {
	p.T.Helper()
	p.Eval(`fetch("/v1/evictions").then((r) => r.json()).then((all) => {
	  const e = all.items.find((x) => x.record.queueHeld && x.record.forQueueHeld);
	  return encodeURIComponent((e.at ?? e.time) + "/" + e.namespace + "/" + e.name); })`, &name)
	return name
}

// cycleAtNoon is the last cycle of it that evicted.
func cycleAtNoon(p *page) (number string) {
	p.T.Helper()
	p.Eval(`fetch("/v1/history/cycles").then((r) => r.json()).then((all) =>
	  String(all.items.findLast((c) => c.evicted > 0).cycle))`, &number)
	return number
}

// TestDevicesAreAccessible is the same of devices, whatever their driver writes.
func TestDevicesAreAccessible(t *testing.T) {
	script := axe(t)
	b := start(t)
	p := devicesRun(t, b, 1280, 800)
	p.Eval(script, nil)
	p.accessibleIn([]view{
		{"#/cluster?", ".slots-key i.off"},
		{"#/cluster?as=devices&", ".devices .plain li"},
		{"#/cluster?node=gpu-2&", ".devices-on .chip"},
	})
}

// view is a link within the page, without its theme, and an element by which it is known to be shown.
type view struct{ hash, see string }

// accessibleIn looks at views in light and dark, on a desktop and on a phone.
func (p *page) accessibleIn(views []view) {
	outer := p.T
	defer func() { p.T = outer }()
	for _, size := range [][2]int{{1280, 800}, {390, 760}} {
		p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": size[0], "height": size[1],
			"deviceScaleFactor": 1, "mobile": size[0] < 600})
		for _, theme := range []string{"light", "dark"} {
			for _, v := range views {
				outer.Run(fmt.Sprintf("%d/%s/%s", size[0], theme, v.hash), func(t *testing.T) {
					p.T = t
					p.Goes(v.hash + "theme=" + theme)
					p.Until("the view", fmt.Sprintf("document.querySelector(%q)", v.see))
					p.accessible()
					if p.Eval(`void document.querySelector("dialog")?.close()`, nil); t.Failed() {
						return
					}
					p.Until("no dialogue", `!document.querySelector("dialog")`)
				})
			}
		}
	}
}

// violations are the rules that what is shown breaks.
func (p *page) violations() (list []finding) {
	p.T.Helper()
	p.Eval(`Promise.allSettled(document.getAnimations().map((a) => a.finished))`, nil) // colours are what they come to be
	var found json.RawMessage
	p.Eval(`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	  resultTypes: ["violations"]}).then((r) => r.violations)`, &found)
	if err := json.Unmarshal(found, &list); err != nil {
		p.T.Fatalf("%s: %v", found, err)
	}
	return list
}

// accessible fails the test for each of them.
func (p *page) accessible() {
	p.T.Helper()
	for _, f := range p.violations() {
		for i, n := range f.Nodes {
			if i == 3 {
				p.T.Errorf("… and %d more of %s", len(f.Nodes)-i, f.ID)
				break
			}
			p.T.Errorf("%s: %s\n%v\n%s\n%s", f.ID, f.Help, n.Target, chromium.Clip(n.HTML), n.FailureSummary)
		}
	}
}
