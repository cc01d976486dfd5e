package tdm_test

import (
	"slices"
	"testing"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/tdm"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

type plugin interface {
	policy.Later
	policy.StaticFilter
	policy.NodeOrder
	policy.JobOrder
	policy.JobPipelined
	policy.JobStarving
	policy.Preemptable
	policy.Descheduler
}

// world has node lent in zone rz, with the hours 10:00-21:00, and node own.
type world struct {
	*ledger.Ledger
	plugin
}

func newWorld(t *testing.T, arguments policy.Arguments) *world {
	t.Helper()
	l := ledger.New()
	if arguments == nil {
		arguments = policy.Arguments{"tdm.revocable-zone.rz": "10:00-21:00"}
	}
	p, err := tdm.Definition().New(policy.Choice{Arguments: arguments}, l)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{l, p.(plugin)}
	w.tell(model.KindNode, "", "lent", &model.Node{Meta: model.Meta{Name: "lent"},
		Labels: []model.Label{{Key: "volcano.sh/revocable-zone", Value: "rz"}}})
	w.tell(model.KindNode, "", "own", &model.Node{Meta: model.Meta{Name: "own"}})
	return w
}

func (w *world) tell(k model.Kind, namespace, name string, o model.Object) {
	w.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o})
}

// clock is that time of a day, in nanoseconds since the epoch.
func clock(text string) int64 {
	at, err := time.Parse("2006-01-02 15:04", "2026-03-01 "+text)
	if err != nil {
		panic(err)
	}
	return at.UnixNano()
}

func (w *world) verdict(node string, revocable bool) policy.Verdict {
	n, _ := w.Nodes.Find(node)
	return w.FilterStatic(&model.Spec{Revocable: revocable}, w.Node(n).Fact)
}

func TestAZoneIsToBeHadAtItsHours(t *testing.T) {
	utc8 := policy.Arguments{"tdm.revocable-zone.rz": "10:00-21:00", "tdm.utc-offset": "+08:00"}
	night := policy.Arguments{"tdm.revocable-zone.rz": "22:00-06:30"}
	for name, c := range map[string]struct {
		arguments policy.Arguments
		now       string
		open      bool
		next      string
	}{
		"before its hours":                    {nil, "09:59", false, "10:00"},
		"when they begin":                     {nil, "10:00", true, "21:00"},
		"in their last minute":                {nil, "20:59", true, "21:00"},
		"when they end":                       {nil, "21:00", false, "34:00"},
		"over midnight, in the evening":       {night, "23:00", true, "30:30"},
		"over midnight, in the morning":       {night, "06:29", true, "06:30"},
		"over midnight, by day":               {night, "06:30", false, "22:00"},
		"at an offset, the day before in UTC": {utc8, "02:00", true, "13:00"},
		"at an offset, past its end":          {utc8, "13:00", false, "26:00"},
		"a zone without hours":                {policy.Arguments{}, "12:00", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.arguments)
			next := w.At(clock(c.now))
			if open := w.verdict("lent", true).Admits(); open != c.open {
				t.Errorf("open: %v, want %v", open, c.open)
			}
			if want := later(c.next); next != want {
				t.Errorf("turns at %v, want %v", time.Unix(0, next).UTC(), time.Unix(0, want).UTC())
			}
		})
	}
}

// later is a time of that day, beyond 24:00 too; "" is 0.
func later(text string) int64 {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text[:2] + "h" + text[3:] + "m")
	if err != nil {
		panic(err)
	}
	return clock("00:00") + int64(d)
}

func TestPodsThatMayUseAZone(t *testing.T) {
	w := newWorld(t, nil)
	w.At(clock("12:00"))
	if v := w.verdict("lent", false); v.Code != trace.NodeRevocable {
		t.Errorf("a pod that may not be revoked: %+v, want a refusal that nothing cures", v)
	}
	if !w.verdict("own", false).Admits() || !w.verdict("own", true).Admits() {
		t.Error("a node in no zone is refused")
	}
	lent, _ := w.Nodes.Find("lent")
	own, _ := w.Nodes.Find("own")
	may := &ledger.Class{Spec: &model.Spec{Revocable: true}}
	if w.ScoreNode(may, lent) <= w.ScoreNode(may, own) {
		t.Error("who may be revoked does not prefer the lent node")
	}
	before := w.Changes.Nodes.Now()
	w.At(clock("21:00"))
	if w.Changes.Nodes.Now() == before {
		t.Error("the zone closed, and its nodes are not judged anew")
	}
	if w.ScoreNode(may, lent) != 0 {
		t.Error("a closed zone is preferred")
	}
}

// job has pods on the lent node, unless where says otherwise, and so many that wait.
func (w *world) job(name string, g model.PodGroup, running, pending int, where string) ledger.JobID {
	g.Namespace, g.Name = "ns", name
	w.tell(model.KindPodGroup, "ns", name, &g)
	for i := range running + pending {
		pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name + "-" + string(rune('a'+i))}, Ours: true, Group: name,
			Spec: &model.Spec{Revocable: g.Preemptable, Requests: resource.List{{Name: resource.CPUName,
				Value: 1000}}}, Preemptable: true}
		if i < running {
			pod.Node, pod.Phase = where, model.PodRunning
		}
		w.tell(model.KindPod, "ns", pod.Name, pod)
	}
	j, _ := w.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return j
}

func (w *world) picked() (out []string) {
	w.Deschedule(func(t ledger.TaskID, reason string) bool {
		if reason == "" {
			panic("no reason")
		}
		out = append(out, w.Task(t).Key.Name)
		return true
	})
	return out
}

