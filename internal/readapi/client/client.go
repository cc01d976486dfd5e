package client

import (
	"bytes"
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/readapi"
)

// Options say which scheduler to ask, and as which person.
type Options struct {
	Person *rest.Config // the cluster, and the credentials
	// Namespace and Lease are those of the Lease; "": where it is by default.
	Namespace, Lease string
	// Address and Certificate, together, are those of a read API that is reached without the API server: such as
	// https://localhost:8443, and the SHA-256 in the form of the scheduler's log or of the Lease's label.
	Address, Certificate string
	// Wait says that Get waits for a scheduler that is there and cannot be reached.
	Wait bool
}

// Times and bounds of what is asked.
const (
	connectWithin = 10 * time.Second
	pingEach      = 10 * time.Second
	pause         = 250 * time.Millisecond // before the same question is asked again
	mostAnswer    = 512 << 20
)

// host is what the scheduler is called in requests. It is never looked up.
const host = "scheduler.ashlar.invalid"

// Client asks one scheduler. Any goroutine may use it.
type Client struct {
	o       Options
	kube    kubernetes.Interface
	direct  string // host:port; "": it is found
	tls     *tls.Config
	through http.RoundTripper // with the person's credentials

	finding sync.Mutex // of finder
	finder  *finder

	mu    sync.Mutex
	now   *http.Transport // to the scheduler that acted last
	found *target
}

// New returns a client. It asks nothing yet. An error says what is wrong with the options.
func New(o Options) (*Client, error) {
	c := &Client{o: o}
	if o.Address != "" {
		to, err := url.Parse(o.Address)
		if err != nil || to.Scheme != "https" || to.Host == "" || strings.Trim(to.Path, "/") != "" {
			return nil, fmt.Errorf("--read-api %q: expected an address such as https://localhost:8443", o.Address)
		}
		if o.Certificate == "" {
			return nil, errors.New("--read-api-certificate is not given: your credentials go to that server only. " +
				"`kubectl -n ashlar-system get lease volcano --show-labels` shows it, as ashlar.sh/read-api-certificate")
		}
		if c.direct = to.Host; to.Port() == "" {
			c.direct = net.JoinHostPort(to.Hostname(), "443")
		}
	}
	var err error
	if c.kube, err = kubernetes.NewForConfig(o.Person); err != nil {
		return nil, err
	}
	c.finder = &finder{kube: c.kube, namespace: o.Namespace, lease: o.Lease, checked: map[string]bool{}}
	person := rest.CopyConfig(o.Person)
	person.Insecure, person.CAData, person.CAFile, person.ServerName = true, nil, "", ""
	if c.tls, err = rest.TLSConfigFor(person); err != nil {
		return nil, err
	}
	if c.tls == nil {
		c.tls = &tls.Config{}
	}
	c.tls.MinVersion, c.tls.NextProtos = tls.VersionTLS12, []string{"h2", "http/1.1"}
	c.tls.InsecureSkipVerify = true // VerifyConnection asks for one certificate instead of for one that is vouched for
	c.now = c.transport()
	c.through, err = rest.HTTPWrappersForConfig(person, http.RoundTripper(follower{c}))
	return c, err
}

// transport is one for the scheduler that acts when it dials.
func (c *Client) transport() *http.Transport {
	return &http.Transport{DialTLSContext: c.dial, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute,
		HTTP2: &http.HTTP2Config{SendPingTimeout: pingEach, PingTimeout: pingEach}}
}

// dial connects to the scheduler that acts now, and returns only what has shown its certificate.
func (c *Client) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	plain, certificate, err := c.connect(ctx, network)
	if err != nil {
		return nil, err
	}
	config := c.tls.Clone()
	config.VerifyConnection = func(state tls.ConnectionState) error { return shows(state, certificate) }
	secure := tls.Client(plain, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		var f *Fault
		if errors.As(err, &f) && !f.broken {
			return nil, f
		}
		return nil, c.silent(err)
	}
	return secure, nil
}

// connect makes the connection, without TLS, and says which certificate has to be there.
func (c *Client) connect(ctx context.Context, network string) (net.Conn, string, error) {
	if c.direct != "" {
		plain, err := (&net.Dialer{}).DialContext(ctx, network, c.direct)
		if err != nil {
			return nil, "", fault(Unreached, "%v", err)
		}
		return plain, c.o.Certificate, nil
	}
	c.finding.Lock()
	t, err := c.finder.find(ctx)
	c.finding.Unlock()
	if err != nil {
		return nil, "", err
	}
	c.mu.Lock()
	c.found = t
	c.mu.Unlock()
	plain, err := forward(ctx, c.o.Person, c.kube, t)
	return plain, t.certificate, err
}

// silent says that a scheduler which was found does not answer. As long as the Lease of one that has ended lasts, as
// when it could not be renewed, it is found.
func (c *Client) silent(err error) *Fault {
	return fault(Unreached, "the scheduler's read API does not answer, %s: if it has ended, another one acts in a moment "+
		"(%v)", c.Found(), err)
}

// shows refuses a server with another certificate than one.
func shows(state tls.ConnectionState, certificate string) error {
	if len(state.PeerCertificates) > 0 {
		der := state.PeerCertificates[0].Raw
		for _, form := range []string{readapi.Fingerprint(der), readapi.LabelOf(der)} {
			if subtle.ConstantTimeCompare([]byte(form), []byte(certificate)) == 1 {
				return nil
			}
		}
	}
	return fault(Untrusted, "the server has another certificate than the scheduler: nothing was sent to it")
}

