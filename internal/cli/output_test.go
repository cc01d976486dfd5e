//go:build !simulator

package cli_test

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/cli"
)

// disk is full after some bytes.
type disk struct{ left int }

func (d *disk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("no space left on device")}
	}
	return len(p), nil
}

// An answer that could not be written is told, and is no wrong use.
func TestAnAnswerThatCannotBeWritten(t *testing.T) {
	input, state, recording := file(t, "one.yaml", oneNode), filepath.Join(t.TempDir(), "s.json"), recorded(t)
	if got := run("", "ashlar", "snapshot", "-f", input, state); got.code != 0 {
		t.Fatal(got.err)
	}
	for _, args := range [][]string{{"version"}, {"version", "-o", "json"}, {"queues", "-f", input, "-o", "name"},
		{"jobs", "-f", input}, {"simulate", "-f", input}, {"replay", state}, {"replay", recording},
		{"replay", recording, "-o", "json"}, {"replay", recording, "--step"}, {"history", "job", train, recording},
		{"compare", "-f", input, file(t, "a.conf", quiet), file(t, "b.conf", byAge)},
		{"snapshot", "-f", input, state}, {"why", "pod", "p", "--exit-code", "-f", input}} {
		var errs bytes.Buffer
		p := cli.Process{Args: append([]string{"ashlar"}, args...), In: strings.NewReader(""), Out: &disk{}, Err: &errs,
			Env: func(string) string { return "" }, Now: func() time.Time { return time.Unix(0, 0) }}
		if code := p.Run(); code != 1 || strings.Count(errs.String(), "no space left on device") != 1 ||
			strings.Contains(errs.String(), "--help") {
			t.Errorf("%v: exit code %d, %q", args, code, errs.String())
		}
	}
}
