package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asCommand makes the test's binary the command itself.
const asCommand = "OUTOFTREE_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// simulated is the report of the example's cluster under a configuration.
func simulated(t *testing.T, conf string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "simulate", "-f", "cluster.yaml", "--scheduler-conf", conf)
	c.Env = append(os.Environ(), asCommand+"=1")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return string(out)
}

// The configuration names the plugin, and its argument comes to it.
func TestAPluginOfOnesOwnDecides(t *testing.T) {
	text, err := os.ReadFile("volcano-scheduler.conf")
	if err != nil {
		t.Fatal(err)
	}
	reversed := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(reversed, bytes.Replace(text, []byte("reverse: false"), []byte("reverse: true"), 1),
		0o600); err != nil {
		t.Fatal(err)
	}
	for conf, want := range map[string]string{"volcano-scheduler.conf": "large", reversed: "small"} {
		if got := waiting(simulated(t, conf)); got != want {
			t.Errorf("with %s the job that waits is %q, want %s", conf, got, want)
		}
	}
}

// waiting is the first job that a report says waits, "" when it says so of none.
func waiting(report string) string {
	_, below, _ := strings.Cut(report, "WAITING JOBS\n")
	name, _, _ := strings.Cut(strings.TrimSpace(below), " ")
	return name
}
