package recording

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// recordingFormat is the number of the format of recordings, in their first line: as format for states.
const recordingFormat = 1

// Head is the first line of a recording. The second one is the State that it begins with, and each other one is a Step.
// All are JSON; the whole is compressed with gzip.
type Head struct {
	Recording int    // the format
	Version   string `json:",omitempty"` // of the scheduler
	Reason    string `json:",omitempty"` // why it was saved: signal, panic, audit, eviction …
	Saved     int64  // nanoseconds since the epoch
}

// Ending is how the names of recordings end.
const Ending = ".jsonl.gz"

// encoder writes a recording. Its first error stays.
type encoder struct {
	zip  *gzip.Writer
	json *json.Encoder
	err  error
}

func newEncoder(w io.Writer, h Head, base State) *encoder {
	e := &encoder{}
	e.zip, e.err = gzip.NewWriterLevel(w, gzip.BestSpeed)
	if e.err != nil {
		return e
	}
	e.json = json.NewEncoder(e.zip)
	h.Recording, base.Format = recordingFormat, format
	e.line(h)
	e.line(base)
	return e
}

func (e *encoder) line(v any) {
	if e.err == nil {
		e.err = e.json.Encode(v)
	}
}

// Write writes a recording to a file in a private folder, which is made if it is missing, and returns the file's path.
// The file takes the place of one of that name; one that could not be finished is removed.
func (t Taken) Write(dir, name string, h Head) (path string, err error) {
	if err = private(dir); err == nil {
		path, err = replace(dir, name, func(to io.Writer) error {
			return t.Encode(to, h)
		})
	}
	if err != nil {
		return "", fmt.Errorf("save a recording: %w", err)
	}
	return path, nil
}

// Encode writes a recording, of Largest bytes at most.
func (t Taken) Encode(to io.Writer, h Head) error {
	w := bufio.NewWriter(NewBounded(to))
	e := newEncoder(w, h, t.Base)
	for s := range t.Steps {
		e.line(s)
	}
	return errors.Join(e.err, e.zip.Close(), w.Flush())
}

// private makes a folder that only this user may read. One that others may write to is refused: a link or a file
// that waits there could lead what is written to another place.
func private(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil || !errors.Is(err, os.ErrExist) {
		return err
	}
	about, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !about.IsDir():
		return fmt.Errorf("%s: it is no folder", dir)
	case !own(about):
		return fmt.Errorf("%s: it belongs to another user: name another folder for dumps and recordings", dir)
	case about.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s: others may write there: expected a folder with the mode 0700", dir)
	}
	return nil
}
