package story_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/internal/story"
)

// The worlds in which the seeds' log lines are looked for. Each is a story that asks for the whole log at its end.
var worlds = map[string]string{
	// Three queues share a hundred CPUs (seed 000 §15).
	"shares": `
node n1 cpu=100
queue a weight=2 capability=cpu:50 guarantee=cpu:10
queue b weight=3
queue c weight=5 guarantee=cpu:20
submit lab/alpha queue=a min=1 80 x cpu=1
submit lab/beta  queue=b min=1 60 x cpu=1
submit lab/gamma queue=c min=1 30 x cpu=1
cycle
log 5
`,
	// A queue of four CPUs and a shut one.
	"queues": `
node n1 cpu=4
node n2 cpu=4
queue team capability=cpu:4
queue shut state=Closed
submit ml/elastic queue=team min=1 3 x cpu=2
submit ml/late    queue=team min=1 1 x cpu=3
submit ml/lacks   queue=team min=2 1 x cpu=1
submit ml/outside queue=shut 1 x cpu=1
cycle
log 5
`,
	// A tree in which the leaf and the root both refuse.
	"tree": `
conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)
node n1 cpu=8
queue team capability=cpu:3
queue dev parent=team capability=cpu:2
submit x/wide queue=dev 1 x cpu=4
cycle
log 5
`,
	// A gang that does not fit, and one that does.
	"gangs": `
conf
  tier gang
  tier predicates nodeorder
node n1 cpu=4
submit ml/team min=3
  2 x cpu=1
  2 x cpu=9
submit ml/pair min=2 2 x cpu=1
cycle
log 5
`,
	// One waits for room that frees itself.
	"promise": `
node n1 cpu=4
submit ml/old 1 x cpu=4
cycle
delete ml/old
submit ml/next 1 x cpu=4
cycle
log 5
`,
	// A job of high priority evicts pods of a low one; another finds no victim.
	"preempt": `
conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4
queue ml
queue other
submit ml/old queue=ml priority=low min=2 4 x cpu=1
cycle
submit ml/lacks queue=ml priority=high min=2 1 x cpu=1
submit ml/new queue=ml priority=high 1 x cpu=2
submit ml/vain queue=other priority=high 1 x cpu=1
cycle
log 5
`,
	// A job starves, and gates hold its members back.
	"gated": `
conf
  actions enqueue allocate preempt
  tier    gang predicates
node n1 cpu=4
submit ml/gated 1 x cpu=1 gated
cycle
log 5
`,
	// A queue takes back what it deserves, another is not entitled to more.
	"reclaim": `
conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates proportion
node n1 cpu=4
queue a weight=1
queue b weight=1
submit a/old queue=a min=1 4 x cpu=1
cycle
submit a/more queue=a 1 x cpu=1
submit b/new queue=b 1 x cpu=1
submit b/big queue=b 1 x cpu=3
cycle
log 5
`,
	// Two schedulers of one cluster have bound to the same node.
	"overdrawn": `
node n1 cpu=4
submit ml/a no-group 1 x cpu=3 on=n1
submit ml/b no-group scheduler=other 1 x cpu=2 on=n1
cycle
log 5
`,
	"hypernodes": `
conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 b1 cpu=2
hypernode rack-a tier=1 nodes=a1
hypernode rack-b tier=1 nodes=b1
submit ml/train topology=hard:1 2 x cpu=1
cycle
log 5
`,
}

