package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// Jobs that are asked for together fare as those that are asked for one by one: an engine that
// is watched asks for each by itself. Many jobs of few kinds starve, few can be helped, and the
// groups of starving jobs are kept from cycle to cycle while jobs, pods, nodes and queues come, change and go.
func TestStarvingGroupsEvictAsSingleJobsDo(t *testing.T) {
	evicted := 0
	defer func() {
		if evicted == 0 {
			t.Error("no pod was ever evicted: this shows nothing")
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		p := townProfile(t)
		fast, slow := engine(t, p), engine(t, p)
		slow.SetVerbosity(3)
		c := &manyJobs{t: t, told: []*Engine{fast, slow}, queues: map[string]bool{}, running: map[string]*model.Pod{}}
		for i, value := range []int32{0, 10} {
			name := fmt.Sprintf("c%d", i)
			c.tell(model.KindPriorityClass, "", name, &model.PriorityClass{Meta: model.Meta{Name: name}, Value: value})
		}
		for cycle := range rapid.IntRange(2, 8).Draw(t, "cycles") {
			for range rapid.IntRange(1, 8).Draw(t, "news") {
				if c.n(2) > 0 && len(c.queues) > 0 {
					c.submitMany(rapid.SampledFrom(sortedNames(c.queues)).Draw(t, "queue"))
				} else {
					c.news()
				}
			}
			now := int64(cycle) * second
			plan, was := answers(t, fast, now)
			_, is := answers(t, slow, now)
			same(t, "jobs that are asked for together fare otherwise than one by one", is, was)
			for _, i := range plan.Items {
				if i.Kind == EvictPod {
					evicted++
				}
			}
			c.obey(plan)
		}
	})
}

// submitMany submits several jobs of one kind.
func (c *manyJobs) submitMany(queue string) {
	kind, members, class := c.n(3), 1+c.n(1), fmt.Sprintf("c%d", c.n(1))
	spec := &model.Spec{Requests: roomOf(1+2*kind, kind%2)}
	spec.Requests[2].Value = 1
	for range 1 + c.n(3) {
		c.births++
		name := fmt.Sprintf("b%d", c.births)
		c.tell(model.KindPodGroup, "ns", name,
			&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name, Created: int64(c.n(2))},
				Queue: queue, MinMember: int32(members), PriorityClass: class, Phase: model.GroupPending})
		for i := range members {
			p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprintf("%s-%d", name, i)}, Ours: true,
				Group: name, Index: int64(i),
				Spec: spec, Preemptable: true, PriorityClass: class}
			p.UID = p.Name
			c.tell(model.KindPod, "ns", p.Name, p)
			running := *p
			running.Phase = model.PodRunning
			c.running[p.Name] = &running
		}
	}
}
