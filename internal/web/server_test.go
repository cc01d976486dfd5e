package web

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// api answers with the path that it was asked for.
var api = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, "asked "+r.URL.Path) // a recorder takes all
})

func server(t *testing.T) *Server {
	t.Helper()
	s, err := NewServer(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}, api)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asked sends a request with headers and cookies to a server.
func asked(s *Server, method, path string, change func(*http.Request)) *http.Response {
	r := httptest.NewRequest(method, "http://127.0.0.1:4711"+path, nil)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// enters lets a browser in and returns its cookie.
func enters(t *testing.T, s *Server) *http.Cookie {
	t.Helper()
	got := asked(s, "GET", s.URL()[len("http://127.0.0.1:4711"):], nil)
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/" || len(got.Cookies()) != 1 {
		t.Fatalf("the token gave %d to %q with %v", got.StatusCode, got.Header.Get("Location"), got.Cookies())
	}
	return got.Cookies()[0]
}

func TestTheTokenLetsOneBrowserIn(t *testing.T) {
	s := server(t)
	address := strings.TrimPrefix(s.URL(), "http://127.0.0.1:4711")
	if got := asked(s, "GET", "/v1/jobs", nil).StatusCode; got != http.StatusUnauthorized {
		t.Fatalf("without a cookie: %d", got)
	}
	if got := asked(s, "GET", "/?token=", nil).StatusCode; got != http.StatusUnauthorized {
		t.Fatalf("an empty token: %d", got)
	}
	cookie := enters(t, s)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.MaxAge != 0 || !cookie.Expires.IsZero() {
		t.Errorf("the cookie is %+v", cookie)
	}
	with := func(r *http.Request) { r.AddCookie(cookie) }
	got := asked(s, "GET", "/v1/jobs", with)
	if body, _ := io.ReadAll(got.Body); string(body) != "asked /v1/jobs" {
		t.Errorf("with the cookie: %d %q", got.StatusCode, body)
	}
	if got := asked(s, "GET", address, nil).StatusCode; got != http.StatusUnauthorized {
		t.Errorf("the token a second time: %d", got)
	}
	if got := asked(s, "GET", address, with).StatusCode; got != http.StatusSeeOther {
		t.Errorf("the token a second time, by the same browser: %d", got)
	}
	if got := asked(s, "GET", "/?token=", nil).StatusCode; got != http.StatusUnauthorized {
		t.Errorf("an empty token after the token is spent: %d", got)
	}
}

func TestOtherSitesAndNamesAreRefused(t *testing.T) {
	s := server(t)
	cookie := enters(t, s)
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, c := range map[string]struct {
		method string
		change func(*http.Request)
		want   int
	}{
		"a name that was rebound":   {"GET", host("evil.example:4711"), http.StatusMisdirectedRequest},
		"another port":              {"GET", host("127.0.0.1:80"), http.StatusMisdirectedRequest},
		"localhost":                 {"GET", host("localhost:4711"), http.StatusOK},
		"a form of another site":    {"POST", with("Origin", "http://evil.example"), http.StatusForbidden},
		"a page on another port":    {"GET", with("Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		"a script of another site":  {"GET", with("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"the page itself":           {"POST", with("Origin", "http://127.0.0.1:4711"), http.StatusOK},
		"an origin without a name":  {"POST", with("Origin", "null"), http.StatusForbidden},
		"a cookie that was guessed": {"GET", with("Cookie", "ashlar-4711=x"), http.StatusUnauthorized},
	} {
		got := asked(s, c.method, "/v1/jobs", func(r *http.Request) {
			r.AddCookie(cookie)
			c.change(r)
		})
		if got.StatusCode != c.want {
			t.Errorf("%s: %d, expected %d", name, got.StatusCode, c.want)
		}
	}
}

func TestOnlyLoopbackIsServed(t *testing.T) {
	for _, ip := range []string{"0.0.0.0", "10.0.0.1", "::"} {
		if _, err := NewServer(&net.TCPAddr{IP: net.ParseIP(ip), Port: 1}, api); err == nil {
			t.Errorf("a server on %s", ip)
		}
	}
	if _, err := NewServer(&net.TCPAddr{IP: net.IPv6loopback, Port: 1}, api); err != nil {
		t.Errorf("on ::1: %v", err)
	}
}

func TestThePageIsServedCompressedOnce(t *testing.T) {
	s := server(t)
	cookie := enters(t, s)
	get := func(path, header, value string) *http.Response {
		return asked(s, "GET", path, func(r *http.Request) {
			r.AddCookie(cookie)
			r.Header.Set(header, value)
		})
	}
	got := get("/app.js", "Accept-Encoding", "gzip, br")
	if got.Header.Get("Content-Encoding") != "gzip" ||
		!strings.HasPrefix(got.Header.Get("Content-Type"), "text/javascript") ||
		!strings.Contains(got.Header.Get("Content-Security-Policy"), "script-src 'self'") {
		t.Fatalf("app.js came with %v", got.Header)
	}
	z, err := gzip.NewReader(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	squeezed, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if plain, _ := io.ReadAll(get("/app.js", "Accept-Encoding", "br").Body); string(plain) != string(squeezed) {
		t.Error("compressed it is another file")
	}
	if again := get("/app.js", "If-None-Match", got.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("a second time: %d", again.StatusCode)
	}
	for path, want := range map[string]int{"/": 200, "/nothing": 404, "/sources.sha256": 404, "/../server.go": 404} {
		if got := get(path, "X", "").StatusCode; got != want {
			t.Errorf("%s: %d, expected %d", path, got, want)
		}
	}
}
