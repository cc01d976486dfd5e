package ledger

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// running makes pods first to last of job g run, in a role.
func (c *cluster) running(role string, first, last int) {
	for i := first; i <= last; i++ {
		c.pod(fmt.Sprint("p", i), 100, member("g"), as(role), on("n"))
	}
}

func (c *cluster) minimum(least int32, roles ...model.RoleMin) {
	c.group("g", model.PodGroup{Queue: "own", MinMember: least, MinTaskMember: roles})
}

func (c *cluster) gone(first, last int) {
	for i := first; i <= last; i++ {
		c.tell(model.KindPod, "ns", fmt.Sprint("p", i), nil)
	}
}

func minimumOfW(least int32) model.RoleMin { return model.RoleMin{Role: "w", Min: least} }

func subGroups(c *cluster, policy ...model.SubGroups) {
	c.group("g", model.PodGroup{Queue: "own", MinMember: 1, SubGroups: policy})
}

// raises are what is written of a job, once a cycle, and what it keeps then: of all members, of role w, and of its
// sub-group.
var raises = map[string]struct {
	write []func(c *cluster)
	want  string
}{
	"its minimum, as it was submitted": {[]func(*cluster){
		func(c *cluster) { c.minimum(8); c.running("w", 1, 8) }}, "8 0"},
	"… with a member lost": {[]func(*cluster){
		func(c *cluster) { c.minimum(8); c.running("w", 1, 8) },
		func(c *cluster) { c.gone(8, 8) }}, "8 0"},
	"… and its PodGroup made anew": {[]func(*cluster){
		func(c *cluster) { c.minimum(8); c.running("w", 1, 8) },
		func(c *cluster) { c.gone(8, 8); c.tell(model.KindPodGroup, "ns", "g", nil) },
		func(c *cluster) { c.minimum(8) }}, "8 0"},
	"a raise that its members do not meet": {[]func(*cluster){
		func(c *cluster) { c.minimum(1); c.running("w", 1, 8) },
		func(c *cluster) { c.minimum(1000) }}, "1 0"},
	"… by a PodGroup made anew": {[]func(*cluster){
		func(c *cluster) { c.minimum(2); c.running("w", 1, 8) },
		func(c *cluster) { c.tell(model.KindPodGroup, "ns", "g", nil) },
		func(c *cluster) { c.minimum(1000) }}, "2 0"},
	"… in two steps within a cycle": {[]func(*cluster){
		func(c *cluster) { c.minimum(3); c.running("w", 1, 8) },
		func(c *cluster) { c.minimum(9); c.minimum(1000) }}, "3 0"},
	"… of a gang that had lost a member": {[]func(*cluster){
		func(c *cluster) { c.minimum(8); c.running("w", 1, 8) },
		func(c *cluster) { c.gone(8, 8) },
		func(c *cluster) { c.minimum(12) }}, "8 0"},
	"a raise that its members meet": {[]func(*cluster){
		func(c *cluster) { c.minimum(1); c.running("w", 1, 8) },
		func(c *cluster) { c.minimum(6) },
		func(c *cluster) { c.gone(1, 5) }}, "6 0"},
	"… once they have come": {[]func(*cluster){
		func(c *cluster) { c.minimum(4); c.running("w", 1, 4) },
		func(c *cluster) { c.minimum(8) },
		func(c *cluster) { c.running("w", 5, 8) },
		func(c *cluster) { c.gone(1, 2) }}, "8 0"},
	"a raise that is taken back": {[]func(*cluster){
		func(c *cluster) { c.minimum(4); c.running("w", 1, 8) },
		func(c *cluster) { c.minimum(1000) },
		func(c *cluster) { c.minimum(4) }}, "4 0"},
	"a role's raise": {[]func(*cluster){
		func(c *cluster) { c.minimum(8, minimumOfW(2)); c.running("w", 1, 4); c.running("m", 5, 8) },
		func(c *cluster) { c.minimum(8, minimumOfW(8)) }}, "8 2"},
	"a role's raise that its members meet": {[]func(*cluster){
		func(c *cluster) { c.minimum(8, minimumOfW(2)); c.running("w", 1, 4); c.running("m", 5, 8) },
		func(c *cluster) { c.minimum(8, minimumOfW(4)) },
		func(c *cluster) { c.gone(1, 1) }}, "8 4"},
	"a sub-group's raise": {[]func(*cluster){
		func(c *cluster) { subGroups(c, model.SubGroups{Name: "s", Size: 2}); c.running("w", 1, 4) },
		func(c *cluster) { subGroups(c, model.SubGroups{Name: "s", Size: 9}) }}, "1 0 2"},
	"… and a PodGroup made anew": {[]func(*cluster){
		func(c *cluster) { subGroups(c, model.SubGroups{Name: "s", Size: 2}); c.running("w", 1, 4) },
		func(c *cluster) { c.tell(model.KindPodGroup, "ns", "g", nil) },
		func(c *cluster) { subGroups(c, model.SubGroups{Name: "s", Size: 9}) }}, "1 0 2"},
	"a sub-group with its size and a member lost": {[]func(*cluster){
		func(c *cluster) { subGroups(c, model.SubGroups{Name: "s", Size: 4}); c.running("w", 1, 4) },
		func(c *cluster) { c.gone(1, 1) }}, "1 0 4"},
	"pods that somebody bound, too few": {[]func(*cluster){
		func(c *cluster) { c.minimum(1000) },
		func(c *cluster) { c.running("w", 1, 8) }}, "0 0"},
	"pods that move to another PodGroup, too few": {[]func(*cluster){
		func(c *cluster) {
			c.group("h", model.PodGroup{Queue: "own", MinMember: 1})
			c.pod("p1", 100, member("h"), on("n"))
		},
		func(c *cluster) { c.minimum(1000); c.running("w", 1, 1) }}, "0 0"},
	"the next gang of a job of which all ended": {[]func(*cluster){
		func(c *cluster) { c.minimum(1); c.running("w", 1, 4) },
		func(c *cluster) { c.minimum(4); c.gone(1, 4) },
		func(c *cluster) { c.running("w", 5, 8) },
		func(c *cluster) { c.gone(5, 5) }}, "4 0"},
}

