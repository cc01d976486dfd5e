package cli_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// entered is a browser that `ashlar web`, a process of its own, has let in.
type entered struct {
	*testing.T
	*http.Client
	host string
}

// enter runs `ashlar web` and enters. It ends with the test, by an interrupt.
func enter(t *testing.T, args ...string) entered {
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
	b := entered{t, &http.Client{Jar: jar}, ""}
	got, err := b.Get(address)
	if err != nil {
		t.Fatalf("%s: %v %s", address, err, &problems)
	}
	got.Body.Close()
	b.host, _, _ = strings.Cut(address, "/?")
	t.Cleanup(func() {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := c.Wait(); err != nil {
			t.Errorf("ended by an interrupt: %v %s", err, &problems)
		}
	})
	return b
}

// ask gets a path, or posts a body to it, and reads the answer, which has a code.
func (b entered) ask(path, body string, code int, into any) {
	b.Helper()
	var got *http.Response
	var err error
	if body == "" {
		got, err = b.Get(b.host + path)
	} else {
		got, err = b.Post(b.host+path, "application/json", strings.NewReader(body))
	}
	if err != nil {
		b.Fatal(err)
	}
	defer got.Body.Close()
	if got.Header.Get("Set-Cookie") != "" {
		b.Errorf("a cookie comes through: %v", got.Header)
	}
	text, err := io.ReadAll(got.Body)
	if err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil || got.StatusCode != code {
		b.Errorf("%s: %d %v %s", path, got.StatusCode, err, text)
	}
}

// ended waits until all of the run has been played.
func (b entered) ended() {
	b.Helper()
	got, err := b.Get(b.host + "/v1/watch")
	if err != nil {
		b.Fatal(err)
	}
	defer got.Body.Close()
	for lines := json.NewDecoder(got.Body); ; {
		var e struct {
			State struct{ Play struct{ Ended bool } }
		}
		if err := lines.Decode(&e); err != nil {
			b.Fatal(err)
		}
		if e.State.Play.Ended {
			return
		}
	}
}

// browse gets a path of `ashlar web` as the browser that it lets in, with a code.
func browse(t *testing.T, path string, code int, into any, args ...string) {
	t.Helper()
	enter(t, args...).ask(path, "", code, into)
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

// A recording is played cycle by cycle, and wound back: the job waits until the second node comes.
func TestThePagePlaysARecording(t *testing.T) {
	b := enter(t, recorded(t))
	b.ended()
	var page struct{ Title, Source string }
	if b.ask("/v1/page", "", http.StatusOK, &page); page.Source != "recording" {
		t.Errorf("it is called %+v", page)
	}
	var pods listed
	b.ask("/v1/pods", "", http.StatusOK, &pods)
	if len(pods.Items) != 2 || pods.Items[0].Node != "n2" || pods.Items[1].Node != "n1" {
		t.Errorf("in the end the pods are %+v", pods.Items)
	}
	var history struct{ Items []struct{ Cycle int } }
	b.ask("/v1/history", "", http.StatusOK, &history)
	if kept := slices.Compact(history.Items); len(kept) != 4 || kept[2].Cycle != 3 { // the last one may be kept twice
		t.Errorf("of four cycles it keeps %+v", history.Items)
	}
	var state struct{ At string }
	b.ask("/v1/play", `{"seek": 1, "playing": false}`, http.StatusOK, &state)
	if state.At != "1970-01-01T00:00:02Z" {
		t.Errorf("a second after its first cycle it is %s", state.At)
	}
	var jobs listed
	b.ask("/v1/jobs", "", http.StatusOK, &jobs)
	if len(jobs.Items) != 1 || jobs.Items[0].Name != "train" || jobs.Items[0].Reason.Code == "" {
		t.Errorf("then there are the jobs %+v", jobs.Items)
	}
}

// What is decided otherwise than it was, or is cut off, is shown as far as it goes, and said.
func TestThePageOfARecordingThatEndsEarly(t *testing.T) {
	whole := recorded(t)
	for says, path := range map[string]string{
		"decided otherwise": edited(t, whole, `"Node":"n2"`, `"Node":"n1"`),
		"its end is missing": file(t, "cut.jsonl", strings.TrimSuffix(unzipped(t, whole), "\n")[:len(unzipped(t,
			whole))-20]),
	} {
		b := enter(t, path)
		b.ended()
		var problems struct{ Items []struct{ Message string } }
		b.ask("/v1/problems", "", http.StatusOK, &problems)
		if len(problems.Items) != 1 || !strings.Contains(problems.Items[0].Message, says) {
			t.Errorf("the page has the problems %+v, want %q", problems.Items, says)
		}
	}
}

// In a what-if on what was saved a pod that is evicted waits anew, as its controller makes another one.
func TestWhatIfOfARecordingThatEvicts(t *testing.T) {
	x := recorder(t, "")
	x.node("n1")
	x.tell(model.KindPriorityClass, "", "urgent", &model.PriorityClass{Value: 1000})
	x.tell(model.KindPodGroup, "team", "low", &model.PodGroup{MinMember: 1, Queue: "default"})
	x.tell(model.KindPodGroup, "team", "high", &model.PodGroup{MinMember: 1, Queue: "default", PriorityClass: "urgent"})
	x.tell(model.KindPod, "team", "low-0", &model.Pod{Group: "low", Ours: true, Index: -1, Phase: model.PodRunning,
		Node: "n1", Preemptable: true,
		Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 4000}, {Name: "pods", Value: 1}}}})
	x.run("high", 1000, model.PodPending, "")
	x.cycle()
	b := enter(t, x.file())
	b.ended()
	change, err := json.Marshal(map[string]any{"seconds": 600, "configuration": `actions: "enqueue, allocate, preempt"
tiers:
- plugins: [{name: priority}, {name: gang, enablePreemptable: false}]
- plugins: [{name: predicates}, {name: proportion}, {name: nodeorder}]
`})
	if err != nil {
		t.Fatal(err)
	}
	var moved struct {
		Jobs []struct {
			Name  string
			After struct {
				Starts  float64
				Evicted int
				Reason  struct{ Code string }
			}
		}
	}
	b.ask("/v1/whatif", string(change), http.StatusOK, &moved)
	if len(moved.Jobs) != 2 || moved.Jobs[0].Name != "low" || moved.Jobs[0].After.Evicted != 1 ||
		moved.Jobs[0].After.Reason.Code == "" || moved.Jobs[1].After.Starts < 0 {
		t.Errorf("with preemption jobs fare so: %+v", moved.Jobs)
	}
}

