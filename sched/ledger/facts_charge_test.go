package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
)

// record writes into the pods' facts all that Unrecorded asks for, as a scheduler writes it to their status.
func (c *cluster) record(t *testing.T) (n int) {
	t.Helper()
	found := map[Key]model.Charge{}
	c.Charges.Unrecorded(func(id TaskID, r model.Charge) bool {
		found[c.Task(id).Key] = r
		return true
	})
	for k, r := range found {
		id, _ := c.Tasks.Find(k)
		p := *c.Task(id).Pod
		p.SetRare(model.Times{Charge: &r})
		c.tell(model.KindPod, k.Namespace, k.Name, &p)
	}
	return len(found)
}

// A new engine that knows the facts alone counts what runs where it was let run, once that is recorded.
func TestWhatIsRecordedIsKnownAfterARestart(t *testing.T) {
	for name, write := range map[string]func(c *cluster){
		"its PodGroup is deleted":   func(c *cluster) { c.tell(model.KindPodGroup, "ns", "g", nil) },
		"… and names another queue": func(c *cluster) { c.group("g", aside("other")) },
		"it names another queue":    func(c *cluster) { c.group("g", model.PodGroup{Queue: "other", MinMember: 2}) },
		"it names none":             func(c *cluster) { c.group("g", model.PodGroup{MinMember: 2}) },
		"its pods name another PodGroup": func(c *cluster) {
			c.pod("a", 1000, member("h"), on("n"))
			c.pod("b", 1000,
				member("h"), on("n"))
		},
		"… that is not there": func(c *cluster) { c.pod("a", 1000, member("gone"), on("n")) },
		"its pods name none":  func(c *cluster) { c.pod("a", 1000, labelled("", "other"), on("n")) },
		"all of this": func(c *cluster) {
			c.pod("a", 1000, member("h"), on("n"))
			c.tell(model.KindPodGroup, "ns", "g", nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			c.node("n", 8000)
			c.queueUnder("own", "")
			c.queueUnder("other", "")
			c.group("g", model.PodGroup{Queue: "own", MinMember: 2})
			c.group("h", model.PodGroup{Queue: "other", MinMember: 1})
			c.pod("a", 1000, member("g"), on("n"))
			c.pod("b", 1000, member("g"), on("n"))
			c.Charges.Begin()
			equal(t, "records while nothing is odd", c.record(t), 0)
			write(c)
			c.Charges.Begin()
			if c.record(t) == 0 {
				t.Error("no record is asked for")
			}
			c.Charges.Begin()
			sound(t, c.Ledger)
			equal(t, "records asked for once all are there", c.record(t), 0)
			equal(t, "what does not follow from facts", len(c.Charges.All().Jobs)+len(c.Charges.All().Members), 0)

			anew := New()
			for _, f := range c.Facts() {
				anew.Apply(f)
			}
			anew.Charges.Begin()
			sound(t, anew)
			if was, is := byName(c.Ledger), byName(anew); was != is {
				t.Errorf("one that knows the facts alone differs: %s", differs(was, is))
			}
			q, _ := anew.Queues.Find("own")
			equal(t, "what queue own holds", anew.Queue(q).Allocated.Get(0), 2000)

			c.pod("a", 1000, member("g"), succeeded)
			c.pod("b", 1000, member("g"), succeeded)
			c.Charges.Begin()
			sound(t, c.Ledger)
			equal(t, "what queue own holds once they have ended", c.row(t, "own").Allocated.Get(0), 0)
		})
	}
}

func chargedTo(queue, job string) func(*model.Pod) {
	return func(p *model.Pod) { p.SetRare(model.Times{Charge: &model.Charge{Queue: queue, Job: job}}) }
}

// A job of which one member alone is recorded counts where that one was let run, with all members that run.
func TestOneRecordIsEnoughForAJob(t *testing.T) {
	c := newCluster()
	c.node("n", 8000)
	c.queueUnder("own", "")
	c.pod("a", 1000, member("g"), on("n"))
	c.pod("b", 1000, member("g"), on("n"), chargedTo("own", "g"))
	c.Charges.Begin()
	sound(t, c.Ledger)
	equal(t, "what queue own holds", c.row(t, "own").Allocated.Get(0), 2000)
	c.pod("b", 1000, member("g"), succeeded, chargedTo("own", "g"))
	c.Charges.Begin()
	sound(t, c.Ledger)
	equal(t, "what queue own holds when only the other one is left", c.row(t, "own").Allocated.Get(0), 1000)
	equal(t, "records that are asked for then", c.record(t), 1)
}

// Of two records of one job the older pod's holds, whichever is told first.
func TestOfTwoRecordsTheOldestPodsHolds(t *testing.T) {
	for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
		c := newCluster()
		c.node("n", 8000)
		c.queueUnder("own", "")
		c.queueUnder("other", "")
		for _, name := range order {
			c.pod(name, 1000, member("g"), on("n"), chargedTo(map[string]string{"a": "own", "b": "other"}[name], "g"))
		}
		c.Charges.Begin()
		sound(t, c.Ledger)
		equal(t, "what the older pod's queue holds", c.row(t, "own").Allocated.Get(0), 2000)
	}
}

// A record keeps nothing that waits, and nothing that has ended.
func TestARecordIsOfWhatRuns(t *testing.T) {
	c := newCluster()
	c.node("n", 8000)
	c.queueUnder("own", "")
	c.queueUnder("other", "")
	c.group("g", model.PodGroup{Queue: "other", MinMember: 1})
	c.pod("a", 1000, member("g"), chargedTo("own", "g"))
	c.pod("b", 1000, member("g"), on("n"), succeeded, chargedTo("own", "g"))
	c.Charges.Begin()
	sound(t, c.Ledger)
	id, _ := c.Jobs.Find(JobKey{Namespace: "ns", Name: "g"})
	equal(t, "the job's queue", c.Jobs.QueueName(id), "other")
}
