package story

import (
	"fmt"
	"strconv"
	"strings"
)

// folded is lines about pods in which neighbours that differ by their number only
// become one: bind ml/train-0..2 n1.
type folded struct {
	out []string
	run struct {
		before, stem, after string
		from, to            int
		open                bool
	}
}

// pod adds a line: a verb, a pod, what comes after it.
func (f *folded) pod(before, name, after string) {
	stem, n, numbered := numberedName(name)
	r := &f.run
	if r.open && numbered && r.before == before && r.stem == stem && r.after == after && n == r.to+1 {
		r.to = n
		return
	}
	f.flush()
	if !numbered {
		f.out = append(f.out, strings.TrimSpace(before+" "+name+" "+after))
		return
	}
	r.before, r.stem, r.after, r.from, r.to, r.open = before, stem, after, n, n, true
}

// line adds a line that is never folded.
func (f *folded) line(text string) {
	f.flush()
	f.out = append(f.out, text)
}

func (f *folded) lines() []string {
	f.flush()
	return f.out
}

func (f *folded) flush() {
	r := &f.run
	if !r.open {
		return
	}
	r.open = false
	name := fmt.Sprintf("%s%d", r.stem, r.from)
	if r.to > r.from {
		name += fmt.Sprintf("..%d", r.to)
	}
	f.out = append(f.out, strings.TrimSpace(r.before+" "+name+" "+r.after))
}

// numberedName splits train-12 into train- and 12.
func numberedName(name string) (stem string, n int, ok bool) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(name[i+1:])
	if err != nil || strconv.Itoa(n) != name[i+1:] {
		return "", 0, false
	}
	return name[:i+1], n, true
}