// lines are the seeds' log lines, section by section, as a run prints them. Where a seed
// only names a word to search for, want is a line that it finds.
var lines = []struct {
	seed, world, want string
	level             int
}{
	{"000 §4.4", "shares", "The total resource is <cpu 100000.00, memory 0.00>", 4},
	{"000 §4.4", "shares", "Considering Queue <a>: weight <2>, total weight <10>.", 4},
	{"000 §4.4", "shares", "Considering Queue <a>: weight <2>, total weight <5>.", 4},
	{"000 §4.4, §15", "shares", "Format queue <a> deserved resource to <cpu 28000.00, memory 0.00>", 4},
	{"000 §4.4, §15", "shares", "Format queue <b> deserved resource to <cpu 42000.00, memory 0.00>", 4},
	{"000 §4.4", "shares", "queue <c> is meet", 4},
	{"000 §4.4", "shares", "Remaining resource is <cpu 20000.00, memory 0.00>", 4},
	{"000 §6.1", "queues", "Queue <team> is overused: deserved <cpu 4000.00, memory 0.00>, allocated <cpu 4000.00, " +
		"memory 0.00>, share <1.000000>", 3},
	{"000 §7.1", "queues", "Queue <shut> current state: Closed, is not in open state", 3},
	{"000 §7.1, §14.3", "queues",
		"Queue <team>: deserved <cpu 4000.00, memory 0.00>, allocated <cpu 2000.00, memory 0.00>; Candidate <ml/late-0>: " +
			"resource request <cpu 3000.00, memory 0.00>", 3},
	{"000 §8.3", "reclaim", "Victims from proportion plugins are [a/old-3]", 4},
	{"000 §8.3", "reclaim", "Victims from proportion plugins are []", 4},
	{"000 §10.2", "tree", "Queue <team>: realCapability <cpu 3000.00, memory 0.00>, allocated <cpu 0.00, memory 0.00>; " +
		"Candidate <x/wide-0>: resource request <cpu 4000.00, memory 0.00>", 5},
	{"000 §10.2", "tree", "Queue <root>: realCapability <cpu 8000.00, memory 0.00>, allocated <cpu 0.00, memory 0.00>; " +
		"Candidate <x/wide-0>: resource request <cpu 4000.00, memory 0.00>", 5},
	{"002 §3.4, §8.1, §9.2", "preempt", "Job <ml/lacks> Queue <ml> skip preemption, reason: 1 of at least 2 pods exist",
		4},
	{"002 §3.4, §8.1, §9.2", "preempt", "No preemptors in Queue <default>, break.", 3},
	{"002 §8.1", "preempt", "Enter Preempt ...", 5},
	{"002 §8.1", "preempt", "Leaving Preempt ...", 5},
	{"002 §8.1", "reclaim", "Enter Reclaim ...", 5},
	{"002 §8.1", "reclaim", "Leaving Reclaim ...", 5},
	{"002 §8.2", "preempt", "Considering Task <ml/new-0> on Node <n1>.", 3},
	{"002 §8.2, §9.2", "preempt", "Try to preempt Task <ml/old-2> for Task <ml/new-0>", 3},
	{"002 §8.2, §9.2", "preempt",
		"Preempted <cpu 2000.00, memory 0.00, pods 2.00> for Task <ml/new-0> requested <cpu 2000.00, memory " +
			"0.00, pods 1.00>.", 3},
	{"002 §9.2", "gated", "No preemptor task in job <ml/gated>.", 3},
	{"002 §9.2", "preempt", "Failed to preempt Task: no victims make room for Task <ml/vain-0> of Job <ml/vain>", 3},
	{"002 §9.2", "preempt", "Committing operations ...", 3},
	{"002 §9.2", "preempt", "Discarding operations ...", 3},
	{"002 §9.2", "reclaim", "Queue <a> is overused, ignore it.", 3},
	{"002 §9.2", "reclaim", "Queue <b> cannot reclaim for task <b/big-0>, reason: queue b would hold more than it " +
		"deserves (cpu: 3 with it, 2 deserved)", 3},
	{"003 §2.2", "queues", "Enter Allocate ...", 5},
	{"003 §2.2", "queues", "Leaving Allocate ...", 5},
	{"003 §2.2, §3.4", "queues", "Try to allocate resource to 1 Queues", 3},
	{"003 §3.2, §8.2", "queues", "Queue <team> is overused, ignore it.", 3},
	{"003 §4.5", "queues", "Job <ml/outside> Queue <shut> skip allocate, reason: queue shut is closed and takes no jobs",
		4},
	{"003 §4.5", "queues", "Added Job <ml/elastic> into Queue <team>", 4},
	{"003 §4.5", "queues", "JobValid of Job <ml/lacks>: false, 1 of at least 2 pods exist", 4},
	{"003 §5.5", "gangs", "Binding Task <ml/pair-0> to node <n1>", 3},
	{"003 §5.5", "gangs", "Predicates failed for task <ml/team-2>: the only node does not take it: it lacks cpu (on n1: " +
		"9 asked, 0 free)", 3},
	{"003 §5.5", "gangs", "There are <1> nodes for Job <ml/pair>", 3},
	{"003 §5.5", "promise", "Pipelining Task <ml/next-0> to node <n1>", 3},
	{"003 §6.3, §6.6, §7.4", "gangs", "Committing operations ...", 3},
	{"003 §6.4, §6.6, §7.4, §8.3", "gangs", "Discarding operations ...", 3},
	{"003 §7.4", "gangs", "Allocating operations ...", 3},
	{"003 §6.6, §7.4", "gangs", "After allocated Task <ml/pair-0> to Node <n1>: idle <cpu 3000.00, memory 0.00, pods " +
		"109.00>, used <cpu 1000.00, memory 0.00, pods 1.00>, releasing <cpu 0.00, memory 0.00>", 3},
	{"003 §7.4", "promise", "After pipelined Task <ml/next-0> to Node <n1>: idle <cpu 0.00, memory 0.00, pods 109.00>, " +
		"used <cpu 4000.00, memory 0.00, pods 1.00>, releasing <cpu 4000.00, memory 0.00, pods 1.00>", 3},
	{"003 §7.4, §8.3", "gangs", "SubJob ready, return statement: Job <ml/pair>, 2 placed", 3},
	{"003 §7.2, §8.1", "gangs", "FitErrors of Task <ml/team-2>: predicate failed on 1 node: 1 Insufficient cpu", 5},
	{"003 §7.2", "gangs", "node <n1>: idle <cpu 0.00, memory 0.00, pods 106.00>, used <cpu 4000.00, memory 0.00, pods " +
		"4.00>, releasing <cpu 0.00, memory 0.00>", 5},
	{"003 §7.3", "queues", "BatchNodeOrder of Task <ml/elastic-1> over 2 nodes: <n1> score <425000> (<300000> " +
		"compared), <n2> score <400000> (<300000> compared)", 5},
	{"003 §7.3", "queues", "BestNode of Task <ml/elastic-1> is <n1>, score <425000>", 5},
	{"003 §8.4", "hypernodes", "HyperNodesReadyToSchedule: true, 2 HyperNodes, 0 set aside", 3},
	{"003 §8.4", "hypernodes", "hyperNode in session: <rack-a>, tier <1>, <1> nodes", 5},
	{"003 §8.4", "hypernodes", "Allocate Job <ml/train> in hyperNode <rack-a>, tier <1>, score <100000>", 3},
	{"003 §8.5", "gangs", "Task <ml/team-3> has already predicated failed, skip it", 5},
	{"004 (allocateIdleResource)", "overdrawn", "Idle resources turn into negative: cpu -1 on Node <n1>", 0},
}

// Every log line of the seeds is printed by a run, word for word and at its level; that
// of PrePredicate needs a volume and is in internal/cli.
func TestTheSeedsLogLinesAreThoseOfARun(t *testing.T) {
	logs := map[string][]string{}
	for name, text := range worlds {
		s, err := story.Parse(name, "# "+name+"\n"+text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		told := run(t, s, story.Options{}).Text
		logs[name] = strings.Split(told[strings.LastIndex(told, "log 5"):], "\n")
	}
	for _, l := range lines {
		if want := fmt.Sprintf("V%d %s", l.level, l.want); !slices.Contains(logs[l.world], want) {
			t.Errorf("seed %s: the log of %s lacks\n  %s\n%s", l.seed, l.world, want, strings.Join(logs[l.world], "\n"))
		}
	}
}
