package lint_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/lint"
	"ashlar.sh/internal/manifest"
)

const mistake = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g}
spec: {minMember: 3}
---
apiVersion: v1
kind: Pod
metadata: {name: "a name with\u00e9", annotations: {scheduling.k8s.io/group-name: g}}
---
apiVersion: v1
kind: Pod
metadata: {name: g-0, annotations: {scheduling.k8s.io/group-name: g}}
spec: {schedulerName: volcano, containers: [{name: c, image: i}]}
`

func look(t *testing.T, text string) *lint.Report {
	t.Helper()
	set, errs := manifest.Load([]string{"-"}, strings.NewReader(text))
	in := lint.Input{World: set.Expand(), Chosen: config.Default()}
	for _, e := range errs {
		e.Where.File = "with a space/jobs.yaml"
		in.Refused = append(in.Refused, e)
	}
	return lint.Look(in)
}

// The document has what the schema of SARIF 2.1.0 requires of each part: version and runs of the log, tool of a run,
// driver of a tool and its name, id of a rule, message of a result and its text; levels are of the four that it has,
// lines begin at 1, a ruleIndex is that of the rule, and a URI has no space.
func TestSARIFHasWhatItsSchemaRequires(t *testing.T) {
	var b bytes.Buffer
	if err := look(t, mistake).SARIF(&b, "v1"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation *struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 ||
		log.Runs[0].Tool.Driver.Name == "" || len(log.Runs[0].Tool.Driver.Rules) != len(lint.Rules()) {
		t.Fatalf("the log is %.400s", b.String())
	}
	located := 0
	for _, r := range log.Runs[0].Results {
		if r.Message.Text == "" || r.RuleIndex < 0 || log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID ||
			!strings.Contains(" none note warning error ", " "+r.Level+" ") {
			t.Errorf("a result is %+v", r)
		}
		for _, l := range r.Locations {
			if p := l.PhysicalLocation; p != nil {
				located++
				if p.ArtifactLocation.URI == "" || strings.ContainsAny(p.ArtifactLocation.URI, " é") ||
					p.Region != nil && p.Region.StartLine < 1 {
					t.Errorf("a location is %+v", p)
				}
			}
		}
	}
	if located < 2 {
		t.Errorf("%d locations: the refused pod and the gang have one each\n%s", located, b.String())
	}
}

// A document without findings has its lists, so that scripts need not ask whether they are there.
func TestNothingFoundIsNoNull(t *testing.T) {
	r := look(t, "apiVersion: v1\nkind: Node\nmetadata: {name: node}\n")
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "null") || r.Errors+r.Warnings+r.NotesCount != 0 {
		t.Errorf("%v: %s", err, text)
	}
	var b bytes.Buffer
	if err := r.SARIF(&b, ""); err != nil || !strings.Contains(b.String(), `"results": []`) {
		t.Errorf("%v: %s", err, b.String())
	}
}

// Each rule is in the documentation, and the documentation has no others.
func TestEachRuleIsInTheDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lint.Rules() {
		if strings.Count(string(docs), "\n| `"+name+"` |") != 1 {
			t.Errorf("docs/lint.md has no row of rule %s, or several", name)
		}
	}
	if rows := strings.Count(string(docs), "\n| `"); rows != len(lint.Rules()) {
		t.Errorf("docs/lint.md has %d rows, and there are %d rules", rows, len(lint.Rules()))
	}
}
