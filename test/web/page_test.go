package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// noon opens the demonstration and stops it near noon, with the morning to wind back to.
func noon(t *testing.T, b *browser) *page {
	t.Helper()
	address, _ := serve(t, append(demo, "--speed", "15000")...)
	p := b.open(t, address, 1280, 800)
	p.until("the page", `document.querySelector(".transport .play")`)
	p.click(".transport .play")
	var edge float64
	p.eval(`new Promise((done) => {
	  const look = () => fetch("/v1/state").then((r) => r.json()).then((s) => {
	    if (s.play.edge > 43000 || s.play.ended) done(s.play.edge); else setTimeout(look, 50);
	  });
	  look();
	})`, &edge)
	p.play(`{"playing": false, "seek": 42000}`)
	p.until("noon", `document.querySelector(".transport .past")`)
	return p
}

// play sends a command to the player.
func (p *page) play(command string) {
	p.t.Helper()
	var code int
	p.eval(fmt.Sprintf(`fetch("/v1/play", {method: "POST", headers: {"Content-Type": "application/json"}, body: %q})
	  .then((r) => r.status)`, command), &code)
	if code != http.StatusOK {
		p.t.Fatalf("%s: %d", command, code)
	}
}

// TestADay: what a person wants to know, each within three clicks, on the demonstration.
func TestADay(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	t.Run("why does my job wait", func(t *testing.T) {
		p.t = t
		p.click(`a.tile[href*="state=waiting"]`)
		p.until("jobs", `document.querySelectorAll(".rows .tall .row").length > 3`)
		p.click(".rows .tall .row")
		p.until("its reason", `document.querySelector(".drawer .sentence").innerText.length > 20`)
		if got := p.text(".drawer .verdict"); !strings.Contains(got, "never") && !strings.Contains(got, "room") &&
			!strings.Contains(got, "queue") {
			t.Errorf("the reason is %q", got)
		}
	})
	t.Run("search and keys", func(t *testing.T) {
		p.t = t
		p.goes("#/jobs")
		p.until("all jobs", `document.querySelectorAll(".rows .tall .row").length > 8`)
		p.key("/")
		p.do("Input.insertText", map[string]any{"text": "pretrain-large"})
		p.until("one job", `document.querySelectorAll(".rows .tall .row").length === 1`)
		p.eval(`document.querySelector(".rows .scroll").focus()`, nil)
		p.key("ArrowDown")
		p.until("the job", `document.querySelector(".drawer .name").innerText === "language-pretrain-large"`)
		p.eval(`document.querySelector(".drawer").focus()`, nil)
		p.key("Escape")
		p.until("no drawer", `!document.querySelector(".drawer")`)
	})
	t.Run("which queue borrows, and how its share comes about", func(t *testing.T) {
		p.t = t
		p.goes("#/queues")
		p.until("a queue that borrows",
			`[...document.querySelectorAll(".queue small")].some((e) => e.innerText.includes("borrows"))`)
		p.goes("#/queues?queue=language")
		p.until("whose room it holds, or who holds its own",
			`document.querySelectorAll(".drawer .lent a").length > 0`)
		p.until("the rounds", `document.querySelectorAll(".sum[open] tbody tr").length >= 2`)
	})
	t.Run("who took my GPUs", func(t *testing.T) {
		p.t = t
		p.goes("#/timeline")
		p.until("evictions", `document.querySelectorAll(".evictions .tall .row").length > 0`)
		p.click(".evictions .tall .row time")
		p.until("that moment", `location.hash.includes("at=")`)
	})
	t.Run("what would a weight of 12 change", func(t *testing.T) {
		p.t = t
		p.play(`{"seek": 1e9}`)
		p.goes("#/queues?whatif=queue&wq=language&ww=12")
		p.click("dialog .primary")
		p.until("what moves", `document.querySelector("dialog .result table tbody tr")`)
		p.key("Escape")
		p.until("no dialogue", `!document.querySelector("dialog")`)
	})
	t.Run("what if a job were gone", p.dropsAJob)
	t.Run("two configurations side by side", p.comparesConfigurations)
	t.Run("a map of nodes", func(t *testing.T) {
		p.t = t
		p.goes("#/cluster")
		p.until("24 nodes in 4 racks", `document.querySelectorAll(".cell").length === 24 &&
		  document.querySelectorAll(".rack").length === 4`)
		p.click(".cell")
		p.until("its pods", `document.querySelector(".drawer .pods li, .drawer .pods")`)
	})
	p.t = t
	p.sound()
}

