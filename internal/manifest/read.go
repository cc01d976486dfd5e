package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mostBytes bounds a file. A cluster that needs more is better given in parts.
const mostBytes = 512 << 20

// source is the text of one file.
type source struct {
	name string
	text []byte
}

// readPath opens a path and loads each file found there: the file itself, a folder's
// *.yaml, *.yml and *.json below it in order of their names, or standard input for "-".
func (s *Set) readPath(path string, stdin io.Reader) []Error {
	if path == "-" {
		if stdin == nil {
			return []Error{{Position{File: "-"}, "there is no standard input"}}
		}
		if s.HasRead("-") {
			return []Error{{Position{File: "-"}, "is given twice: standard input is read once"}}
		}
		s.opened[absolute("-")] = true
		return s.readOne("-", stdin)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return []Error{{Position{File: path}, reason(err)}}
	case !info.IsDir():
		return s.readFile(path)
	}
	var files []string
	var errs []Error
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			errs = append(errs, Error{Position{File: p}, reason(err)})
		case !d.IsDir() && isManifest(p):
			files = append(files, p)
		}
		return nil
	})
	if len(files) == 0 && len(errs) == 0 {
		errs = append(errs, Error{Position{File: path}, "holds no .yaml, .yml or .json file"})
	}
	for _, f := range files {
		errs = append(errs, s.readFile(f)...)
	}
	return errs
}

func isManifest(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func (s *Set) readFile(path string) []Error {
	s.opened[absolute(path)] = true
	f, err := os.Open(path)
	if err != nil {
		return []Error{{Position{File: path}, reason(err)}}
	}
	defer f.Close()
	return s.readOne(path, f)
}

func (s *Set) readOne(name string, r io.Reader) []Error {
	s.progress.begin(name, 0)
	text, err := io.ReadAll(reading{io.LimitReader(r, mostBytes+1), s.progress})
	switch {
	case err != nil:
		return []Error{{Position{File: name}, reason(err)}}
	case len(text) > mostBytes:
		return []Error{{Position{File: name}, fmt.Sprintf("is larger than %d MiB; give it in parts", mostBytes>>20)}}
	}
	if !s.template(name, text) {
		s.load(source{name, text})
	}
	return nil
}

// HasRead says that a file is among those that the set was read from, however it is named.
func (s *Set) HasRead(file string) bool { return s.opened[absolute(file)] }

// absolute is a file's path from the root; without a working folder, as it was given.
func absolute(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	return path
}

// reason is why a file cannot be read, without the path, which is told already.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return "cannot be read: " + oneLine(err.Error())
}
