package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"ashlar.sh/internal/traces/chart"
	"ashlar.sh/internal/traces/summary"
)

const hour = summary.Seconds(time.Hour)

// nasty is a name that would be markup if it were not escaped.
const nasty = `<b onload="x">&amp; "quoted"</b>`

// run is a run with everything in it: several queues, users and sizes, jobs that wait.
func run() *summary.Figures {
	spread := func(x summary.Seconds) summary.Spread {
		return summary.Spread{Mean: 2 * x, P50: x, P90: 3 * x, P99: 9 * x}
	}
	group := func(name string, jobs int, x summary.Seconds) summary.Group {
		return summary.Group{Name: name, Jobs: jobs, Started: jobs - 1, Finished: jobs - 2, Delay: spread(x),
			Completion: spread(2 * x)}
	}
	f := &summary.Figures{Makespan: 1000 * hour, All: group("all", 12345, hour),
		Queues:    []summary.Group{group("research", 12000, hour), group(nasty, 345, 2*hour)},
		Users:     []summary.Group{group("ann", 9, 0), group("bob", 8, hour)},
		GangSizes: []summary.Group{group("1", 12000, 0), group("2", 300, hour), group("33-64", 45, 50*hour)},
		Resources: []summary.Resource{{Name: "nvidia.com/gpu", Capacity: "64",
			Allocated: summary.Use{Mean: 912_345, Peak: 1_000_000}}},
		Fragmentation: &summary.Fragmentation{Resource: "nvidia.com/gpu", Mean: 12_345},
		Waiting:       []summary.Waiting{{Code: "NotEnoughResources", Jobs: 3, Example: "huge", Message: nasty}},
		Problems:      []summary.Problem{{Object: "Queue/x", Message: "spec.weight: <none>"}},
		Loads:         []summary.Load{{Requested: 1_300_000, Allocated: 932_100, Fragmented: 57_900}}}
	s := &summary.Series{Step: 100 * hour, Main: "nvidia.com/gpu"}
	gpu := summary.ResourceSeries{Name: "nvidia.com/gpu"}
	queues := []summary.QueueSeries{{Name: "research"}, {Name: nasty}, {}}
	for i := range 10 {
		share := summary.Share(100_000 * i)
		gpu.Allocated, gpu.Peak, gpu.Requested, gpu.Fragmented = append(gpu.Allocated, share), append(gpu.Peak, share+50_000),
			append(gpu.Requested, 3*share), append(gpu.Fragmented, 1000)
		for q := range queues {
			queues[q].Allocated = append(queues[q].Allocated, share/3)
		}
		s.Waiting = append(s.Waiting, int64(i*i))
	}
	s.Resources, s.Queues = []summary.ResourceSeries{gpu}, queues
	f.Series = s
	return f
}

func written(t *testing.T, f *summary.Figures) string {
	t.Helper()
	var b bytes.Buffer
	if err := chart.Write(&b, "philly <2017>", f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// texts are the texts of all elements of a kind, titles under the pointer left out.
func texts(t *testing.T, page, kind string) (out []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != kind {
			continue
		}
		var text strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				text.WriteString(d.Data)
			}
		}
		out = append(out, strings.Join(strings.Fields(text.String()), " "))
	}
	return out
}

func TestThePageShowsTheFigures(t *testing.T) {
	page := written(t, run())
	want := []string{"Utilisation: nvidia.com/gpu", "Queue shares: nvidia.com/gpu", "Jobs that wait", "Delay by gang size",
		"Delay by queue", "Delay by user",
		"As the cluster fills", "All jobs", "By queue", "By user", "By gang size (members)",
		"Which jobs wait at the end, and why",
		"Problems"}
	if got := texts(t, page, "h2"); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("it shows\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := texts(t, page, "h1"); len(got) != 1 || got[0] != "philly <2017>" {
		t.Errorf("its title is %q", got)
	}
	if got := texts(t, page, "svg"); len(got) != 6 || !strings.Contains(got[0],
		"allocated 90.0 % (peak 95.0 %) requested 270.0 % fragmented 0.1 %") ||
		!strings.Contains(got[3], "33-64 members: 45 jobs, 44 started mean 4 d 4 h p50 2 d 2 h, p90 6 d 6 h, p99 18 d 18 h") {
		t.Errorf("%d drawings: %q", len(got), got)
	}
	facts := strings.Join(texts(t, page, "dd"), " | ")
	for _, part := range []string{"12 345", "41 d 16 h", "91.2 %", "1.2 %"} {
		if !strings.Contains(facts, part) {
			t.Errorf("%q is not among the facts: %s", part, facts)
		}
	}
	cells := strings.Join(texts(t, page, "td"), " | ")
	for _, part := range []string{"130.0 % | 93.2 % | 5.8 %", "33-64 | 45 | 44 | 43 | 360 000", nasty,
		"spec.weight: <none>"} {
		if !strings.Contains(cells, part) {
			t.Errorf("%q is not in the tables: %s", part, cells)
		}
	}
}

