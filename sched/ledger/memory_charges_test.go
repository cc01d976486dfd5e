package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
)

func labelled(group, queue string) func(*model.Pod) {
	return func(p *model.Pod) { p.Group, p.Adopt.Queue = group, queue }
}

// Whatever is written of what runs, it counts in the queue in which it was let run until it ends.
func TestWhatRunsCountsWhereItWasLetRun(t *testing.T) {
	for name, write := range map[string]func(c *cluster){
		"nothing":                    func(*cluster) {},
		"its PodGroup is nonsense":   func(c *cluster) { c.group("g", aside("own")) },
		"… and names another queue":  func(c *cluster) { c.group("g", aside("other")) },
		"its PodGroup is deleted":    func(c *cluster) { c.tell(model.KindPodGroup, "ns", "g", nil) },
		"it names another queue":     func(c *cluster) { c.group("g", model.PodGroup{Queue: "other", MinMember: 2}) },
		"it names a queue not there": func(c *cluster) { c.group("g", model.PodGroup{Queue: "nowhere", MinMember: 2}) },
		"it is made anew elsewhere": func(c *cluster) {
			c.tell(model.KindPodGroup, "ns", "g", nil)
			c.group("g", model.PodGroup{Queue: "other", MinMember: 2})
		},
		"its pods name another PodGroup": func(c *cluster) {
			c.pod("a", 1000, member("h"), on("n"))
			c.pod("b", 1000, member("h"), on("n"))
		},
		"… that is not there": func(c *cluster) { c.pod("a", 1000, member("gone"), on("n")) },
		"its pods name none":  func(c *cluster) { c.pod("a", 1000, labelled("", "other"), on("n")) },
		"they are of no job": func(c *cluster) {
			c.pod("a", 1000, member("g"), on("n"), func(p *model.Pod) { p.Ours = false })
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
			write(c)
			c.Charges.Begin()
			sound(t, c.Ledger)
			equal(t, "what queue own holds", c.row(t, "own").Allocated.Get(0), 2000)
			equal(t, "what queue other holds", c.row(t, "other").Allocated.Get(0), 0)
			twin := again(c.Ledger, c.Facts())
			if was, is := byName(c.Ledger), byName(twin); was != is {
				t.Errorf("another ledger that knows as much differs: %s", differs(was, is))
			}
			c.pod("a", 1000, member("g"), succeeded)
			c.pod("b", 1000, member("g"), succeeded)
			c.Charges.Begin()
			sound(t, c.Ledger)
			equal(t, "what queue own holds once they have ended", c.row(t, "own").Allocated.Get(0), 0)
			equal(t, "what counts apart from what facts say", len(c.Charges.All().Jobs)+len(c.Charges.All().Members), 0)
		})
	}
}

func aside(queue string) model.PodGroup {
	return model.PodGroup{Queue: queue, MinMember: 2,
		Meta: model.Meta{Faults: []model.Fault{{Field: "spec", Message: "is absurd", Fatal: true}}}}
}

// A pod may change its PodGroup within its queue, as one does that was adopted and is given one.
func TestAPodThatRunsMayChangeItsJobWithinItsQueue(t *testing.T) {
	c := newCluster()
	c.node("n", 8000)
	c.queueUnder("own", "")
	c.pod("a", 1000, labelled("", "own"), on("n"))
	c.Charges.Begin()
	p := c.pod("a", 1000, member("g"), on("n"))
	c.Charges.Begin()
	equal(t, "its job while the PodGroup is missing", c.Job(c.Task(p).Job).Key,
		JobKey{Namespace: "ns", Name: "a", Adopted: true})
	c.group("g", model.PodGroup{Queue: "own", MinMember: 1})
	c.Charges.Begin()
	sound(t, c.Ledger)
	equal(t, "its job once that is there", c.Job(c.Task(p).Job).Key, JobKey{Namespace: "ns", Name: "g"})
	equal(t, "what its queue holds", c.row(t, "own").Allocated.Get(0), 1000)
}

