package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// noonAt is the moment at which noon stops, in seconds.
const noonAt = 42000

// noon opens the made-up day and stops it before noon, when a queue borrows and others lend, with the morning to wind
// back to.
func noon(t *testing.T, b *browser) *page {
	t.Helper()
	// The moment at which the page opens is kept, however busy the machine is.
	address, _ := serve(t, append(day, "--from", fmt.Sprint(noonAt, "s"), "--speed", "600")...)
	p := b.open(t, address, 1280, 800)
	p.Until("the page", `document.querySelector(".transport .play")`)
	p.Click(".transport .play")
	p.reaches(noonAt + 300)
	p.play(fmt.Sprintf(`{"playing": false, "seek": %d}`, noonAt))
	p.Until("noon", `document.querySelector(".transport .past")`)
	return p
}

// reaches waits until the run has come to a moment, in seconds.
func (p *page) reaches(at int) {
	p.T.Helper()
	var edge float64
	p.Eval(fmt.Sprintf(`new Promise((done) => {
	  const look = () => fetch("/v1/state").then((r) => r.json()).then((s) => {
	    if (s.play.edge > %d || s.play.ended) done(s.play.edge); else setTimeout(look, 50);
	  });
	  look();
	})`, at), &edge)
}

// play sends a command to the player.
func (p *page) play(command string) {
	p.T.Helper()
	var code int
	p.Eval(fmt.Sprintf(`fetch("/v1/play", {method: "POST", headers: {"Content-Type": "application/json"}, body: %q})
	  .then((r) => r.status)`, command), &code)
	if code != http.StatusOK {
		p.T.Fatalf("%s: %d", command, code)
	}
}

// TestADay: what a person wants to know, each within three clicks, on the made-up day.
func TestADay(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	t.Run("why does my job wait", func(t *testing.T) {
		p.T = t
		p.Click(`a.tile[href*="state=waiting"]`)
		p.Until("jobs", `document.querySelectorAll(".rows .tall .row").length > 3`)
		p.Click(".rows .tall .row")
		p.Until("its reason", `document.querySelector(".drawer .sentence").innerText.length > 20`)
		if got := p.Text(".drawer .verdict"); !strings.Contains(got, "never") && !strings.Contains(got, "room") &&
			!strings.Contains(got, "queue") {
			t.Errorf("the reason is %q", got)
		}
	})
	t.Run("throughput, and how long people wait", func(t *testing.T) {
		p.T = t
		p.Goes("#/pulse")
		p.Until("pods that started, and half of the waits", `((tiles) => /^Pods started\n+[1-9][0-9]*\n+in the last [1-9]/.
		  test(tiles[4]) && /half wait longer than [0-9]/.test(tiles[1]))(
		  [...document.querySelectorAll(".tile")].map((e) => e.innerText))`)
	})
	t.Run("search and keys", func(t *testing.T) {
		p.T = t
		p.Goes("#/jobs")
		p.Until("all jobs", `document.querySelectorAll(".rows .tall .row").length > 8`)
		p.Key("/")
		p.Do("Input.insertText", map[string]any{"text": "pretrain-large"})
		p.Until("one job", `document.querySelectorAll(".rows .tall .row").length === 1`)
		p.Eval(`document.querySelector(".rows .scroll").focus()`, nil)
		p.Key("ArrowDown")
		p.Until("the job", `document.querySelector(".drawer .name").innerText === "language-pretrain-large"`)
		p.Goes("#/jobs?state=waiting&job=trace/language-pretrain-large")
		p.Until("the jobs that wait", `document.querySelectorAll(".rows .tall .row").length > 3`)
		p.Eval(`document.querySelector(".rows .scroll").focus()`, nil)
		at := func() (name string) {
			p.Eval(`document.querySelector(".drawer .name")?.innerText ?? ""`, &name)
			return name
		}
		for range 2 { // the list keeps the focus, so that each key moves on
			before := at()
			p.Key("ArrowDown")
			p.Until("another job", fmt.Sprintf(`document.querySelector(".drawer .name").innerText !== %q`, before))
		}
		p.Key("Enter")
		p.Until("the panel has the focus", `document.activeElement.matches(".drawer")`)
		p.Eval(`document.querySelector(".rows .scroll").focus()`, nil)
		p.Key("Escape")
		p.Until("no drawer", `!document.querySelector(".drawer")`)
	})
	t.Run("which queue borrows, and how its share comes about", func(t *testing.T) {
		p.T = t
		p.Goes("#/queues")
		p.Until("a queue that borrows",
			`[...document.querySelectorAll(".queue small")].some((e) => e.innerText.includes("borrows"))`)
		p.Goes("#/queues?queue=language")
		p.Until("whose room it holds, or who holds its own",
			`document.querySelectorAll(".drawer .lent a").length > 0`)
		p.Until("what it held over time", `document.querySelector(".drawer canvas")`)
		p.Until("the rounds", `document.querySelectorAll(".sum[open] tbody tr").length >= 2`)
	})
	t.Run("who took my GPUs", func(t *testing.T) {
		p.T = t
		p.Goes("#/recorder")
		p.Until("evictions", `document.querySelectorAll(".evictions .tall .row").length > 0`)
		p.Click(".evictions .tall .row time")
		p.Until("that moment", `location.hash.includes("at=")`)
	})
	t.Run("what would a weight of 12 change", func(t *testing.T) {
		p.T = t
		p.play(`{"seek": 1e9}`)
		p.Goes("#/queues?whatif=queue&wq=language&ww=12")
		p.Click("dialog .primary")
		p.Until("what moves", `document.querySelector("dialog .result table tbody tr")`)
		p.Key("Escape")
		p.Until("no dialogue", `!document.querySelector("dialog")`)
	})
	t.Run("what if a job were gone", p.dropsAJob)
	t.Run("two configurations side by side", p.comparesConfigurations)
	t.Run("a map of nodes", func(t *testing.T) {
		p.T = t
		p.Goes("#/cluster")
		p.Until("24 nodes in 4 racks", `document.querySelectorAll(".cell").length === 24 &&
		  document.querySelectorAll(".rack").length === 4`)
		p.Click(".cell")
		p.Until("its pods", `document.querySelector(".drawer .pods li, .drawer .pods")`)
	})
	p.T = t
	p.Sound()
}

