package traces

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// What no trace has: values beyond these are taken for mistakes. Products of any two of
// them that are formed stay within 64 bits.
const (
	mostSeconds = 100 * 366 * 24 * 3600 // a hundred years
	mostMembers = 10_000
	mostPods    = 5_000_000     // of a trace
	mostCPU     = 1_000_000_000 // milli: a million cores
	mostMemory  = 100_000_000   // MiB: 95 TiB
	mostGPUs    = 1_000_000
)

// amount is a quantity of a named resource in the engine's units, if the cell had one.
type amount struct {
	name  string
	value int64
	given bool
}

// measure is how a cell is read: the unit it counts in, the most that is believed, and
// how many decimals count.
type measure struct {
	unit     string
	most     int64
	decimals int
}

var (
	seconds = measure{"seconds", mostSeconds, 9}
	members = measure{"members", mostMembers, 0}
	cpu     = measure{"thousandths of a core", mostCPU, 0}
	memory  = measure{"MiB", mostMemory, 0}
	gpus    = measure{"GPUs", mostGPUs, 3}
)

// number reads a cell in units of the last decimal that counts; false when the cell is
// empty, or wrong, which is said.
func (w *row) number(column string, m measure) (int64, bool) {
	text := w.cell(column)
	if text == "" {
		return 0, false
	}
	whole, part, _ := strings.Cut(text, ".")
	part = strings.TrimRight(part, "0")
	n, err := strconv.ParseInt(whole, 10, 64)
	switch {
	case len(whole) > 1 && whole[0] == '-' && digits(whole[1:]) && digits(part):
		w.fault("%s %s: negative: expected %s, 0 or more", column, text, m.unit)
		return 0, false
	case !digits(whole) || whole == "" || !digits(part):
		w.fault("%s %q: not a number: expected %s, such as %s", column, text, m.unit, m.example())
		return 0, false
	case err != nil || n > m.most || n == m.most && part != "":
		w.fault("%s %s: absurd: more than %d %s", column, text, m.most, m.unit)
		return 0, false
	case len(part) > m.decimals:
		w.fault("%s %s: finer than %s %s", column, text, m.finest(), m.unit)
		return 0, false
	}
	for i := range m.decimals {
		n *= 10
		if i < len(part) {
			n += int64(part[i] - '0')
		}
	}
	return n, true
}

func digits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

func (m measure) example() string {
	if m.decimals > 0 {
		return "4 or 0.5"
	}
	return "4"
}

func (m measure) finest() string {
	if m.decimals == 0 {
		return "whole"
	}
	return fmt.Sprintf("0.%s1", strings.Repeat("0", m.decimals-1))
}

// time reads a cell of seconds.
func (w *row) time(column string) (time.Duration, bool) {
	n, ok := w.number(column, seconds)
	return time.Duration(n), ok
}

// amount reads a cell of a resource; unit is what the number is to be multiplied by to be
// in the engine's units.
func (w *row) amount(column, name string, m measure, unit int64) amount {
	n, ok := w.number(column, m)
	return amount{name, n * unit, ok}
}

// unique notes a row's name; one that is missing or was there before is a fault.
func (w *row) unique(column string) string {
	name := w.cell(column)
	if name == "" {
		w.fault("%s: missing: every row needs a name", column)
		return ""
	}
	name = strings.Clone(name)
	if line, twice := w.r.names[name]; twice {
		w.fault("%s %q: the name is taken, by line %d", column, name, line)
		return ""
	}
	w.r.names[name] = w.line
	return name
}
