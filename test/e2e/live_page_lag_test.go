package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/readapi"
)

// notes notes in a page when each row of the list of jobs first shows that its job has a place: milliseconds since the
// epoch, by the clock of this machine, which the test has, too.
const notes = `(() => {
  window.placed = {};
  const look = () => {
    for (const r of document.querySelectorAll(".rows .tall .row"))
      if (r.querySelector(".stand.runs, .stand.starts"))
        window.placed[r.querySelector("b").textContent] ??= performance.timeOrigin + performance.now();
  };
  const all = {childList: true, subtree: true, attributes: true, characterData: true};
  new MutationObserver(look).observe(document.body, all);
  look();
})()`

// streamedTo says when a stream of the read API first told that a job has a place.
func streamedTo(t *testing.T, of apiUser) <-chan lagged {
	t.Helper()
	answer, err := of.try(t.Context(), "/v1/watch?kinds=jobs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	out := make(chan lagged, 100)
	go func() {
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for known := map[string]bool{}; lines.Scan(); {
			var e struct {
				Object struct {
					Name  string
					Tasks map[string]int
				}
			}
			if json.Unmarshal(lines.Bytes(), &e) != nil || known[e.Object.Name] ||
				e.Object.Tasks["Bound"]+e.Object.Tasks["Running"]+e.Object.Tasks["Binding"] == 0 {
				continue
			}
			known[e.Object.Name] = true
			out <- lagged{e.Object.Name, time.Now()}
		}
	}()
	return out
}

// lagged is when something was told of a job.
type lagged struct {
	job string
	at  time.Time
}

// The page shows within a second that a job has its place. Each of 20 jobs comes when the page has just shown the one
// before, which is the worst moment: the scheduler tells streams of changes in rounds, and one has just been.
func TestLiveThePageKeepsUp(t *testing.T) {
	const jobs = 20
	ns, _, p := livePage(t)
	p.Goes("#/jobs?q=" + ns)
	p.Until("the page", `document.querySelector(".view")`)
	p.Eval(notes, nil)
	stream := streamedTo(t, apiUserWith(t, readAPIOf(t), shared.Config.BearerToken))
	var shown, streamed []time.Duration
	for i := range jobs {
		name := fmt.Sprintf("job-%02d", i)
		binds := binding(t, ns, name+"-0")
		submit(t, ns, ns, name, 1, 1, "50m")
		bound := binds()
		p.Until("that "+name+" has its place", fmt.Sprintf("window.placed[%q]", name))
		var at float64
		p.Eval(fmt.Sprintf("window.placed[%q]", name), &at)
		shown = append(shown, time.UnixMicro(int64(at*1000)).Sub(bound))
		for {
			select {
			case l := <-stream:
				if l.job != name {
					continue
				}
				streamed = append(streamed, l.at.Sub(bound))
			case <-time.After(patience):
				t.Fatalf("the stream does not tell of %s", name)
			}
			break
		}
	}
	slices.Sort(shown)
	slices.Sort(streamed)
	t.Logf("after a watch saw the binding the stream told it within %v at the median and %v in 95 of 100, and the page "+
		"showed it within %v and %v", streamed[jobs/2], streamed[jobs*95/100-1], shown[jobs/2], shown[jobs*95/100-1])
	if late := shown[jobs*95/100-1]; late > time.Second {
		t.Errorf("the page showed 95 of 100 jobs only %v after a watch saw their bindings: %v", late, shown)
	}
}

// readAPIOf is where the installed scheduler's read API listens, as its Lease says.
func readAPIOf(t *testing.T) (at string) {
	t.Helper()
	eventually(t, "the Lease to name the read API", func(ctx ctxless) (bool, error) {
		lease, err := shared.kube.CoordinationV1().Leases(installedIn).Get(ctx, "volcano", metav1.GetOptions{})
		if err == nil {
			at = "127.0.0.1:" + lease.Labels[readapi.LabelPort]
		}
		return err == nil && lease.Labels[readapi.LabelPort] != "", nil
	}, func() string { return "it does not" })
	return at
}
