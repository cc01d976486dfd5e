package e2e

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A test waits here for most of its time: for leases, pauses, kubelets. So when all tests are to
// run, some processes share them out, each with a control plane of its own: nothing that a test
// makes is met by one of another lane, and within a lane one test runs after the other.

// The environment of lanes.
const (
	lanesEnv = "ASHLAR_E2E_LANES" // how many; defaultLanes without, and with 1 all is one process
	laneMark = "ASHLAR_E2E_LANE"  // this process is one
)

// defaultLanes is how many lanes two cores have time for.
const defaultLanes = 3

// seconds is what the longer tests take; the others take about usual.
var seconds = map[string]int{
	"TestFaultsRequests":                          68,
	"TestLiveARefusedGangGivesItsRoomBack":        53,
	"TestLiveInVolcanosPlaceBesideItsControllers": 50,
	"TestFaultsAnEvictionThatAlwaysFails":         42,
	"TestLiveATakeOverDeletesNothing":             45,
	"TestTheInstalledProgramNeedsNowhereToWrite":  32,
	"TestLiveSwapUnderLoad":                       31,
	"TestLiveAThousandPodsThatWait":               28,
	"TestLiveAJobsDeadline":                       38,
	"TestFaultsTheControlPlaneRestarts":           25,
	"TestClaimsOfOthersHoldUpNobody":              20,
	"TestContractALostMemberComesBack":            20,
	"TestVolcanosRoleAloneIsEnough":               20,
	"TestTheRightsOfTheScheduler":                 19,
	"TestSoak":                                    18,
	"TestHostileObjectsHurtOnlyTheirOwner":        17,
	"TestVersionsTakeTurns":                       17,
	"TestFaultsNodesFlap":                         14,
	"TestLiveAQueueHoldsWhatItsTenantHides":       14,
	"TestLivePlansWhileTheLeaseIsLost":            50,
	"TestLiveEvict":                               14,
	"TestLiveEvictionForbidden":                   14,
	"TestLiveFewWritesAGang":                      14,
	"TestFaultsALeaderThatSlept":                  13,
	"TestLiveALeaderWithoutLeaseCarriesNothing":   13,
	"TestVersionsVolcanoAndBack":                  13,
	"TestLiveEvictAndRestart":                     11,
	"TestLiveAtRestNothingIsWritten":              10,
	"TestContractKubeRayGrowsInAFullQueue":        9,
	"TestLiveSwapWithoutALease":                   9,
	"TestLiveAHalfBoundGangOfAnotherStays":        9,
	"TestLiveEvictForAPodThatIsDeleted":           9,
	"TestLiveAnotherSchedulerCompletesAGang":      8,
	"TestLiveEvictFromANodeThatGoes":              8,
	"TestVersionsAGangThatVolcanoLeftHalf":        8,
	"TestLiveWhatIsWrongIsSaidWhereItIsWrong":     7,
	"TestLiveWhatRunsHoldsItsRoom":                7,
	"TestFaultsAKindIsHeardOfLate":                6,
	"TestLiveAGangThatLosesAMemberIsUnknown":      6,
}

const usual = 2

// together are tests that one lane runs: what they start is built once for all of them.
var together = regexp.MustCompile(`^Test(Versions|LiveSwap|TheInstalledProgram)`)

// lanes is in how many lanes the tests that the command line asks for run: one, when it chooses.
func lanes() (int, error) {
	for _, chooses := range []string{"test.run", "test.skip", "test.list", "test.fuzz", "test.coverprofile"} {
		if flag.Lookup(chooses).Value.String() != "" {
			return 1, nil
		}
	}
	n, err := strconv.Atoi(cmp.Or(os.Getenv(lanesEnv), strconv.Itoa(defaultLanes)))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s=%q: expected a number above 0", lanesEnv, os.Getenv(lanesEnv))
	}
	return n, nil
}

