package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// version starts an instance of a version; the next one writes what this one does not know.
func (w world) version(name, version string) *instance {
	w.t.Helper()
	args := append([]string{"scheduler", "--adopt-ungrouped=always"}, w.electing()...)
	if version == nextVersion {
		return w.start(name, program(w.t, version, "ashlar"), args, foresees)
	}
	return w.start(name, program(w.t, version, "ashlar"), args, nil)
}

// Two versions take turns as in a rolling update and its rollback, twice to and fro: in the
// middle of gangs' bindings the one that acts is asked to end, or is killed, while the other waits
// for the Lease. Every gang is whole in the end, no pod is bound twice, and neither minds what the
// other has written.
func TestVersionsTakeTurns(t *testing.T) {
	const gangsOfTurn, turns = 2, 4
	w := sharedWorld(t)
	nodes := map[string]int64{}
	for n := range turns + 1 {
		name := fmt.Sprintf("%s-%d", w.ns, n)
		node(t, name, fmt.Sprint(gangsOfTurn*faultyMembers))
		nodes[name] = gangsOfTurn * faultyMembers
	}
	w.queue()
	seen := w.watch(nodes, faultyMembers)
	acting := w.version("this-0", thisVersion)
	for g := range gangsOfTurn {
		w.gang(fmt.Sprintf("first-%d", g), faultyMembers)
	}
	bound := gangsOfTurn * faultyMembers
	w.awaitBound(bound)
	all := []*instance{acting}
	for turn, how := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM} {
		version := []string{nextVersion, thisVersion}[turn%2]
		next := w.version(fmt.Sprintf("%s-%d", version, turn+1), version)
		next.awaitStandby()
		acting.hold(2)
		for g := range gangsOfTurn {
			w.gang(fmt.Sprintf("turn-%d-%d", turn, g), faultyMembers)
		}
		acting.awaitHeld()
		w.awaitBound(bound + 2)
		acting.signal(how)
		if how == syscall.SIGTERM {
			acting.letGo() // what is on its way at the end arrives
		}
		if err := acting.awaitEnd(); how == syscall.SIGTERM && err != nil {
			t.Errorf("asked to end, %s ended with %v", acting.name, err)
		}
		bound += gangsOfTurn * faultyMembers
		w.awaitBound(bound)
		if turn == 0 {
			w.gangOf("too-large", 1, tooLarge) // it waits for ever, and the next version says why first
		}
		w.notedBy(turn, fmt.Sprintf("turn-%d-%d", turn, gangsOfTurn-1))
		all, acting = append(all, next), next
	}
	seen.testify(bound)
	once(t, all, bound)
}

// tooLarge makes a pod one that no node takes.
func tooLarge(p *corev1.Pod) {
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("99")
}

// once says that so many pods were bound by the instances together, each once.
func once(t *testing.T, all []*instance, want int) {
	t.Helper()
	taken := map[string]int{}
	for _, i := range all {
		i.mu.Lock()
		for path, n := range i.taken {
			taken[path] += n
		}
		i.mu.Unlock()
	}
	for _, path := range slices.Sorted(maps.Keys(taken)) {
		if taken[path] != 1 {
			t.Errorf("%s was taken %d times", path, taken[path])
		}
	}
	if len(taken) > want {
		t.Errorf("%d pods were bound, want %d", len(taken), want)
	}
}

// notedBy waits until a gang that runs shows that, and the one that waits for ever why it does:
// in the words of the version that acts, or those of the one before, beside which what it does
// not know stays.
func (w world) notedBy(turn int, runs string) {
	w.t.Helper()
	w.await("read the statuses of the scheduler that acts", func(context.Context) error {
		waits, started := group(w.t, w.ns, "too-large"), group(w.t, w.ns, runs)
		unschedulable := condition(waits, schedulingv1beta1.PodGroupUnschedulableType)
		switch foreseen := condition(waits, foreseenCondition); {
		case condition(started, schedulingv1beta1.PodGroupScheduled).Status != corev1.ConditionTrue:
			return fmt.Errorf("%s has %+v", runs, started.Status)
		case foreseen.TransitionID != foreseenCode || waits.Annotations[foreseenNote] == "":
			return fmt.Errorf("what the next version wrote is not there: %+v", waits.Status)
		case unschedulable.Status != corev1.ConditionTrue,
			turn == 0 && unschedulable.TransitionID != foreseenCode,
			turn%2 == 1 && unschedulable.TransitionID == foreseenCode: // the next version may have refreshed its words
			return fmt.Errorf("it is not said why it waits: %+v", unschedulable)
		}
		return nil
	})
}

func condition(g *schedulingv1beta1.PodGroup, kind schedulingv1beta1.PodGroupConditionType) (
	found schedulingv1beta1.PodGroupCondition) {
	for _, c := range g.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return found
}

// newerConf is a configuration that only a newer version knows all of.
const newerConf = `actions: "enqueue, allocate, foresee, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    arguments:
      foresight: 3
  - name: oracle
- plugins:
  - name: predicates
  - name: proportion
    enabledForesight: true
`

// unknownToIt is what of newerConf this version does not know, with the line it is in.
var unknownToIt = map[string]string{"foresee": ":1:", "foresight": ":7:", "oracle": ":8:", "enabledForesight": ":12:"}

func newerConfFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(path, []byte(newerConf), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The configuration of a newer version is an error with its lines under our own name; under
// Volcano's, see TestVersionsVolcanoAndBack, it is a warning.
func TestVersionsAConfigurationOfTheNext(t *testing.T) {
	conf := newerConfFile(t)
	cmd := exec.Command(program(t, thisVersion, "ashlar"), "scheduler", "--scheduler-conf="+conf, "--kubeconfig="+
		kubeconfig(t, shared.Config),
		"--leader-elect=false", "--scheduler-name="+namespace(t))
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 1 {
		t.Errorf("it ended with %v, want exit code 1", err)
	}
	for word, line := range unknownToIt {
		if !slices.ContainsFunc(strings.Split(string(out), "\n"), func(l string) bool {
			return containsAll(l, conf+line, word)
		}) {
			t.Errorf("it says nothing of %s with its line %s:\n%s", word, line, out)
		}
	}
}

// The versions are not one program by two names: each says which it is.
func TestVersionsAreTwo(t *testing.T) {
	for _, version := range []string{thisVersion, nextVersion} {
		out, err := exec.Command(program(t, version, "ashlar"), "version", "-o", "json").Output()
		var got struct{ Version string }
		if err == nil {
			err = json.Unmarshal(out, &got)
		}
		if err != nil || got.Version != version {
			t.Errorf("it calls itself %q (%v), want %s", got.Version, err, version)
		}
	}
}
