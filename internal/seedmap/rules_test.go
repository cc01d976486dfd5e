package seedmap

import (
	"reflect"
	"strings"
	"testing"
)

// A check that never fails checks nothing: rows that are wrong, and what is said of them.
func TestAWrongRowIsFound(t *testing.T) {
	const here, shown = "`sched/engine.go:Decide`", "`stories/taints.story`"
	for name, c := range map[string]struct{ row, wrong string }{
		"a row in order":                  {"| a | " + here + " | " + shown + " |", ""},
		"a gap that is admitted":          {"| a | " + here + " | no test yet |", ""},
		"the words only":                  {"| a | " + here + " | `sched/laws_test.go:TestExportLaw` (the words only) |", ""},
		"not built yet":                   {"| a | not built yet: taking back; soon | – |", ""},
		"left out":                        {"| a | left out: no user needs it | – |", ""},
		"an empty cell":                   {"| a | " + here + " | |", "a cell is empty"},
		"no place":                        {"| a | somewhere | " + shown + " |", "it names no place"},
		"no test":                         {"| a | " + here + " | believe me |", "shown by no test"},
		"code that is no test":            {"| a | " + here + " | " + here + " |", "shown by no test"},
		"a test file without a test":      {"| a | " + here + " | `sched/laws_test.go` |", "shown by no test"},
		"a story that does not hold yet":  {"| a | " + here + " | `stories/pending/a.story` |", "shown by no test"},
		"an unknown capability":           {"| a | not built yet: flying | – |", `"flying" is none of`},
		"what is not built, and believed": {"| a | not built yet: taking back | sure |", "is shown by –"},
	} {
		cells := cellsOf(c.row)
		_, wrong := row{1, cells[0], cells[1], cells[2]}.judge()
		if (wrong == "") != (c.wrong == "") || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s: got %q, want %q", name, wrong, c.wrong)
		}
	}
}

func TestAWrongReferenceIsFound(t *testing.T) {
	known := declarations{}
	for text, wrong := range map[string]string{
		"`sched/engine.go`":                                    "",
		"`sched/engine.go:Decide`, a method":                   "",
		"`sched/engine.go:nextID`, a field":                    "",
		"`sched/policy/points.go:VoteEnqueue`, an interface's": "",
		"`sched/resource/dims.go:CPU`, a constant":             "",
		"`stories/taints.story`":                               "",
		"`sched/nowhere.go`":                                   "there is no sched/nowhere.go",
		"`sched/engine.go:Decline`":                            "declares no Decline",
		"`stories/taints.story:Decide`":                        "is no Go file",
	} {
		refs := references(text)
		if len(refs) != 1 {
			t.Fatalf("%s: found %v", text, refs)
		}
		if err := known.find(refs[0]); (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: got %v, want %q", text, err, wrong)
		}
	}
	if refs := references("`schedule`, `Sub`, `a/b.go:C`, sched/engine.go"); !reflect.DeepEqual(refs, []reference(nil)) {
		t.Errorf("found %v in what refers to nothing", refs)
	}
}
