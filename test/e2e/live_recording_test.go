package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/loop"
	"ashlar.sh/internal/recording"
)

// A scheduler takes over from another one while a gang waits. What each of the two recorded is decided again, byte for
// byte, and the second one's recording tells the history of the gang.
func TestLiveRecordingOfAFailOver(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-node", "8")
	replica := func(identity string) (ask chan os.Signal, dir string, stop func()) {
		ask, dir = make(chan os.Signal, 1), t.TempDir()
		stop = live(t, ns, func(o *loop.Options) {
			o.Dump, o.DumpDir, o.Version = ask, dir, "v-test"
			o.Election = &loop.Election{Namespace: ns, Name: "ashlar", Identity: identity}
		})
		return ask, dir, stop
	}
	replayed := func(ask chan os.Signal, dir string) string {
		t.Helper()
		ask <- syscall.SIGUSR2
		path := ""
		eventually(t, "a recording", func(ctxless) (bool, error) {
			files, err := filepath.Glob(filepath.Join(dir, "ashlar-recordings", "ashlar-recording-*"+recording.Ending))
			if len(files) > 0 {
				path = files[0]
			}
			return len(files) > 0, err
		}, func() string { return "none" })
		got := command("replay", path, "-o", "json")
		var result struct {
			Same          bool
			Cycles, Bound int
		}
		if err := json.Unmarshal([]byte(got.out), &result); err != nil || got.code != 0 || !result.Same ||
			result.Cycles == 0 || result.Bound < 2 {
			t.Errorf("replay of %s: exit code %d, %v: %s %s", path, got.code, err, got.out, got.err)
		}
		return path
	}
	ask, dir, stop := replica("first")
	submit(t, ns, "default", "runs", 2, 2, "1")
	submit(t, ns, "default", "train", 2, 2, "900")
	awaitRunning(t, ns, "runs", 2)
	awaitCondition(t, ns, "train", schedulingv1beta1.PodGroupUnschedulableType)
	second, other, _ := replica("second")
	replayed(ask, dir)
	stop()
	submit(t, ns, "default", "over", 1, 1, "1")
	awaitRunning(t, ns, "over", 1) // the second one acts
	submit(t, ns, "default", "later", 2, 2, "1")
	awaitRunning(t, ns, "later", 2)
	eventually(t, "the scheduler to know that they run", func(ctxless) (bool, error) {
		return group(t, ns, "later").Status.Running == 2, nil
	}, func() string { return describe(group(t, ns, "later")) })
	path := replayed(second, other)
	got := command("history", "job", ns+"/later", path)
	for _, part := range []string{"later: came (queue default, minMember 2", "later-0", ": came (waits)",
		"bind " + ns + "/later-0 to ", "runs on "} {
		if got.code != 0 || !strings.Contains(got.out, part) {
			t.Errorf("history: exit code %d, no %q in %s %s", got.code, part, got.out, got.err)
		}
	}
	got = command("replay", "--job", ns+"/train", path)
	if got.code != 0 || !strings.Contains(got.out, "waits     "+ns+"/train: ") {
		t.Errorf("replay --job: exit code %d: %s %s", got.code, got.out, got.err)
	}
}
