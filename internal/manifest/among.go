package manifest

import (
	"bytes"
	gojson "encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// others is what was passed over among other files, which are no objects of Kubernetes.
type others struct {
	files  []string // with documents that are none
	charts []string // of Helm, with templates
	empty  string   // the files, where none has a document
}

// LoadAmong is LoadWithProgress for folders with other files among the objects. It passes over documents that have
// none of what every object has, templates of Helm charts, and files without a document; PassedOver tells of it. Of
// standard input nothing at all is an error still: the command before the pipe has failed.
func LoadAmong(paths []string, stdin io.Reader, tell func(Progress)) (*Set, []Error) {
	s := newSet("")
	s.others = &others{}
	if tell != nil {
		s.progress = &progressReports{report: tell}
	}
	for _, path := range paths {
		s.errs = append(s.errs, s.readPath(path, stdin)...)
	}
	switch none := s.documents == 0 && len(s.errs) == 0; {
	case none && slices.Contains(paths, "-"):
		s.errs = append(s.errs, Error{Position{File: "-"}, "holds no object"})
	case none && len(s.others.charts) == 0:
		s.others.empty = firstOf(paths)
	}
	return s, inOrder(s.errs)
}

// PassedOver says, in a sentence each, what LoadAmong has passed over.
func (s *Set) PassedOver() (out []string) {
	if s.others == nil {
		return nil
	}
	if s.others.empty != "" {
		out = append(out, s.others.empty+": there is no object in it")
	}
	if files := distinct(s.others.files); len(files) > 0 {
		out = append(out, "what is no object of Kubernetes, without apiVersion, kind and metadata, in "+firstOf(files))
	}
	if unmade := s.Unmade(); unmade != "" {
		out = append(out, unmade)
	}
	for _, chart := range distinct(s.others.charts) {
		out = append(out, fmt.Sprintf("%s: templates of Helm; helm template %s | ashlar lint - looks at what they make",
			filepath.Join(chart, "templates"), chart))
	}
	return out
}

func distinct(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// firstOf names the first few of some files.
func firstOf(files []string) string {
	const most = 3
	if more := len(files) - most; more > 1 {
		return fmt.Sprintf("%s and %d more files", strings.Join(files[:most], ", "), more)
	}
	return strings.Join(files, ", ")
}

// foreign passes over a document that is no object of Kubernetes, where such are among the input.
func (s *Set) foreign(text []byte, depth int) bool {
	if s.others == nil || depth > 0 {
		return false
	}
	var keys map[string]gojson.RawMessage
	if len(text) > 0 && text[0] == '{' && gojson.Unmarshal(text, &keys) != nil || !gojson.Valid(text) {
		return false
	}
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		if keys[key] != nil {
			return false
		}
	}
	s.others.files = append(s.others.files, s.file)
	return true
}

// template passes over a file that is a template of a Helm chart.
func (s *Set) template(name string, text []byte) bool {
	if s.others == nil || !bytes.Contains(text, []byte("{{")) {
		return false
	}
	for dir := filepath.Dir(name); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if filepath.Base(dir) != "templates" {
			continue
		}
		chart := filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(chart, "Chart.yaml")); err == nil {
			s.others.charts = append(s.others.charts, chart)
			return true
		}
	}
	return false
}