// Found says which scheduler was asked last; "" before the first one.
func (c *Client) Found() string {
	if c.direct != "" {
		return c.direct
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil {
		return ""
	}
	return c.found.String()
}

// follower sends a request to the scheduler that acts. One that says that it acts no more is left: the next request
// finds another.
type follower struct{ c *Client }

// RoundTrip implements http.RoundTripper.
func (f follower) RoundTrip(r *http.Request) (*http.Response, error) {
	f.c.mu.Lock()
	now := f.c.now
	f.c.mu.Unlock()
	answer, err := now.RoundTrip(r)
	if err != nil {
		if r.Context().Err() == nil {
			f.c.leave(now)
		}
		return nil, err
	}
	if answer.StatusCode == http.StatusServiceUnavailable {
		data, err := io.ReadAll(io.LimitReader(answer.Body, mostError))
		_ = answer.Body.Close() // it was only read
		answer.Body = io.NopCloser(bytes.NewReader(data))
		if err == nil && refusal(&http.Response{Body: io.NopCloser(bytes.NewReader(data))}).elsewhere() {
			f.c.leave(now)
		}
	}
	return answer, nil
}

// leave gives up a transport, unless another one is used already. What still reads from it goes on.
func (c *Client) leave(old *http.Transport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == old {
		c.now = c.transport()
	}
	old.CloseIdleConnections()
}

// RoundTrip implements http.RoundTripper: it sends the path and the query of a request, a GET, with the person's
// credentials, to whichever scheduler acts.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, errors.New("only GET is sent to a scheduler")
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host, r.Body, r.ContentLength = "https", host, "", nil, 0
	return c.through.RoundTrip(r)
}

// Ask asks one question; the answer's body is the caller's to close. Errors are Faults and Refusals.
func (c *Client) Ask(ctx context.Context, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+path, nil)
	if err != nil {
		return nil, err
	}
	return c.sent(r, c)
}

func (c *Client) sent(r *http.Request, by http.RoundTripper) (*http.Response, error) {
	r.Header.Set("Accept", "application/json")
	answer, err := by.RoundTrip(r)
	if err != nil {
		var f *Fault
		if errors.As(err, &f) && !f.broken {
			return nil, f
		}
		return nil, c.silent(err)
	}
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		return nil, refusal(answer)
	}
	return answer, nil
}

// Get asks a question and reads the document that answers it. What passes (another scheduler takes over, it is busy) is
// waited for until ctx ends; the error is the last one then. A scheduler that cannot be reached is waited for where the
// options say so.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	return c.until(ctx, path, into, func() (*http.Response, error) { return c.Ask(ctx, path) })
}

// Query is Get with a body that belongs to the question.
func (c *Client) Query(ctx context.Context, path string, body []byte, into any) error {
	return c.until(ctx, path, into, func() (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, readapi.Query, "https://"+host+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return c.sent(r, c.through)
	})
}

// until asks until what keeps the scheduler from answering has passed.
func (c *Client) until(ctx context.Context, path string, into any, ask func() (*http.Response, error)) error {
	var last error
	for {
		err := c.read(ctx, path, into, ask)
		var refused *Refusal
		if passing := c.o.Wait && Is(err, Unreached) || errors.As(err, &refused) && refused.passing(); !passing {
			return err
		}
		if last == nil || ctx.Err() == nil {
			last = err // what comes of the end of ctx says less
		}
		again := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			again.Stop()
			return last
		case <-again.C:
		}
	}
}

func (c *Client) read(ctx context.Context, path string, into any, ask func() (*http.Response, error)) error {
	answer, err := ask()
	if err != nil {
		return c.skewed(ctx, path, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return fault(Unreached, "the scheduler's answer was cut: %v", err)
	}
	var form struct{ APIVersion string }
	if err := json.Unmarshal(data, &form); err != nil {
		return fault(Skew, "the scheduler's answer cannot be read: %v", err)
	}
	if form.APIVersion != readapi.APIVersion {
		return fault(Skew, "the scheduler%s answers in %q, and this command reads %s", c.version(ctx), form.APIVersion,
			readapi.APIVersion)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fault(Skew, "the scheduler%s answers in a form that this command does not read: %v", c.version(ctx), err)
	}
	return nil
}

// skewed tells a path or a parameter that this scheduler does not know from an object that there is none of.
func (c *Client) skewed(ctx context.Context, path string, err error) error {
	var refused *Refusal
	if !errors.As(err, &refused) {
		return err
	}
	unknown := refused.Code == http.StatusNotFound && strings.HasPrefix(refused.Message, "there is no /") ||
		refused.Code == http.StatusBadRequest && strings.HasPrefix(refused.Message, "unknown parameter ")
	if !unknown {
		return err
	}
	path, _, _ = strings.Cut(path, "?")
	return fault(Skew, "the scheduler%s is older than this command: it does not know what is asked at %s", c.version(ctx),
		path)
}

// version is " of version X" of the scheduler, as far as it tells.
func (c *Client) version(ctx context.Context) string {
	answer, err := c.Ask(ctx, "/v1/state")
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	var s readapi.State
	if json.NewDecoder(io.LimitReader(answer.Body, mostError)).Decode(&s) != nil || s.Version == "" {
		return ""
	}
	return " (version " + s.Version + ")"
}
