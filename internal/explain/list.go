package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ashlar.sh/sched"
	"ashlar.sh/sched/resource"
)

// JobList is where jobs stand: the document of `ashlar jobs -o json`. Fields may be added to it, none changed; no list
// is null. Items are sorted by namespace and name.
type JobList struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Items      []JobRow `json:"items"`
	Basis      Basis    `json:"basis"`

	now int64
}

// JobRow is where one job stands. Placed are its pods that have a node.
type JobRow struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Queue     string  `json:"queue"`
	State     State   `json:"state"`
	Placed    int     `json:"placed"`
	Pods      int     `json:"pods"`
	MinMember int32   `json:"minMember"`
	Priority  int32   `json:"priority"`
	Created   string  `json:"created,omitempty"` // RFC 3339
	Summary   string  `json:"summary"`
	Reason    *Reason `json:"reason,omitempty"`
	Start     *Start  `json:"start,omitempty"` // of a job that waits, where it was estimated
	Places    []Place `json:"places"`

	born int64 // nanoseconds since the epoch; 0: not known
}

// JobList lists the jobs of a report that are wanted.
func (a *Asking) JobList(state *sched.Report, wanted func(namespace, name string) bool) *JobList {
	out := &JobList{APIVersion: "ashlar.sh/v1alpha1", Kind: "JobList", Items: []JobRow{}, Basis: a.basis(), now: a.Now}
	pods := map[[2]string][]sched.PodReport{}
	for _, p := range state.Pods {
		if p.JobShown != "" {
			key := [2]string{p.Namespace, p.JobShown}
			pods[key] = append(pods[key], p)
		}
	}
	for i := range state.Jobs {
		j := &state.Jobs[i]
		if name := cmp.Or(j.Shown, j.Name); wanted(j.Namespace, name) {
			out.Items = append(out.Items, a.jobRow(j, pods[[2]string{j.Namespace, name}]))
		}
	}
	return out
}

func (a *Asking) jobRow(j *sched.JobReport, pods []sched.PodReport) JobRow {
	w := &sched.JobWhy{Job: *j, Pods: pods}
	t, places := tallyOf(j), placesOf(pods)
	row := JobRow{Namespace: j.Namespace, Name: cmp.Or(j.Shown, j.Name), Queue: j.Queue, Placed: t.placed + t.deciding,
		Pods: t.total, MinMember: j.MinMember, Priority: j.Priority, Places: places}
	if a.Now > 0 && j.Created > 0 {
		row.born, row.Created = j.Created, time.Unix(0, j.Created).UTC().Format(time.RFC3339)
	}
	if j.Reason.Waits() {
		r := reason(j.Reason)
		row.Reason = &r
		row.Start = NewStart(&j.Start, a.Now)
	}
	row.State, row.Summary = a.stand(w, t, places)
	return row
}

// WrittenList lists jobs by what their PodGroups say.
func (a *Asking) WrittenList(of *Written, wanted func(namespace, name string) bool) *JobList {
	out := &JobList{APIVersion: "ashlar.sh/v1alpha1", Kind: "JobList", Items: []JobRow{}, Basis: a.basis(), now: a.Now}
	for i := range of.Jobs {
		j := &of.Jobs[i]
		if !wanted(j.Namespace, j.Name) {
			continue
		}
		answer := a.WrittenJob(j, of.Pods)
		row := JobRow{Namespace: j.Namespace, Name: j.Name, Queue: j.Queue, State: answer.State, Summary: answer.Summary,
			Reason: answer.Reason, Places: answer.Places, MinMember: j.MinMember}
		for _, p := range answer.Places {
			row.Placed += p.Pods
		}
		for k := range of.Pods {
			if of.Pods[k].Namespace == j.Namespace && of.Pods[k].Job == j.Name {
				row.Pods++
			}
		}
		out.Items = append(out.Items, row)
	}
	return out
}

func (a *Asking) basis() Basis { return a.answer(Subject{}).Basis }

// Layout is how a list is printed: with the namespace, every column, the names of the columns. Timeless lines differ
// only where more than time has passed.
type Layout struct {
	Namespaces, Wide, NoHeaders, Timeless bool
}

// Text writes one job a line.
func (l *JobList) Text(w io.Writer, s Style, o Layout) error {
	head := []cell{left("NAME"), left("QUEUE"), left("PODS"), left("STATE"), left("AGE"), left("START"), left("REASON")}
	if o.Wide {
		head = append(head, right("MIN"), right("PRIORITY"), left("WHERE"), left("WHY"))
	}
	rows := [][]cell{namespaced(o, "NAMESPACE", head)}
	for i := range l.Items {
		j := &l.Items[i]
		old, start := "-", "-"
		if j.born > 0 && l.now >= j.born && !o.Timeless {
			old = age(l.now - j.born)
		}
		if j.Start != nil && !o.Timeless {
			start = j.Start.cell(l.now)
		}
		row := []cell{left(j.Name), left(cmp.Or(j.Queue, "-")), left(fmt.Sprintf("%d/%d", j.Placed, j.Pods)),
			left(string(j.State)).in(j.State.ink()), left(old), left(start), left(j.code())}
		if o.Wide {
			why := j.Summary
			if o.Timeless && j.Reason != nil {
				why = j.Reason.Message
			}
			row = append(row, right(fmt.Sprint(j.MinMember)), right(fmt.Sprint(j.Priority)), left(cmp.Or(listed(j.Places), "-")),
				left(why))
		}
		rows = append(rows, namespaced(o, j.Namespace, row))
	}
	return list(w, s, rows, o.NoHeaders)
}

