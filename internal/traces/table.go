package traces

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// mostFaults bounds how many faults are kept: the first are the ones to look at.
const mostFaults = 20

// Faults is all that is wrong with a trace.
type Faults struct {
	First []string // each as file:line: what; 20 at most
	More  int      // faults beyond those
}

// Lines are the faults as they are shown, the last saying how many are left out.
func (f Faults) Lines() []string {
	if f.More == 0 {
		return f.First
	}
	return append(slices.Clip(f.First), fmt.Sprintf("and %d more", f.More))
}

// Error implements error.
func (f Faults) Error() string { return strings.Join(f.Lines(), "\n") }

// columns are the header of a table.
type columns struct {
	what   string   // what a row is, for messages
	needed []string // in any order, as long as each is there
	more   []string // that may be there
}

var (
	nodeColumns = columns{what: "node", needed: []string{"name", "cpu_milli", "memory_mib", "gpu_count", "gpu_model"}}
	jobColumns  = columns{what: "job", needed: []string{"job", "queue", "user", "submit_s", "duration_s", "members",
		"min_members",
		"cpu_milli_per_member", "memory_mib_per_member", "gpu_per_member", "priority", "type"}, more: []string{"gpu_model"}}
)

// TableOf says by its first line which table of a trace a file holds: "node" or "job", "" for neither.
func TableOf(header string) string {
	cells := strings.Split(strings.TrimSpace(header), ",")
	for _, c := range []columns{nodeColumns, jobColumns} {
		if !slices.ContainsFunc(c.needed[:2], func(name string) bool { return !slices.Contains(cells, name) }) {
			return c.what
		}
	}
	return ""
}

// row is one row of a table.
type row struct {
	r     *reader
	where string // file:line
	line  int
	at    map[string]int // columns by name
	cells []string
	bad   bool
}

// cell is the text in a column; "" where the table lacks it.
func (w *row) cell(column string) string {
	if i, ok := w.at[column]; ok {
		return strings.TrimSpace(w.cells[i])
	}
	return ""
}

// fault says what is wrong with the row, which is then left out.
func (w *row) fault(format string, args ...any) {
	w.bad = true
	w.r.fault(w.where+": "+format, args...)
}

func (r *reader) fault(format string, args ...any) {
	if len(r.faults.First) == mostFaults {
		r.faults.More++
		return
	}
	r.faults.First = append(r.faults.First, fmt.Sprintf(format, args...))
}

// read hands over a table's rows one by one.
func (r *reader) read(f File, c columns, each func(*row)) {
	plain, err := unpacked(f)
	if err != nil {
		r.fault("%s:1: %s", f.Name, cause(err))
		return
	}
	table := csv.NewReader(plain)
	table.ReuseRecord, table.FieldsPerRecord = true, -1
	head, err := table.Read()
	if err != nil {
		r.fault("%s:1: %s", f.Name, cause(err))
		return
	}
	at, ok := r.header(f.Name, c, head)
	if !ok {
		return
	}
	width, line, rows := len(head), 1, 0
	for ; ; rows++ {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var syntax *csv.ParseError
		switch {
		case errors.As(err, &syntax):
			line = syntax.Line
			r.fault("%s:%d: column %d: %s", f.Name, syntax.Line, syntax.Column, cause(syntax.Err))
			continue
		case err != nil:
			r.fault("%s:%d: %s", f.Name, line+1, cause(err))
			return
		}
		line, _ = table.FieldPos(0)
		w := &row{r: r, where: fmt.Sprintf("%s:%d", f.Name, line), line: line, at: at, cells: cells}
		if len(cells) != width {
			w.fault("%d cells: the header has %d", len(cells), width)
			continue
		}
		each(w)
	}
	if rows == 0 {
		r.fault("%s:1: no %s follows the header", f.Name, c.what)
	}
}

// header finds the columns in a table's first row.
func (r *reader) header(file string, c columns, head []string) (map[string]int, bool) {
	at := map[string]int{}
	for i, name := range head {
		name = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))
		switch _, twice := at[name]; {
		case twice:
			r.fault("%s:1: column %q is there twice", file, name)
			return nil, false
		case !slices.Contains(c.needed, name) && !slices.Contains(c.more, name):
			r.fault("%s:1: column %q is not known: expected %s", file, name, strings.Join(slices.Concat(c.needed, c.more), ","))
			return nil, false
		}
		at[name] = i
	}
	for _, name := range c.needed {
		if _, ok := at[name]; !ok {
			r.fault("%s:1: no column %q: expected %s", file, name, strings.Join(c.needed, ","))
			return nil, false
		}
	}
	return at, true
}

// unpacked is a file's text: gzip is told by its first two bytes, whatever the name.
func unpacked(f File) (io.Reader, error) {
	b := bufio.NewReaderSize(f.Reader, 1<<16)
	if magic, err := b.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return b, nil // a short or unreadable file is the table's to report
	}
	return gzip.NewReader(b)
}

// cause is what a failed read says to a user.
func cause(err error) string {
	switch {
	case errors.Is(err, io.EOF):
		return "the file is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "gzip is cut short here: fetch the file again"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return "gzip is damaged: fetch the file again"
	case errors.Is(err, csv.ErrQuote):
		return `a quotation mark (") is missing or out of place`
	case errors.Is(err, csv.ErrBareQuote):
		return `a quotation mark (") within a cell that does not begin with one`
	default:
		return err.Error()
	}
}
