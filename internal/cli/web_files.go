package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"ashlar.sh/internal/traces"
)

// shape is what a file holds, as its beginning tells.
type shape int

const (
	otherFile shape = iota // objects, or what cannot be read at all
	savedFile              // by a live scheduler
	nodeTable              // of a trace
	jobTable
)

// savedState is how the text of a file begins that a live scheduler saved.
var savedState = regexp.MustCompile(`^\s*\{\s*"(Format|Version|Now|Facts|Recording)"\s*:`)

// shapeOf looks at the beginning of a file. Reading it says what is wrong with one that cannot be read.
func shapeOf(path string) shape {
	if about, err := os.Stat(path); err != nil || !about.Mode().IsRegular() {
		return otherFile // what was looked at of a pipe would be lost
	}
	f, err := os.Open(path)
	if err != nil {
		return otherFile
	}
	defer f.Close()
	begin := bufio.NewReader(f)
	var from io.Reader = begin
	magic, _ := begin.Peek(2)
	packed := bytes.Equal(magic, []byte{0x1f, 0x8b})
	if packed {
		if from, err = gzip.NewReader(begin); err != nil {
			return savedFile // the reader of those says that it is damaged
		}
	}
	head := make([]byte, 4<<10)
	n, _ := io.ReadFull(from, head) // a shorter file is told by n
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	switch traces.TableOf(string(line)) {
	case "node":
		return nodeTable
	case "job":
		return jobTable
	}
	if packed || savedState.Match(head[:n]) {
		return savedFile // of what is packed the reader of saved files says what is wrong
	}
	return otherFile
}

// sort takes the tables of a trace out of the files that were named, and out of a folder that has one of each. It
// returns the file that a scheduler saved, "" for none: that one is shown alone.
func (s *watching) sort() (saved string, err error) {
	var files []string
	for _, path := range s.files {
		switch shapeOf(path) {
		case savedFile:
			if len(s.files) > 1 || s.traceJobs != "" {
				return "", badInput(fmt.Sprintf("error: %s is no file of objects: a file that a scheduler saved is shown alone",
					path))
			}
			return path, nil
		case nodeTable:
			err = errors.Join(err, setOnce(&s.traceNodes, path, "nodes"))
		case jobTable:
			err = errors.Join(err, setOnce(&s.traceJobs, path, "jobs"))
		default:
			files = append(files, path)
		}
	}
	if err != nil {
		return "", badInput("error: " + err.Error())
	}
	if s.traceNodes == "" && s.traceJobs == "" && len(files) == 1 {
		s.tablesIn(files[0])
	}
	switch s.files = files; {
	case s.traceJobs == "" && s.traceNodes != "":
		return "", badInput(fmt.Sprintf("error: %s has the nodes of a trace: name the table of its jobs, too", s.traceNodes))
	case s.traceNodes == "" && s.traceJobs != "":
		return "", badInput(fmt.Sprintf("error: %s has the jobs of a trace: name the table of its nodes, too", s.traceJobs))
	}
	return "", nil
}

// setOnce takes a table, of which a trace has one.
func setOnce(to *string, path, what string) error {
	if *to != "" {
		return fmt.Errorf("%s and %s both have the %s of a trace", *to, path, what)
	}
	*to = path
	return nil
}

// tablesIn takes the tables of a trace in a folder, where there is just one of each.
func (s *watching) tablesIn(folder string) {
	found := map[shape][]string{}
	for _, ending := range []string{"*.csv", "*.csv.gz"} {
		names, _ := filepath.Glob(filepath.Join(folder, ending)) // of a file, or a pattern in its name: none
		for _, name := range names {
			kind := shapeOf(name)
			found[kind] = append(found[kind], name)
		}
	}
	if len(found[nodeTable]) == 1 && len(found[jobTable]) == 1 {
		s.traceNodes, s.traceJobs = found[nodeTable][0], found[jobTable][0]
	}
}

// orOther adds to what is wrong with a file what can be shown.
func orOther(err error, files []string) error {
	var failed *failure
	if len(files) == 0 || !errors.As(err, &failed) {
		return err
	}
	return &failure{code: failed.code, lines: append(failed.lines[:len(failed.lines):len(failed.lines)],
		"What can be shown: objects of Kubernetes as YAML or JSON, in files or folders; what a scheduler saved (a dump, "+
			"a snapshot, a recording); the two tables of a trace.")}
}
