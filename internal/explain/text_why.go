package explain

import (
	"fmt"
	"strings"
)

// why writes out how a queue came by what it may hold and deserves.
func (p *page) why(w *Why) {
	if w.Reason.Code != "" {
		p.title("WHY QUEUE " + w.Queue)
		p.paragraph(2, "It takes no jobs: "+w.Reason.Message+".")
	}
	if len(w.Resources) == 0 {
		if w.Reason.Code == "" {
			p.title("WHY QUEUE " + w.Queue)
		}
		p.paragraph(2, "It takes no part in sharing: no plugin of the configuration has figures for it.")
		p.tenants(w)
		return
	}
	var idle []string
	for i := range w.Resources {
		a := &w.Resources[i]
		if a.idle() {
			idle = append(idle, a.Resource)
			continue
		}
		p.title(fmt.Sprintf("WHY QUEUE %s DESERVES %s %s", w.Queue, a.short(a.Deserved), a.Resource))
		p.levels(a)
		p.deserves(a)
		p.remembers(a)
	}
	if idle != nil {
		p.line("")
		p.paragraph(2, "Neither asked for nor deserved: "+strings.Join(idle, ", ")+".")
	}
	p.tenants(w)
}

// remembers writes the share of a queue that remembers what it used.
func (p *page) remembers(a *Arithmetic) {
	if m := a.Memory; m != nil {
		p.line("")
		p.paragraph(2, fmt.Sprintf("In the order of queues its share of %s is %s: %s of what it used lately (%s, half-life "+
			"%s) and %s of what it holds (%s), of the %s that it deserves.", a.Resource, percentage(m.Share), m.weight(),
			rounded(a.Resource, m.Used), m.HalfLife.brief(), m.rest(), rounded(a.Resource, m.Held), a.short(a.Deserved)))
	}
}

// tenants writes in which order the tenants of a queue are served.
func (p *page) tenants(w *Why) {
	if len(w.Tenants) == 0 {
		return
	}
	p.title("WHO IS SERVED FIRST IN QUEUE " + w.Queue)
	m := &w.Tenants[0].Memory
	p.paragraph(2, fmt.Sprintf("Whoever has the smallest share of the cluster: %s of what was used lately (half-life "+
		"%s), and %s of what is held.", m.weight(), m.HalfLife.brief(), m.rest()))
	rows := [][]cell{{left("TENANT"), left("RESOURCE"), right("HELD"), right("USED"), right("SHARE")}}
	for i := range w.Tenants[:min(len(w.Tenants), mostTenants)] {
		t := &w.Tenants[i]
		rows = append(rows, []cell{left(t.Tenant), left(t.Resource), right(rounded(t.Resource, t.Held)),
			right(rounded(t.Resource, t.Used)), right(percentage(t.Share))})
	}
	p.table(rows)
	if more := len(w.Tenants) - mostTenants; more > 0 {
		p.paragraph(2, fmt.Sprintf("and %d more, behind these: -o json has them all.", more))
	}
}

// mostTenants is how many tenants of a queue are listed for the eye.
const mostTenants = 20

func (m *Memory) weight() string { return percentage(Share(m.Weight * 1_000_000)) }
func (m *Memory) rest() string   { return percentage(Share(1_000_000 - m.Weight*1_000_000)) }

// percentage writes a share with one decimal.
func percentage(s Share) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(s)/10_000), ".0") + "%"
}

// rounded writes a quantity with at most two decimals: what was used is hardly ever a round number.
func rounded(dim, text string) string {
	if text == "" || inBytes(dim) {
		return short(dim, text)
	}
	return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.2f", number(text)), "0"), ".0")
}

// brief is the duration without zeros at its end: 24h, and not 24h0m0s.
func (d Duration) brief() string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// idle says that nothing is to be shown of a resource.
func (a *Arithmetic) idle() bool {
	return number(a.Deserved) == 0 && number(a.Request) == 0 && number(a.Named) == 0 && number(a.Guarantee) == 0
}

// short writes a quantity for the eye; the document has it exactly.
func (a *Arithmetic) short(text string) string { return short(a.Resource, text) }

