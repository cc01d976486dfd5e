package story

import (
	"math/rand"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// because is the paragraph that every story needs.
const because = "# Because.\n\n"

func TestAQuestionIsAnswered(t *testing.T) {
	for name, c := range map[string]struct{ asked, want string }{
		"an answer is put below its question": {
			"node n1 cpu=2\nsubmit x/job 2 x cpu=1\ncycle\n",
			"node n1 cpu=2\nsubmit x/job 2 x cpu=1\ncycle\n----\nbind x/job-0..1 n1\n",
		},
		"an old answer is replaced": {
			"node n1 cpu=2\nsubmit x/job 1 x cpu=1\ncycle\n----\nbind somebody else\nand more\n\n# and so on\n",
			"node n1 cpu=2\nsubmit x/job 1 x cpu=1\ncycle\n----\nbind x/job-0 n1\n\n# and so on\n",
		},
		"two questions in a row get a blank line between them": {
			"node n1 cpu=2\ncycle\nnodes\n",
			"node n1 cpu=2\ncycle\n----\nnothing\n\nnodes\n----\nnode  used  idle\nn1    -     cpu=2\n",
		},
		"an indented line goes on with the one above, comments are kept": {
			"node n1   # the only one\n  cpu=2   # small\n  gpu=1\ncycle\nnodes idle\n",
			"node n1   # the only one\n  cpu=2   # small\n  gpu=1\ncycle\n----\nnothing\n\nnodes idle\n----\nnode  idle\n" +
				"n1    cpu=2,gpu=1\n",
		},
		"when nothing more can happen a cycle says so": {
			"node n1 cpu=2\nrun\ncycle\n",
			"node n1 cpu=2\nrun\n----\nnothing\n\ncycle\n----\nnothing more can happen\n",
		},
		"several cycles say when": {
			"node n1 cpu=2\nsubmit x/a 1 x cpu=2 for=1m\nsubmit x/b 1 x cpu=2 at=90s\nrun\n",
			"node n1 cpu=2\nsubmit x/a 1 x cpu=2 for=1m\nsubmit x/b 1 x cpu=2 at=90s\nrun\n----\n0s    bind x/a-0 n1\n" +
				"1m30s bind x/b-0 n1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Parse("test.story", because+c.asked)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Run(Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != because+c.want {
				t.Errorf("got\n%s\nwant\n%s", r.Text, because+c.want)
			}
		})
	}
}

func TestWhatIsWrongIsSaidWithItsLine(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no paragraph": {"node n1 cpu=1\n", "test.story:1: a story begins with a paragraph"},
		"an unknown verb": {because + "nodde n1\n",
			`test.story:3: "nodde" is no verb; there are backoff, booking, bookings, budget, `},
		"an answer to no question": {because + "----\n", "test.story:3: ---- without a question"},
		"no empty line after an answer": {because + "cycle\n----\nnode n1\ncycle\n----\n",
			"test.story:7: ---- within an answer: an empty line ends the answer before it"},
		"a line that asks nothing": {because + "node n1\n----\nx\n", "test.story:4: node asks nothing"},
		"an indented first line":   {because + "  cpu=1\n", "test.story:3: an indented line goes on"},
		"an amount that is none":   {because + "node n1 cpu=lots\n", `test.story:3: node: cpu: "lots" is not a quantity`},
		"an amount below nothing":  {because + "node n1 cpu=-1\n", `test.story:3: node: cpu: "-1" is not a quantity`},
		"an amount too fine":       {because + "node n1 memory=1m\n", `memory: "1m" is too fine`},
		"an amount too much":       {because + "node n1 cpu=9999999999999999999999\n", "too fine or too much"},
		"a name without namespace": {because + "submit train 1 x cpu=1\n", `"train" is not namespace/name`},
		"an unknown option": {because + "submit x/y 1 x cpu=1 quickly\n",
			`"quickly" is not understood here; the line is: submit NAMESPACE/NAME `},
		"pods without an amount": {because + "submit x/y 3 x\n", "what each pod asks for is missing"},
		"a number without x":     {because + "submit x/y 3 cpu=1\n", "after 3 comes x"},
		"a job that is there": {because + "submit x/y 1 x cpu=1\nsubmit x/y 1 x cpu=1\n",
			"test.story:4: submit: x/y is there already"},
		"an unknown column":         {because + "cycle\nnodes speed\n", `there is no column "speed"; there are node, `},
		"a question before a cycle": {because + "nodes\n", "no cycle has run yet"},
		"an unknown plugin":         {because + "conf\n  tier luck\ncycle\n", `plugin "luck" is not known`},
		"a conf that comes late":    {because + "node n1\nconf actions allocate\n", "comes before everything else"},
		"a job that does not run":   {because + "cycle\nfinish x/y\n", "no pod of x/y runs"},
		"a node that is not there":  {because + "cordon n1\n", "there is no node n1"},
		"an unknown state":          {because + "queue q state=Ajar\n", `"Ajar" is not Open, Closed, Closing or Unknown`},
		"a taint without effect":    {because + "node n1 taint=a=b\n", `"a=b" is not key=value:Effect`},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Parse("test.story", c.text)
			if err == nil {
				_, err = s.Run(Options{})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %s", err, c.want)
			}
		})
	}
}

func TestAmountsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"cpu=4":                         "cpu=4",
		"cpu=2.5":                       "cpu=2500m",
		"cpu:1500m,memory:4Gi":          "cpu=1500m,memory=4Gi",
		"gpu=2,memory=1024Mi,cpu=1000m": "cpu=1,memory=1Gi,gpu=2",
		"memory=1G":                     "memory=1000000000",
		"nvidia.com/gpu=1":              "gpu=1",
		"cpu=1,cpu=1":                   "cpu=2",
		"pods=3":                        "-",
	} {
		l, err := amounts(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := list(l); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}

func TestAnAmountWrittenIsReadAsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{resource.CPUName, resource.MemoryName, "nvidia.com/gpu"}).Draw(t, "name")
		v := rapid.Int64Range(0, 1<<50).Draw(t, "amount")
		back, err := quantity(name, written(name, v))
		if err != nil || back != v {
			t.Fatalf("%d %s is written %s, which is read as %d (%v)", v, name, written(name, v), back, err)
		}
	})
}

func TestDeedsAreFolded(t *testing.T) {
	deeds := []deed{deedOf("bind", "x/a-0", "n2"), deedOf("bind", "x/a-1", "n2"), deedOf("bind", "x/lone", "n1"),
		deedOf("bind", "x/a-2", "n1"), deedOf("bind", "x/a-4", "n1"), {text: "phase x/a Running"}}
	for name, c := range map[string]struct{ got, want []string }{
		"in order, by node": {folded(deeds), []string{"bind x/a-0..1 n2", "bind x/lone n1", "bind x/a-2 n1", "bind x/a-4 n1",
			"phase x/a Running"}},
		"by pod": {digest(deeds), []string{"bind x/a-0..2 n1 n2", "bind x/a-4 n1", "bind x/lone n1",
			"phase x/a Running"}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", name, c.got, c.want)
		}
	}
}

func TestShufflingKeepsTheOrderOfWhatIsAboutOneObject(t *testing.T) {
	var acts []act
	for i := range 20 {
		o := &model.Queue{Weight: int32(i)}
		acts = append(acts, act{about: model.Ref{Name: string(rune('a' + i%4))},
			appears: &sim.Item{Fact: model.Fact{Object: o}}})
	}
	moved := false
	for seed := range int64(5) {
		last := map[model.Ref]int32{}
		for i, a := range shuffled(rand.New(rand.NewSource(seed)), acts) {
			n := a.appears.Fact.Object.(*model.Queue).Weight
			if n < last[a.about] {
				t.Errorf("seed %d: %d after %d, and both are about %s", seed, n, last[a.about], a.about)
			}
			last[a.about] = n
			moved = moved || n != int32(i)
		}
	}
	if !moved {
		t.Error("nothing was moved")
	}
}

func TestEveryVerbIsInTheReference(t *testing.T) {
	text, err := os.ReadFile("../../docs/stories.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range verbs() {
		if !strings.Contains(string(text), v.syntax) {
			t.Errorf("docs/stories.md does not have %s as\n%s", name, v.syntax)
		}
		if (v.do == nil) == (v.ask == nil) {
			t.Errorf("%s: a verb either does or asks", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(because + "node n1 cpu=2\nsubmit x/job 2 x cpu=1\ncycle\n")
	f.Add(because + "conf\n  tier gang\nqueue q capability=cpu:1\ncycle 2 phases\n----\nx\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("fuzz.story", text)
		if err != nil || strings.Count(text, "\n") > 30 || strings.Contains(text, " x ") {
			return
		}
		r, err := s.Run(Options{})
		if err != nil {
			return
		}
		again, err := Parse("fuzz.story", r.Text)
		if err != nil {
			t.Fatalf("what was printed is no story: %v\n%s", err, r.Text)
		}
		if twice, err := again.Run(Options{}); err != nil || twice.Text != r.Text {
			t.Fatalf("printing twice is not printing once (%v):\n%s\n%s", err, r.Text, twice.Text)
		}
	})
}
