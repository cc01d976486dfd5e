package explain

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// busy is a report with a bit of everything.
func busy() *Report {
	return &Report{
		Summary: Summary{Cycles: 4, VirtualTime: Duration(90 * time.Second), Bound: 6, Pending: 5, Evicted: 1},
		Queues: []Queue{
			{Name: "default", Parent: "root", State: "Open", Weight: 1},
			{Name: "eng", Parent: "root", State: "Open", Weight: 3, Guarantee: Quantities{"cpu": "2"},
				Allocated: Quantities{"cpu": "10"}, Deserved: Quantities{"cpu": "12", "memory": "22906492245"},
				Request: Quantities{"cpu": "40"}},
			{Name: "gone", Parent: "nowhere", State: "Open", Weight: 1},
			{Name: "ml", Parent: "eng", State: "Closed", Weight: 2, Capability: Quantities{"cpu": "0"},
				Allocated: Quantities{"cpu": "10", "nvidia.com/gpu": "1"},
				Deserved:  Quantities{"cpu": "8"}},
			{Name: "root", State: "Open", Weight: 1},
		},
		Jobs: []Job{
			{Namespace: "a", Name: "elastic", Queue: "ml", Tasks: map[string]int{"Running": 3, "Pending": 2},
				Reason: Reason{Code: "QueueDeserved",
					Message: "queue ml would hold more than it deserves (cpu: 12 with it, 8 deserved)"}},
			{Namespace: "a", Name: "empty", Queue: "ml", Reason: Reason{Code: "NoPods",
				Message: "it may start, but none of its pods has been created yet"}},
			{Namespace: "b", Name: "wide", Queue: "default", Tasks: map[string]int{"Succeeded": 10}},
		},
		Pods: append(spreadPods(), Pod{Namespace: "a", Name: "elastic-0", Job: "elastic", Status: "Running", Node: "n1"},
			Pod{Namespace: "a", Name: "elastic-1", Job: "elastic", Status: "Running", Node: "n1"},
			Pod{Namespace: "a", Name: "elastic-2", Job: "elastic", Status: "Running", Node: "n2"},
			Pod{Namespace: "a", Name: "elastic-3", Job: "elastic", Status: "Pending"},
			Pod{Namespace: "kube-system", Name: "dns", Status: "Running", Node: "n1"}),
		Evictions: []Eviction{{Time: Duration(time.Second), Namespace: "b", Name: "x-0", Queue: "default", Action: "reclaim",
			PreemptorJob: "a/elastic", Reason: "its queue held more than it deserves"}},
		Nodes: []Node{{Name: "n1", Allocatable: Quantities{"cpu": "8", "pods": "110"},
			Used: Quantities{"cpu": "6", "pods": "3"}}, {Name: "n2", Allocatable: Quantities{"cpu": "4"},
			Used: Quantities{"cpu": "500m"}}},
		Problems: []Problem{{Object: "Queue/gone", Message: "its parent is not there"}},
	}
}

func spreadPods() []Pod {
	var out []Pod
	for _, n := range "abcdefghij" {
		out = append(out, Pod{Namespace: "b", Name: "wide-" + string(n), Job: "wide", Status: "Succeeded", Node: "w" +
			string(n)})
	}
	return out
}

func text(t *testing.T, r *Report, s Style) string {
	t.Helper()
	return written(t, func(b *bytes.Buffer) error { return r.Text(b, s) })
}

func TestText(t *testing.T) {
	want := strings.TrimPrefix(`
RUNNING JOBS
  JOB        QUEUE    PODS                    WHERE
  a/elastic  ml       3/5 running, 2 pending  n1 ×2, n2
  b/wide     default  10/10 succeeded         wa, wb, wc, wd, we, wf and 4 more
  1 pod of other schedulers, left alone: kube-system/dns

WAITING JOBS
  a/elastic  (queue ml, 2 of 5 pods waiting)
    QueueDeserved: queue ml would hold more than it deserves (cpu: 12 with it, 8 deserved)
  a/empty  (queue ml, no pods yet)
    NoPods: it may start, but none of its pods has been created yet

EVICTED PODS
  TIME  POD    QUEUE    PRIORITY  HELD  RAN  ACTION   FOR
  1s    b/x-0  default         -  -       -  reclaim  a/elastic
  its queue held more than it deserves

QUEUES
  QUEUE          WEIGHT  RESOURCE        ALLOCATED  DESERVED  REQUESTED  OF DESERVED
  default             1  nothing asked
  eng                 3  cpu                    10        12         40  █████████████████░░░  83%
                         memory                  -    21.3Gi          -  ░░░░░░░░░░░░░░░░░░░░   0%
    ml (closed)       2  cpu                    10         8          -  ████████████████████ 125%
                         nvidia.com/gpu          1         -          -  deserves none
  gone                1  nothing asked
  all nodes              cpu                 6500m        12             ███████████░░░░░░░░░  54%
  queue eng: guaranteed 2 cpu
  queue ml: at most 0 cpu

PROBLEMS
  Queue/gone
    its parent is not there

1m30s of virtual time in 4 cycles: 6 pods bound, 5 waiting, 1 evicted, 1 problem
`, "\n")
	if diff := cmp.Diff(want, text(t, busy(), Style{})); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestTextOfNothing(t *testing.T) {
	got := text(t, &Report{}, Style{})
	for _, want := range []string{"RUNNING JOBS\n  none\n", "WAITING JOBS\n  none\n",
		"0s of virtual time in 0 cycles: 0 pods bound, 0 waiting, 0 evicted\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
}

func TestTextStaysWithinItsWidth(t *testing.T) {
	for _, width := range []int{80, 100, 120} {
		for line := range strings.SplitSeq(text(t, busy(), Style{Width: width}), "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%d columns where %d are: %s", n, width, line)
			}
		}
	}
}

func TestColourAddsNothingButColour(t *testing.T) {
	plain, coloured := text(t, busy(), Style{}), text(t, busy(), Style{Color: true})
	if strings.Contains(plain, "\x1b") {
		t.Error("text without colour has escape codes")
	}
	if !strings.Contains(coloured, "\x1b[") {
		t.Error("text in colour has none")
	}
	if diff := cmp.Diff(plain, regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(coloured, "")); diff != "" {
		t.Errorf("colour changes the text (-plain +coloured):\n%s", diff)
	}
}
