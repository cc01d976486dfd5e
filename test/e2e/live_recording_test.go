package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/cli"
	"ashlar.sh/internal/loop"
	"ashlar.sh/internal/recording"
)

// ashlar runs a command, in this process.
func ashlar(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	p := cli.Process{Args: append([]string{"ashlar"}, args...), In: strings.NewReader(""), Out: &o, Err: &e,
		Env: func(string) string { return "" }, Now: time.Now}
	code = p.Run()
	return code, o.String(), e.String()
}

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
		code, out, errs := ashlar("replay", path, "-o", "json")
		var result struct {
			Same          bool
			Cycles, Bound int
		}
		if err := json.Unmarshal([]byte(out), &result); err != nil || code != 0 || !result.Same || result.Cycles == 0 ||
			result.Bound < 2 {
			t.Errorf("replay of %s: exit code %d, %v: %s %s", path, code, err, out, errs)
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
	path := replayed(second, other)
	code, out, errs := ashlar("history", "job", ns+"/later", path)
	for _, part := range []string{"later: came (queue default, minMember 2", "later-0", ": came (waits)",
		"bind " + ns + "/later-0 to ", "runs on "} {
		if code != 0 || !strings.Contains(out, part) {
			t.Errorf("history: exit code %d, no %q in %s %s", code, part, out, errs)
		}
	}
	if code, out, errs := ashlar("replay", "--job", ns+"/train", path); code != 0 ||
		!strings.Contains(out, "waits     "+ns+"/train: ") {
		t.Errorf("replay --job: exit code %d: %s %s", code, out, errs)
	}
}
