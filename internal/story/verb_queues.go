package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// queues prints the queues' figures as they stood at the end of the last cycle, as a
// table; the words choose columns:
//
//	queues deserved allocated overused
//
// Without words: deserved, allocated, request, share, overused. Root and a default
// queue that holds nothing are left out, unless "all" is said.
var queuesVerb = verb{syntax: "queues [all] [COLUMN…]", ask: queues}

func queueColumns() []column[sched.QueueReport] {
	amounts := func(name string, of func(sched.QueueReport) resource.List) column[sched.QueueReport] {
		return column[sched.QueueReport]{name, func(q sched.QueueReport) string { return list(of(q)) }}
	}
	return []column[sched.QueueReport]{
		{"queue", func(q sched.QueueReport) string { return q.Name }},
		{"parent", func(q sched.QueueReport) string { return cmp.Or(q.Parent, "-") }},
		{"state", func(q sched.QueueReport) string { return q.State.String() }},
		{"weight", func(q sched.QueueReport) string { return strconv.FormatInt(q.Weight, 10) }},
		{"priority", func(q sched.QueueReport) string { return strconv.Itoa(int(q.Priority)) }},
		amounts("deserved", func(q sched.QueueReport) resource.List { return q.Deserved }),
		amounts("allocated", func(q sched.QueueReport) resource.List { return q.Allocated }),
		amounts("request", func(q sched.QueueReport) resource.List { return q.Request }),
		amounts("inqueue", func(q sched.QueueReport) resource.List { return q.Inqueue }),
		amounts("elastic", func(q sched.QueueReport) resource.List { return q.Elastic }),
		amounts("guarantee", func(q sched.QueueReport) resource.List { return q.Guarantee }),
		amounts("capability", func(q sched.QueueReport) resource.List { return q.Capability }),
		amounts("real", func(q sched.QueueReport) resource.List { return q.RealCapability }),
		{"share", func(q sched.QueueReport) string { return share(q.ShareMicro) }},
		{"overused", func(q sched.QueueReport) string { return yes(q.Overused) }},
	}
}

func queues(s *stage, w *words) ([]string, error) {
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	all := len(w.all) > 0 && w.all[0] == "all"
	if all {
		w.next()
	}
	chosen := w.all
	if len(chosen) == 0 {
		chosen = []string{"deserved", "allocated", "request", "share", "overused"}
	}
	rows := slices.DeleteFunc(r.Queues, func(q sched.QueueReport) bool {
		idle := q.Name == model.DefaultQueue && len(q.Request) == 0
		return !all && (q.Name == model.RootQueue || idle)
	})
	return table(rows, queueColumns(), chosen)
}

// share prints millionths with two decimals; what has no proportion prints as over.
func share(micro int64) string {
	if micro > 1_000_000*1_000_000 {
		return "over"
	}
	return fmt.Sprintf("%d.%02d", micro/1_000_000, micro%1_000_000/10_000)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
