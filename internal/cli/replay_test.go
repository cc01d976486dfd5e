package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// saved is the file of a scheduler that knew one node and a gang of one.
func saved(t *testing.T, configuration string) string {
	t.Helper()
	room := resource.List{{Name: "cpu", Value: 2000}, {Name: "pods", Value: 10}}
	s := recording.State{Now: 5e9, Configuration: configuration, Facts: []model.Fact{
		{Ref: model.Ref{Kind: model.KindNode, Name: "n"}, UID: "n", Version: 1,
			Object: &model.Node{Meta: model.Meta{Name: "n", UID: "n"}, Allocatable: room, Capacity: room}},
		{Ref: model.Ref{Kind: model.KindQueue, Name: "default"}, UID: "q", Version: 2,
			Object: &model.Queue{Meta: model.Meta{Name: "default", UID: "q"}, Weight: 1}},
		{Ref: model.Ref{Kind: model.KindQueue, Name: "gone"}, UID: "x", Version: 3},
		{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "p"}, UID: "p", Version: 4,
			Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "p", UID: "p"}, Ours: true, Index: -1,
				Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}, {Name: "pods", Value: 1}}}}},
	}}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ashlar-dump-7.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReplayDecidesOnWhatWasSaved(t *testing.T) {
	got := run("", "ashlar", "replay", saved(t, ""), "-o", "json", "-v", "3")
	var d document
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != 0 {
		t.Fatalf("exit code %d, %v: %s", got.code, err, got.err)
	}
	if d.Summary.Bound != 1 || len(d.Pods) != 1 || d.Pods[0].Node != "n" {
		t.Errorf("it decides %+v; want the pod bound to n", d)
	}
	if !strings.Contains(got.err, "Binding Task <ns/p> to node <n>") {
		t.Errorf("with -v 3 stderr has no log line of the cycle: %s", got.err)
	}
}

func TestReplayTakesTheConfigurationThatHeld(t *testing.T) {
	got := run("", "ashlar", "replay", saved(t, "actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: gang\n"), "-o",
		"json")
	var d document
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != 0 {
		t.Fatalf("exit code %d, %v: %s", got.code, err, got.err)
	}
	if d.Summary.Bound != 0 {
		t.Errorf("without action allocate %d pods are bound, want none", d.Summary.Bound)
	}
}

