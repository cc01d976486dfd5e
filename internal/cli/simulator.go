//go:build simulator

package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/internal/web/player"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// whole is where all of ashlar is.
const whole = "this ashlar was built with the tag simulator, which leaves Kubernetes' clients out; `make build` " +
	"makes the whole one"

// clustered are the commands that need Kubernetes' clients: they say that they are left out.
func (p Process) clustered(string) (out []*cobra.Command) {
	for _, verb := range []string{"scheduler", "replay", "history", "snapshot", "compare", "cluster", "lint", "doctor",
		"operate",
		"suspend", "resume"} {
		out = append(out, &cobra.Command{Use: verb, Short: "Left out of this build", Long: whole, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return errors.New(whole) }})
	}
	return out
}

// engine is the options of an engine for the input, which is refused where volumes or
// devices decide: Kubernetes' own filters for them are left out.
func (in input) engine(p Process) ([]sched.Option, error) {
	if in.storage() || in.devices() {
		return nil, badInput("error: the input has volumes or claims of devices: " + whole)
	}
	return p.compiled(), nil
}

// leftOut is what of the input this build does not heed: devices for which no pod asks. Nothing is decided otherwise
// without them, but they are not shown.
func (in input) leftOut() []manifest.Problem {
	n := in.offered()
	if n == 0 || in.devices() { // engine refuses those that pods ask for
		return nil
	}
	of := fmt.Sprintf("the devices of %d slices are", n)
	if n == 1 {
		of = "the devices of 1 slice are"
	}
	return []manifest.Problem{{Object: "ResourceSlice", Message: of + " not shown: " + whole}}
}

// written is what becomes of the volumes of a pod that is bound: there are none.
func written(sched.Item, func(model.Ref) any) []model.Fact { return nil }

// freed is what becomes of the claims of a pod that is over: there are none.
func freed(*model.Pod, func(model.Ref) any) []model.Fact { return nil }

// ofCluster answers from a live cluster: its clients are left out.
func (p questions) ofCluster(source) (*situation, error) {
	return nil, badInput("error: no cluster can be asked: "+whole, "Ask files with -f.")
}

// ofDump answers from what a live scheduler saved, which only the whole ashlar reads.
func (p questions) ofDump(source) (*situation, error) {
	return nil, badInput("error: --dump: " + whole)
}

// inDump and inCluster read what only the whole ashlar reads.
func (p evictionQuestions) inDump(asked) (*explain.Answer, error) {
	return nil, badInput("error: --dump: " + whole)
}

func (p evictionQuestions) inCluster(asked) (*explain.Answer, error) {
	return nil, badInput("error: no cluster can be asked: "+whole, "Ask files with -f.")
}

// vcctl adds what writes to a cluster, of which the clients are left out.
func (p questions) vcctl(string, *cobra.Command, *cobra.Command) {}

// whyByScheduler, listByScheduler and queuesByScheduler ask no live scheduler: the clients are left out.
func (p liveQuestions) whyByScheduler(*asked) (*explain.Answer, error) { return nil, nil }

func (p liveQuestions) listByScheduler(*listing, string) (listed, error) { return nil, nil }

func (p liveQuestions) watchList(*listing, string) (bool, error) { return false, nil }

func (p liveQuestions) watchQueues(*sharing) (bool, error) { return false, nil }

func (p liveQuestions) queuesByScheduler(*sharing) (*explain.Queues, error) { return nil, nil }

// checkJSONPath refuses all templates: their reader is one of Kubernetes' clients.
func checkJSONPath(string) error { return errors.New("--output jsonpath: " + whole) }

func printJSONPath(io.Writer, string, any) error { return errors.New(whole) }

// watching prints what changes in a live cluster: its clients are left out.
func (p questions) watching(listing, func(listing, *situation, io.Writer) error) error {
	return badInput("error: --watch: " + whole)
}

// liveNames are the names that a live cluster has of a kind: its clients are left out.
func (p questions) liveNames(source, string) []string { return nil }

// byScheduler asks no live scheduler: the clients are left out.
func (p planner) byScheduler(planning, *manifest.Set) (told *explain.Plan, settled bool, err error) {
	return nil, false, nil
}

// liveGround and dumpedGround are clusters of which the clients are left out.
func (p planner) liveGround(planning) (*ground, error) {
	return nil, badInput("error: no cluster can be asked: "+whole, "Describe one by files with --on.")
}

func (p planner) dumpedGround(planning) (*ground, error) {
	return nil, badInput("error: --dump: " + whole)
}

// saved is left out.
func (pages) saved(watching, string) (*player.Player, error) { return nil, badInput("error: " + whole) }

// live is left out.
func (pages) live(watching) (http.Handler, error) {
	return nil, badInput("error: no live scheduler can be shown: "+whole, "Name files to show.")
}
