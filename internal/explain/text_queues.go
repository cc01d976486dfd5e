package explain

import (
	"fmt"
	"slices"
	"strings"

	quantity "k8s.io/apimachinery/pkg/api/resource"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// barWidth is how many columns stand for all that a queue deserves; 0: there is room for the
// number only.
func (p *page) barWidth() int {
	if p.width < 100 {
		return 0
	}
	return 20
}

// sharing shows for every queue and resource what it holds, deserves and asks for, and
// for the cluster what of it is used.
func (p *page) sharing(r *Report) {
	p.title("QUEUES")
	rows := [][]cell{{left("QUEUE"), right("WEIGHT"), left("RESOURCE"), right("ALLOCATED"), right("DESERVED"),
		right("REQUESTED"),
		ofDeserved(p.barWidth())}}
	for _, q := range tree(r.Queues) {
		rows = append(rows, q.rows(p.barWidth())...)
	}
	p.table(append(rows, cluster(r.Nodes, p.barWidth())...))
	p.bounds(r.Queues)
}

// branch is a queue at its depth below root.
type branch struct {
	*Queue
	depth int
}

// tree puts children below their parents, by name; root itself is the cluster's row,
// and queues that root does not reach come last.
func tree(queues []Queue) []branch {
	var out []branch
	seen := map[string]bool{model.RootQueue: true}
	var below func(parent string, depth int)
	below = func(parent string, depth int) {
		for i := range queues {
			if q := &queues[i]; q.Parent == parent && !seen[q.Name] {
				seen[q.Name] = true
				out = append(out, branch{q, depth})
				below(q.Name, depth+1)
			}
		}
	}
	below(model.RootQueue, 0)
	for i := range queues {
		if q := &queues[i]; !seen[q.Name] {
			seen[q.Name] = true
			out = append(out, branch{q, 0})
		}
	}
	return out
}

// rows has one line for each resource that the queue holds, deserves or asks for.
func (b branch) rows(wide int) [][]cell {
	name := strings.Repeat("  ", b.depth) + b.Name
	if b.State != model.QueueOpen.String() {
		name += " (" + strings.ToLower(b.State) + ")"
	}
	first := []cell{left(name), right(fmt.Sprint(b.Weight))}
	var rows [][]cell
	for _, dim := range dims(b.Allocated, b.Deserved, b.Request) {
		rows = append(rows, append(first, left(dim), amount(dim, b.Allocated), amount(dim, b.Deserved),
			amount(dim, b.Request),
			bar(b.Allocated[dim], b.Deserved[dim], wide)))
		first = []cell{left(""), left("")}
	}
	if rows == nil {
		rows = append(rows, append(first, left("nothing asked").in(faint)))
	}
	return rows
}

// cluster has one line for each resource of the nodes, but pods.
func cluster(nodes []Node, wide int) [][]cell {
	all, used := Quantities{}, Quantities{}
	for _, n := range nodes {
		add(all, n.Allocatable)
		add(used, n.Used)
	}
	first := left("all nodes").in(faint)
	var rows [][]cell
	for _, dim := range dims(all) {
		if dim == resource.PodsName {
			continue
		}
		rows = append(rows, []cell{first, left(""), left(dim), amount(dim, used), amount(dim, all), left(""),
			bar(used[dim], all[dim], wide)})
		first = left("")
	}
	return rows
}

// bounds names the guarantees and capabilities that queues have.
func (p *page) bounds(queues []Queue) {
	for i := range queues {
		q := &queues[i]
		var parts []string
		for _, b := range []struct {
			word string
			of   Quantities
		}{{"guaranteed", q.Guarantee}, {"at most", q.Capability}} {
			for _, dim := range dims(b.of) {
				parts = append(parts, fmt.Sprintf("%s %s %s", b.word, b.of[dim], dim))
			}
		}
		if parts != nil {
			p.paragraph(2, "queue "+q.Name+": "+strings.Join(parts, ", "))
		}
	}
}

// bar is how much of a whole is taken, as a bar and in per cent.
func bar(part, whole string, wide int) cell {
	x, y := number(part), number(whole)
	if y == 0 {
		if x == 0 {
			return left("")
		}
		if wide == 0 {
			return right("-").in(yellow)
		}
		return left("deserves none").in(yellow)
	}
	if wide == 0 {
		return right(fmt.Sprintf("%.0f%%", x/y*100)).in(colorOf(x, y))
	}
	full := min(wide, int(x/y*float64(wide)+0.5))
	if full == 0 && x > 0 && wide > 0 {
		full = 1
	}
	text := strings.Repeat("█", full) + strings.Repeat("░", wide-full)
	return left(fmt.Sprintf("%s %3.0f%%", text, x/y*100)).in(colorOf(x, y))
}

// colorOf marks what holds all that it deserves, or more.
func colorOf(x, y float64) ink {
	if x >= y {
		return yellow
	}
	return none
}

// ofDeserved heads the column of bars, or of their numbers alone.
func ofDeserved(wide int) cell {
	if wide == 0 {
		return right("%")
	}
	return left("OF DESERVED")
}

// dims lists the resources named, cpu and memory first.
func dims(lists ...Quantities) []string {
	var out []string
	for _, l := range lists {
		for name := range l {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.SortFunc(out, before)
	return out
}

func add(to, more Quantities) {
	for name, text := range more {
		sum := quantity.MustParse(text)
		if old, ok := to[name]; ok {
			sum.Add(quantity.MustParse(old))
		}
		to[name] = sum.String()
	}
}

func number(text string) float64 {
	if text == "" {
		return 0
	}
	q := quantity.MustParse(text)
	return q.AsApproximateFloat64()
}

// amount is a quantity for the eye: bytes that no unit divides are rounded to a tenth.
func amount(dim string, of Quantities) cell {
	if of[dim] == "" {
		return right("-").in(faint)
	}
	return right(short(dim, of[dim]))
}

// short writes a quantity as amount does.
func short(dim, text string) string {
	if !inBytes(dim) || len(text) <= 6 {
		return text
	}
	x := number(text)
	for _, unit := range []string{"", "Ki", "Mi", "Gi", "Ti"} {
		if x < 1024 && x > -1024 {
			return fmt.Sprintf("%.1f%s", x, unit)
		}
		x /= 1024
	}
	return fmt.Sprintf("%.1fPi", x)
}