// dropsAJob asks what moves without a job that runs.
func (p *page) dropsAJob(t *testing.T) {
	p.t = t
	p.goes("#/jobs?state=running")
	p.click(".rows .tall .row")
	p.click(`.drawer .asks a[href*="whatif=drop"]`)
	p.click("dialog .primary")
	p.until("that it is not there", `document.querySelector("dialog .result").innerText.includes("not there")`)
	p.key("Escape")
	p.until("no dialogue", `!document.querySelector("dialog")`)
}

// comparesConfigurations shows another configuration beside the one that holds, after one that is refused.
func (p *page) comparesConfigurations(t *testing.T) {
	p.t = t
	p.goes("#/timeline")
	p.click(".segments button:last-child")
	p.until("the one that holds", `document.querySelector("textarea").value.includes("reclaim")`)
	p.eval(`document.querySelector("textarea").focus()`, nil)
	p.do("Input.insertText", map[string]any{"text": "what: "})
	p.click(".knobs .primary")
	p.until("what is wrong with it", `document.querySelector(".fault").innerText.includes("other configuration:")`)
	p.forgives("/v1/whatif")
	p.eval(`document.querySelector("textarea").select()`, nil)
	p.do("Input.insertText", map[string]any{"text": "actions: \"enqueue, allocate\"\ntiers:\n" +
		"- plugins:\n  - name: gang\n  - name: predicates\n  - name: proportion\n"})
	p.click(".knobs .primary")
	p.until("both over time, and their figures", `document.querySelectorAll(".sides canvas").length === 2 &&
	  document.querySelectorAll(".compared tbody tr").length > 4`)
}

// TestALinkOpensWhereItWasMade: the address has the whole state of the page.
func TestALinkOpensWhereItWasMade(t *testing.T) {
	b := start(t)
	p := noon(t, b)
	var at string
	p.eval(`document.querySelector(".transport .clock").innerText`, &at)
	p.play(`{"seek": 1e9}`)
	p.goes("#/jobs?q=vision&state=over&sort=-name&lang=zh&theme=dark&at=42000")
	p.do("Page.reload", nil)
	p.until("the moment", fmt.Sprintf(`document.querySelector(".transport .clock").innerText === %q`, at))
	p.until("the search, in Chinese and dark", `document.querySelector("input[type=search]").value === "vision" &&
	  document.documentElement.lang === "zh" && document.documentElement.dataset.theme === "dark" &&
	  document.querySelector("h1").innerText === "作业" && document.querySelectorAll(".rows .tall .row").length > 0`)
	p.sound()
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
		p.goes(hash)
		p.until("the view", `document.querySelector("main .view")`)
	}
	p.goes("#/jobs?job=ns/g")
	p.until("the name as text", `document.querySelector(".drawer").innerText.includes("onerror=window.hit")`)
	var hit bool
	p.eval("window.hit === 1 || document.querySelectorAll('img').length > 0", &hit)
	if hit {
		t.Error("a name was taken for markup")
	}
	p.sound()
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
	p.until("the page", `document.querySelector(".transport .play")`)
	p.goes("#/jobs?job=trace/wide&sort=members")
	p.until("the wide job", `document.querySelector(".drawer").innerText.includes("50000")`)
	var rows int
	p.eval(`document.querySelectorAll(".rows .tall .row").length`, &rows)
	if rows > 100 {
		t.Errorf("%d rows are drawn", rows)
	}
	var slowest float64
	p.eval(`new Promise((done) => {
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
	p.goes("#/queues?queue=q09999")
	p.until("the last queue of the chain", `document.querySelector(".drawer .name").innerText === "q09999" &&
	  [...document.querySelectorAll(".queue b")].some((e) => e.innerText === "q09999")`)
	p.sound()
}

// TestABrokenConnection: the page says that it is old, and goes on when the server is back.
func TestABrokenConnection(t *testing.T) {
	b := start(t)
	address, _ := serve(t, append(demo, "--speed", "1000")...)
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
	p.until("the page", `document.querySelector(".transport .play")`)
	p.goes("#/jobs")
	cut.Store(true)
	conns.end()
	p.until("that the connection is broken", `document.querySelector(".banner")`)
	p.until("what was there before", `document.querySelector("main .view")`)
	cut.Store(false)
	p.until("that it is back", `!document.querySelector(".banner")`)
	p.click(".transport .play")
	p.until("jobs that came since", `document.querySelectorAll(".rows .tall .row").length > 1`)
}
