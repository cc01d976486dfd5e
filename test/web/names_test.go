package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outside are texts that reach over the edge of the row, card or panel that they are in, and are not cut off.
const outside = `(() => {
  const cut = (e, box) => e !== box.parentElement &&
    (/hidden|clip/.test(getComputedStyle(e).overflowX) || cut(e.parentElement, box));
  const out = [];
  for (const box of document.querySelectorAll(".tall .row > *, .tall .queue > *, .card, .tile, .drawer .inside")) {
    const edge = box.getBoundingClientRect().right + 1;
    for (const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT); texts.nextNode();) {
      const range = document.createRange(), within = texts.currentNode.parentElement;
      range.selectNodeContents(texts.currentNode);
      const at = range.getBoundingClientRect(); // of a height, unless only screen readers are to have it
      if (at.height > 1 && at.right > edge && !cut(within, box) && !within.closest("table, .unseen"))
        out.push(box.className + ": " + texts.currentNode.data.slice(0, 40));
    }
  }
  return out.concat(document.documentElement.scrollWidth > innerWidth ? ["the page"] : []);
})()`

// longNames is a cluster in which all names are as long as Kubernetes lets them be, in a file.
func longNames(t *testing.T) (file, name string) {
	t.Helper()
	name = strings.Repeat("x"+strings.Repeat("y", 61)+".", 4)[:240] + "z"
	object := func(kind, meta, rest string) string {
		return fmt.Sprintf("---\n%s\nmetadata: {name: %s%s}\n%s\n", kind, name, meta, rest)
	}
	text := object("apiVersion: v1\nkind: Node", "", `status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}`) +
		object("apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue", "", "spec: {weight: 1}")
	for _, job := range []string{"a", "b"} {
		text += object("apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup", "-"+job+", namespace: ns",
			"spec: {minMember: 2, queue: "+name+"}")
		for i := range 2 {
			text += object("apiVersion: v1\nkind: Pod", fmt.Sprintf("-%s-%d, namespace: ns, annotations: "+
				"{scheduling.k8s.io/group-name: %s-%s}", job, i, name, job), `spec: {schedulerName: volcano, containers: `+
				`[{name: c, resources: {requests: {cpu: "4"}}}]}`)
		}
	}
	file = filepath.Join(t.TempDir(), "names.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, name
}

// TestLongNames: names of the greatest length stay in the column, card or panel that they are in. A run of three
// seconds tells what started in its first moment, too.
func TestLongNames(t *testing.T) {
	b := start(t)
	file, name := longNames(t)
	address, _ := serve(t, file)
	p := b.open(t, address, 1280, 800)
	p.Until("two pods that started", `document.querySelector(".transport")?.innerText.includes("the run has ended") &&
	  [...document.querySelectorAll(".tile")].some((e) => /^Pods started\s+2\s/.test(e.innerText))`)
	for _, size := range [][2]int{{1280, 800}, {390, 760}} {
		p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": size[0], "height": size[1],
			"deviceScaleFactor": 1, "mobile": size[0] < 600})
		for _, v := range []view{
			{"#/pulse", ".chart .key span"},
			{"#/jobs", ".tall .row"},
			{"#/jobs?job=ns/" + name + "-b", ".drawer .sentence"},
			{"#/queues?queue=" + name, ".drawer .figures-table"},
			{"#/queues?as=time", ".overtime canvas"},
			{"#/cluster?node=" + name, ".drawer .pods li"},
			{"#/cluster?as=table", ".nodes .tall .row"},
			{"#/recorder?show=cycles&cycle=1", ".drawer .decisions li"},
		} {
			p.Goes(v.hash)
			p.Until(v.hash, fmt.Sprintf("document.querySelector(%q)", v.see))
			var out []string
			if p.Eval(outside, &out); len(out) > 0 {
				t.Errorf("%d wide, %s: over the edge: %q", size[0], v.hash, out)
			}
		}
	}
	p.Goes("#/queues?queue=" + name)
	p.Until("figures of a queue that fit on a phone", `((t) => t && t.rows.length > 1 &&
	  t.getBoundingClientRect().right <= innerWidth)(document.querySelector(".drawer .figures-table"))`)
	p.Sound()
}