// A job keeps, when others are to leave, as many members as the minimum that it has had: also in an engine that is made
// anew with what the last one committed to, and in one that knows the facts alone, once records are written.
func TestAJobKeepsTheMinimumThatItHasHad(t *testing.T) {
	for name, x := range raises {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			c.node("n", 8000)
			c.queueUnder("own", "")
			var early *Ledger // is made before the last cycle
			for _, write := range x.write {
				c.Charges.Begin()
				write(c)
				early = c.again()
				c.Charges.Begin()
				sound(t, c.Ledger)
			}
			equal(t, "what it keeps", keeps(t, c.Ledger), x.want)
			early.Charges.Begin()
			equal(t, "what it keeps by commitments before the cycle", keeps(t, early), x.want)

			same := c.again()
			equal(t, "what it keeps by commitments", keeps(t, same), x.want)
			if was, is := byName(c.Ledger), byName(same); was != is {
				t.Errorf("one that is made of what is committed differs: %s", differs(was, is))
			}

			c.recordAll(t)
			c.Charges.Begin()
			sound(t, c.Ledger)
			equal(t, "records asked for once all are there", c.record(t), 0)
			anew := New()
			for _, f := range c.Facts() {
				anew.Apply(f)
			}
			anew.Charges.Begin()
			equal(t, "what it keeps by records", keeps(t, anew), x.want)
		})
	}
}

// again is a ledger that is made of this one's facts and of what it is committed to.
func (c *cluster) again() *Ledger {
	l := New()
	for _, f := range c.Facts() {
		l.Apply(f)
	}
	l.Charges.Restore(c.Charges.All(), true)
	return l
}