// code is why a job waits, in one word.
func (j *JobRow) code() string {
	switch {
	case j.Reason == nil:
		return "-"
	case j.Reason.Never != "":
		return j.Reason.Never
	}
	return j.Reason.Code
}

// Names are the jobs as kubectl names objects.
func (l *JobList) Names() (out []string) {
	for i := range l.Items {
		out = append(out, "job/"+l.Items[i].Name)
	}
	return out
}

// NodeList is what nodes have: the document of `ashlar nodes -o json`, under the rules of JobList.
type NodeList struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Items      []NodeAnswer `json:"items"`
	Basis      Basis        `json:"basis"`
}

// NodeList lists nodes in the order given.
func (a *Asking) NodeList(nodes []sched.NodeWhy) *NodeList {
	out := &NodeList{APIVersion: "ashlar.sh/v1alpha1", Kind: "NodeList", Items: []NodeAnswer{}, Basis: a.basis()}
	for i := range nodes {
		out.Items = append(out.Items, *nodeAnswer(&nodes[i]))
	}
	return out
}

// Text writes one node a line: of each resource what is free, and what there is.
func (l *NodeList) Text(w io.Writer, s Style, o Layout) error {
	var columns []string
	for i := range l.Items {
		for _, d := range dims(l.Items[i].Allocatable) {
			if d != resource.PodsName && !slices.Contains(columns, d) && (o.Wide || d != "ephemeral-storage") {
				columns = append(columns, d)
			}
		}
	}
	slices.SortFunc(columns, before)
	head := []cell{left("NAME"), left("STATE"), left("PODS")}
	for _, d := range columns {
		head = append(head, left(strings.ToUpper(d)+" FREE"))
	}
	devices := deviceColumns(l.Items)
	for _, d := range devices {
		head = append(head, left(strings.ToUpper(d)+" FREE"))
	}
	if o.Wide {
		head = append(head, left("KEPT FOR"), left("HYPERNODES"), left("TAINTS"))
	}
	rows := [][]cell{head}
	for i := range l.Items {
		rows = append(rows, l.Items[i].row(columns, devices, o.Wide))
	}
	return list(w, s, rows, o.NoHeaders)
}

func (n *NodeAnswer) row(columns, devices []string, wide bool) []cell {
	state := Present
	if n.Cordoned {
		state = Cordoned
	}
	row := []cell{left(n.Name), left(string(state)).in(state.ink()),
		left(fmt.Sprintf("%d/%s", len(n.Pods), cmp.Or(n.Allocatable[resource.PodsName], "0")))}
	for _, d := range columns {
		text := "-"
		if all := n.Allocatable[d]; all != "" {
			text = short(d, cmp.Or(n.Room[d], "0")) + " of " + short(d, all)
		}
		row = append(row, left(text))
	}
	for _, d := range devices {
		row = append(row, left(n.devicesOf(d)))
	}
	if wide {
		row = append(row, left(Count(len(n.KeptFor), "pod")), left(cmp.Or(strings.Join(n.Domains, ","), "-")),
			left(cmp.Or(strings.Join(n.Taints, ","), "-")))
	}
	return row
}

// Names are the nodes as kubectl names objects.
func (l *NodeList) Names() (out []string) {
	for i := range l.Items {
		out = append(out, "node/"+l.Items[i].Name)
	}
	return out
}

// namespaced puts the namespace first where it is wanted.
func namespaced(o Layout, namespace string, row []cell) []cell {
	if !o.Namespaces {
		return row
	}
	return append([]cell{left(namespace)}, row...)
}

// list writes rows as kubectl does: no indent, columns as wide as their widest cell, one line each.
func list(w io.Writer, s Style, rows [][]cell, noHeaders bool) error {
	p := &page{style: s}
	if noHeaders {
		rows = rows[1:]
	}
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			row[i].text = oneLine.Replace(c.text)
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for k, c := range row {
			gap := strings.Repeat(" ", widths[k]-utf8.RuneCountInString(c.text))
			text := p.paint(c.ink, c.text)
			if c.right {
				b.WriteString(gap + text + "   ")
			} else {
				b.WriteString(text + gap + "   ")
			}
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
	_, err := io.WriteString(w, Printable(p.out.String()))
	return err
}

// DocumentJSON writes any document of this package as JSON, indented.
func DocumentJSON(w io.Writer, document any) error { return writeJSON(w, document) }

// DocumentYAML writes any document of this package as YAML.
func DocumentYAML(w io.Writer, document any) error { return writeYAML(w, document) }