// inLanes runs all tests in so many lanes and returns the exit code. What a lane printed is printed
// when it has ended.
func inLanes(n int) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	names, err := exec.Command(self, "-test.list=^Test").Output()
	if err != nil {
		return 1, fmt.Errorf("list the tests: %w", err)
	}
	var printing sync.Mutex
	var all sync.WaitGroup
	codes := make([]int, n)
	for i, tests := range share(strings.Fields(string(names)), n) {
		all.Go(func() {
			var out bytes.Buffer
			codes[i] = lane(self, tests, &out)
			printing.Lock()
			defer printing.Unlock()
			_, _ = out.WriteTo(os.Stdout)
		})
	}
	all.Wait()
	return slices.Max(codes), nil
}

// share shares tests out so that lanes take about equally long.
func share(names []string, n int) [][]string {
	type load struct {
		tests   []string
		seconds int
	}
	var units []*load
	var joint *load
	for _, name := range names {
		unit := &load{}
		if together.MatchString(name) {
			joint = cmp.Or(joint, unit)
			unit = joint
		}
		if len(unit.tests) == 0 {
			units = append(units, unit)
		}
		unit.tests, unit.seconds = append(unit.tests, name), unit.seconds+cmp.Or(seconds[name], usual)
	}
	slices.SortStableFunc(units, func(a, b *load) int { return cmp.Compare(b.seconds, a.seconds) })
	lanes := make([]load, n)
	for _, u := range units {
		least := &lanes[0]
		for i := range lanes {
			if lanes[i].seconds < least.seconds {
				least = &lanes[i]
			}
		}
		least.tests, least.seconds = append(least.tests, u.tests...), least.seconds+u.seconds
	}
	out := make([][]string, n)
	for i := range lanes {
		out[i] = lanes[i].tests
	}
	return out
}

// lane runs tests in a process of their own, with the flags of this one, and returns its exit code.
// It ends with this process: its input ends then.
func lane(self string, tests []string, out io.Writer) int {
	if len(tests) == 0 {
		return 0
	}
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool {
		return strings.HasPrefix(strings.TrimLeft(arg, "-"), "test.testlogfile") // which is this process's
	})
	cmd := exec.Command(self, append(args, "-test.run=^("+strings.Join(tests, "|")+")$")...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), laneMark+"=1"), out, out
	in, err := cmd.StdinPipe()
	if err == nil {
		defer in.Close()
		err = cmd.Run()
	}
	if err == nil {
		return 0
	}
	if ended := (*exec.ExitError)(nil); !errors.As(err, &ended) || ended.ExitCode() < 0 {
		fmt.Fprintln(out, "e2e: a lane:", err)
	}
	return 1
}

// endWithParent ends this process, which is a lane, once the one that started it has ended.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Fprintln(os.Stderr, "e2e: whoever shares out the tests has ended")
	os.Exit(1)
}

// What is said to take long is there.
func TestLanesKnowTheirTests(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := exec.Command(self, "-test.list=^Test").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(listed))
	for name := range seconds {
		if !slices.Contains(names, name) {
			t.Errorf("there is no test %s", name)
		}
	}
}

// Every test runs in one lane, in its order, and no lane has much more to do than another.
func TestLanesShareAllTests(t *testing.T) {
	names := []string{"TestVersionsA", "TestB", "TestLiveSwap", "TestC"}
	for i := range 60 {
		names = append(names, fmt.Sprintf("TestD%02d", i))
	}
	where, jobs := map[string]int{}, []int{}
	for i, tests := range share(names, 3) {
		jobs = append(jobs, len(tests))
		for _, name := range tests {
			if _, twice := where[name]; twice {
				t.Errorf("%s runs twice", name)
			}
			where[name] = i
		}
	}
	if len(where) != len(names) {
		t.Errorf("%d of %d tests run", len(where), len(names))
	}
	if where["TestVersionsA"] != where["TestLiveSwap"] {
		t.Error("two tests that start the same program run in two lanes")
	}
	if slices.Max(jobs)-slices.Min(jobs) > 1 {
		t.Errorf("the lanes have %v tests to run that take equally long", jobs)
	}
}