// levels writes realCapability from root down to the queue.
func (p *page) levels(a *Arithmetic) {
	last := a.Levels[len(a.Levels)-1]
	if len(a.Levels) == 1 {
		p.paragraph(2, fmt.Sprintf("It may hold at most %s: what the nodes have (%s), within the capability of a Queue %s, "+
			"if there is one.",
			a.short(last.Real), a.short(last.Above), last.Queue))
		return
	}
	p.paragraph(2, fmt.Sprintf("It may hold at most %s: what the guarantees of all children leave of what the queue "+
		"above may hold, "+
		"and its own guarantee, within its capability.", a.short(last.Real)))
	rows := [][]cell{{left("QUEUE"), right("ABOVE"), right("- ALL GUARANTEES"), right("+ OWN"), right("SPEC CAPABILITY"),
		right("CAPABILITY")}}
	for i, l := range a.Levels {
		capability := right(a.short(l.Capability))
		if l.Capability == "" {
			capability = right("-").in(faint)
		}
		row := []cell{left(l.Queue), right(a.short(l.Above)), right(a.short(l.Children)), right(a.short(l.Guarantee)),
			capability, right(a.short(l.Real))}
		if i == 0 {
			row[2], row[3] = right("-").in(faint), right("-").in(faint)
		}
		rows = append(rows, row)
	}
	p.table(rows)
}

// deserves writes how deserved was found.
func (p *page) deserves(a *Arithmetic) {
	p.line("")
	if a.Weight == 0 {
		p.named(a)
		return
	}
	if len(a.Rounds) == 0 {
		p.paragraph(2, "It deserves nothing: it has no jobs and no guarantee, and takes no part in sharing.")
		return
	}
	p.paragraph(2, fmt.Sprintf("It asks for %s, is guaranteed %s, and has weight %d. Each round shares what remains by "+
		"weight among "+
		"the queues that have not enough:", a.short(a.Request), a.short(a.Guarantee), a.Weight))
	p.rounds(a)
}

// named writes how spec.deserved became deserved.
func (p *page) named(a *Arithmetic) {
	most := a.Levels[len(a.Levels)-1].Real
	if len(a.Levels) == 1 {
		p.paragraph(2, fmt.Sprintf("It deserves %s, the whole cluster within what it may hold.", a.short(a.Deserved)))
		return
	}
	text := fmt.Sprintf("It deserves %s: spec.deserved says %s", a.short(a.Deserved), a.short(a.Named))
	if number(a.Named) > number(most) {
		text += fmt.Sprintf(", clipped to %s, the most it may hold", a.short(most))
	} else {
		text += fmt.Sprintf(", within the %s that it may hold", a.short(most))
	}
	if number(a.Deserved) > min(number(a.Named), number(most)) {
		text += fmt.Sprintf(", raised to its guarantee of %s", a.short(a.Guarantee))
	} else {
		text += fmt.Sprintf(", not below its guarantee of %s", a.short(a.Guarantee))
	}
	p.paragraph(2, text+".")
}

func (p *page) rounds(a *Arithmetic) {
	most := a.Levels[len(a.Levels)-1].Real
	rows := [][]cell{{right("ROUND"), right("REMAINING"), right("WEIGHT"), right("GIVEN"),
		right("WITHIN " + a.short(most)), right("ASKED " + a.short(a.Request)),
		right("AT LEAST " + a.short(a.Guarantee)), left("")}}
	for _, r := range a.Rounds {
		number, weight, note := fmt.Sprint(r.Number), fmt.Sprintf("%d of %d", a.Weight, r.TotalWeight), r.note(a)
		if r.Correction {
			number, weight = "settled", "-"
		}
		rows = append(rows, []cell{right(number), right(a.short(r.Remaining)), right(weight), right(a.short(r.Given)),
			right(a.short(r.Capped)),
			right(a.short(r.Asked)), right(a.short(r.Value)), left(note).in(faint)})
	}
	p.table(rows)
}

// note says how a round ended for the queue.
func (r Round) note(a *Arithmetic) string {
	switch {
	case r.Correction:
		return "at the water level"
	case r.Met && number(r.Value) >= number(a.Request):
		return "has what it asks for"
	case r.Met:
		return "cannot have more"
	default:
		return ""
	}
}
