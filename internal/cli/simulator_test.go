package cli_test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program of `make run` is the simulator alone: it builds without Kubernetes' clients, prints
// what the whole one prints, and says what it leaves out instead of deciding without it.
func TestTheSimulatorAlone(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", "-tags", "simulator", "../../cmd/ashlar").Output()
	if err != nil {
		t.Fatal(err)
	}
	if left := regexp.MustCompile(`(?m)^k8s\.io/(client-go|apiserver|kubernetes)/.*$`).FindAllString(string(deps),
		3); len(left) > 0 {
		t.Errorf("the simulator imports %s and more: a first run has to wait until that is built", left)
	}

	alone := filepath.Join(t.TempDir(), "ashlar")
	if text, err := exec.Command("go", "build", "-tags", "simulator", "-o", alone,
		"../../cmd/ashlar").CombinedOutput(); err != nil {
		t.Fatalf("build the simulator: %v\n%s", err, text)
	}
	simulator := func(stdin string, args ...string) (r result) {
		var out, errs bytes.Buffer
		c := exec.Command(alone, args...)
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &errs
		if err := c.Run(); err != nil {
			ended := &exec.ExitError{}
			if !errors.As(err, &ended) {
				t.Fatal(err)
			}
			r.code = ended.ExitCode()
		}
		r.out, r.err = out.String(), errs.String()
		return r
	}
	if got, want := simulator("", "simulate", "-f", quickstart),
		run("", "ashlar", "simulate", "-f", quickstart); got != want {
		t.Errorf("the simulator says %+v\nand all of ashlar %+v", got, want)
	}
	if got := simulator(gpuNode("n1", 4), "simulate", "-f", "-"); got.code != 0 ||
		!strings.Contains(got.out, "the devices of 1 slice are not shown") || !strings.Contains(got.out, "make build") {
		t.Errorf("of devices that no pod asks for the simulator says %+v", got)
	}
	for what, c := range map[string]struct {
		stdin string
		args  []string
		code  int
	}{
		"volumes":           {twoNodes + disks, []string{"simulate", "-f", "-"}, 1},
		"the live commands": {"", []string{"scheduler", "--kubeconfig=x"}, 2},
	} {
		if got := simulator(c.stdin, c.args...); got.code != c.code || got.out != "" ||
			!strings.Contains(got.err, "make build") {
			t.Errorf("%s: it answers %+v; want exit code %d and how the whole ashlar is built", what, got, c.code)
		}
	}
}
