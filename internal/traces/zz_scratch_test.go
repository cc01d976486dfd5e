package traces_test

import (
	"os"
	"testing"
	"time"
	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
)

func TestScratch(t *testing.T) {
	n, _ := os.Open(os.Getenv("TN"))
	j, _ := os.Open(os.Getenv("TJ"))
	t0 := time.Now()
	tr, err := traces.Read(traces.File{Name: os.Getenv("TN"), Reader: n}, traces.File{Name: os.Getenv("TJ"), Reader: j})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range tr.Queues {
		if q != "default" {
			tr.Items = append(tr.Items, traces.Queue(q))
		}
	}
	t1 := time.Now()
	w, err := sim.New(profile.Of(config.Default()), tr.Items, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t2 := time.Now()
	dec := 0
	for {
		c, ok := w.Step()
		if !ok || time.Since(t2) > 100*time.Second {
			break
		}
		dec += len(c.Plan.Items)
	}
	t3 := time.Now()
	t.Logf("%s read %v new %v run %v: %+v decisions %d = %.0f/s", os.Getenv("TJ"), t1.Sub(t0), t2.Sub(t1), t3.Sub(t2), w.Summary(), dec, float64(dec)/t3.Sub(t2).Seconds())
}
