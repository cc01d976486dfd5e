//go:build !simulator

package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a command writes is for this user alone, also where a file of that name could be read by others.
func TestAFileThatIsReplacedIsForThisUserAlone(t *testing.T) {
	input := file(t, "one.yaml", oneNode)
	for name, args := range map[string][]string{"snapshot": {"snapshot", "-f", input},
		"compare": {"compare", "-f", input, file(t, "a.conf", quiet), "--save"}} {
		dir := t.TempDir()
		path := filepath.Join(dir, "old.json")
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		got := run("", append(append([]string{"ashlar"}, args...), path)...)
		about, err := os.Stat(path)
		if got.code != 0 || err != nil || about.Size() < 10 || about.Mode().Perm() != 0o600 {
			t.Errorf("%s: exit code %d, %v, mode %v: %s", name, got.code, err, about.Mode(), got.err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%s: %v leaves %v", name, err, left)
		}
	}
}

// Where a file cannot be written to its end, one that was there stays as it was.
func TestAFileThatCannotBeFinishedLeavesTheOldOne(t *testing.T) {
	scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "rec")
	}))
	defer scheduler.Close()
	path := file(t, "r.jsonl.gz", "old")
	got := run("", append([]string{"ashlar", "snapshot", "--recording", path},
		namedScheduler(scheduler, unreachable(t))...)...)
	text, err := os.ReadFile(path)
	if left, _ := os.ReadDir(filepath.Dir(path)); got.code != 1 || err != nil || string(text) != "old" || len(left) != 1 {
		t.Errorf("exit code %d, %v: it has %q, beside %v: %s", got.code, err, text, left, got.err)
	}
}

// What is no file, such as a device, is written to and stays.
func TestADeviceIsNotRemoved(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no full device here")
	}
	full, input := filepath.Join(t.TempDir(), "full"), file(t, "one.yaml", oneNode)
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"snapshot", "-f", input, full},
		{"compare", "-f", input, file(t, "a.conf", quiet), "--save", full}} {
		got := run("", append([]string{"ashlar"}, args...)...)
		if _, err := os.Lstat(full); got.code != 1 || err != nil || !strings.Contains(got.err, "no space left") {
			t.Errorf("%v: exit code %d, %v: %s", args, got.code, err, got.err)
		}
	}
	if got := run("", "ashlar", "snapshot", "-f", input, "-"); got.code != 2 || !strings.Contains(got.err, "name a file") {
		t.Errorf("snapshot -: exit code %d: %s", got.code, got.err)
	}
}
