package policy_test

import (
	"slices"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

type misspelt struct{}

func (misspelt) CompareJob(a, b ledger.JobID) int { return 0 }

type otherTypes struct{}

func (otherTypes) CompareJobs(a, b string) int { return 0 }

type otherName struct{}

func (otherName) Rank(a, b ledger.QueueID) int { return 0 }

type unknown struct{}

func (unknown) Ready(ledger.JobID) bool { return true }
func (unknown) Report() string          { return "" }

type half struct{}

func (half) Concerns(*model.Spec) bool { return true }

type onlyPicked struct{}

func (onlyPicked) GuardUnit(policy.Unit) policy.Opinion { return policy.Opinion{} }

type silent struct{}

func (silent) compareJobs(a, b ledger.JobID) int { return 0 }

type refined struct{}

func (refined) OfJobAlone() {}

type good struct{}

func (good) CompareJobs(a, b ledger.JobID) int { return 0 }

// A plugin that would be asked nothing, or not all that it answers, is an error when an engine is made: it names
// the plugin, the method, and the extension point nearest to it.
func TestAMethodThatIsNoAnswer(t *testing.T) {
	for _, c := range []struct {
		plugin any
		says   string
	}{
		{misspelt{}, "plugin p: method CompareJob(ledger.JobID, ledger.JobID) int is no answer at any extension point; " +
			"did you mean CompareJobs(ledger.JobID, ledger.JobID) int of JobOrder?"},
		{otherTypes{}, "plugin p: method CompareJobs(string, string) int: extension point JobOrder asks for " +
			"CompareJobs(ledger.JobID, ledger.JobID) int"},
		{otherName{}, "did you mean CompareQueues(ledger.QueueID, ledger.QueueID) int of QueueOrder?"},
		{unknown{}, "plugin p: method Report() string is no answer at any extension point; a plugin exports nothing else"},
		{onlyPicked{}, "plugin p: method GuardUnit: extension point Guard asks for "},
		{half{}, "plugin p: method Concerns: extension point NodeFilter asks for FilterNode(*ledger.Class, ledger.NodeID, " +
			"bool) policy.Verdict, too"},
		{silent{}, "plugin p: it implements no extension point; docs/plugins.md lists them"},
		{refined{}, "plugin p: it is OfJobAlone, and not JobValid or JobStarving"},
		{policy.Parts{good{}, misspelt{}}, "plugin p: its part policy_test.misspelt: method CompareJob"},
		{nil, "plugin p: its constructor returned nil"},
		{good{}, ""},
		{&good{}, ""},
		{policy.Parts{}, ""},
	} {
		if _, err := build(c.plugin); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%T: %v\nwant %s", c.plugin, err, c.says)
		}
	}
	silent{}.compareJobs(0, 0)
}

func build(plugin any) (*policy.Set, error) {
	known := policy.Definition{Name: "p", New: func(policy.Choice, *ledger.Ledger) (any, error) { return plugin, nil }}
	return policy.Build(policy.Profile{Tiers: [][]policy.Choice{{{Plugin: "p"}}}}, []policy.Definition{known},
		ledger.New())
}

// The table has each interface once, with a meaning, and a refinement refines a point.
func TestTheTableIsSound(t *testing.T) {
	var points []string
	for _, p := range policy.ExtensionPoints() {
		if p.Meaning == "" || slices.Contains(points, p.Name) {
			t.Errorf("%s has no meaning or is listed twice", p.Name)
		}
		points = append(points, p.Name)
		for _, r := range p.Refines {
			if p.Flag != "" || p.Rule != "" {
				t.Errorf("%s is a refinement of %s and has a flag or a rule of its own", p.Name, r)
			}
		}
	}
	for _, p := range policy.ExtensionPoints() {
		for _, r := range p.Refines {
			if !slices.Contains(points, r) {
				t.Errorf("%s refines %s, which is no extension point", p.Name, r)
			}
		}
	}
}

// A misspelt method is an error at start, though no profile names the plugin.
func TestAMisspeltMethodIsFoundWithoutAProfile(t *testing.T) {
	d := policy.Define("p", "nothing", func(policy.NoArguments, *ledger.Ledger) (misspelt, error) {
		return misspelt{}, nil
	})
	if err := d.Check(); err == nil || !strings.Contains(err.Error(), "plugin p: method CompareJob(") {
		t.Errorf("the check says %v", err)
	}
	known := policy.Define("p", "nothing", func(policy.NoArguments, *ledger.Ledger) (good, error) {
		return good{}, nil
	})
	if err := known.Check(); err != nil {
		t.Errorf("a plugin without fault: %v", err)
	}
}
