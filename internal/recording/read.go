package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Reader reads a file that a scheduler saved: a recording, or a State, which is one without steps.
type Reader struct {
	Head Head
	Base State
	path string
	file *os.File
	from *bufio.Reader // nil: there are no steps
	line int
	// Cut: Next ended early, since the end of the file is missing.
	Cut bool
}

// Open reads the beginning of a file. Its error names the file, what is wrong with it and what to do. The caller closes
// the reader.
func Open(path string) (*Reader, error) {
	f, from, err := open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{path: path, file: f, from: from}
	if err := r.begin(); err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	return r, nil
}

// IsRecording says that the file is a recording and no State.
func (r *Reader) IsRecording() bool { return r.Head.Recording > 0 }

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

func (r *Reader) begin() error {
	first, err := r.readLine()
	if err != nil && (len(first) == 0 || !errors.Is(err, errCut)) {
		return r.error(err)
	}
	var whole bool
	if r.Head, whole = headOf(first); !whole {
		return r.state(first)
	}
	if r.Head.Recording > recordingFormat {
		return r.error(fmt.Errorf("it is a recording by ashlar %s in format %d, and this version reads up to %d: "+
			"replay it with that version or a newer one", orUnknown(r.Head.Version), r.Head.Recording, recordingFormat))
	}
	base, err := r.readLine()
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, errCut):
		return r.error(errCut)
	case err != nil:
		return r.error(err)
	}
	r.Base, err = ParseState(base)
	return r.error(err)
}

// state reads a file that is one State, of which some is read already.
func (r *Reader) state(some []byte) error {
	rest, err := io.ReadAll(r.from)
	if err != nil {
		return r.error(damaged(err))
	}
	data := append(some, rest...)
	if len(data) > Largest {
		return r.error(errLarge)
	}
	r.from = nil
	r.Base, err = ParseState(data)
	return r.error(err)
}

func orUnknown(version string) string {
	if version == "" {
		return "of an unknown version"
	}
	return version
}

// headOf is the head of a recording; false if the line is none.
func headOf(line []byte) (h Head, ok bool) {
	return h, bytes.HasPrefix(line, []byte(`{"Recording":`)) && json.Unmarshal(line, &h) == nil && h.Recording > 0
}

// Next returns the next step, and io.EOF after the last one. Where the end of the file is missing, it returns io.EOF
// after the last step that is whole, and Cut is true.
func (r *Reader) Next() (*Step, error) {
	if r.from == nil {
		return nil, io.EOF
	}
	line, err := r.readLine()
	switch {
	case errors.Is(err, errCut):
		r.Cut = true
		return nil, io.EOF
	case errors.Is(err, io.EOF):
		return nil, err
	case err != nil:
		return nil, r.error(err)
	}
	s := &Step{}
	if err := json.Unmarshal(line, s); err != nil {
		return nil, r.error(fmt.Errorf("line %d is no step of a recording: %w", r.line, err))
	}
	if err := s.plausible(); err != nil {
		return nil, r.error(fmt.Errorf("line %d: %w", r.line, err))
	}
	return s, nil
}

// readLine returns io.EOF at the end, and errCut, with what there is, where the last line has no end.
func (r *Reader) readLine() ([]byte, error) {
	r.line++
	line, err := r.from.ReadBytes('\n')
	switch {
	case err == nil:
		return line, nil
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF && len(line) > 0:
		return line, errCut
	case err == io.EOF:
		return nil, io.EOF
	}
	return nil, damaged(err)
}

func (r *Reader) error(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = errEmpty
	}
	return fmt.Errorf("%s: %w", r.path, err)
}