// dropsAJob asks what moves without a job that runs.
func (p *page) dropsAJob(t *testing.T) {
	p.T = t
	p.Goes("#/jobs?state=running")
	p.Click(".rows .tall .row")
	p.Click(`.drawer .asks a[href*="whatif=drop"]`)
	p.Until("that it is not there", `document.querySelector("dialog .result").innerText.includes("not there")`)
	p.Key("Escape")
	p.Until("no dialogue", `!document.querySelector("dialog")`)
}

// comparesConfigurations shows another configuration beside the one that holds, after one that is refused.
func (p *page) comparesConfigurations(t *testing.T) {
	p.T = t
	p.Goes("#/recorder")
	p.Click(".segments button:last-child")
	p.Until("the one that holds", `document.querySelector("textarea").value.includes("reclaim")`)
	p.Eval(`document.querySelector("textarea").focus()`, nil)
	p.Do("Input.insertText", map[string]any{"text": "what: "})
	p.Click(".knobs .primary")
	p.Until("what is wrong with it", `document.querySelector(".fault").innerText.includes("other configuration:")`)
	p.Forgives("/v1/whatif")
	p.Eval(`document.querySelector("textarea").select()`, nil)
	p.Do("Input.insertText", map[string]any{"text": "actions: \"enqueue, allocate\"\ntiers:\n" +
		"- plugins:\n  - name: gang\n  - name: predicates\n  - name: proportion\n"})
	p.Click(".knobs .primary")
	p.Until("both over time, and their figures", `document.querySelectorAll(".sides canvas").length === 2 &&
	  document.querySelectorAll(".compared tbody tr").length > 4`)
}

// TestALinkOpensWhereItWasMade: the address has the whole state of the page.
func TestALinkOpensWhereItWasMade(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	var at string
	p.Eval(`document.querySelector(".transport .clock").innerText`, &at)
	p.play(`{"seek": 1e9}`)
	p.Goes("#/jobs?q=vision&state=over&sort=-name&lang=zh&theme=dark&at=" + strconv.Itoa(noonAt))
	p.Do("Page.reload", nil)
	p.Until("the moment", fmt.Sprintf(`document.querySelector(".transport .clock").innerText === %q`, at))
	p.Until("the search, in Chinese and dark", `document.querySelector("input[type=search]").value === "vision" &&
	  document.documentElement.lang === "zh" && document.documentElement.dataset.theme === "dark" &&
	  document.querySelector("h1").innerText === "作业" && document.querySelectorAll(".rows .tall .row").length > 0`)
	p.Sound()
}

