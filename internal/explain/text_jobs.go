package explain

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/model"
)

// mostNodes is how many nodes of a job are named before the rest is counted.
const mostNodes = 6

// running lists the jobs that have started, and where.
func (p *page) running(r *Report) {
	where := places(r)
	rows := [][]cell{{left("JOB"), left("QUEUE"), left("PODS"), left("WHERE")}}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if placed(j.Tasks) == 0 {
			continue
		}
		color := green
		if j.Reason.Code != "" {
			color = yellow
		}
		rows = append(rows, []cell{left(p.name(j.Namespace, j.called())), left(j.Queue),
			left(statusCounts(j.Tasks)).in(color), left(inDomains(j) + where[j.Namespace+"/"+j.called()].String())})
	}
	p.title("RUNNING JOBS")
	if len(rows) == 1 {
		p.line("  none")
	} else {
		p.table(rows)
	}
	p.others(r)
}

// others names the pods that are not ours.
func (p *page) others(r *Report) {
	var names []string
	for _, pod := range r.Pods {
		if pod.Job == "" {
			names = append(names, p.name(pod.Namespace, pod.Name))
		}
	}
	if n := len(names); n > 0 {
		if n > mostNodes {
			names = append(names[:mostNodes], "…")
		}
		p.paragraph(2, fmt.Sprintf("%s of other schedulers, left alone: %s", Count(n, "pod"), strings.Join(names, ", ")))
	}
}

// placed counts the pods that have, or had, a place.
func placed(tasks map[string]int) int {
	n := 0
	for status, k := range tasks {
		if status != model.Pending.String() && status != model.Pipelined.String() {
			n += k
		}
	}
	return n
}

// statusCounts is "3/3 running", or every status with its number where they differ.
func statusCounts(tasks map[string]int) string {
	total := 0
	for _, n := range tasks {
		total += n
	}
	var parts []string
	order := []model.Status{model.Running, model.Bound, model.Binding, model.Allocated, model.Releasing,
		model.Succeeded, model.Failed, model.Unknown, model.Pipelined, model.Pending}
	for _, s := range order {
		if n := tasks[s.String()]; n > 0 {
			of := ""
			if len(parts) == 0 {
				of = fmt.Sprintf("/%d", total)
			}
			parts = append(parts, fmt.Sprintf("%d%s %s", n, of, strings.ToLower(s.String())))
		}
	}
	return strings.Join(parts, ", ")
}

// spread is how many pods of a job are on each node.
type spread map[string]int

// places finds for every job where its pods are, or were.
func places(r *Report) map[string]spread {
	out := map[string]spread{}
	for _, p := range r.Pods {
		if p.Node == "" || p.Job == "" {
			continue
		}
		job := p.Namespace + "/" + p.called()
		if out[job] == nil {
			out[job] = spread{}
		}
		out[job][p.Node]++
	}
	return out
}

// String is "n1 ×2, n2", by name.
func (s spread) String() string {
	nodes := make([]string, 0, len(s))
	for node := range s {
		nodes = append(nodes, node)
	}
	slices.Sort(nodes)
	rest := 0
	if len(nodes) > mostNodes {
		rest = len(nodes) - mostNodes
		nodes = nodes[:mostNodes]
	}
	for i, node := range nodes {
		if n := s[node]; n > 1 {
			nodes[i] = fmt.Sprintf("%s ×%d", node, n)
		}
	}
	text := strings.Join(nodes, ", ")
	if rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// waiting lists the jobs that wait, and exactly why.
func (p *page) waiting(r *Report) {
	p.title("WAITING JOBS")
	some := false
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Reason.Code == "" {
			continue
		}
		some = true
		p.line("  %s  %s", p.paint(bold, p.name(j.Namespace, j.called())),
			p.paint(faint, fmt.Sprintf("(queue %s, %s)", j.Queue, waitingPods(j))))
		p.reason(j.Reason)
		if j.Start != nil {
			p.paragraph(4, capital(j.Start.Message)+".")
		}
	}
	if !some {
		p.line("  none")
	}
}

// reason is a code and its sentence, the code in colour.
func (p *page) reason(r Reason) {
	lines := wrap(r.Code+": "+r.Message, p.width-4)
	lines[0] = p.paint(yellow, r.Code) + strings.TrimPrefix(lines[0], r.Code)
	p.line("    %s", strings.Join(lines, "\n    "))
}

func waitingPods(j *Job) string {
	total := 0
	for _, n := range j.Tasks {
		total += n
	}
	if total == 0 {
		return "no pods yet"
	}
	waits := j.Tasks[model.Pending.String()] + j.Tasks[model.Pipelined.String()]
	return fmt.Sprintf("%d of %s waiting", waits, Count(total, "pod"))
}

// problems lists what is wrong with objects.
func (p *page) problems(r *Report) {
	if len(r.Problems) == 0 {
		return
	}
	p.title("PROBLEMS")
	for _, problem := range r.Problems {
		p.line("  %s", p.paint(red, problem.Object))
		p.paragraph(4, problem.Message)
	}
}

// summary is one line.
func (p *page) summary(r *Report) {
	s := r.Summary
	p.line("")
	text := fmt.Sprintf("%s of virtual time in %s: %s bound, %d waiting, %d evicted",
		s.VirtualTime, Count(s.Cycles, "cycle"), Count(s.Bound, "pod"), s.Pending, s.Evicted)
	if n := len(r.Problems); n > 0 {
		text += ", " + Count(n, "problem")
	}
	p.line("%s", p.paint(bold, text))
	if s.Passed != nil {
		p.line("%s waited behind jobs of the same queue that came later: %s at most (%s)", Count(s.Passed.Jobs, "job"),
			s.Passed.Longest, s.Passed.Job)
	}
}
