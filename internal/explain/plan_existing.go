package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Existing is what the cluster has already of a planned job, and what changes when its file is applied. Pods, Running
// and Ended are its pods before that; Comes and Goes are how many are made and deleted for it.
type Existing struct {
	Kind    string   `json:"kind"`
	Pods    int      `json:"pods"`
	Running int      `json:"running"`
	Ended   int      `json:"ended"`
	Comes   int      `json:"comes"`
	Goes    int      `json:"goes"`
	Over    bool     `json:"over"`    // it has ended, and is not run again
	Changes []string `json:"changes"` // what the file says otherwise
	Refused []string `json:"refused"` // those of them that would be refused; with any, nothing changes
	Later   int      `json:"later"`   // pods that have the changes when their controller replaces them
}

// Exist notes which jobs of a report exist already, and which pods are not made since the cluster has others of their
// names. there says what there is of a job; false: nothing.
func (p *Plan) Exist(state *sched.Report, there func(*sched.JobReport) (trace.Existing, bool), taken []model.Ref) {
	for i := range state.Jobs {
		j := &state.Jobs[i]
		if is, known := there(j); known {
			p.exists(j.Namespace, cmp.Or(j.Shown, j.Name), is)
		}
	}
	p.Notes = append(p.Notes, takenNames(taken)...)
}

// exists notes that a job exists.
func (p *Plan) exists(namespace, job string, is trace.Existing) {
	i, known := p.find(namespace, job)
	if !known {
		return
	}
	kind, _, _ := strings.Cut(is.Kind, ".")
	if is.Kind == "Job.batch.volcano.sh" {
		kind = "Volcano Job"
	}
	out := &Existing{Kind: kind, Pods: is.Pods, Running: is.Running, Ended: is.Ended, Comes: is.Come, Goes: is.Go,
		Over: is.Over, Changes: []string{}, Refused: []string{}, Later: is.Later}
	for _, e := range is.Edits {
		text := edited(e)
		if out.Changes = append(out.Changes, text); e.Refused {
			out.Refused = append(out.Refused, text)
		}
	}
	p.Jobs[i].Exists = out
}

func (p *Plan) find(namespace, job string) (int, bool) {
	return slices.BinarySearchFunc(p.Jobs, [2]string{namespace, job}, func(j PlannedJob, want [2]string) int {
		return cmp.Or(cmp.Compare(j.Namespace, want[0]), cmp.Compare(j.Name, want[1]))
	})
}

// edited is what a file says otherwise, in words.
func edited(e trace.Edit) string {
	named := func(what string) string {
		if e.Old == "" {
			return fmt.Sprintf("%s %s", what, e.New)
		}
		return fmt.Sprintf("%s %s, now %s", what, e.New, e.Old)
	}
	switch e.Field {
	case trace.EditMinMember:
		return fmt.Sprintf("minMember %d, now %d", e.Is, e.Was)
	case trace.EditTaskMember:
		return fmt.Sprintf("minimum of task %s %d, now %d", e.Name, e.Is, e.Was)
	case trace.EditQueue:
		return named("queue")
	case trace.EditPriorityClass:
		return named("priority class")
	case trace.EditScheduler:
		return named("schedulerName")
	case trace.EditRequest:
		return fmt.Sprintf("%s of its pods %s, now %s", e.Name, Quantity(e.Name, e.Is), Quantity(e.Name, e.Was))
	case trace.EditSelector:
		return fmt.Sprintf("node selector %s=%s", e.Name, e.New)
	case trace.EditToleration:
		return strings.TrimSuffix(fmt.Sprintf("toleration %s=%s", e.Name, e.New), "=")
	case trace.EditTask:
		return "task " + e.Name
	case trace.EditTopology:
		return "networkTopology"
	case trace.EditAffinity:
		return "node affinity"
	case trace.EditNeighbours:
		return "affinity between pods or topology spread"
	default:
		return "volume or device claims"
	}
}

// existing says, after the number of jobs, how many of them exist and how many of their pods run.
func (p *Plan) existing() (text string) {
	n, pods, running := 0, 0, 0
	for i := range p.Jobs {
		if e := p.Jobs[i].Exists; e != nil {
			n, pods, running = n+1, pods+e.Pods, running+e.Running
		}
	}
	runs := fmt.Sprintf("%d of %s running", running, Count(pods, "pod"))
	switch {
	case n == 0:
		return ""
	case len(p.Jobs) == 1:
		return ", which exists already, " + runs
	case n == len(p.Jobs):
		return ", which exist already, " + runs
	case n == 1:
		return ", 1 of which exists already, " + runs
	}
	return fmt.Sprintf(", %d of which exist already, %s", n, runs)
}

// sentence is what there is of the job and what changes.
func (e *Existing) sentence() string {
	head := fmt.Sprintf("%s exists already, %d of %s running", e.Kind, e.Running, Count(e.Pods, "pod"))
	if e.Kind == "Pod" && e.Pods == 1 {
		head = "Pod exists already"
	}
	switch {
	case e.Over:
		return head + ". It has ended and is not run again by applying its file: delete it first"
	case len(e.Refused) > 0:
		return fmt.Sprintf("%s. To change it would be refused (%s), so nothing changes: delete it first, or plan it under "+
			"another name", head, strings.Join(e.Refused, "; "))
	}
	changes := slices.Clone(e.Changes)
	if e.Comes > 0 {
		changes = append(changes, Count(e.Comes, "pod")+" more")
	}
	if e.Goes > 0 {
		changes = append(changes, Count(e.Goes, "pod")+" less")
	}
	if len(changes) == 0 {
		return head + ". Nothing changes that scheduling depends on"
	}
	text := head + ". By the file: " + strings.Join(changes, "; ")
	if e.Later > 0 {
		stays := "1 pod stays as before until its controller replaces it"
		if e.Later > 1 {
			stays = fmt.Sprintf("%d pods stay as before until their controller replaces them", e.Later)
		}
		text += ". " + stays + ", which is not planned"
	}
	return text
}

// podsOn counts the pods on nodes.
func podsOn(places []Place) (n int) {
	for _, p := range places {
		n += p.Pods
	}
	return n
}

// takenNames are notes of pods that are not made, as the cluster has others of their names.
func takenNames(taken []model.Ref) []string {
	if len(taken) == 0 {
		return nil
	}
	const most = 3
	var names []string
	for _, r := range taken[:min(len(taken), most)] {
		names = append(names, r.Namespace+"/"+r.Name)
	}
	text := strings.Join(names, ", ")
	if more := len(taken) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []string{"not made, since the cluster has other pods of these names: " + text}
}
