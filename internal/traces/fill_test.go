package traces_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ashlar.sh/internal/traces"
	"ashlar.sh/sched/model"
)

// gpus is what the jobs of a trace ask for, in thousandths.
func gpus(t *traces.Trace) (sum, largest int64) {
	for _, j := range t.Jobs {
		x, _ := j.Spec.Requests.Get(traces.GPU)
		sum, largest = sum+x*int64(j.Members), max(largest, x*int64(j.Members))
	}
	return sum, largest
}

func TestATraceIsDrawnFromUntilItFillsTheCluster(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := jobHead
		for i := range rapid.IntRange(1, 12).Draw(r, "jobs") {
			members := rapid.IntRange(1, 3).Draw(r, "members")
			rows += fmt.Sprintf("j%d,,,%d,60,%d,%d,,,%d,,\n", i, i, members, members, rapid.IntRange(1, 4).Draw(r, "gpus"))
		}
		trace, err := read(oneNode, rows)
		if err != nil {
			r.Fatal(err)
		}
		want, seed := rapid.Int64Range(1, 60_000).Draw(r, "want"), rapid.Uint64().Draw(r, "seed")
		got, err := trace.Fill(seed, want)
		if err != nil {
			r.Fatal(err)
		}
		if sum, largest := gpus(got); sum < want || sum >= want+largest {
			r.Errorf("requests of %d: want %d, and not a job more", sum, want)
		}
		pods, names := 0, map[string]bool{}
		for _, i := range got.Items {
			if names[i.Fact.Ref.String()] {
				r.Errorf("two are called %s", i.Fact.Ref)
			}
			names[i.Fact.Ref.String()] = true
			if p, ok := i.Fact.Object.(*model.Pod); ok {
				pods++
				if i.HasDuration || p.Rare().Lasts != 0 || !strings.HasPrefix(i.Fact.Ref.Name, p.Group+"-") ||
					!names["PodGroup/trace/"+p.Group] || p.Created != int64(i.SubmitAt) {
					r.Errorf("a pod of it: %+v of %+v", i, p)
				}
			}
		}
		for i, j := range got.Jobs {
			pods -= j.Members
			if j.Submit != time.Duration(i)*time.Second || j.HasDuration {
				r.Errorf("job %d: %+v", i, j)
			}
		}
		if pods != 0 {
			r.Errorf("%d pods more than members", pods)
		}
		same, _ := trace.Fill(seed, want)
		if len(same.Jobs) != len(got.Jobs) || same.Jobs[0].Name != got.Jobs[0].Name ||
			same.Jobs[len(same.Jobs)-1].Name != got.Jobs[len(got.Jobs)-1].Name {
			r.Error("the same seed gives another order")
		}
	})
}

func TestSeedsGiveOrdersOfTheirOwn(t *testing.T) {
	rows := jobHead
	for i := range 50 {
		rows += fmt.Sprintf("j%d,,,0,60,1,1,,,1,,\n", i)
	}
	trace, err := read(oneNode, rows)
	if err != nil {
		t.Fatal(err)
	}
	order := func(seed uint64) (names []string) {
		filled, err := trace.Fill(seed, 50_000)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range filled.Jobs {
			names = append(names, j.Name)
		}
		return names
	}
	if cmp.Equal(order(1), order(2)) {
		t.Error("two seeds, one order")
	}
	if trace.Jobs[0].Name != "j0" || trace.Jobs[49].Name != "j49" {
		t.Error("the trace itself was shuffled")
	}
}

func TestWhatCannotFillSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		jobs string
		gpus int64
		want string
	}{
		"nodes without GPUs": {oneJob, 0, "the nodes have no GPUs"},
		"jobs without GPUs":  {jobHead + "j,,,0,10,1,1,1000,,,,\n", 8000, "no job asks for a GPU"},
		"a name that is a copy's": {jobHead + "j,,,0,10,1,1,,,1,,\nj-again-1,,,0,10,1,1,,,1,,\nj-again-2,,,0,10,1,1,,,1,,\n",
			100_000, "two are called so"},
	} {
		trace, err := read(oneNode, c.jobs)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for seed := range uint64(20) {
			_, err := trace.Fill(seed, c.gpus)
			found = found || err != nil && strings.Contains(err.Error(), c.want)
		}
		if !found {
			t.Errorf("%s: nothing says %q", name, c.want)
		}
	}
}
