package lint

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
)

// Severity is how bad a finding is.
type Severity string

// The severities: with an Error something is refused or never runs; a Warning is something that is taken otherwise than
// it is written, or promises what cannot be kept; a Note has no effect at all.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Cluster is the name of the file, as it were, of what was read of a live cluster.
const Cluster = "the cluster"

// LiveConfiguration begins the name of the file, as it were, of a configuration that was read of a live cluster: that
// of its ConfigMap, namespace/name, follows.
const LiveConfiguration = "ConfigMap "

// AtLeast says that a severity is as bad as another one.
func (s Severity) AtLeast(o Severity) bool { return s.rank() >= o.rank() }

func (s Severity) rank() int { return slices.Index([]Severity{Note, Warning, Error}, s) }

// Finding is one thing that is not as its author meant it.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Object   string   `json:"object,omitempty"` // Kind/namespace/name; "" for a configuration, or a file
	File     string   `json:"file,omitempty"`   // as the user named it; "" for an object of a live cluster
	Line     int      `json:"line,omitempty"`   // from 1; 0: the file as a whole
	Message  string   `json:"message"`
	Do       string   `json:"do"` // what to do about it

	more int // equal ones that this one stands for
}

// Report is what was found: the document of `ashlar lint -o json`. Fields may be added to it, none changed.
type Report struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Findings   []Finding `json:"findings"`
	Errors     int       `json:"errors"`
	Warnings   int       `json:"warnings"`
	NotesCount int       `json:"notes"`
	// Unchecked is what could not be looked at, and why.
	Unchecked []string `json:"unchecked"`
}

// add adds a finding of a rule; severity and what to do are those of the rule.
func (r *Report) add(rule, object string, where manifest.Position, format string, args ...any) {
	of := rules[rule]
	if where.File == Cluster {
		where = manifest.Position{}
	}
	r.Findings = append(r.Findings, Finding{Rule: rule, Severity: of.severity, Object: object, File: where.File,
		Line: where.Line, Message: fmt.Sprintf(format, args...), Do: of.do})
}

// Join takes in what was found, and what was not looked at, elsewhere.
func (r *Report) Join(others ...*Report) {
	for _, o := range others {
		r.Findings, r.Unchecked = append(r.Findings, o.Findings...), append(r.Unchecked, o.Unchecked...)
	}
	r.Errors, r.Warnings, r.NotesCount = 0, 0, 0
	r.finish()
}

// finish sorts the findings, makes equal ones one, and counts.
func (r *Report) finish() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message), cmp.Compare(a.Object, b.Object))
	})
	kept := []Finding{}
	for _, f := range r.Findings {
		n := len(kept)
		// The pods of one workload have one place and the same mistakes.
		if n > 0 && f.File != "" && kept[n-1].same(&f) {
			kept[n-1].more++
			continue
		}
		kept = append(kept, f)
	}
	for i := range kept {
		if f := &kept[i]; f.more > 0 {
			f.Object += fmt.Sprintf(" and %d more", f.more)
			f.more = 0
		}
		switch kept[i].Severity {
		case Error:
			r.Errors++
		case Warning:
			r.Warnings++
		case Note:
			r.NotesCount++
		}
	}
	r.Findings = kept
	if r.Unchecked == nil {
		r.Unchecked = []string{}
	}
}

func (f *Finding) same(o *Finding) bool {
	return f.File == o.File && f.Line == o.Line && f.Rule == o.Rule && f.Message == o.Message
}

// Where is file:line, or the object of a live cluster.
func (f *Finding) Where() string {
	if f.File == "" {
		return f.Object
	}
	return manifest.Position{File: f.File, Line: f.Line}.String()
}

// Text writes the findings as compilers do, each with what to do below it.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	for i := range r.Findings {
		f := &r.Findings[i]
		object := ""
		if f.Object != "" && f.File != "" {
			object = f.Object + ": "
		}
		fmt.Fprintf(&b, "%s: %s: %s%s [%s]\n", f.Where(), f.Severity, object, f.Message, f.Rule)
		fmt.Fprintf(&b, "    %s\n", f.Do)
	}
	_, err := io.WriteString(w, explain.Printable(b.String()))
	return err
}