// reference is what would make a browser fetch something.
var reference = regexp.MustCompile(
	`(?i)(https?:)?//[a-z]|src\s*=|href\s*=|url\(|@import|<script|<link|<iframe|<object|<embed`)

func TestThePageNeedsNothingElse(t *testing.T) {
	f := run()
	f.Queues[1].Name, f.Series.Queues[1].Name = "//evil.example/x.png", `"><img src="https://evil.example/x.png">`
	page := written(t, f)
	page = strings.ReplaceAll(page, "//evil.example/x.png", "") // as text it fetches nothing
	if got := reference.FindString(strings.ReplaceAll(page, "src=&#34;", "")); got != "" {
		t.Errorf("it refers to something: %q", got)
	}
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.ElementNode && (n.Data == "img" || n.Data == "script" || n.Data == "b"):
			t.Errorf("there is an element <%s>", n.Data)
		case n.Type == html.ElementNode && n.Data == "style" && strings.Contains(n.FirstChild.Data, "url("):
			t.Error("the style loads something")
		}
	}
}

var drawing = regexp.MustCompile(`(?s)<svg.*?</svg>`)

// wellFormed parses every drawing as XML and looks for numbers that are none.
func wellFormed(t *testing.T, page string) int {
	t.Helper()
	all := drawing.FindAllString(page, -1)
	for _, text := range all {
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in %.200s", err, text)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "%!") {
			t.Errorf("a length is no number in %.200s", text)
		}
	}
	return len(all)
}

func TestEveryDrawingIsWellFormed(t *testing.T) {
	empty := &summary.Figures{}
	still := run()
	still.Series, still.Makespan = nil, 0
	short := run()
	short.Makespan, short.Series.Step = 1, 1
	short.Series.Waiting, short.Series.Resources[0].Allocated = []int64{0}, []summary.Share{0}
	for _, list := range []*[]summary.Share{&short.Series.Resources[0].Peak, &short.Series.Resources[0].Requested,
		&short.Series.Resources[0].Fragmented} {
		*list = []summary.Share{0}
	}
	for q := range short.Series.Queues {
		short.Series.Queues[q].Allocated = []summary.Share{0}
	}
	ages := run()
	ages.Makespan, ages.Series.Step = 876_000*hour, 87_600*hour
	ages.GangSizes[0].Delay.P99 = 876_000 * hour
	for name, c := range map[string]struct {
		f    *summary.Figures
		want int
	}{"a full run": {run(), 6}, "no jobs": {empty, 0}, "no time passed": {still, 3}, "a nanosecond": {short, 6},
		"a hundred years": {ages, 6}} {
		t.Run(name, func(t *testing.T) {
			if got := wellFormed(t, written(t, c.f)); got != c.want {
				t.Errorf("%d drawings, want %d", got, c.want)
			}
		})
	}
}

// A page of ten thousand users and a thousand queues is no larger than one can open.
func TestThePageStaysSmall(t *testing.T) {
	f := run()
	for i := range 10_000 {
		g := f.Users[0]
		g.Name = fmt.Sprint("user-", i)
		f.Users = append(f.Users, g)
		if i < 1000 {
			f.Queues = append(f.Queues, g)
		}
	}
	if page := written(t, f); len(page) > 200_000 || !strings.Contains(page, "9902 more") ||
		!strings.Contains(page, "The 16 with the most jobs of 10002.") {
		t.Errorf("%d bytes", len(page))
	}
}
