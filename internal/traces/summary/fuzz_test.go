package summary_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
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
	const head = "job,queue,user,submit_s,duration_s,members,min_members,cpu_milli_per_member,memory_mib_per_member,gpu_per_member,priority,type,gpu_model\n"
	const nodes = "name,cpu_milli,memory_mib,gpu_count,gpu_model\n"
	f.Add([]byte(nodes+"a,4000,64,2,A\nb,4000,64,2,B\n"), []byte(head+"x,,,0,10,2,1,1000,1,0.5,,,\ny,<q>,u&,3,,1,1,,,1,7,,B\nz,,,3,0,3,3,,,2,,,\n"))
	f.Add([]byte(nodes+"a,,,,\n"), []byte(head+"x,q,,0.5,3000000000,1,1,,,,,,\n"))
	f.Add([]byte(nodes+"a,0,0,0,\n"), []byte(head+"x,q,,0,5,1,1,1,1,0.001,-5,,\n"))
	f.Fuzz(func(t *testing.T, nodes, jobs []byte) {
		trace, err := traces.Read(traces.File{Name: "nodes.csv", Reader: bytes.NewReader(nodes)}, traces.File{Name: "jobs.csv", Reader: bytes.NewReader(jobs)})
		if err != nil || len(trace.Items) > 100 {
			return
		}
		for _, q := range trace.Queues {
			trace.Items = append(trace.Items, traces.Queue(q))
		}
		world, err := sim.New(profile.Of(config.Default()), trace.Items, sim.Options{Audit: true})
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
		sound(t, watch.Figures(world.Engine().Report(), 0), trace)
	})
}

// sound checks the figures of a run, and that they can be read in every form.
func sound(t *testing.T, f *summary.Figures, trace *traces.Trace) {
	if a := f.All; a.Jobs != len(trace.Jobs) || a.Finished > a.Started || a.Started > a.Jobs || a.Delay.Mean < 0 || a.Completion.P50 > a.Completion.P99 {
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
