package e2e

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"ashlar.sh/internal/readapi"
)

// browser is the one that `ashlar web` lets in.
type browser struct {
	t      *testing.T
	host   string
	client *http.Client
}

// built builds the command.
func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "ashlar")
	if out, err := exec.Command("go", "build", "-o", program, "ashlar.sh/cmd/ashlar").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// pageOf runs `ashlar web` on a live scheduler, as the person of a kubeconfig, and returns the address that it prints.
func pageOf(t *testing.T, program, config string, args ...string) (address string) {
	t.Helper()
	return printedBy(t, program, append([]string{"web", "--kubeconfig", config}, args...)...)
}

// printedBy runs a command that goes on until it is interrupted, and returns the address that it prints.
func printedBy(t *testing.T, program string, args ...string) (address string) {
	t.Helper()
	c := exec.Command(program, args...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt) // it may have ended
		_ = c.Wait()                       // its exit code is tested elsewhere
	})
	for lines := bufio.NewReader(out); address == ""; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("ashlar web printed %q: %v", line, err)
		}
		address = regexp.MustCompile(`http://\S+`).FindString(line)
	}
	return address
}

// webOf runs `ashlar web` likewise, and lets a client in that is no real browser.
func webOf(t *testing.T, program, config string, args ...string) *browser {
	t.Helper()
	address := pageOf(t, program, config, args...)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ := strings.Cut(address, "/?")
	b := &browser{t, host, &http.Client{Jar: jar}}
	got, err := b.client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d", address, got.StatusCode)
	}
	return b
}

// get is an answer's code and text, once the scheduler answers.
func (b *browser) get(path string) (code int, text string) {
	b.t.Helper()
	eventually(b.t, "an answer to "+path, func(ctxless) (bool, error) {
		got, err := b.client.Get(b.host + path)
		if err != nil {
			return false, err
		}
		defer got.Body.Close()
		body, err := io.ReadAll(got.Body)
		code, text = got.StatusCode, string(body)
		return code != http.StatusServiceUnavailable && code != http.StatusBadGateway, err
	}, func() string { return text })
	return code, text
}

// The page of a live scheduler on a real control plane: an administrator sees all, a tenant its own namespace.
func TestLiveThePage(t *testing.T) {
	program := built(t)
	ns, other, at := reading(t)
	certificate := ""
	eventually(t, "the read API", func(ctxless) (bool, error) {
		conn, err := tls.Dial("tcp", at, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return false, nil // it does not listen yet
		}
		defer conn.Close()
		certificate = readapi.Fingerprint(conn.ConnectionState().PeerCertificates[0].Raw)
		return true, nil
	}, func() string { return "it does not listen" })
	tenantToken := serviceAccount(t, ns, "tenant")
	mayView(t, ns, "tenant")
	named := []string{"--read-api", "https://" + at, "--read-api-certificate", certificate}
	admin := webOf(t, program, shared.Kubeconfig, named...)
	tenant := webOf(t, program, kubeconfigOf(t, ns, &clientcmdapi.AuthInfo{Token: tenantToken}), named...)
	for _, c := range []struct {
		who       *browser
		path      string
		code      int
		has, lack string
	}{
		{admin, "/v1/jobs?limit=5000", 200, `"secret"`, ""},
		{admin, "/v1/why/queue/" + ns, 200, `"rounds"`, ""},
		{tenant, "/v1/jobs?limit=5000", 200, `"waits"`, `"secret`},
		{tenant, "/v1/why/job/" + ns + "/waits", 200, `"path":[{`, `"secret`},
		{tenant, "/v1/why/job/" + other + "/secret", 403, "", `"runs"`},
		{tenant, "/v1/page", 200, `"source":"cluster"`, ""},
	} {
		code, text := c.who.get(c.path)
		if code != c.code || !strings.Contains(text, c.has) || c.lack != "" && strings.Contains(text, c.lack) {
			t.Errorf("%s: %d, want %d with %s and without %s: %s", c.path, code, c.code, c.has, c.lack, text)
		}
	}
	got, err := tenant.client.Get(tenant.host + "/v1/watch?kinds=jobs,queues,nodes")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	seen := map[string]bool{}
	for lines := json.NewDecoder(got.Body); !seen["BOOKMARK"]; {
		var e struct {
			Type, Kind string
			Object     struct{ Name string }
		}
		if err := lines.Decode(&e); err != nil {
			t.Fatal(err)
		}
		seen[e.Type], seen[e.Kind+"/"+e.Object.Name] = true, true
	}
	if !seen["Job/waits"] || seen["Job/secret"] {
		t.Errorf("the tenant's stream has %v", seen)
	}
}
