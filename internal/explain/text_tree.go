package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ashlar.sh/sched/model"
)

// Text writes the queues for people: a table of the tree, with bars; the queues that are served next;
// and the arithmetic that was asked for. wide has every figure in the table; without,
// those that are seldom said stand below it.
func (d *Queues) Text(w io.Writer, s Style, wide bool) error {
	if s.Width == 0 {
		s.Width = 100
	}
	p := &page{style: s, width: max(s.Width, 60)}
	p.title("QUEUES")
	p.table(d.table(p, wide))
	if !wide {
		d.besides(p)
	}
	d.turns(p)
	for i := range d.Why {
		p.why(&d.Why[i])
	}
	_, err := io.WriteString(w, Printable(p.out.String()))
	return err
}

// Lines writes the lines of the table alone, for scripts.
func (d *Queues) Lines(w io.Writer, s Style, wide bool) error {
	p := &page{style: s, width: 60}
	return list(w, s, d.table(p, wide), true)
}

// table has a line for every resource of every queue, children below their parents.
func (d *Queues) table(p *page, wide bool) [][]cell {
	starts := slices.ContainsFunc(d.Queues, func(q QueueStand) bool { return q.Start.known() })
	head := []cell{left("QUEUE"), right("TURN"), right("SHARE")}
	if starts {
		head = append(head, left("START"))
	}
	if wide {
		head = append(head, left("STATE"), right("WEIGHT"), right("PRIORITY"), right("WAITING"))
	}
	head = append(head, left("RESOURCE"), right("ALLOCATED"), right("REQUESTED"), right("DESERVED"), right("CAPABILITY"))
	if wide {
		head = append(head, right("INQUEUE"), right("ELASTIC"), right("GUARANTEE"), right("SPEC CAPABILITY"))
	}
	long := p.barWidth()
	if long > 0 && p.width < 120 {
		long = 10
	}
	rows := [][]cell{append(head, ofDeserved(long))}
	for _, b := range d.tree() {
		rows = append(rows, b.lines(wide, starts, long)...)
	}
	return rows
}

// stand is a queue at its depth in the table.
type stand struct {
	*QueueStand
	depth int
}

// tree is root and what is below it, in order; queues that root does not reach come last.
func (d *Queues) tree() []stand {
	var plain []Queue
	at := map[string]*QueueStand{}
	deeper := 0
	for i := range d.Queues {
		q := &d.Queues[i]
		at[q.Name] = q
		plain = append(plain, q.Queue)
	}
	var out []stand
	if root := at[model.RootQueue]; root != nil {
		out, deeper = append(out, stand{root, 0}), 1
	}
	if len(d.Queues) > 0 && deeper == 0 {
		plain = rerooted(plain)
	}
	for _, b := range tree(plain) {
		out = append(out, stand{at[b.Name], b.depth + deeper})
	}
	return out
}

// rerooted puts queues without their parents in the list below root.
func rerooted(queues []Queue) []Queue {
	for i := range queues {
		found := false
		for j := range queues {
			found = found || queues[j].Name == queues[i].Parent
		}
		if !found {
			queues[i].Parent = model.RootQueue
		}
	}
	return queues
}

// start is when the first job of a queue starts, counted from when that was estimated; "-" where it is not known.
func (b stand) start() string {
	if !b.Start.known() {
		return "-"
	}
	made, err := time.Parse(time.RFC3339, b.Start.Made)
	if err != nil {
		return "-"
	}
	return b.Start.cell(made.UnixNano())
}

// lines are those of a queue, with when its first job starts if starts.
func (b stand) lines(wide, starts bool, long int) [][]cell {
	name := strings.Repeat("  ", b.depth) + b.Name
	if !wide {
		name += b.state(" (%s)")
	}
	turn := "-"
	if b.Turn > 0 {
		turn = fmt.Sprint(b.Turn)
	}
	first := []cell{left(name), right(turn), right(b.share())}
	blank := []cell{left(""), left(""), left("")}
	if starts {
		first, blank = append(first, left(b.start())), append(blank, left(""))
	}
	if wide {
		first = append(first, left(b.state("%s")), right(fmt.Sprint(b.Weight)), right(fmt.Sprint(b.Priority)),
			right(fmt.Sprint(b.Waiting)))
		blank = append(blank, left(""), left(""), left(""), left(""))
	}
	var rows [][]cell
	for _, dim := range b.dims() {
		row := append(append([]cell{}, first...), left(dim), amount(dim, b.Allocated), amount(dim, b.Request),
			amount(dim, b.Deserved),
			amount(dim, b.RealCapability))
		if wide {
			row = append(row, amount(dim, b.Inqueue), amount(dim, b.Elastic), amount(dim, b.Guarantee),
				amount(dim, b.Capability))
		}
		rows = append(rows, append(row, bar(b.Allocated[dim], b.Deserved[dim], long)))
		first = blank
	}
	if rows == nil {
		rows = append(rows, append(first, left("nothing asked").in(faint)))
	}
	return rows
}

// dims are the resources that a queue has to do with; what it may hold of others is the
// cluster's affair.
func (b stand) dims() []string {
	return dims(b.Allocated, b.Request, b.Deserved, b.Guarantee, b.Capability, b.Inqueue)
}

// share is the largest part of what it deserves that the queue holds.
func (b stand) share() string {
	if b.Share >= 1000*1e6 {
		return "over"
	}
	return fmt.Sprintf("%.3f", float64(b.Share)/1e6)
}

// state is a state that is worth saying, in the form given: not Open, unless all are.
func (b stand) state(form string) string {
	switch text := strings.ToLower(b.State); {
	case b.ClosedBy != "":
		return fmt.Sprintf(form, text+" by "+b.ClosedBy)
	case b.State != model.QueueOpen.String() || form == "%s":
		return fmt.Sprintf(form, text)
	default:
		return ""
	}
}

// besides says what the table leaves out.
func (d *Queues) besides(p *page) {
	for _, b := range d.tree() {
		var parts []string
		for _, x := range []struct {
			word string
			of   Quantities
		}{{"guaranteed", b.Guarantee}, {"capability", b.Capability}, {"inqueue", b.Inqueue}, {"elastic", b.Elastic}} {
			var list []string
			for _, dim := range dims(x.of) {
				list = append(list, short(dim, x.of[dim])+" "+dim)
			}
			if list != nil {
				parts = append(parts, x.word+" "+strings.Join(list, ", "))
			}
		}
		if parts != nil {
			p.paragraph(2, "queue "+b.Name+": "+strings.Join(parts, "; "))
		}
	}
}

// mostNext is how many of the queues that are served next are named.
const mostNext = 12

// turns says which queues are served next.
func (d *Queues) turns(p *page) {
	p.line("")
	if len(d.Next) == 0 {
		p.paragraph(0, "No job waits for a turn.")
		return
	}
	over := map[string]bool{}
	for _, q := range d.Queues {
		over[q.Name] = q.Overused
	}
	var names []string
	for _, name := range d.Next[:min(len(d.Next), mostNext)] {
		if over[name] {
			name += " (holds all it deserves)"
		}
		names = append(names, name)
	}
	if more := len(d.Next) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	p.paragraph(0, "Served next: "+strings.Join(names, ", ")+".")
}