// TestNamesAreText: markup in names does nothing.
func TestNamesAreText(t *testing.T) {
	b := start(t)
	evil := `<img src=x onerror=window.hit=1><script>window.hit=1</script>`
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cluster.yaml"), `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: p1, namespace: ns, labels: {}, annotations: {scheduling.k8s.io/group-name: "g"}}
spec:
  schedulerName: volcano
  nodeSelector: {"x": "`+evil+`"}
  containers: [{name: c, resources: {requests: {cpu: "1"}}}]
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g, namespace: ns}
spec: {minMember: 1, queue: "`+evil+`"}
`)
	address, _ := serve(t, filepath.Join(dir, "cluster.yaml"))
	p := b.open(t, address, 1280, 800)
	for _, hash := range []string{"#/jobs?job=ns/g", "#/queues?queue=" + url.QueryEscape(evil), "#/pulse",
		"#/jobs?q=" + url.QueryEscape(evil)} {
		p.Goes(hash)
		p.Until("the view", `document.querySelector("main .view")`)
	}
	p.Goes("#/jobs?job=ns/g")
	p.Until("the name as text", `document.querySelector(".drawer").innerText.includes("onerror=window.hit")`)
	var hit bool
	p.Eval("window.hit === 1 || document.querySelectorAll('img').length > 0", &hit)
	if hit {
		t.Error("a name was taken for markup")
	}
	p.Sound()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestHugeInput: 10 000 queues in a chain, a job with 50 000 members and 20 000 jobs are shown, and scrolled.
func TestHugeInput(t *testing.T) {
	b := start(t)
	dir := t.TempDir()
	var yaml, jobs strings.Builder
	for i := range 10_000 {
		parent := "root"
		if i > 0 {
			parent = fmt.Sprintf("q%05d", i-1)
		}
		fmt.Fprintf(&yaml, "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"+
			"metadata: {name: q%05d}\nspec: {weight: 1, parent: %s}\n", i, parent)
	}
	write(t, filepath.Join(dir, "nodes.csv"), "name,cpu_milli,memory_mib,gpu_count,gpu_model\nn1,64000,1024,8,\n")
	jobs.WriteString("job,queue,user,submit_s,duration_s,members,min_members,cpu_milli_per_member," +
		"memory_mib_per_member,gpu_per_member,priority,type\n")
	yaml.WriteString(`---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: wide, namespace: trace}
spec:
  queue: default
  minAvailable: 50000
  schedulerName: volcano
  tasks:
  - {name: w, replicas: 50000, template: {spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}}
`)
	for i := range 20_000 {
		fmt.Fprintf(&jobs, "job-%05d,default,,0,3600,1,1,100000,1,0,,\n", i)
	}
	write(t, filepath.Join(dir, "queues.yaml"), yaml.String())
	write(t, filepath.Join(dir, "jobs.csv"), jobs.String())
	address, _ := serve(t, filepath.Join(dir, "queues.yaml"), "--trace-nodes", filepath.Join(dir, "nodes.csv"),
		"--trace-jobs", filepath.Join(dir, "jobs.csv"), "--paused")
	p := b.open(t, address, 1280, 800)
	p.Until("the page", `document.querySelector(".transport .play")`)
	p.Goes("#/jobs?job=trace/wide&sort=members")
	p.Until("the wide job", `document.querySelector(".drawer").innerText.includes("50000")`)
	var rows int
	p.Eval(`document.querySelectorAll(".rows .tall .row").length`, &rows)
	if rows > 100 {
		t.Errorf("%d rows are drawn", rows)
	}
	var slowest float64
	p.Eval(`new Promise((done) => {
	  const box = document.querySelector(".rows .scroll");
	  let last = performance.now(), worst = 0, n = 0;
	  const frame = () => {
	    const now = performance.now();
	    if (n > 5) worst = Math.max(worst, now - last);
	    last = now;
	    box.scrollTop += 900;
	    if (++n < 60) requestAnimationFrame(frame); else done(worst);
	  };
	  requestAnimationFrame(frame);
	})`, &slowest)
	t.Logf("scrolling 20 001 jobs: the slowest frame took %.0f ms", slowest)
	p.Goes("#/queues?queue=q09999")
	p.Until("the last queue of the chain", `document.querySelector(".drawer .name").innerText === "q09999" &&
	  [...document.querySelectorAll(".queue b")].some((e) => e.innerText === "q09999")`)
	p.Sound()
}

// TestABrokenConnection: the page says that it is old, and goes on when the server is back.
func TestABrokenConnection(t *testing.T) {
	b := start(t)
	address, _ := serve(t, append(day, "--speed", "1000")...)
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var cut atomic.Bool
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: to.Host})
		r.Out.Host = to.Host
		r.Out.Header.Del("Origin")
	}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cut.Load() && strings.HasPrefix(r.URL.Path, "/v1/") {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	})}
	var conns connections
	server.ConnState = conns.note
	go func() { _ = server.Serve(listener) }() // it ends with the test
	t.Cleanup(func() { server.Close() })
	p := b.open(t, "http://"+listener.Addr().String()+"/?"+to.RawQuery, 1280, 800)
	p.Until("the page", `document.querySelector(".transport .play")`)
	p.Goes("#/jobs")
	cut.Store(true)
	conns.end()
	p.Until("that the connection is broken", `document.querySelector(".banner")`)
	p.Until("what was there before", `document.querySelector("main .view")`)
	cut.Store(false)
	p.Until("that it is back", `!document.querySelector(".banner")`)
	p.Click(".transport .play")
	p.Until("jobs that came since", `document.querySelectorAll(".rows .tall .row").length > 1`)
}
