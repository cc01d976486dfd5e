package chromium

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Page is a page in a browser of its own: without the cookies of others.
type Page struct {
	T       *testing.T // fails when the page does; a subtest puts its own here
	Browser *Browser
	session string
}

// Open opens an address in a window of a width and a height.
func (b *Browser) Open(t *testing.T, address string, width, height int) *Page {
	t.Helper()
	p := &Page{T: t, Browser: b}
	var context struct{ BrowserContextID string }
	p.Into(&context, "Target.createBrowserContext", nil)
	t.Cleanup(func() { // the browser may be gone
		_, _ = b.Call("", "Target.disposeBrowserContext", map[string]any{"browserContextId": context.BrowserContextID})
	})
	var target struct{ TargetID string }
	p.Into(&target, "Target.createTarget", map[string]any{"url": "about:blank",
		"browserContextId": context.BrowserContextID})
	var attached struct{ SessionID string }
	p.Into(&attached, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	p.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.Do(domain+".enable", nil)
	}
	p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1,
		"mobile": width < 600})
	p.Do("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	p.Do("Emulation.setLocaleOverride", map[string]any{"locale": "en-US"})
	p.Do("Page.navigate", map[string]any{"url": address})
	return p
}

// Into sends a command to the page and decodes its answer.
func (p *Page) Into(out any, method string, params any) {
	p.T.Helper()
	got, err := p.Browser.Call(p.session, method, params)
	if err == nil && out != nil {
		err = json.Unmarshal(got, out)
	}
	if err != nil {
		p.T.Fatalf("%s: %v", method, err)
	}
}

// Do sends a command to the page.
func (p *Page) Do(method string, params any) {
	p.T.Helper()
	p.Into(nil, method, params)
}

// Eval runs JavaScript in the page and decodes its value.
func (p *Page) Eval(script string, out any) {
	p.T.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	p.Into(&got, "Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true})
	if got.ExceptionDetails != nil {
		p.T.Fatalf("%s: %s", script, got.ExceptionDetails.Exception.Description)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(got.Result.Value, out); err != nil {
		p.T.Fatalf("%s: %s: %v", script, got.Result.Value, err)
	}
}

// Until waits in the page until a script is true, frame by frame.
func (p *Page) Until(what, script string) {
	p.T.Helper()
	var good bool
	p.Eval(fmt.Sprintf(`new Promise((done) => {
	  const end = performance.now() + %d;
	  const look = () => {
	    let is = false;
	    try { is = Boolean(%s); } catch { is = false; }
	    if (is || performance.now() > end) done(is); else setTimeout(look, 50);
	  };
	  look();
	})`, patience.Milliseconds(), script), &good)
	if !good {
		var text string
		p.Eval("document.body.innerText", &text)
		p.T.Fatalf("the page does not show %s (%s); it shows:\n%s", what, script, Clip(text))
	}
}

// Clip is a text that a test prints, at most 1 500 bytes of it.
func Clip(text string) string {
	if len(text) > 1500 {
		return text[:1500] + "…"
	}
	return text
}

// Text is what a person reads in an element.
func (p *Page) Text(selector string) string {
	p.T.Helper()
	var out string
	p.Eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector), &out)
	return out
}

// Click clicks where an element is, after it is there. What comes meanwhile may move it: a press that would meet
// another element is kept from the page, and done again.
func (p *Page) Click(selector string) {
	p.T.Helper()
	p.Until("an element to click", fmt.Sprintf("document.querySelector(%q)", selector))
	for range mostPresses {
		if p.press(selector) {
			return
		}
	}
	p.T.Fatalf("%s cannot be clicked: something covers it, or it moves all the time", selector)
}

// mostPresses is how often a click is tried.
const mostPresses = 50

// press clicks where an element is now, and says whether the click met it. Otherwise the page has seen nothing of it.
func (p *Page) press(selector string) bool {
	p.T.Helper()
	var at struct{ X, Y float64 }
	p.Eval(fmt.Sprintf(`(async () => { const e = document.querySelector(%q);
	  window.pressed = {met: 0, missed: !e}; if (!e) return {X: 0, Y: 0};
	  e.scrollIntoView({block: "nearest"});
	  await new Promise((done) => setTimeout(done, 20));
	  const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
	  const look = (v) => {
	    if (e.contains(v.target) && !window.pressed.missed) { window.pressed.met++; return; }
	    window.pressed.missed = true; v.stopImmediatePropagation(); v.preventDefault();
	  };
	  for (const kind of kinds) window.addEventListener(kind, look, true);
	  window.pressed.over = () => { for (const kind of kinds) window.removeEventListener(kind, look, true); };
	  const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()`, selector), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.Do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left",
			"clickCount": 1})
	}
	met := false
	p.Eval("(() => { window.pressed.over?.(); return !window.pressed.missed && window.pressed.met > 0; })()", &met)
	return met
}

// Key presses keys: single characters, or names as ArrowDown.
func (p *Page) Key(names ...string) {
	p.T.Helper()
	codes := map[string]int{"ArrowDown": 40, "ArrowUp": 38, "Enter": 13, "Escape": 27, "Tab": 9}
	for _, name := range names {
		down := map[string]any{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": codes[name]}
		if len(name) == 1 {
			down["text"], down["code"] = name, "Key"+strings.ToUpper(name)
		}
		p.Do("Input.dispatchKeyEvent", down)
		p.Do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name})
	}
}

// Goes follows a link within the page.
func (p *Page) Goes(hash string) {
	p.T.Helper()
	p.Eval(fmt.Sprintf("void (location.hash = %q)", hash), nil)
}

// Shot takes a picture of what is in sight.
func (p *Page) Shot() []byte {
	p.T.Helper()
	var got struct{ Data string }
	p.Into(&got, "Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": false})
	data, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		p.T.Fatal(err)
	}
	return data
}

// Forgives takes back what the console says of one request that was meant to be refused.
func (p *Page) Forgives(path string) {
	p.T.Helper()
	p.Browser.mu.Lock()
	defer p.Browser.mu.Unlock()
	said := p.Browser.said[p.session]
	i := slices.IndexFunc(said, func(s string) bool { return strings.Contains(s, path) })
	if i < 0 {
		p.T.Fatalf("the console says nothing of %s", path)
	}
	p.Browser.said[p.session] = slices.Delete(said, i, i+1)
}

// Sound fails the test if the page threw an error, was refused something by its policy, or asked another server.
func (p *Page) Sound() {
	p.T.Helper()
	p.Browser.mu.Lock()
	defer p.Browser.mu.Unlock()
	for _, said := range p.Browser.said[p.session] {
		p.T.Errorf("the page's console: %s", Clip(said))
	}
}
