package cli_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// browse runs `ashlar web` as a process of its own, and gets a path as the browser that it lets in, with a code.
func browse(t *testing.T, path string, code int, into any, args ...string) {
	t.Helper()
	c := exec.Command(os.Args[0], append([]string{"web"}, args...)...)
	c.Env = append(os.Environ(), asCommand+"=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var problems strings.Builder
	c.Stderr = &problems
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	address := ""
	for lines := bufio.NewReader(out); address == ""; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%q: %v %s", line, err, &problems)
		}
		address = regexp.MustCompile(`http://\S+`).FindString(line)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	entered, err := client.Get(address)
	if err != nil {
		t.Fatalf("%s: %v %s", address, err, &problems)
	}
	entered.Body.Close()
	host, _, _ := strings.Cut(address, "/?")
	got, err := client.Get(host + path)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.Header.Get("Set-Cookie") != "" {
		t.Errorf("a cookie comes through: %v", got.Header)
	}
	if err := json.NewDecoder(got.Body).Decode(into); err != nil || got.StatusCode != code {
		t.Errorf("%s: %d %v", path, got.StatusCode, err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("ended by an interrupt: %v %s", err, &problems)
	}
}

// listed is what the page reads of jobs and pods.
type listed struct {
	Items []struct {
		Name, Status, Node string
		Reason             struct{ Code string }
	}
}

func TestThePageShowsFiles(t *testing.T) {
	var got listed
	browse(t, "/v1/jobs", http.StatusOK, &got, "../../examples/quickstart")
	if len(got.Items) < 4 {
		t.Errorf("the page has %d jobs: %+v", len(got.Items), got.Items)
	}
}

func TestThePageShowsWhatWasSaved(t *testing.T) {
	var got listed
	browse(t, "/v1/pods", http.StatusOK, &got, saved(t, ""))
	if len(got.Items) != 1 || got.Items[0].Name != "p" || got.Items[0].Node != "n" {
		t.Errorf("the page has %+v, want pod p on node n", got.Items)
	}
}

func TestThePageOfBadInput(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 1, "no kubeconfig"},
		{[]string{"--trace-nodes", "a"}, 2, "trace-jobs"},
		{[]string{"none.yaml"}, 1, "none.yaml"},
		{[]string{"../../examples/quickstart", "--address", "0.0.0.0:0"}, 1, "loopback"},
		{[]string{"../../examples/quickstart", "--address", "x"}, 1, "--address x"},
		{[]string{file(t, "dump.json", `{"Format":1,"Version":"v1"`)}, 1, "dump.json"},
	} {
		got := run("", append([]string{"ashlar", "web"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.err, c.says) {
			t.Errorf("%v: exit code %d, %q", c.args, got.code, got.err)
		}
	}
}
