package web

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the screenshots of docs/images anew")

// images is where the documentation has them.
const images = root + "/docs/images"

// TestScreenshots goes through the views of the made-up day at noon, and with -update keeps what it sees.
func TestScreenshots(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	for _, s := range []struct {
		name, hash, see string
		width, height   int
	}{
		{"web-queues", "#/queues?theme=light&queue=language", ".drawer .sum table", 1280, 800},
		{"web-cluster", "#/cluster?theme=dark", ".rack .cell", 1280, 800},
		{"web-timeline", "#/recorder?theme=light", ".uplot", 1280, 800},
		{"web-latest", "", ".app", 1280, 800},
		{"web-jobs", "#/jobs?theme=light&state=waiting&job=trace/language-pretrain-large", ".way li", 1280, 1000},
		{"web-whatif", "#/queues?theme=light&whatif=queue&wq=language&ww=12", "dialog .primary", 1280, 800},
		{"web-compare", "#/recorder?theme=light&compare=1", "textarea", 1280, 1000},
		{"web-phone", "#/jobs?theme=light&state=waiting", ".rows .row", 390, 760},
		{"web-chinese", "#/queues?theme=dark&lang=zh", ".queue", 1280, 800},
	} {
		p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": s.width, "height": s.height,
			"deviceScaleFactor": 1, "mobile": s.width < 600})
		if s.hash == "" {
			p.play(`{"seek": 1e9}`)
			continue
		}
		p.Goes(s.hash)
		p.Until(s.name, `document.querySelector("`+s.see+`")`)
		if s.name == "web-whatif" {
			p.Click("dialog .primary")
			p.Until("what moves", `document.querySelector("dialog .result table")`)
		}
		if s.name == "web-compare" {
			p.Eval(`document.querySelector("textarea").focus()`, nil)
			p.Until("the one that holds", `document.querySelector("textarea").value.includes(", reclaim")`)
			p.Eval(`document.querySelector("textarea").setSelectionRange(...((text) => [text.indexOf(", preempt"),
			  text.indexOf(", backfill")])(document.querySelector("textarea").value))`, nil)
			p.Do("Input.insertText", map[string]any{"text": ""})
			p.Click(".knobs .primary")
			p.Until("both", `document.querySelectorAll(".sides canvas").length === 2`)
			p.Eval(`document.querySelector(".knobs").scrollIntoView()`, nil)
		}
		p.Eval(`Promise.allSettled(document.getAnimations().map((a) => a.finished)).
		  then(() => new Promise((d) => setTimeout(d, 1200)))`, nil) // what the view asks for itself has come, too
		data := p.Shot()
		if s.name == "web-whatif" {
			p.Key("Escape")
		}
		if *update {
			if err := os.WriteFile(filepath.Join(images, s.name+".png"), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.Sound()
	for _, s := range []struct {
		name, hash, see string
		shows           []string
	}{
		{"web-demo", "#/pulse?theme=light", ".uplot", demo},
		{"web-bookings", "#/cluster?theme=light&as=bookings&booking=disks", ".drawer .pods li",
			[]string{"test/web/testdata/bookings.yaml", "--paused"}},
	} {
		address, _ := serve(t, s.shows...)
		p = b.open(t, address, 1280, 800)
		p.Until("the page", `document.querySelector(".transport")`)
		p.Goes(s.hash)
		p.Until(s.name, `document.querySelector("`+s.see+`")`)
		if data := p.Shot(); *update {
			if err := os.WriteFile(filepath.Join(images, s.name+".png"), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p.Sound()
	}
}

// TestScreenshotsOfDevices keeps what the page shows of devices.
func TestScreenshotsOfDevices(t *testing.T) {
	b := start(t)
	p := devicesRun(t, b, 1280, 800)
	p.Goes("#/cluster?theme=light&node=gpu-2")
	p.Until("devices", `document.querySelectorAll(".devices-on li").length === 4`)
	p.Eval(`Promise.allSettled(document.getAnimations().map((a) => a.finished))`, nil)
	if data := p.Shot(); *update {
		if err := os.WriteFile(filepath.Join(images, "web-devices.png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.Sound()
}
