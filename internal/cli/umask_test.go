//go:build unix && !simulator

package cli_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The page of a trace is as private as the person has files made.
func TestThePageOfATraceHeedsTheUmask(t *testing.T) {
	was := syscall.Umask(0o077)
	defer syscall.Umask(was)
	nodes := file(t, "nodes.csv", "name,cpu_milli,memory_mib,gpu_count,gpu_model\nn1,4000,8192,,\n")
	jobs := file(t, "jobs.csv", "job,queue,user,submit_s,duration_s,members,min_members,cpu_milli_per_member,"+
		"memory_mib_per_member,gpu_per_member,priority,type\na,q,u,0,60,1,1,4000,,,0,\n")
	page := filepath.Join(t.TempDir(), "page.html")
	got := run("", "ashlar", "simulate", "--trace-nodes", nodes, "--trace-jobs", jobs, "--report-html", page)
	if about, err := os.Stat(page); got.code != 0 || err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("exit code %d, %v: the mode is %v, want 0600: %s", got.code, err, about.Mode(), got.err)
	}
}
