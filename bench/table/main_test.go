package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const output = `goos: linux
cpu: Some processor
BenchmarkAllocate/gangs=10x100/nodes=1000-2  10  2000 ns/op  400000 pods/cpu-s  390000 pods/s  8 B/op
BenchmarkAllocate/gangs=10x100/nodes=1000-2  10  2000 ns/op  500000 pods/cpu-s  490000 pods/s  8 B/op
BenchmarkAllocate/gangs=10x100/nodes=1000-2  10  2000 ns/op  600000 pods/cpu-s  590000 pods/s  8 B/op
BenchmarkCycle/idle-2  100  1500 ns/op  1.500 µs/event
PASS
`

func TestARunIsShownBesideTheRecordedOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "recorded.txt")
	var first, second strings.Builder
	if err := run(strings.NewReader(output), &first, file, true); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(first.String(), "1.00") {
		t.Errorf("compared with a recorded run that is not there:\n%s", first.String())
	}
	faster := strings.ReplaceAll(output, "1.500", "0.750")
	if err := run(strings.NewReader(faster), &second, file, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Allocate/gangs=10x100/nodes=1000  500000  500000    1.00   pods/cpu-s",
		"Cycle/idle                        0.75    1.5       0.50   µs/event",
	} {
		if !strings.Contains(second.String(), want) {
			t.Errorf("missing %q in\n%s", want, second.String())
		}
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "# recorded ") ||
		!strings.Contains(string(text), "1.500 µs") {
		t.Errorf("the record is %q, %v", text, err)
	}
}

func TestARunWithoutBenchmarksSaysWhatItRead(t *testing.T) {
	err := run(strings.NewReader("FAIL: does not build\n"), &strings.Builder{}, "none", true)
	if err == nil || !strings.Contains(err.Error(), "does not build") {
		t.Errorf("err = %v", err)
	}
}
