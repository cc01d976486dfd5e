package summary_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/traces/summary"
)

// replayed runs two tables to their end.
func replayed(t *testing.T, nodes, jobs string) *summary.Figures {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"nodes.csv": nodes, "jobs.csv": jobs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return load(t, filepath.Join(dir, "nodes.csv"), filepath.Join(dir, "jobs.csv")).replay()
}

// large came at 5 s and is passed by first, which came later and starts at 6 s, until it starts itself: when stays has
// ended, at 31 s. Jobs that came before, and those of other queues, do not count.
func TestAJobThatIsPassedIsCounted(t *testing.T) {
	const nodes = "name,cpu_milli,memory_mib,gpu_count,gpu_model\na,,,2,\nb,,,2,\n"
	const head = "job,queue,user,submit_s,duration_s,members,min_members," +
		"cpu_milli_per_member,memory_mib_per_member,gpu_per_member,priority,type\n"
	f := replayed(t, nodes, head+"old,q,,0,10,1,1,,,2,,\nstays,q,,0,30,1,1,,,1,,\nlarge,q,,5,10,2,2,,,2,,\n"+
		"first,q,,6,10,1,1,,,1,,\n")
	if f.Passed == nil || f.Passed.Jobs != 1 || f.Passed.Job != "large" ||
		f.Passed.Longest != summary.Seconds(25*time.Second) {
		t.Errorf("%+v", f.Passed)
	}
	var b strings.Builder
	if err := f.Text(&b); err != nil || !strings.Contains(b.String(), "1 of the jobs waited behind jobs of their queue "+
		"that came later") {
		t.Errorf("%v\n%s", err, b.String())
	}
	f = replayed(t, nodes, head+"a,q,,0,10,1,1,,,2,,\nb,q,,1,10,2,2,,,2,,\nc,r,,2,10,1,1,,,2,,\n")
	if f.Passed.Jobs != 0 {
		t.Errorf("a job of another queue passes none: %+v", f.Passed)
	}
}
