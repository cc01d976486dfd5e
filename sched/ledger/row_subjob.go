package ledger

import (
	"slices"
	"strings"

	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// SubJob is a sub-group of a job: the members that one subGroupPolicy selects and that have equal values of
// its keys. The order of sub-groups in the job's row depends on history: compare by Name.
type SubJob struct {
	Name   string // the policy's name and the values of its keys, joined by "-"
	Values []string
	Policy int32 // index in the PodGroup's SubGroups
	Count
	tasks int32
	first TaskID
}

// Of returns the policy of a sub-group of the job.
func (j *Job) Of(s *SubJob) *model.SubGroups { return &j.Group.SubGroups[s.Policy] }

// HasSubGroups says that some member is in a sub-group. Rows of sub-groups that lost their last member stay in
// Subs until others take them, and say nothing.
func (j *Job) HasSubGroups() bool {
	for i := range j.Subs {
		if j.Subs[i].tasks > 0 {
			return true
		}
	}
	return false
}

// SubSize is how many members a sub-group needs to start.
func (j *Job) SubSize(s *SubJob) int32 { return j.Of(s).Size }

// SubsMet says that every subGroupPolicy has as many sub-groups of its size as it asks for, where have returns
// the number of members that count.
func (j *Job) SubsMet(have func(*Count) int32) bool {
	if len(j.Subs) == 0 && (j.Group == nil || len(j.Group.SubGroups) == 0) {
		return true
	}
	policy, _, _ := j.SubsShort(have)
	return policy == nil
}

// SubsShort returns the first subGroupPolicy that has fewer sub-groups of its size than it asks for, how many
// it has, and how many it asks for; nil without one.
func (j *Job) SubsShort(have func(*Count) int32) (policy *model.SubGroups, got, want int32) {
	if j.Group == nil {
		return nil, 0, 0
	}
	policies := j.Group.SubGroups
	if !slices.ContainsFunc(policies, func(p model.SubGroups) bool { return p.Min > 0 }) {
		return nil, 0, 0
	}
	var few [8]int32
	sized := few[:min(len(policies), len(few))]
	if len(policies) > len(few) {
		sized = make([]int32, len(policies))
	}
	for k := range j.Subs {
		if s := &j.Subs[k]; s.tasks > 0 && have(&s.Count) >= policies[s.Policy].Size {
			sized[s.Policy]++
		}
	}
	for i := range policies {
		if p := &policies[i]; sized[i] < p.Min {
			return p, sized[i], p.Min
		}
	}
	return nil, 0, 0
}

// subJob returns the index of a pod's sub-group, a new one if there is none; -1 when no policy of its job
// selects the pod.
func (js *Jobs) subJob(j JobID, p *model.Pod) int32 {
	job := &js.rows[j]
	if job.Group == nil || len(job.Group.SubGroups) == 0 {
		return -1
	}
	for i := range job.Group.SubGroups {
		policy := &job.Group.SubGroups[i]
		if values, ok := subValues(policy, p); ok {
			return job.sub(int32(i), policy.Name, values)
		}
	}
	return -1
}

// subValues returns a pod's values of a policy's keys; false when the policy does not select the pod, or the
// pod lacks a key.
func subValues(policy *model.SubGroups, p *model.Pod) ([]string, bool) {
	if !match.Selects(policy.Selector, p.Labels) {
		return nil, false
	}
	var values []string
	for _, key := range policy.Keys {
		v, ok := model.LabelValue(p.Labels, key)
		if !ok {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

func (j *Job) sub(policy int32, name string, values []string) int32 {
	free := -1
	for i := range j.Subs {
		s := &j.Subs[i]
		if s.Policy == policy && slices.Equal(s.Values, values) {
			return int32(i)
		}
		if s.tasks == 0 {
			free = i
		}
	}
	row := SubJob{Name: strings.Join(append([]string{name}, values...), "-"), Values: values, Policy: policy,
		first: NoTask}
	if free >= 0 {
		j.Subs[free] = row
		return int32(free)
	}
	j.Subs = append(j.Subs, row)
	return int32(len(j.Subs) - 1)
}

// resub divides a job's members into sub-groups anew, after its PodGroup came, changed or went.
func (js *Jobs) resub(j JobID, old *model.PodGroup) {
	job := &js.rows[j]
	before, now := old != nil && len(old.SubGroups) > 0, job.Group != nil && len(job.Group.SubGroups) > 0
	if !before && !now {
		return
	}
	job.Subs = nil
	for t := range js.Members(j) {
		row := &js.l.Tasks.rows[t]
		if row.Sub = js.subJob(j, row.Pod); row.Sub >= 0 {
			js.enterSub(t)
			job.Subs[row.Sub].move(contribution{}, js.l.accounts.contributionOf(row))
		}
	}
}
