package summary_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/internal/traces/chart"
	"ashlar.sh/internal/traces/summary"
)

var drawing = regexp.MustCompile(`(?s)<svg.*?</svg>`)

// Whatever rows come, a trace that is read runs to its end with every figure of the
// engine right, and what is printed and drawn of it can be read.
func FuzzReplay(f *testing.F) {
	const head = "job,queue,user,submit_s,duration_s,members,min_members," +
		"cpu_milli_per_member,memory_mib_per_member,gpu_per_member,priority,type,gpu_model\n"
	const nodes = "name,cpu_milli,memory_mib,gpu_count,gpu_model\n"
	f.Add([]byte(nodes+"a,4000,64,2,A\nb,4000,64,2,B\n"), []byte(head+
		"x,,,0,10,2,1,1000,1,0.5,,,\ny,<q>,u&,3,,1,1,,,1,7,,B\nz,,,3,0,3,3,,,2,,,\n"))
	f.Add([]byte(nodes+"a,,,,\n"), []byte(head+"x,q,,0.5,3000000000,1,1,,,,,,\n"))
	f.Add([]byte(nodes+"a,0,0,0,\n"), []byte(head+"x,q,,0,5,1,1,1,1,0.001,-5,,\n"))
	f.Fuzz(func(t *testing.T, nodes, jobs []byte) { toTheEnd(t, nodes, jobs, config.Default(), false) })
}

// confs are what a replay is fuzzed under, as examples/traces has them.
var confs = []string{"fifo-strict", "sjf", "srtf-preempt", "srsf-preempt", "binpack-gpu", "packing-fgd",
	"packing-random"}

// FuzzReplayRows is FuzzReplay with bytes that choose among cells, so that nearly all it
// tries is a trace: gangs that fit, just not and never, ends in the moment of a beginning,
// priorities, models, jobs without end.
func FuzzReplayRows(f *testing.F) {
	chosen := []*config.Scheduler{config.Default()}
	for _, name := range confs {
		text, err := os.ReadFile("../../../examples/traces/" + name + ".conf")
		if err != nil {
			f.Fatal(err)
		}
		conf, problems := config.Parse(config.Source{File: name}, text, config.Volcano(), config.Strict)
		if conf == nil {
			f.Fatal(problems)
		}
		chosen = append(chosen, conf)
	}
	for i := range byte(2 * (len(confs) + 1)) {
		f.Add([]byte{i, 3, 1, 2, 0, 5, 9, 17, 33, 65, 4, 8, 15, 16, 23, 42, 108, 7, 77, 200, 31, 64, 12, 90, 1, 250, 6, 3, 18,
			99, 41, 5, 2, 13})
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := cells{bytes}
		how := c.next()
		nodes, jobs := c.tables()
		toTheEnd(t, nodes, jobs, chosen[how/2%len(chosen)], how%2 == 1)
	})
}

// cells makes tables of bytes; without more of them it has only 0.
type cells struct{ bytes []byte }

func (c *cells) next() int {
	if len(c.bytes) == 0 {
		return 0
	}
	x := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(x)
}

func (c *cells) of(list ...string) string { return list[c.next()%len(list)] }

// tables are one to four nodes and up to ten jobs.
func (c *cells) tables() (nodes, jobs []byte) {
	nodes = []byte("name,cpu_milli,memory_mib,gpu_count,gpu_model\n")
	recorded := c.next()
	for i := range 1 + recorded/4%4 {
		nodes = fmt.Appendf(nodes, "n%d,%s,%s,%s,%s\n", i, []string{"", c.of("0", "4000", "64000")}[recorded%2], "",
			[]string{"", c.of("0", "1", "2", "8")}[recorded/2%2], c.of("", "A", "B"))
	}
	jobs = []byte(
		"job,queue,user,submit_s,duration_s,members,min_members," +
			"cpu_milli_per_member,memory_mib_per_member,gpu_per_member,priority,type,gpu_model\n")
	submit := 0
	for i := 0; len(c.bytes) > 0 && i < 10; i++ {
		submit += []int{0, 0, 1, 1, 7, 100_000}[c.next()%6]
		members := []int{1, 1, 2, 3, 9}[c.next()%5]
		jobs = fmt.Appendf(jobs, "j%d,%s,%s,%d%s,%s,%d,%d,%s,,%s,%s,,%s\n", i, c.of("", "q", "r"), c.of("", "u"), submit,
			c.of("", ".5", ".000000001"),
			c.of("", "0", "1", "5", "60", "0.25", "3000000000"), members, 1+c.next()%members, c.of("", "0", "1", "1000", "5000"),
			c.of("", "0", "0.5", "1", "2", "0.001"),
			c.of("", "", "", "5", "-5"), c.of("", "", "A", "A|B", "C"))
		if c.next()%2 == 0 {
			jobs = append(jobs[:bytes.LastIndexByte(jobs, ',')], ",\n"...)
		}
	}
	return nodes, jobs
}

// toTheEnd replays two tables, if they are a small trace, and checks what came of it.
func toTheEnd(t *testing.T, nodes, jobs []byte, conf *config.Scheduler, resumes bool) {
	trace, err := traces.Read(traces.File{Name: "nodes.csv", Reader: bytes.NewReader(nodes)},
		traces.File{Name: "jobs.csv", Reader: bytes.NewReader(jobs)})
	if err != nil || len(trace.Items) > 100 {
		return
	}
	for _, q := range trace.Queues {
		trace.Items = append(trace.Items, traces.Queue(q))
	}
	for i := range trace.Items {
		trace.Items[i].Resumes = resumes
	}
	world, err := sim.New(profile.Of(conf), trace.Items, sim.Options{Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	watch := summary.New(trace.Items, trace.Jobs, sim.DefaultPeriod)
	for cycles := 0; ; cycles++ {
		c, more := world.Step()
		if !more {
			break
		}
		watch.See(c)
		if len(c.Audit) > 0 || cycles > 10_000 {
			t.Fatalf("cycle %d: %v", c.Number, c.Audit)
		}
	}
	if world.Summary().Endless {
		t.Fatal("decisions go round in a circle")
	}
	sound(t, watch.Figures(world.Engine().Report(), 0), trace)
}

// sound checks the figures of a run, and that they can be read in every form.
func sound(t *testing.T, f *summary.Figures, trace *traces.Trace) {
	if a := f.All; a.Jobs != len(trace.Jobs) || a.Finished > a.Started || a.Started > a.Jobs || a.Delay.Mean < 0 ||
		a.Completion.P50 > a.Completion.P99 {
		t.Errorf("%+v", a)
	}
	for _, r := range f.Resources {
		if r.Allocated.Peak > 1_000_000 || r.Allocated.Mean > r.Allocated.Peak || r.Fragmented.Peak > 1_000_000 {
			t.Errorf("%+v", r)
		}
	}
	var text, doc, table, page bytes.Buffer
	for _, err := range []error{f.Text(&text), f.JSON(&doc), f.CSV(&table), chart.Write(&page, "fuzz", f)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !json.Valid(doc.Bytes()) {
		t.Error("the document is not JSON")
	}
	for _, svg := range drawing.FindAllString(page.String(), -1) {
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in %s", err, svg)
			}
		}
	}
}