// recordAll writes the records of all members of job g, as a scheduler does once they have run for a while.
func (c *cluster) recordAll(t *testing.T) {
	t.Helper()
	j, _ := c.Jobs.Find(JobKey{Namespace: "ns", Name: "g"})
	c.Charges.UnrecordedOf(j, func(id TaskID, r model.Charge) bool {
		p := *c.Task(id).Pod
		p.SetRare(model.Times{Charge: &r})
		c.tell(model.KindPod, "ns", p.Name, &p)
		return true
	})
}

func keeps(t *testing.T, l *Ledger) string {
	t.Helper()
	j, known := l.Jobs.Find(JobKey{Namespace: "ns", Name: "g"})
	if !known {
		t.Fatal("there is no job")
	}
	job, role := l.Job(j), int32(0)
	for i := range job.Roles {
		if job.Roles[i].Name == "w" {
			role = job.RetainedMinOf(&job.Roles[i])
		}
	}
	out := fmt.Sprint(job.RetainedMin(), " ", role)
	for i := range job.Subs {
		out += fmt.Sprint(" ", job.RetainedMinOfSub(&job.Subs[i]))
	}
	return out
}

// What ran before an engine began is believed to have had its minimum, unless a record says otherwise. A record of an
// earlier version says nothing of it.
func TestWhatIsBelievedOfAGangAtAStart(t *testing.T) {
	had := func(least int32) func(*model.Pod) {
		return func(p *model.Pod) {
			p.SetRare(model.Times{Charge: &model.Charge{Queue: "own", Job: "g", Had: model.Had{Known: true, Job: least}}})
		}
	}
	for name, x := range map[string]struct {
		records []func(*model.Pod) // of three pods that run
		want    int32
	}{
		"no record":                   {nil, 8},
		"one of an earlier version":   {[]func(*model.Pod){chargedTo("own", "g")}, 8},
		"a record of a lower minimum": {[]func(*model.Pod){had(2)}, 2},
		"the greatest counts":         {[]func(*model.Pod){had(2), had(5), had(4)}, 5},
		"a record of its minimum":     {[]func(*model.Pod){had(2), had(8)}, 8},
		"a record of another job": {[]func(*model.Pod){func(p *model.Pod) {
			p.SetRare(model.Times{Charge: &model.Charge{Queue: "own", Job: "h", Had: model.Had{Known: true, Job: 1}}})
		}}, 8},
	} {
		c := newCluster()
		c.node("n", 8000)
		c.queueUnder("own", "")
		for i := range 3 {
			change := []func(*model.Pod){member("g"), on("n")}
			if i < len(x.records) {
				change = append(change, x.records[i])
			}
			c.pod(fmt.Sprint("p", i), 100, change...)
		}
		c.minimum(8)
		c.Charges.Begin()
		sound(t, c.Ledger)
		j, _ := c.Jobs.Find(JobKey{Namespace: "ns", Name: "g"})
		equal(t, name+": what it keeps", c.Job(j).RetainedMin(), x.want)
	}
}

// What is remembered of a job does not depend on when its records were read: an engine that is made anew forgets the
// minimums of the same jobs.
func TestARoleThatCameLaterIsNoReasonToRememberMinimums(t *testing.T) {
	c := newCluster()
	c.node("n", 8000)
	c.queueUnder("own", "")
	c.minimum(4)
	c.running("w", 1, 4)
	c.Charges.Begin()
	c.recordAll(t)
	c.Charges.Begin()
	c.minimum(6)
	c.Charges.Begin()
	equal(t, "jobs of which minimums are remembered after a raise", len(c.Charges.All().Minimums), 1)
	c.running("z", 5, 5)
	c.minimum(3)
	c.Charges.Begin()
	sound(t, c.Ledger)
	equal(t, "jobs of which minimums are remembered", len(c.Charges.All().Minimums), 0)
}
