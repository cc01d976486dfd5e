package cli_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

const evictionExample = "../../examples/eviction"

// What docs/eviction.md reads aloud.
func TestEvictionExample(t *testing.T) {
	got := run("", "ashlar", "simulate", "-f", evictionExample)
	golden(t, "eviction.txt", got)
	docs, err := os.ReadFile("../../docs/eviction.md")
	if err != nil {
		t.Fatal(err)
	}
	_, told, _ := strings.Cut(got.out, "EVICTED PODS")
	told, _, _ = strings.Cut(told, "\n\n")
	if !strings.Contains(string(docs), "EVICTED PODS"+told) {
		t.Errorf("docs/eviction.md shows something else than\nEVICTED PODS%s", told)
	}
}

// The document says for which job a pod was evicted, by which rule, and what was lost
// with it.
func TestEvictionsHaveTheirRecord(t *testing.T) {
	got := run("", "ashlar", "simulate", "-f", evictionExample, "-o", "json")
	var report struct {
		Summary   struct{ LostSeconds map[string]string }
		Evictions []struct {
			Name, Queue, Action, For, Reason string

			Record struct {
				ForPod, ForQueue, Ran string
				Whole                 bool
				Plugins               []string
				LostSeconds           map[string]string
				Alternatives          []struct{ Node, Why string }
			}
		}
	}
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Evictions) != 3 || report.Summary.LostSeconds["cpu"] != "7191" {
		t.Fatalf("%d evictions, lost %v", len(report.Evictions), report.Summary.LostSeconds)
	}
	e := report.Evictions[0]
	if e.Name != "sweep-1" || e.Action != "reclaim" || e.For != "default/train" || e.Record.ForPod != "default/train-0" ||
		e.Record.ForQueue != "research" ||
		e.Record.Whole || len(e.Record.Plugins) == 0 || e.Record.Ran != "9m59s" || e.Record.LostSeconds["cpu"] != "1797" {
		t.Errorf("the first eviction is %+v", e)
	}
	if last := report.Evictions[2]; !last.Record.Whole || len(last.Record.Alternatives) != 1 ||
		last.Record.Alternatives[0].Node != "n1" ||
		!strings.Contains(last.Record.Alternatives[0].Why, "priority 10") {
		t.Errorf("the last eviction is %+v", last)
	}
	if strings.Contains(e.Reason, "priority") {
		t.Errorf("a reclaim is told as a matter of priority: %s", e.Reason)
	}
}