// zipped is a compressed file of a text.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(text))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return file(t, "x.gz", packed.String())
}

func TestThePageShowsASnapshotThatIsCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json.gz")
	if got := run("", "ashlar", "snapshot", "-f", "../../examples/quickstart", path); got.code != 0 {
		t.Fatal(got.err)
	}
	var got listed
	browse(t, "/v1/jobs", http.StatusOK, &got, path)
	if len(got.Items) < 4 {
		t.Errorf("the page has %+v", got.Items)
	}
}

// The tables of a trace are known by their columns: named as files, or in the folder that is named.
func TestThePageShowsATrace(t *testing.T) {
	for _, args := range [][]string{{"../../examples/demo"},
		{"../../examples/demo/jobs.csv", "../../examples/demo/cluster.yaml", "../../examples/demo/nodes.csv"}} {
		b := enter(t, append(args, "--paused")...)
		var page struct{ Source string }
		b.ask("/v1/page", "", http.StatusOK, &page)
		var nodes struct{ Items []struct{ Name string } }
		b.ask("/v1/nodes", "", http.StatusOK, &nodes)
		if page.Source != "trace" || len(nodes.Items) != 22 {
			t.Errorf("%v: %+v with %d nodes", args, page, len(nodes.Items))
		}
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
		{[]string{file(t, "notes.txt", "a: b: c")}, 1, "What can be shown"},
		{[]string{file(t, "empty.yaml", "")}, 1, "What can be shown"},
		{[]string{file(t, "object.json", `{"a": 1}`)}, 1, "What can be shown"},
		{[]string{zipped(t, "hello")}, 1, "it is no saved state"},
		{[]string{file(t, "r.jsonl", `{"Recording":1}`+"\n")}, 1, "it ends in the middle"},
		{[]string{file(t, "r.jsonl", `{"Recording":99,"Version":"v9"}`+"\n")}, 1, "v9"},
		{[]string{recorded(t), "../../examples/quickstart"}, 1, "is shown alone"},
		{[]string{recorded(t), "--scheduler-conf", "x"}, 1, "as it was decided"},
		{[]string{"--from", "1h"}, 2, "expected files"},
		{[]string{"../../examples/quickstart", "--from", "-1h"}, 2, "expected 0 or more"},
		{[]string{"../../examples/demo/jobs.csv"}, 1, "table of its nodes"},
		{[]string{"../../examples/demo/nodes.csv"}, 1, "table of its jobs"},
		{[]string{"../../examples/demo/nodes.csv", "../../examples/demo/nodes.csv"}, 1, "both have the nodes"},
	} {
		got := run("", append([]string{"ashlar", "web"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.err, c.says) {
			t.Errorf("%v: exit code %d, %q", c.args, got.code, got.err)
		}
	}
}
