package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// told tells a loop's engine of an object.
func told(l *loop, kind model.Kind, o model.Object) {
	c := o.Common()
	c.UID = c.Namespace + "/" + c.Name
	l.engine.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: c.Namespace, Name: c.Name}, UID: c.UID,
		Version: 1 << 20, Object: o})
}

// labelValues are the labels' values of all metrics of a scheduler.
func labelValues(t *testing.T, l *loop) (out []string) {
	t.Helper()
	all, err := l.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range all {
		for _, m := range family.GetMetric() {
			for _, of := range m.GetLabel() {
				out = append(out, of.GetValue())
			}
		}
	}
	return out
}

// Whatever jobs, their queues and their resources are called, the figures are there and no longer than with names that
// objects can have.
func TestFiguresOfJobsWithAnyNameAtAll(t *testing.T) {
	for _, name := range []string{"\xff", strings.Repeat("é", 100_000), strings.Repeat("\xffa", 300)} {
		t.Run(fmt.Sprintf("%.8q", name), func(t *testing.T) {
			l := cluster(t, 1, 1)
			for pod, node := range map[string]string{"runs": "n0", "waits": "", "bare": ""} {
				p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: pod}, Ours: true, Group: name + pod, Node: node,
					Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}, {Name: name, Value: 1}}}}
				if pod == "bare" {
					p.Group, p.Owner, p.Adopt = "", name, model.Adopt{MinMember: 1, Queue: "default"}
				} else {
					told(l, model.KindPodGroup, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name + pod},
						Queue: map[bool]string{true: "default", false: name}[node != ""], MinMember: 1})
				}
				if node != "" {
					p.Phase = model.PodRunning
				}
				told(l, model.KindPod, p)
			}
			plan, _, _ := l.engine.Decide(l.now())
			l.metrics.decided(time.Millisecond, plan.Items, l)
			l.metrics.loses(sched.Item{Action: "reclaim", Record: &trace.Eviction{Ran: 1,
				Lost: resource.List{{Name: name, Value: 1}}}})
			l.metrics.ofJobs.figures(l)
			for _, q := range l.engine.Queues() {
				l.metrics.queue(&q)
			}
			l.background.passed.figures()
			l.metrics.ofBindings.retried(l.engine.Ledger(), []sched.Receipt{{Outcome: sched.Failed,
				Item: sched.Item{Kind: sched.BindPod, Pod: ledger.Key{Namespace: "ns", Name: "waits"}}}},
				l.metrics.ofBindings.retrying)
			for _, metric := range []string{"volcano_unschedule_task_count", "volcano_job_share",
				"volcano_e2e_job_scheduling_duration", "volcano_job_retry_counts", "ashlar_evicted_resource_seconds_total"} {
				if _, there := sum(t, l, metric); !there {
					t.Errorf("%s is not there", metric)
				}
			}
			for _, text := range labelValues(t, l) {
				if len(text) > 253 {
					t.Errorf("a label has %d bytes: %.60s", len(text), text)
				}
			}
		})
	}
}

// Jobs that name queues that do not exist get them no figures: there may be any number of such names.
func TestAQueueThatIsOnlyNamedHasNoFigures(t *testing.T) {
	l := cluster(t, 1, 2)
	for i := range 5 {
		told(l, model.KindPodGroup, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprint("lost", i)},
			Queue: fmt.Sprint("q-", i), MinMember: 1})
		told(l, model.KindPod, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprint("lost", i, "-0")}, Ours: true,
			Group: fmt.Sprint("lost", i), Spec: &model.Spec{}})
	}
	l.engine.Decide(l.now())
	l.background.passed.figures()
	for i := range 5 {
		if _, there := sum(t, l, "ashlar_queue_longest_passed_seconds", "queue_name", fmt.Sprint("q-", i)); there {
			t.Errorf("queue q-%d does not exist and has figures", i)
		}
	}
	if _, there := sum(t, l, "ashlar_queue_longest_passed_seconds", "queue_name", "default"); !there {
		t.Error("the queue that exists has none")
	}
}

// A job of which a binding is decided anew is counted however many jobs were before it, once some of those are gone.
func TestBindingsOfJobsThatAreGoneAreNotCountedForEver(t *testing.T) {
	l := cluster(t, 1, 2)
	retry := func(job string) {
		l.metrics.ofBindings.retried(l.engine.Ledger(), []sched.Receipt{{Outcome: sched.Failed,
			Item: sched.Item{Kind: sched.BindPod, Pod: ledger.Key{Namespace: "ns", Name: job + "-0"}}}},
			l.metrics.ofBindings.retrying)
	}
	retry("j0")
	for i := range mostJobs - 1 { // as many are counted as may be, and all but one of them are gone
		name := fmt.Sprint("gone", i)
		l.metrics.ofBindings.retrying[name] = ledger.JobKey{Namespace: "ns", Name: name}
		l.metrics.ofBindings.retries.WithLabelValues(name).Inc()
	}
	retry("j1")
	for _, job := range []string{"j0", "j1"} {
		if n, _ := sum(t, l, "volcano_job_retry_counts", "job_id", job); n != 1 {
			t.Errorf("of %s %v bindings are counted, want one", job, n)
		}
	}
	if n, _ := sum(t, l, "volcano_job_retry_counts"); n != 2 {
		t.Errorf("%v bindings are counted, want those of the jobs that are there", n)
	}
}
