package loop

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/config"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

const enqueueOnly = "actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: gang\n"

// A changed file takes effect; a bad one, and one that is gone for a moment, do not.
func TestTheConfigurationIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "conf")
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			<-time.After(look)
		}
		write(enqueueOnly)
		c, err := newConfiguration(Options{ConfigFile: path})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(look)
		if changed, _ := c.changed(); changed {
			t.Error("a file that did not change is taken for changed")
		}
		write("actions: \"enqueu\"\n")
		if changed, err := c.changed(); changed || err == nil || len(c.profile.Actions) != 1 {
			t.Errorf("a bad file was taken: %v", c.profile.Actions)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		<-time.After(look)
		if changed, _ := c.changed(); changed {
			t.Error("a file that is gone is taken for changed")
		}
		write("actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n")
		if changed, err := c.changed(); !changed || err != nil || len(c.profile.Actions) != 2 {
			t.Errorf("the profile has actions %v, want the file's two", c.profile.Actions)
		}
	})
}

func TestABadConfigurationAtTheStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conf")
	if err := os.WriteFile(path, []byte("actions: \"enqueue, alocate\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newConfiguration(Options{ConfigFile: path, Mode: config.Strict}); err == nil {
		t.Error("it is taken, want an error with its line")
	}
	if _, err := newConfiguration(Options{ConfigFile: path + ".not"}); err == nil {
		t.Error("a file that is not there is taken, want an error")
	}
	c, err := newConfiguration(Options{ConfigFile: path + ".not", FallBack: true})
	if err != nil || len(c.profile.Actions) == 0 {
		t.Errorf("with a fall-back: %v and actions %v, want Volcano's default", err, c)
	}
}

// A plugin that was compiled in may be named, with arguments of its own.
func TestAConfigurationMayNameAPluginThatWasCompiledIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conf")
	text := "actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: mine\n    arguments:\n      shade: 7\n      deep: true\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newConfiguration(Options{ConfigFile: path}); err == nil {
		t.Error("a plugin that was not compiled in is taken")
	}
	var got policy.Arguments
	mine := policy.Definition{Name: "mine", New: func(c policy.Choice, _ *ledger.Ledger) (any, error) {
		got = c.Arguments
		return policy.Parts{}, nil
	}}
	o := Options{ConfigFile: path, Plugins: []policy.Definition{mine}}
	c, err := newConfiguration(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.engine(o); err != nil || got["shade"] != "7" || got["deep"] != "true" {
		t.Errorf("%v; it is given %v, want its two arguments", err, got)
	}
}

func TestTheQueuesThatEveryClusterHasAreMade(t *testing.T) {
	api := volcano.NewSimpleClientset(&schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: "team"},
		Spec: schedulingv1beta1.QueueSpec{Weight: 7}})
	for range 2 { // again changes nothing
		if err := makeQueues(t.Context(), api, "team"); err != nil {
			t.Fatal(err)
		}
	}
	root, err := api.SchedulingV1beta1().Queues().Get(t.Context(), "root", metav1.GetOptions{})
	if err != nil || root.Spec.Reclaimable == nil || *root.Spec.Reclaimable {
		t.Errorf("root: %v, %+v; want it made and not reclaimable", err, root)
	}
	if team, err := api.SchedulingV1beta1().Queues().Get(t.Context(), "team", metav1.GetOptions{}); err != nil ||
		team.Spec.Weight != 7 {
		t.Errorf("team: %v, %+v; want it left as it was", err, team)
	}
}

// A wait is Unschedulable to autoscalers only if a node more could end it.
func TestWhatANodeMoreCures(t *testing.T) {
	e, err := sched.New(policy.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: "q"}, UID: "q", Version: 1, Object: &model.Queue{
		Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1, Capability: resource.List{{Name: "cpu", Value: 8000}}}})
	e.Report() // settles what was applied
	cpu := func(need, have int64) []trace.Short { return []trace.Short{{Dim: "cpu", Need: need, Have: have}} }
	for name, c := range map[string]struct {
		reason trace.Reason
		want   bool
	}{
		"no node has room": {trace.Reason{Code: trace.NotEnoughResources}, true},
		"a gang for which no node has room": {
			trace.Reason{Code: trace.GangIncomplete, Cause: &trace.Reason{Code: trace.NotEnoughResources}}, true},
		"no NUMA node has room": {trace.Reason{Code: trace.NodeNUMA}, true},
		"no node at all":        {trace.Reason{Code: trace.NoNodes}, true},
		"its share ends with the cluster": {
			trace.Reason{Code: trace.QueueDeserved, Queue: "q", Shorts: cpu(6000, 4000)}, true},
		"not: its share ends with its capability": {
			trace.Reason{Code: trace.QueueDeserved, Queue: "q", Shorts: cpu(9000, 8000)}, false},
		"it holds its share of a small cluster": {
			trace.Reason{Code: trace.QueueOverused, Queue: "q", Shorts: cpu(4000, 4000)}, true},
		"not: it holds all it may": {trace.Reason{Code: trace.QueueOverused, Queue: "q", Shorts: cpu(8000, 8000)}, false},
		"not: others come first":   {trace.Reason{Code: trace.WaitsForTurn}, false},
		"not: its queue is closed": {trace.Reason{Code: trace.QueueNotOpen, Queue: "q"}, false},
		"not: members are missing": {trace.Reason{Code: trace.NotEnoughTasks}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := curable(e.Ledger(), c.reason); got != c.want {
				t.Errorf("curable: %t, want %t", got, c.want)
			}
		})
	}
}

// Hours that name no offset are those of the process's time zone: when summer time begins the engine is
// made anew, and only where such hours are read.
func TestHoursFollowTheTimeZone(t *testing.T) {
	winter, summer := time.FixedZone("winter", 3600), time.FixedZone("summer", 7200)
	const zone = "  - name: tdm\n    arguments: {tdm.revocable-zone.rz: \"9:00-18:00\""
	for text, want := range map[string]bool{
		enqueueOnly:                false,
		enqueueOnly + zone + "}\n": true,
		enqueueOnly + zone + ", tdm.utc-offset: \"+01:00\"}\n": false,
	} {
		path := filepath.Join(t.TempDir(), "conf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := newConfiguration(Options{ConfigFile: path})
		if err != nil {
			t.Fatal(err)
		}
		c.zone, c.offset = winter, "+01:00"
		for _, look := range []struct {
			zone *time.Location
			want bool
		}{{winter, false}, {summer, want}, {summer, false}, {winter, want}} {
			c.looked, c.zone = time.Time{}, look.zone
			if changed, err := c.changed(); changed != look.want || err != nil {
				t.Errorf("in %v: changed %v, %v; want %v, with\n%s", look.zone, changed, err, look.want, text)
			}
		}
	}
}
