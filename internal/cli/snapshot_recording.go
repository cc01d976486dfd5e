//go:build !simulator

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ashlar.sh/internal/explain"
)

// recordingWait is how long a recording may take to come: it has as much as --recording-memory keeps.
const recordingWait = 5 * time.Minute

// record writes what the live scheduler has recorded lately.
func (p snapshots) record(s snapping, path string) error {
	of := s.source
	of.from = fromScheduler // the objects do not tell what has been decided
	var size int64
	answered, err := liveQuestions(p).fromScheduler(&of, func(x *scheduler) error {
		x.wait = recordingWait
		ctx, cancel := x.limited()
		defer cancel()
		answer, err := x.Ask(ctx, "/v1/recording")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		size, err = writeWhole(path, answer.Body)
		return err
	})
	if err != nil || !answered {
		return err
	}
	fmt.Fprintf(p.Out, "%s: %s; ashlar replay decides it again\n", explain.Printable(path),
		explain.Quantity("memory", size))
	return nil
}

// writeWhole writes a file that only this user may read. One of which the end did not come is of no use.
func writeWhole(path string, from io.Reader) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(f, from)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return size, nil
}
