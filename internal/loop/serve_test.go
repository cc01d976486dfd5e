package loop

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

func TestConfigzShowsWhatHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conf")
	if err := os.WriteFile(path, []byte(enqueueOnly), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := newConfiguration(Options{ConfigFile: path})
	if err != nil {
		t.Fatal(err)
	}
	h := &health{config: inEffect{Flags: map[string]string{"schedule-period": "2s"}}}
	h.configured(c)
	asked := func(url string) string {
		w := httptest.NewRecorder()
		h.configz(w, httptest.NewRequest(http.MethodGet, url, nil))
		return w.Body.String()
	}
	if got := asked("/configz?format=file"); got != enqueueOnly {
		t.Errorf("as a file it is\n%s\nwant\n%s", got, enqueueOnly)
	}
	var got inEffect
	if err := json.Unmarshal([]byte(asked("/configz")), &got); err != nil {
		t.Fatal(err)
	}
	if got.File != path || len(got.Profile.Actions) != 1 || got.Profile.Tiers[0][0].Plugin != "gang" ||
		got.Flags["schedule-period"] != "2s" {
		t.Errorf("as JSON it is %+v", got)
	}
}

func TestTheLogLevelIsSetByPut(t *testing.T) {
	t.Cleanup(func() { var zero klog.Level; _ = zero.Set("0") })
	put := func(method, body string) int {
		w := httptest.NewRecorder()
		logLevel(w, httptest.NewRequest(method, "/debug/flags/v", strings.NewReader(body)))
		return w.Code
	}
	if code := put(http.MethodPut, "4\n"); code != http.StatusOK || !klog.V(4).Enabled() || klog.V(5).Enabled() {
		t.Errorf("after 4 was put (%d) level 4 is on: %v, and 5: %v", code, klog.V(4).Enabled(), klog.V(5).Enabled())
	}
	for method, body := range map[string]string{http.MethodPut: "loud", http.MethodGet: "0"} {
		if code := put(method, body); code < 400 || !klog.V(4).Enabled() {
			t.Errorf("%s %q: %d, and level 4 is on: %v; want a refusal that changes nothing", method, body, code,
				klog.V(4).Enabled())
		}
	}
}

// What is answered to a client that proves nothing, by where it is: the probes and the metrics to all, since Volcano's
// chart has them scraped so; what tells or changes more to this machine alone.
func TestWhatIsAnsweredWithoutAToken(t *testing.T) {
	a := Addresses{Metrics: ":8080", Health: ":11251", Pprof: true}
	muxes := handlers(a, newMetrics().registry, &health{ready: true})
	const all, here, nowhere = "all", "this machine", "none"
	for path, want := range map[string]string{
		":8080/metrics": all, ":8080/configz": here, ":8080/debug/pprof/": here, ":8080/debug/pprof/cmdline": here,
		":8080/debug/pprof/symbol": here, ":8080/debug/flags/v": here, ":8080/v1/dump": nowhere, ":8080/": nowhere,
		":11251/livez": all, ":11251/healthz": all, ":11251/readyz": all, ":11251/configz": here,
		":11251/metrics": nowhere, ":11251/debug/pprof/": nowhere,
	} {
		at, rest, _ := strings.Cut(path, "/")
		code := func(from string) int {
			r := httptest.NewRequest(http.MethodGet, "/"+rest, nil)
			r.RemoteAddr = from
			w := httptest.NewRecorder()
			muxes[at].ServeHTTP(w, r)
			return w.Code
		}
		got := nowhere
		if code("127.0.0.1:5") < 400 || code("[::1]:5") == http.StatusMethodNotAllowed { // the level is put
			got = here
		}
		for _, from := range []string{"10.0.0.7:5", "[fd00::7]:5", "", "pipe"} {
			switch c := code(from); {
			case c < 400:
				got = all
			case c != http.StatusForbidden && c != http.StatusNotFound:
				t.Errorf("%s: %d for a client at %q", path, c, from)
			}
		}
		if got != want {
			t.Errorf("%s is answered to %s, want to %s", path, got, want)
		}
	}
	plain := handlers(Addresses{Metrics: ":8080"}, newMetrics().registry, &health{})
	if _, pattern := plain[":8080"].Handler(httptest.NewRequest(http.MethodGet, "/debug/pprof/", nil)); pattern != "" {
		t.Error("profiles are served without --enable-pprof")
	}
}

func TestHealthIsServedWithTLS(t *testing.T) {
	files, pool := certificate(t)
	a := Addresses{Health: free(t), TLS: files}
	servers, err := serve(a, newMetrics().registry, &health{})
	if err != nil {
		t.Fatal(err)
	}
	defer servers.close()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}},
		Timeout: 10 * time.Second}
	answer, err := client.Get("https://" + a.Health + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK || string(body) != "ok\n" {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
	a.Health, a.TLS.Key = free(t), files.Certificate
	if _, err := serve(a, newMetrics().registry, &health{}); err == nil {
		t.Error("a key that is none is taken, want an error at the start")
	}
}

// free is an address of this machine on which no program listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// certificate is one of 127.0.0.1 by itself.
func certificate(t *testing.T) (TLS, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out := TLS{Certificate: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	pool := x509.NewCertPool()
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool.AppendCertsFromPEM(public)
	for path, text := range map[string][]byte{out.Certificate: public,
		out.Key: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return out, pool
}

// What is dumped decides the same again, and its report is beside it.
func TestADumpDecidesTheSame(t *testing.T) {
	profile := policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{{{Plugin: "gang"}}}}
	e, err := sched.New(profile)
	if err != nil {
		t.Fatal(err)
	}
	known := world("a", "b")
	e.Apply(known.Facts...)
	l := (&loop{o: Options{DumpDir: t.TempDir()}, engine: e, conf: &configuration{taken: enqueueOnly},
		began: time.Now()}).wire()
	l.background.dump()
	l.background.dumping.Lock() // until it is written
	files, err := filepath.Glob(filepath.Join(l.o.DumpDir, recordings, "ashlar-*.json"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v: %v; want a dump and a report", files, err)
	}
	for path, want := range map[string]os.FileMode{filepath.Dir(files[0]): 0o700, files[0]: 0o600, files[1]: 0o600} {
		if about, err := os.Stat(path); err != nil || about.Mode().Perm() != want {
			t.Errorf("%s has the mode %v (%v), want %v: it is for this user alone", path, about.Mode(), err, want)
		}
	}
	s, err := recording.ReadState(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Facts) != len(e.Facts()) || s.Configuration != enqueueOnly {
		t.Errorf("the dump has %d facts and configuration %q, want %d and what held", len(s.Facts), s.Configuration,
			len(e.Facts()))
	}
	again, err := sched.New(profile)
	if err != nil {
		t.Fatal(err)
	}
	feed(again, s, nil)
	want, _, _ := e.Decide(s.Now)
	got, _, _ := again.Decide(s.Now)
	if len(want.Items) == 0 || len(got.Items) != len(want.Items) {
		t.Errorf("it decides %+v, want %+v", got.Items, want.Items)
	}
}
