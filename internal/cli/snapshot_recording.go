//go:build !simulator

package cli

import (
	"fmt"
	"io"
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
		return writeFile(path, private, func(to io.Writer) (err error) {
			size, err = io.Copy(to, answer.Body)
			return err
		})
	})
	if err != nil || !answered {
		return err
	}
	fmt.Fprintf(p.Out, "%s: %s; ashlar replay decides it again\n", explain.Printable(path),
		explain.Quantity("memory", size))
	return nil
}
