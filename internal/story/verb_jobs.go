package story

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// jobs prints where the jobs stand, as a table; the words choose columns. Without
// words: phase, tasks, reason.
//
//	jobs phase tasks
var jobsVerb = verb{syntax: "jobs [COLUMN…]", ask: jobs}

func jobColumns() []column[sched.JobReport] {
	return []column[sched.JobReport]{
		{"job", func(j sched.JobReport) string { return j.Namespace + "/" + j.Shown }},
		{"queue", func(j sched.JobReport) string { return j.Queue }},
		{"phase", func(j sched.JobReport) string { return j.Phase.String() }},
		{"min", func(j sched.JobReport) string { return strconv.Itoa(int(j.MinMember)) }},
		{"priority", func(j sched.JobReport) string { return strconv.Itoa(int(j.Priority)) }},
		{"adopted", func(j sched.JobReport) string { return yes(j.Adopted) }},
		{"tasks", tasks},
		{"hypernode", func(j sched.JobReport) string { return j.HyperNode }},
		{"subs", subs},
		{"reason", func(j sched.JobReport) string { return brief(j.Reason) }},
		{"runtime", func(j sched.JobReport) string { return runTime(j.RunTime) }},
	}
}

// subs says where a job's sub-groups are: 0 in rack-a, 1 in rack-b.
func subs(j sched.JobReport) string {
	var out []string
	for _, s := range j.SubJobs {
		out = append(out, fmt.Sprintf("%s %d/%d in %s", s.Name, s.Placed, s.Size, cmp.Or(s.HyperNode, "-")))
	}
	return strings.Join(out, ", ")
}

// tasks counts a job's tasks by status: 2 Running, 1 Pending.
func tasks(j sched.JobReport) string {
	var out []string
	for s := range model.NumStatus {
		if n := j.Tasks[s]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ", ")
}

// runTime is how long a pod runs, with the source and the limit: 10m declared, limit 1h.
func runTime(r model.RunTime) string {
	var out []string
	if r.Expected > 0 {
		out = append(out, clock(time.Duration(r.Expected))+" "+r.Source.String())
	}
	if r.Limit > 0 && r.Source != model.TimeEnforced {
		out = append(out, "limit "+clock(time.Duration(r.Limit)))
	}
	return cmp.Or(strings.Join(out, ", "), "unknown")
}

func jobs(s *stage, w *words) ([]string, error) {
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	chosen := w.all
	if len(chosen) == 0 {
		chosen = []string{"phase", "tasks", "reason"}
	}
	return table(r.Jobs, jobColumns(), chosen)
}

// why says why one job waits:
//
//	why ml/train
var whyVerb = verb{syntax: "why NAMESPACE/JOB", ask: why}

func why(s *stage, w *words) ([]string, error) {
	k, err := w.key()
	if err != nil {
		return nil, err
	}
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	for _, j := range r.Jobs {
		if j.Namespace != k.Namespace || j.Name != k.Name && j.Shown != k.Name {
			continue
		}
		if !j.Reason.Is() {
			return []string{"it does not wait"}, nil
		}
		return chain(j.Reason), w.end()
	}
	return nil, fmt.Errorf("there is no job %s", k)
}