func TestAClosedZoneIsGivenBackWithinTheBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		group   model.PodGroup
		waiting int
		want    []string
	}{
		"without a budget one at a time": {model.PodGroup{}, 0, []string{"j-d"}},
		"so many must run": {model.PodGroup{MinAvailable: &model.Portion{Value: 2}}, 0,
			[]string{"j-d", "j-c"}},
		"so many may be away": {model.PodGroup{MaxUnavailable: &model.Portion{Value: 3}}, 0,
			[]string{"j-d", "j-c", "j-b"}},
		"those who wait are away already": {model.PodGroup{MaxUnavailable: &model.Portion{Value: 3}}, 2, []string{"j-d"}},
		"all must run":                    {model.PodGroup{MinAvailable: &model.Portion{Value: 100, Percent: true}}, 0, nil},
		"a part rounds up": {model.PodGroup{MaxUnavailable: &model.Portion{Value: 30, Percent: true}}, 0,
			[]string{"j-d", "j-c"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.job("j", c.group, 4, c.waiting, "lent")
			w.job("elsewhere", model.PodGroup{}, 2, 0, "own")
			w.At(clock("20:00"))
			if got := w.picked(); got != nil {
				t.Errorf("%v are picked from an open zone", got)
			}
			w.At(clock("21:00"))
			if got := w.picked(); !slices.Equal(got, c.want) {
				t.Errorf("%v are picked, want %v", got, c.want)
			}
		})
	}
}

func TestPodsArePickedOnceAPeriod(t *testing.T) {
	w := newWorld(t, policy.Arguments{"tdm.revocable-zone.rz": "10:00-21:00", "tdm.evict.period": "5m"})
	w.job("j", model.PodGroup{}, 4, 0, "lent")
	for _, c := range []struct {
		now   string
		picks int
	}{{"21:00", 1}, {"21:04", 0}, {"21:05", 1}} {
		w.At(clock(c.now))
		if got := len(w.picked()); got != c.picks {
			t.Errorf("at %s %d are picked, want %d", c.now, got, c.picks)
		}
		if c.picks == 0 {
			continue
		}
		if got, want := w.Later(), clock(c.now)+int64(5*time.Minute); got != want {
			t.Errorf("after %s the next round is at %v, want %v", c.now, time.Unix(0, got).UTC(), time.Unix(0, want).UTC())
		}
	}
}

func TestPreemptableJobsLiveOnWhatIsLeft(t *testing.T) {
	w := newWorld(t, nil)
	lent := w.job("lent-job", model.PodGroup{Preemptable: true, MinMember: 2}, 1, 1, "own")
	own := w.job("own-job", model.PodGroup{MinMember: 1}, 1, 1, "own")
	if w.CompareJobs(own, lent) >= 0 || w.CompareJobs(lent, own) <= 0 || w.CompareJobs(own, own) != 0 {
		t.Error("jobs that are not preemptable do not go first")
	}
	if w.Starving(lent) || !w.Starving(own) {
		t.Error("a preemptable job starves, or another that waits does not")
	}
	if w.VotePipelined(lent) != policy.Reject || w.VotePipelined(own) != policy.Permit {
		t.Error("pipelined is not the minimum's")
	}
}

func TestVictimsOutsideTheZones(t *testing.T) {
	kept := model.PodGroup{Protected: true}
	for name, c := range map[string]struct {
		claim  model.PodGroup
		budget *model.Portion
		where  string
		unit   int
		want   trace.Code
	}{
		"a pod outside":                             {kept, nil, "own", 1, trace.None},
		"not more than its budget":                  {kept, &model.Portion{Value: 2}, "own", 2, trace.VictimBudget},
		"as many as its budget leaves":              {kept, &model.Portion{Value: 1}, "own", 2, trace.None},
		"not one in a zone":                         {kept, nil, "lent", 1, trace.VictimOutOfZone},
		"not for one that is lent to":               {model.PodGroup{Preemptable: true}, nil, "own", 1, trace.VictimForKept},
		"not for one that may be evicted in return": {model.PodGroup{}, nil, "own", 1, trace.VictimForKept},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			claimJob := w.job("claim", c.claim, 0, 1, "")
			victim := w.job("victim", model.PodGroup{MinAvailable: c.budget}, 3, 0, c.where)
			asks, _ := w.Tasks.Find(ledger.Key{Namespace: "ns", Name: "claim-a"})
			unit := policy.Unit{Job: victim}
			for i := range c.unit {
				v, _ := w.Tasks.Find(ledger.Key{Namespace: "ns", Name: "victim-" + string(rune('a'+i))})
				unit.Tasks = append(unit.Tasks, v)
			}
			o := w.Preemptable(policy.Preemptor{Task: asks, Job: claimJob}, unit)
			if o.Reason.Code != c.want || (o.Vote == policy.Permit) != (c.want == trace.None) || o.Guard {
				t.Errorf("%+v, want %q", o, c.want)
			}
		})
	}
}

func TestArgumentsWithoutMeaning(t *testing.T) {
	for key, text := range map[string]string{"tdm.revocable-zone.rz": "10-21", "tdm.evict.period": "often",
		"tdm.utc-offset": "CET"} {
		if _, err := tdm.Definition().New(policy.Choice{Arguments: policy.Arguments{key: text}}, ledger.New()); err == nil {
			t.Errorf("%s: %s is accepted", key, text)
		}
	}
}
