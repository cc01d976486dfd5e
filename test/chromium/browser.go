// Package chromium drives a real Chromium for tests, over a pipe, in the DevTools protocol: a test opens the page of
// `ashlar web`, clicks, types and reads as a person does. It needs nothing but the browser; without one the tests say
// that they were skipped, unless ASHLAR_BROWSER is "required".
package chromium

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

// Browser is a Chromium that runs. All tests of a program share one: each page is in a context of its own.
type Browser struct {
	to   io.Writer
	mu   sync.Mutex
	last int
	wait map[int]chan answer
	dead error
	said map[string][]string // by session: what the page's console and its errors said
	stop func()
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// shared is the browser that runs; nil: none does.
var shared struct {
	mu sync.Mutex
	b  *Browser
}

// Start starts the browser, if none runs. Stop ends it.
func Start(t *testing.T) *Browser {
	t.Helper()
	path := chromium()
	if path == "" {
		if os.Getenv("ASHLAR_BROWSER") == "required" {
			t.Fatal("there is no Chromium, and ASHLAR_BROWSER asks for it")
		}
		t.Skip("skipped: there is no Chromium (apt-get install chromium)")
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.b != nil && shared.b.ended() {
		shared.b.stop()
		shared.b = nil
	}
	if shared.b == nil {
		b, err := launch(path)
		if err != nil {
			t.Fatal(err)
		}
		shared.b = b
	}
	return shared.b
}

// Stop ends the browser, after all tests.
func Stop() {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.b != nil {
		shared.b.stop()
		shared.b = nil
	}
}

func launch(path string) (b *Browser, err error) {
	dir, err := os.MkdirTemp("", "ashlar-browser-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	in, toBrowser, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromBrowser, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--no-first-run", "--hide-scrollbars", "--disable-extensions",
		"--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "about:blank")
	c.ExtraFiles = []*os.File{in, out} // 3 and 4
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir)
	if err := c.Start(); err != nil {
		return nil, err
	}
	in.Close()
	out.Close()
	b = &Browser{to: toBrowser, wait: map[int]chan answer{}, said: map[string][]string{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(fromBrowser)
	}()
	b.stop = func() {
		_, _ = b.Call("", "Browser.close", nil) // it may be gone
		late := time.AfterFunc(5*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait() // its exit code says nothing
		late.Stop()
		toBrowser.Close()
		fromBrowser.Close()
		<-read
		_ = os.RemoveAll(dir) // a process of the browser may still write there
	}
	return b, nil
}

// ended says that the browser is gone.
func (b *Browser) ended() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dead != nil
}

// read takes in what the browser sends: answers, and events of pages.
func (b *Browser) read(from io.Reader) {
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
func (b *Browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dead = fmt.Errorf("the browser ended: %w", err)
	for _, c := range b.wait {
		close(c)
	}
	b.wait = map[int]chan answer{}
}

// Call sends a command to the browser, or to a page by its session, and waits for its answer.
func (b *Browser) Call(session, method string, params any) (json.RawMessage, error) {
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
