package deploy

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// The nightly workflow runs what make soak runs, by commands of the Makefile that take the variables it gives them; and
// what runs in simulated time, or beside kube-scheduler, is drawn anew each time.
func TestTheNightlyWorkflowRunsWhatThereIs(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile("../.github/workflows/nightly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Strategy struct {
				Matrix struct{ Run []string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	runs := workflow.Jobs["soak"].Strategy.Matrix.Run
	soak := map[string]bool{}
	for _, run := range runs {
		words := strings.Fields(run)
		soak[words[0]] = true
		said := dryRun(t, words...)
		for i, word := range words[1:] {
			if dryRun(t, slices.Delete(slices.Clone(words), i+1, i+2)...) == said {
				t.Errorf("make %s runs the same without %s:\n%s", run, word, said)
			}
		}
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?m)^soak:(.*?)##`).FindSubmatch(makefile)
	if parts == nil {
		t.Fatal("the Makefile has no line that begins with soak: and says with ## what it does")
	}
	for _, part := range strings.Fields(string(parts[1])) {
		if !soak[part] {
			t.Errorf("make soak runs %s, and the nightly workflow does not: it runs %q", part, runs)
		}
	}
	for target, seed := range map[string]string{"worlds": "ASHLAR_WORLD_SEED", "kube-scheduler": "ASHLAR_CLUSTER_SEED"} {
		said := dryRun(t, target)
		if !regexp.MustCompile(seed + `=\$\{` + seed + `:-\d{10}0001\}`).MatchString(said) {
			t.Errorf("make %s does not begin at the number of the minute, nor at %s:\n%s", target, seed, said)
		}
	}
}

// dryRun is what make would run.
func dryRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("make", append([]string{"-n", "-C", ".."}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("make %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