func TestReplayRefusesWhatIsNoState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	files := []string{path + ".not"}
	for name, text := range map[string]string{"cut": "{", "empty object": "{}", "list": "[]"} {
		files = append(files, path+"."+strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(files[len(files)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		if got := run("", "ashlar", "replay", file); got.code != 1 || !strings.Contains(got.err, file) {
			t.Errorf("exit code %d, %q; want 1 and the file's name", got.code, got.err)
		}
	}
}

// What a newer version saved is refused where it means something else, by name and with
// what to do; what it has beside that is left out, and said to be.
func TestReplayOfWhatANewerVersionSaved(t *testing.T) {
	text, err := os.ReadFile(saved(
		t, "actions: \"enqueue, allocate, foresee\"\ntiers:\n- plugins:\n  - name: gang\n    arguments:\n"+
			"      foresight: 3\n  - name: oracle\n  - name: predicates\n"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(change func(map[string]any)) string {
		var s map[string]any
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		change(s)
		changed, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "ashlar-dump-8.json")
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, facts := range map[string]any{"as it was": []any{}, "of another shape": map[string]any{"Node": []any{}}} {
		file := write(func(s map[string]any) { s["Format"], s["Version"], s["Facts"] = 2, "v9.9.9", facts })
		got := run("", "ashlar", "replay", file)
		for _, part := range []string{file, "v9.9.9", "format 2", "reads up to 1"} {
			if got.code != 1 || !strings.Contains(got.err, part) {
				t.Errorf("%s: exit code %d, %q; want 1 and %q", name, got.code, got.err, part)
			}
		}
	}
	file := write(func(s map[string]any) {
		s["Foresight"] = map[string]any{"depth": 3}
		facts := s["Facts"].([]any)
		facts[0].(map[string]any)["Object"].(map[string]any)["Mood"] = "good"
		s["Facts"] = append(facts, map[string]any{"Ref": map[string]any{"Kind": "Omen", "Name": "o"}, "UID": "o",
			"Version": 9, "Object": map[string]any{"Meta": map[string]any{}}})
	})
	got := run("", "ashlar", "replay", file, "-o", "json")
	var d document
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != 0 || d.Summary.Bound != 1 {
		t.Fatalf("exit code %d, %v, %d bound: %s; want the pod bound", got.code, err, d.Summary.Bound, got.err)
	}
	for _, part := range []string{"foresee", "oracle", "foresight", "no Omen"} {
		if !strings.Contains(got.err, part) {
			t.Errorf("stderr has nothing of %q: %s", part, got.err)
		}
	}
}

// Whatever a file holds, replay decides on it or says what is wrong with it: only
// ashlar writes such files, but people edit them, cut them short and send them around.
func FuzzReplayState(f *testing.F) {
	const facts = `{"Now": 5, "Facts": [%s{"Ref": {"Kind": "Node", "Name": "n"}, "UID": "n", "Version": 1, "Object":
{"Name": "n", "Allocatable": [{"Name": "cpu", "Value": 2000}, {"Name": "pods", "Value": 9}]}},
{"Ref": {"Kind": "Queue", "Name": "default"}, "UID": "q", "Version": 2, "Object": {"Name": "default", "Weight": 1}},
{"Ref": {"Kind": "PodGroup", "Namespace": "ns", "Name": "g"}, "UID": "g", "Version": 3,
"Object": {"Name": "g", "Namespace": "ns", "MinMember": 1}},
{"Ref": {"Kind": "Pod", "Namespace": "ns", "Name": "p"}, "UID": "p", "Version": 4,
"Object": {"Name": "p", "Namespace": "ns", "Ours": true, "Group": "g",
"Spec": {"Requests": [{"Name": "cpu", "Value": 1000}]}}}]%s}`
	kind := func(k model.Kind) string { b, _ := json.Marshal(k); return string(b) }
	named := strings.NewReplacer(`"Node"`, kind(model.KindNode), `"Queue"`, kind(model.KindQueue), `"PodGroup"`,
		kind(model.KindPodGroup), `"Pod"`, kind(model.KindPod))
	for _, s := range []struct{ first, last string }{
		{"", ""}, {"", `, "Configuration": "actions: \"allocate, preempt, reclaim\"\ntiers: []"`},
		{`{"Ref": {"Kind": "Pod", "Namespace": "ns", "Name": "bare"}, "UID": "b", "Version": 9, "Object": {}},`, ""},
		{`{"Ref": {"Kind": "Pod", "Namespace": "ns", "Name": "ours"}, "UID": "b", "Version": 9, "Object": {"Ours": true, ` +
			`"Node": "nowhere"}},`, ""},
		{`{"Ref": {"Kind": "Pod", "Namespace": "ns", "Name": "x"}, "UID": "x", "Version": 9, "Object": {"Ours": true, ` +
			`"Spec": {"Requests": [{"Name": "cpu", "Value": -1}, {"Name": "", "Value": 9223372036854775807}]}}},`, ""},
		{`{"Ref": {"Kind": "Node", "Name": "m"}, "UID": "m", "Version": 9, "Object": {"Allocatable": [{"Name": "cpu", ` +
			`"Value": -9223372036854775808}, {"Name": "cpu", "Value": 9223372036854775807}]}},`, ""},
		{`{"Ref": {"Kind": "Queue", "Name": "a"}, "UID": "a", "Version": 9, "Object": {"Parent": "a", "Weight": -7, ` +
			`"Guarantee": [{"Name": "cpu", "Value": -5}]}},`, ""},
		{`{"Ref": {"Kind": "PodGroup"}, "UID": "", "Version": 0, "Object": {"MinMember": -2147483648}},`, ""},
	} {
		f.Add(named.Replace(fmt.Sprintf(facts, s.first, s.last)))
	}
	path := filepath.Join(f.TempDir(), "state.json")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run("", "ashlar", "replay", path, "-o", "json")
		if got.code == 0 && !json.Valid([]byte(got.out)) || got.code == 1 && got.err == "" || got.code > 1 {
			t.Errorf("exit code %d, %q: %q", got.code, got.err, got.out)
		}
	})
}
