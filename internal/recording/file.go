package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Largest bounds what is saved and what is read, so that a huge cluster fills no disk and a file that was made to
// harm fills no memory. Of a compressed file it bounds what comes out of it.
const Largest = 1 << 30

// Save writes a state into a private folder, which is made if it is missing, and returns the file's path. For each
// occasion only the last state of a process is kept, so that repeated panics do not fill the disk.
func Save(dir, occasion string, s State) (path string, err error) {
	return SaveText(dir, occasion, s.Write)
}

// SaveText is Save for what a function writes, of Largest bytes at most.
func SaveText(dir, occasion string, write func(io.Writer) error) (path string, err error) {
	if err = private(dir); err == nil {
		path, err = replace(dir, fmt.Sprintf("ashlar-%s-%d.json", occasion, os.Getpid()), func(to io.Writer) error {
			w := bufio.NewWriter(NewBounded(to))
			return errors.Join(write(w), w.Flush())
		})
	}
	if err != nil {
		return "", fmt.Errorf("save the state of the scheduler: %w", err)
	}
	return path, nil
}

// replace writes a file and returns its path. The file takes the place of one of that name; one that could not be
// finished is removed.
func replace(dir, name string, write func(io.Writer) error) (path string, err error) {
	f, err := os.CreateTemp(dir, "."+name)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // an incomplete file is of no use
		return "", err
	}
	return path, nil
}

// Write writes a state in this version's format, of Largest bytes at most.
func (s State) Write(to io.Writer) error {
	s.Format = format
	w := bufio.NewWriter(NewBounded(to))
	return errors.Join(json.NewEncoder(w).Encode(s), w.Flush())
}

// Bounded refuses to write more than Largest.
type Bounded struct {
	to   io.Writer
	left int
}

// NewBounded returns a writer that passes on what it is given, up to Largest.
func NewBounded(to io.Writer) *Bounded { return &Bounded{to: to, left: Largest} }

// Write implements io.Writer.
func (b *Bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		return 0, fmt.Errorf("it has more than %d bytes", Largest)
	}
	b.left -= len(p)
	return b.to.Write(p)
}

// ReadState reads a file that a scheduler saved; of a recording it is the state that it begins with. Its error names
// the file, what is wrong with it and what to do.
func ReadState(path string) (State, error) {
	r, err := Open(path)
	if err != nil {
		return State{}, err
	}
	return r.Base, r.Close()
}

// ParseState reads the text of a State, as a file or the read API's /v1/dump has it. Its error says what is wrong.
func ParseState(data []byte) (s State, err error) {
	if err := expectState(data); err != nil {
		return State{}, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return State{}, err
	}
	return s, s.plausible()
}

// open opens a file and returns what it holds, decompressed if its first bytes say that it is compressed.
func open(path string) (*os.File, *bufio.Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	from, err := opened(f)
	if err != nil {
		_ = f.Close() // it was only read
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, from, nil
}

func opened(f *os.File) (*bufio.Reader, error) {
	about, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case about.IsDir():
		return nil, errors.New("it is a folder: name the file in it")
	case about.Size() > Largest:
		return nil, errLarge
	}
	in := bufio.NewReader(f)
	var from io.Reader = in
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) { // a shorter file has an error of its own
		if from, err = gzip.NewReader(in); err != nil {
			return nil, damaged(err)
		}
	}
	return bufio.NewReaderSize(&sized{from: from, left: Largest}, 1<<16), nil
}

// sized reads no more than is left.
type sized struct {
	from io.Reader
	left int
}

// Read implements io.Reader.
func (s *sized) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if s.left -= n; s.left < 0 {
		return 0, errLarge
	}
	return n, err
}

var errLarge = fmt.Errorf("it holds more than %d bytes, which no file of a scheduler does", Largest)

// errCut is of a file that ends too early.
var errCut = errors.New("it ends in the middle: it was cut off, as when a disk is full or a copy was not finished; " +
	"copy it again, or ask the scheduler for another one")

// damaged says of an error of gzip what to do.
func damaged(err error) error {
	if errors.Is(err, errLarge) || errors.Is(err, errCut) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errCut
	}
	return fmt.Errorf("it cannot be decompressed (%w): copy it again", err)
}
