package nodeorder_test

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

const mi = 1 << 20

func holds(l *ledger.Ledger, version uint64, node string, images ...model.Image) {
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: node}, Version: version,
		Object: &model.Node{Meta: model.Meta{Name: node}, Allocatable: amounts(4000, 8*gi), Images: images}})
}

func byImages(t testing.TB, l *ledger.Ledger) policy.MovingOrder {
	t.Helper()
	return build(t, l, nil).NodePlugins.StaticOrders[2].(policy.MovingOrder)
}

// Two of four nodes hold llm; kube-scheduler's figures, in thousandths of its points.
func TestImagesWorkedOut(t *testing.T) {
	l := ledger.New()
	holds(l, 1, "n1", model.Image{Name: "reg/llm:1", Size: 800 * mi}, model.Image{Name: "reg/sh:1", Size: 40 * mi})
	holds(l, 2, "n2", model.Image{Name: "reg/llm:1", Size: 3000 * mi})
	holds(l, 3, "n3")
	holds(l, 4, "n4", model.Image{Name: "reg/big:1", Size: 4000 * mi})
	score := byImages(t, l)
	for name, c := range map[string]struct {
		images []string
		want   [4]int64
	}{
		"none named":                        {nil, [4]int64{}},
		"one that nobody holds":             {[]string{"reg/llm:2"}, [4]int64{}},
		"held by two: half its size":        {[]string{"reg/llm:1"}, [4]int64{(400 - 23) * 100_000 / 977, 100_000, 0, 0}},
		"small, with one that nobody holds": {[]string{"reg/none:1", "reg/sh:1"}, [4]int64{}},
		"two containers of one image": {[]string{"reg/llm:1", "reg/llm:1"},
			[4]int64{(800 - 23) * 100_000 / 1977, 100_000, 0, 0}},
		"one of two containers' images": {[]string{"reg/big:1", "reg/none:1"},
			[4]int64{0, 0, 0, (1000 - 23) * 100_000 / 1977}},
		"as much as counts for one container": {[]string{"reg/big:1"}, [4]int64{0, 0, 0, 100_000}},
	} {
		t.Run(name, func(t *testing.T) {
			spec, filled := &model.Spec{Images: c.images}, make([]int64, 4)
			score.Fill(spec, filled)
			for i, want := range c.want {
				n, _ := l.Nodes.Find(fmt.Sprint("n", i+1))
				if raw := score.RawScore(spec, l.Node(n).Fact); raw != want || filled[n] != want {
					t.Errorf("n%d: %d by itself and %d with all others, want %d", i+1, raw, filled[n], want)
				}
			}
		})
	}
}

// Which nodes hold an image wakes no job that waits, and moves only the scores that it is about.
func TestAnImageThatIsPulledMovesNothingElse(t *testing.T) {
	l := ledger.New()
	llm, other := model.Image{Name: "reg/llm:1", Size: 800 * mi}, model.Image{Name: "reg/other:1", Size: 800 * mi}
	holds(l, 1, "n1", llm, other)
	holds(l, 2, "n2", other)
	score, spec := byImages(t, l), &model.Spec{Images: []string{"reg/llm:1"}}
	static, now, moved := l.Changes.NodeFacts.Now(), l.Changes.Nodes.Now(), score.MovedFor(spec)
	holds(l, 3, "n1", llm, other)
	if m := score.Moved(); score.MovedFor(spec) != moved || m != score.Moved() {
		t.Error("a heartbeat that brings the same images moves scores")
	}
	holds(l, 4, "n1", llm)
	if score.MovedFor(spec) != moved {
		t.Error("an image that nobody asks for moves the scores of another")
	}
	holds(l, 5, "n2", llm)
	if score.MovedFor(spec) == moved {
		t.Error("an image that another node holds now moves nothing")
	}
	if l.Changes.NodeFacts.Now() != static || l.Changes.Nodes.Now() != now {
		t.Error("images wake those who rest on what nodes are and hold")
	}
}

// BenchmarkImagesTakenOver reads 50 images of two names from each of 5 000 nodes, for the
// first pod that names one.
func BenchmarkImagesTakenOver(b *testing.B) {
	l := ledger.New()
	for n := range 5000 {
		var images []model.Image
		for i := range 100 {
			images = append(images, model.Image{Name: fmt.Sprintf("reg/image-%04d", 3*i+n%3), Size: int64(i+1) * 20 * mi})
		}
		holds(l, 1, fmt.Sprint("n", n), images...)
	}
	spec := &model.Spec{Images: []string{"reg/image-0030"}}
	for b.Loop() {
		byImages(b, l).Fill(spec, make([]int64, 5000))
	}
}

// Two classes that run the same images share what is known of these. A pull that the one was asked about first
// moves the other, too.
func TestAnImageThatIsPulledMovesEachClassThatRunsIt(t *testing.T) {
	l := ledger.New()
	llm := model.Image{Name: "reg/llm:1", Size: 800 * mi}
	holds(l, 1, "n1", llm)
	holds(l, 2, "n2")
	var tasks []ledger.TaskID
	for i := range 4 {
		name := fmt.Sprint("p", i)
		spec := &model.Spec{Requests: amounts(int64(100+i/2), gi), Images: []string{llm.Name}}
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
			Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name}, Spec: spec}})
		task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
		tasks = append(tasks, task)
	}
	nodes := class.New(l, build(t, l, nil))
	for _, want := range []string{"n1", "n2"} {
		for _, task := range []ledger.TaskID{tasks[0], tasks[2]} {
			if n := nodes.Best(class.Query{Task: task}).Node; n == ledger.NoNode || l.Node(n).Name != want {
				t.Errorf("the best node of %v is row %d, want %s", l.Task(task).Key, n, want)
			}
		}
		holds(l, 3, "n1")
		holds(l, 4, "n2", llm)
	}
}

// A node that was set aside for a fault counts again once it is mended, though it holds the same images as before.
func TestAMendedNodeHoldsItsImagesAgain(t *testing.T) {
	l := ledger.New()
	llm := model.Image{Name: "reg/llm:1", Size: 800 * mi}
	holds(l, 1, "n1", llm)
	holds(l, 2, "n2")
	score, spec := byImages(t, l), &model.Spec{Images: []string{"reg/llm:1"}}
	want := [2]int64{}
	score.Fill(spec, want[:])
	fault := []model.Fault{{Field: "status.allocatable.cpu", Message: "is negative", Fatal: true}}
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "n1"}, Version: 3,
		Object: &model.Node{Meta: model.Meta{Name: "n1", Faults: fault}, Images: []model.Image{llm}}})
	aside := [2]int64{}
	if score.Fill(spec, aside[:]); aside != ([2]int64{}) {
		t.Errorf("while n1 is set aside the nodes score %v for its image, want none", aside)
	}
	holds(l, 4, "n1", llm)
	mended := [2]int64{}
	if score.Fill(spec, mended[:]); mended != want || want[0] == 0 {
		t.Errorf("once n1 is mended the nodes score %v, want %v as before", mended, want)
	}
}
