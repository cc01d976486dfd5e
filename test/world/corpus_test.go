package world

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// corpusFile has a line for each world that ever failed: seed, how long its trouble lasts, and what it found.
const corpusFile = "testdata/failed.txt"

// corpusLasts is for how long there is trouble in a world that failed once, at most, unless it is asked for the whole.
// Each brings its mix of trouble from the beginning on; the history that it failed in is another one after each change
// of the code, so that a later hour of it is worth no more than one of any world.
const corpusLasts = 5 * time.Minute

// Worlds that failed once do not any more.
func TestWorldsThatFailedOnce(t *testing.T) {
	text, err := os.ReadFile(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) < 3 {
			t.Fatalf("%q: a line is a seed, a duration and what was found", line)
		}
		seed, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		lasts, err := time.ParseDuration(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv(everVariable) != "whole" {
			lasts = min(lasts, corpusLasts)
		}
		if r := run(t, drawn(seed, lasts)); len(r.Wrong) > 0 {
			t.Errorf("world %d, which once found %s: %s", seed, strings.Join(fields[2:], " "), r.Wrong[0])
		}
	}
}
