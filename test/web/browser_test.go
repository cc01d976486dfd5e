package web

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for the page to show something.
const patience = time.Minute

// chromium finds the browser; "" without one. ASHLAR_CHROMIUM names another.
func chromium() string {
	for _, name := range []string{os.Getenv("ASHLAR_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// browser is a Chromium that runs.
type browser struct {
	to   io.Writer
	mu   sync.Mutex
	last int
	wait map[int]chan answer
	dead error
	said map[string][]string // by session: what the page's console and its errors said
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// start starts a browser for a test.
func start(t *testing.T) *browser {
	t.Helper()
	path := chromium()
	if path == "" {
		if os.Getenv("ASHLAR_BROWSER") == "required" {
			t.Fatal("there is no Chromium, and ASHLAR_BROWSER asks for it")
		}
		t.Skip("skipped: there is no Chromium (apt-get install chromium)")
	}
	in, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--no-first-run", "--hide-scrollbars", "--disable-extensions",
		"--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "about:blank")
	c.ExtraFiles = []*os.File{in, out} // 3 and 4
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	b := &browser{to: toBrowser, wait: map[int]chan answer{}, said: map[string][]string{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(fromBrowser)
	}()
	t.Cleanup(func() {
		_, _ = b.call("", "Browser.close", nil) // it may be gone
		ended := time.AfterFunc(5*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait() // its exit code says nothing
		ended.Stop()
		toBrowser.Close()
		fromBrowser.Close()
		<-read
	})
	return b
}

// read takes in what the browser sends: answers, and events of pages.
func (b *browser) read(from io.Reader) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			b.end(err)
			return
		}
		var m struct {
			ID        int
			Method    string
			SessionID string `json:"sessionId"`
			Params    json.RawMessage
			answer
		}
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			b.end(err)
			return
		}
		b.mu.Lock()
		switch {
		case m.ID != 0:
			if c := b.wait[m.ID]; c != nil {
				c <- m.answer
				delete(b.wait, m.ID)
			}
		case m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded":
			b.said[m.SessionID] = append(b.said[m.SessionID], string(m.Params))
		}
		b.mu.Unlock()
	}
}

// end fails all that wait.
func (b *browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dead = fmt.Errorf("the browser ended: %w", err)
	for _, c := range b.wait {
		close(c)
	}
	b.wait = map[int]chan answer{}
}

// call sends a command to the browser, or to a page by its session, and waits for its answer.
func (b *browser) call(session, method string, params any) (json.RawMessage, error) {
	b.mu.Lock()
	if b.dead != nil {
		b.mu.Unlock()
		return nil, b.dead
	}
	b.last++
	id := b.last
	got := make(chan answer, 1)
	b.wait[id] = got
	b.mu.Unlock()
	m := map[string]any{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		return nil, err
	}
	select {
	case a, open := <-got:
		if !open {
			return nil, b.dead
		}
		if a.Error != nil {
			return nil, errors.New(method + ": " + a.Error.Message)
		}
		return a.Result, nil
	case <-time.After(patience + 10*time.Second):
		return nil, errors.New(method + ": the browser does not answer")
	}
}

// page is a page in a browser of its own: without the cookies of others.
type page struct {
	t       *testing.T
	b       *browser
	session string
}

// open opens an address in a window of a width and a height.
func (b *browser) open(t *testing.T, address string, width, height int) *page {
	t.Helper()
	p := &page{t: t, b: b}
	var context struct{ BrowserContextID string }
	p.into(&context, "Target.createBrowserContext", nil)
	var target struct{ TargetID string }
	p.into(&target, "Target.createTarget", map[string]any{"url": "about:blank",
		"browserContextId": context.BrowserContextID})
	var attached struct{ SessionID string }
	p.into(&attached, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	p.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.do(domain+".enable", nil)
	}
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1,
		"mobile": width < 600})
	p.do("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	p.do("Emulation.setLocaleOverride", map[string]any{"locale": "en-US"})
	p.do("Page.navigate", map[string]any{"url": address})
	return p
}

// into calls and decodes.
func (p *page) into(out any, method string, params any) {
	p.t.Helper()
	got, err := p.b.call(p.session, method, params)
	if err == nil && out != nil {
		err = json.Unmarshal(got, out)
	}
	if err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

func (p *page) do(method string, params any) {
	p.t.Helper()
	p.into(nil, method, params)
}

// eval runs JavaScript in the page and decodes its value.
func (p *page) eval(script string, out any) {
	p.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	p.into(&got, "Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true})
	if got.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", script, got.ExceptionDetails.Exception.Description)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(got.Result.Value, out); err != nil {
		p.t.Fatalf("%s: %s: %v", script, got.Result.Value, err)
	}
}

// until waits in the page until a script is true, frame by frame.
func (p *page) until(what, script string) {
	p.t.Helper()
	var good bool
	p.eval(fmt.Sprintf(`new Promise((done) => {
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
		p.eval("document.body.innerText", &text)
		p.t.Fatalf("the page does not show %s (%s); it shows:\n%s", what, script, clip(text))
	}
}

func clip(text string) string {
	if len(text) > 1500 {
		return text[:1500] + "…"
	}
	return text
}

// text is what a person reads in an element.
func (p *page) text(selector string) string {
	p.t.Helper()
	var out string
	p.eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector), &out)
	return out
}

// click clicks where an element is, after it is there.
func (p *page) click(selector string) {
	p.t.Helper()
	p.until("an element to click", fmt.Sprintf("document.querySelector(%q)", selector))
	var at struct{ X, Y float64 }
	p.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "nearest"});
	  const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()`, selector), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left",
			"clickCount": 1})
	}
}

// key presses keys: single characters, or names as ArrowDown.
func (p *page) key(names ...string) {
	p.t.Helper()
	codes := map[string]int{"ArrowDown": 40, "ArrowUp": 38, "Enter": 13, "Escape": 27, "Tab": 9}
	for _, name := range names {
		down := map[string]any{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": codes[name]}
		if len(name) == 1 {
			down["text"], down["code"] = name, "Key"+strings.ToUpper(name)
		}
		p.do("Input.dispatchKeyEvent", down)
		p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name})
	}
}

// goes follows a link within the page.
func (p *page) goes(hash string) {
	p.t.Helper()
	p.eval(fmt.Sprintf("void (location.hash = %q)", hash), nil)
}

// shot takes a picture of what is in sight.
func (p *page) shot() []byte {
	p.t.Helper()
	var got struct{ Data string }
	p.into(&got, "Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": false})
	data, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// forgives takes back what the console says of one request that was meant to be refused.
func (p *page) forgives(path string) {
	p.t.Helper()
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	said := p.b.said[p.session]
	i := slices.IndexFunc(said, func(s string) bool { return strings.Contains(s, path) })
	if i < 0 {
		p.t.Fatalf("the console says nothing of %s", path)
	}
	p.b.said[p.session] = slices.Delete(said, i, i+1)
}

// sound fails the test if the page threw an error, was refused something by its policy, or asked another server.
func (p *page) sound() {
	p.t.Helper()
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	for _, said := range p.b.said[p.session] {
		p.t.Errorf("the page's console: %s", clip(said))
	}
}