// Pods with a PodGroup that was never seen count in the queue that they name, or in the default one, and in that of
// the PodGroup when it comes.
func TestPodsWhosePodGroupWasNeverSeenFollowIt(t *testing.T) {
	c := newCluster()
	c.node("n", 8000)
	c.queueUnder("own", "")
	p := c.pod("a", 1000, member("g"), on("n"))
	c.Charges.Begin()
	equal(t, "what the default queue holds", c.row(t, model.DefaultQueue).Allocated.Get(0), 1000)
	equal(t, "its being charged", c.Task(p).Charged(), false)
	c.group("g", model.PodGroup{Queue: "own", MinMember: 1})
	c.Charges.Begin()
	sound(t, c.Ledger)
	equal(t, "what its PodGroup's queue holds", c.row(t, "own").Allocated.Get(0), 1000)
	equal(t, "its being charged", c.Task(p).Charged(), true)
}

// What is decided holds from then on, before any fact shows it.
func TestABindUnderWayIsCharged(t *testing.T) {
	c := newCluster()
	n := c.node("n", 8000)
	c.queueUnder("own", "")
	c.queueUnder("other", "")
	c.group("g", model.PodGroup{Queue: "own", MinMember: 1})
	p := c.pod("a", 1000, member("g"))
	c.SetCommitment(p, Commitment{Kind: CommitBind, Node: n, Item: 1})
	c.Charges.Begin()
	c.group("g", model.PodGroup{Queue: "other", MinMember: 1})
	equal(t, "what queue own holds", c.row(t, "own").Allocated.Get(0), 1000)
	c.Drop(p)
	sound(t, c.Ledger)
	equal(t, "what queue own holds once the bind was refused", c.row(t, "own").Allocated.Get(0), 0)
	equal(t, "its job's queue then", c.Jobs.QueueName(c.Task(p).Job), "other")
}

// A task may be promised room for this cycle and be bound later in the same cycle: it counts from the bind on.
func TestABindOfAProvisionalTaskIsCharged(t *testing.T) {
	c := newCluster()
	n := c.node("n", 8000)
	c.group("g", model.PodGroup{MinMember: 1})
	p := c.pod("a", 1000, member("g"))
	c.Try(func(tx *Tx) bool { tx.Pipeline(p, n); tx.Provisional(); return true })
	c.Try(func(tx *Tx) bool { tx.Unpipeline(p); tx.Allocate(p, n); return true })
	c.Commit(nextItem())
	c.Charges.Begin()
	equal(t, "its being charged", c.Task(p).Charged(), true)
	c.Statements.TakeBackProvisional()
	equal(t, "its status in the next cycle", c.Task(p).Status, model.Binding)
	sound(t, c.Ledger)
}

// A statement of this cycle that evicts a pod and takes the eviction back leaves it provisional: it is charged later.
func TestAReprievedPodIsChargedInTheNextCycle(t *testing.T) {
	c := newCluster()
	c.node("n", 8000)
	p := c.pod("a", 1000, member("g"), on("n"))
	c.group("g", model.PodGroup{MinMember: 1})
	c.Try(func(tx *Tx) bool {
		tx.Evict(p, "preempt", NoTask)
		tx.Reprieve(p)
		tx.Provisional()
		return true
	})
	c.Charges.Begin()
	equal(t, "its being charged while it is provisional", c.Task(p).Charged(), false)
	c.Statements.TakeBackProvisional()
	c.Charges.Begin()
	equal(t, "its being charged in the next cycle", c.Task(p).Charged(), true)
	sound(t, c.Ledger)
}

// A pod with a refused bind holds nothing: it is a member of the job that it names by then.
func TestAPodThatIsNotBoundAfterAllIsOfTheJobItNames(t *testing.T) {
	c := newCluster()
	n := c.node("n", 8000)
	c.group("g", model.PodGroup{MinMember: 1})
	p := c.pod("a", 1000, member("g"))
	c.SetCommitment(p, Commitment{Kind: CommitBind, Node: n, Item: 1})
	c.Charges.Begin()
	c.pod("a", 1000, member("gone"))
	equal(t, "its job while it is being bound", c.Job(c.Task(p).Job).Key.Name, "g")
	c.Drop(p)
	sound(t, c.Ledger)
	equal(t, "its job once the bind was refused", c.Job(c.Task(p).Job).Key.Name, "gone")
}
