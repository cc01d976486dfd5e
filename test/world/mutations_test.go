package world

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutationsVariable with "run" has TestMutationsAreFound build a scheduler for each mutation and run worlds with it.
const mutationsVariable = "ASHLAR_WORLD_MUTATIONS"

// A mutation is a defect on purpose in the scheduler's own code. Those of defects stand between the scheduler and the
// API server, and are tried with each change; these need a build each, and are tried by make worlds.
type mutation struct {
	what  string
	edits []edit
}

// An edit replaces a text that its file has once. The file's path begins at the module's folder.
type edit struct{ file, old, new string }

// holdsLease is what is asked before each write.
const holdsLease = "return l.elector.IsLeader() && l.elector.Check(-l.margin) == nil && !l.leaseRestored()"

// mutations are found within some worlds, each of them.
var mutations = []mutation{
	{"drops the receipts of bindings that failed", []edit{{"internal/loop/cycle.go",
		"answers := l.executor.Receipts()\n",
		"var answers []sched.Receipt\nfor _, r := range l.executor.Receipts() {\n" +
			"if r.Item.Kind != sched.BindPod || r.Outcome == sched.Done {\nanswers = append(answers, r)\n}\n}\n"}}},
	{"binds without the UID", []edit{{"internal/kube/execute/pods.go",
		"Name: i.Pod.Name, UID: types.UID(i.UID)},\n\t\tTarget", "Name: i.Pod.Name},\n\t\tTarget"}}},
	{"deletes without the UID", []edit{{"internal/kube/execute/pods.go",
		"only := metav1.Preconditions{UID: &life}", "only := metav1.Preconditions{}\n\t_ = life"}}},
	{"acts without the lease", []edit{{"internal/loop/lead.go",
		holdsLease, "return true"}}},
	{"believes in its lease for as long as it lasts", []edit{{"internal/loop/lead.go",
		holdsLease,
		"return l.elector.IsLeader()"}, {"internal/kube/execute/leading.go",
		"if !c.leading() {\n\t\treturn 0, errNotLeading\n\t}\n", ""}}},
	{"forgets the room of what it binds", []edit{{"sched/ledger/accounts_node.go",
		"d, x := int(need.Dim), need.Amount*sign\n",
		"d, x := int(need.Dim), need.Amount*sign\nif row.Status == model.Binding {\nx = 0\n}\n"}}},
	{"forgets what it binds after a restart", []edit{{"sched/ledger/commitments.go",
		"if !stillOpen(&c, l.Tasks.rows[t].Pod) {", "if c.Kind == CommitBind || !stillOpen(&c, l.Tasks.rows[t].Pod) {"}}},
	{"starts gangs one member short", []edit{{"sched/ledger/row_role.go",
		"if have(&j.Count) < j.MinMember {", "if have(&j.Count) < j.MinMember-1 {"}}},
	{"evicts one member below the minimum", []edit{{"sched/evict/eligible.go",
		"return j.Holding() - j.RetainedMin()\n", "return j.Holding() - j.RetainedMin() + 1\n"}}},
}

// Each edit of a mutation is of the code as it is.
func TestMutationsApply(t *testing.T) {
	for _, m := range mutations {
		for i := range m.edits {
			if _, err := mutated(m.edits[:i+1]); err != nil {
				t.Errorf("%s: %v", m.what, err)
			}
		}
	}
}

// Worlds find a scheduler whose own code is wrong, each within as many worlds as a defect may survive.
func TestMutationsAreFound(t *testing.T) {
	if os.Getenv(mutationsVariable) != "run" {
		t.Skipf("builds %d schedulers, which takes minutes: %s=run", len(mutations), mutationsVariable)
	}
	for _, m := range mutations {
		t.Run(m.what, func(t *testing.T) {
			//nolint:gosec // it was built here
			worlds := exec.Command(built(t, m), "-test.run=^TestWorlds$", "-test.v", "-test.timeout=0")
			worlds.Env = append(os.Environ(), firstVariable+"=only", fmt.Sprintf("%s=%d", seedsVariable, found))
			out, err := worlds.CombinedOutput()
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, saysWrong) {
					t.Logf("found in world %d: %s", strings.Count(string(out), "history"), strings.TrimSpace(line))
					return
				}
			}
			t.Errorf("not found: %v\n%s", err, out[max(0, len(out)-4000):])
		})
	}
}

// built is this test with a scheduler that has a mutation.
func built(t *testing.T, m mutation) (binary string) {
	t.Helper()
	files, err := mutated(m.edits)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for path, text := range files {
		in := filepath.Join(folder, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		from, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][from] = in
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(folder, "world.test")
	//nolint:gosec // these are paths of its own
	out, err := exec.Command("go", "test", "-c", "-overlay", list, "-o", binary, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// mutated are the files of edits after these, by path from this folder.
func mutated(edits []edit) (files map[string]string, err error) {
	files = map[string]string{}
	for _, e := range edits {
		path := filepath.Join("../..", e.file)
		if _, again := files[path]; !again {
			text, err := os.ReadFile(path) //nolint:gosec // of the list above
			if err != nil {
				return nil, err
			}
			files[path] = string(text)
		}
		if n := strings.Count(files[path], e.old); n != 1 {
			return nil, fmt.Errorf("%s has %d times: %s", e.file, n, e.old)
		}
		files[path] = strings.Replace(files[path], e.old, e.new, 1)
	}
	return files, nil
}
