package web

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

// Server serves the page and answers, on a loopback address, to the one browser that was let in: the first that brings
// the token gets a cookie for as long as it is open, and the token is spent.
type Server struct {
	api  http.Handler
	host string // host:port that requests have to name
	name string // of the cookie: browsers share cookies between the ports of a host

	mu     sync.Mutex
	token  string // "" once it is spent
	cookie string
}

// NewServer makes a server for an address on which somebody listens. api answers paths below /v1/.
func NewServer(listens net.Addr, api http.Handler) (*Server, error) {
	at, err := netip.ParseAddrPort(listens.String())
	if err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("the page is served on a loopback address only, not on %s", listens)
	}
	return &Server{api: api, host: at.String(), name: fmt.Sprintf("ashlar-%d", at.Port()), token: rand.Text(),
		cookie: rand.Text()}, nil
}

// URL is the address to open, with the token.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "http://" + s.host + "/?token=" + s.token
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	switch {
	case !s.named(r.Host):
		http.Error(w, "this server is called "+s.host, http.StatusMisdirectedRequest) // or a name was rebound to it
	case !s.own(r):
		http.Error(w, "another site asks", http.StatusForbidden)
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		s.enter(w, r)
	case !s.known(r):
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintln(w, closed)
	case strings.HasPrefix(r.URL.Path, "/v1/"):
		s.api.ServeHTTP(w, r)
	default:
		page(w, r)
	}
}

const closed = `This page is open to one browser: the first that came with the address that "ashlar web" printed.
To open it here, end that command with Ctrl-C, start it again, and open the address that it prints.`

// named says that a request names this server: its address, or localhost with its port.
func (s *Server) named(host string) bool {
	_, port, _ := net.SplitHostPort(s.host)
	return host == s.host || host == net.JoinHostPort("localhost", port)
}

// own says that a request does not come from a page of another site.
func (s *Server) own(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.URL.Path == "/"
	}
	origin := r.Header.Get("Origin")
	return origin == "" || s.named(strings.TrimPrefix(origin, "http://"))
}

// enter lets in the browser that brings the token, once, and takes the token out of its address.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	good := s.token != "" && subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(s.token)) == 1
	if good {
		s.token = ""
		http.SetCookie(w, &http.Cookie{Name: s.name, Value: s.cookie, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
	}
	s.mu.Unlock()
	if !good && !s.known(r) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintln(w, closed)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// known says that a request has the cookie.
func (s *Server) known(r *http.Request) bool {
	c, err := r.Cookie(s.name)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.cookie)) == 1
}
