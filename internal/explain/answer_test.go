package explain

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

var updateSchema = flag.Bool("update-schema", false, "write docs/*.schema.json anew")

// Each code stops a job at a step, except those that say why a pod is no victim.
func TestEveryCodeStopsAJobSomewhere(t *testing.T) {
	evicting := map[trace.Code]bool{trace.PreemptionNever: true, trace.NoVictims: true, trace.VictimsTooFew: true,
		trace.TopologyByGang: true}
	for text := range codes(t) {
		code := trace.Code(text)
		_, stopped := stops[code]
		if victims := strings.HasPrefix(text, "Victim") || evicting[code]; stopped == victims {
			t.Errorf("code %s: a step is %t, that it is about victims %t", code, stopped, victims)
		}
	}
}

// The schemas of the documents are those in docs, so that a field that is renamed is noticed.
func TestTheSchemasAreInTheDocs(t *testing.T) {
	for name, c := range map[string]struct {
		of    any
		title string
	}{
		"answer":    {Answer{}, "Answer of ashlar why"},
		"job-list":  {JobList{}, "JobList of ashlar jobs"},
		"node-list": {NodeList{}, "NodeList of ashlar nodes"},
		"queues":    {Queues{}, "QueueList of ashlar queues"},
		"plan":      {Plan{}, "Plan of ashlar plan"},
	} {
		path := "../../docs/" + name + ".schema.json"
		document := schemaOf(reflect.TypeOf(c.of))
		document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
		document["title"] = c.title + ", ashlar.sh/v1alpha1"
		want, err := encode(document)
		if err != nil {
			t.Fatal(err)
		}
		if *updateSchema {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not the schema of its document: go test ./internal/explain -update-schema writes it", path)
		}
	}
}

// schemaOf is the JSON schema of a type.
func schemaOf(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeOf(Share(0)):
		return map[string]any{"type": "number"}
	case t == reflect.TypeOf(Duration(0)):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Struct:
		if t == reflect.TypeOf(Evicting{}) { // a list, each the next of the one before
			return map[string]any{"type": "object"}
		}
		properties, required := map[string]any{}, []string{}
		fields(t, properties, &required)
		return map[string]any{"type": "object", "properties": properties, "required": required}
	}
	return map[string]any{"type": "integer"}
}

func fields(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			fields(f.Type, properties, required)
		case name != "":
			properties[name] = schemaOf(f.Type)
			if option == "" {
				*required = append(*required, name)
			}
		}
	}
}

func jobThat(r trace.Reason) *sched.JobWhy {
	w := &sched.JobWhy{Job: sched.JobReport{Namespace: "ns", Name: "big", Shown: "big", Queue: "q", MinMember: 4,
		Reason: r, Phase: model.GroupInqueue}, Admitted: true, Enqueue: true,
		Asks:  resource.List{{Name: "cpu", Value: 17_500}},
		Queue: sched.QueueReport{Name: "q", Allocated: resource.List{{Name: "cpu", Value: 2_500}}}}
	w.Job.Tasks[model.Pending] = 4
	w.Standing = sched.Standing{Turn: 2, Queues: 3, Ahead: sched.Ahead{Jobs: 2000, Pods: 2000, First: "ns/a", FirstPods: 1,
		Asks:      resource.List{{Name: "cpu", Value: 2_000_000}, {Name: "pods", Value: 2000}},
		FirstAsks: resource.List{{Name: "cpu", Value: 1000}, {Name: "pods", Value: 1}}}}
	return w
}

func step(t *testing.T, a *Answer, name string) Step {
	t.Helper()
	for _, s := range a.Path {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no step %s in %+v", name, a.Path)
	return Step{}
}

func TestStatesOfAJobThatWaits(t *testing.T) {
	noRoom := trace.Reason{Code: trace.NotEnoughResources, Task: "ns/big-0", Need: 3,
		Nodes: []trace.NodeCount{{Code: trace.InsufficientResource, Text: "cpu", Count: 3}}}
	for _, c := range []struct {
		reason trace.Reason
		state  State
		step   string
	}{
		{noRoom, WaitsForRoom, stepNodes},
		{trace.Reason{Code: trace.GangIncomplete, Have: 1, Need: 4, Cause: &noRoom}, WaitsForRoom, stepNodes},
		{trace.Reason{Code: trace.GangIncomplete, Have: 1, Need: 4,
			Cause: &trace.Reason{Code: trace.QueueCapability, Queue: "q"}}, WaitsForQueue, stepShare},
		{trace.Reason{Code: trace.QueueNotOpen, Queue: "q", Text: "Closed"}, WaitsForQueue, stepQueue},
		{trace.Reason{Code: trace.QueueQuotaInsufficient, Queue: "q"}, WaitsForQueue, stepAdmission},
		{trace.Reason{Code: trace.NotEnoughTasks, Have: 1, Need: 4}, WaitsForObjects, stepPods},
		{trace.Reason{Code: trace.NotEnoughResources, Never: &trace.Reason{Code: trace.PodTooLarge, Task: "ns/big-0"}},
			Never, stepNodes},
		{trace.Reason{Code: trace.WaitsForTurn}, WaitsForQueue, stepOrder},
	} {
		w := jobThat(c.reason)
		if c.reason.Code == trace.QueueNotOpen {
			w.Gate = c.reason
		}
		a := (&Asking{}).JobAnswer(w)
		if a.State != c.state || a.Summary != Sentence(c.reason) {
			t.Errorf("%s: state %s, %q; want %s, %q", c.reason.Code, a.State, a.Summary, c.state, Sentence(c.reason))
		}
		if s := step(t, a, c.step); s.Verdict != Refused || s.Text == "" {
			t.Errorf("%s: step %s is %+v, want it to refuse", c.reason.Code, c.step, s)
		}
		for _, s := range a.Path {
			if s.Name == c.step {
				break
			}
			if s.Verdict == Refused && s.Name != stepGang {
				t.Errorf("%s: step %s before %s refuses: %+v", c.reason.Code, s.Name, c.step, s)
			}
		}
		if got := StateOf(strings.Split(codesOf(c.reason), ".")); got != c.state {
			t.Errorf("by its condition %s is in state %s, want %s", c.reason.Code, got, c.state)
		}
	}
}

// codesOf is what the live scheduler writes as a condition's transition ID.
func codesOf(r trace.Reason) string {
	text := string(r.Code)
	for c := r.Cause; c != nil; c = c.Cause {
		text += "." + string(c.Code)
	}
	if r.Never != nil {
		text += "." + string(r.Never.Code)
	}
	return text
}

func TestManySmallJobsAhead(t *testing.T) {
	a := (&Asking{}).JobAnswer(jobThat(trace.Reason{Code: trace.WaitsForTurn}))
	w := jobThat(trace.Reason{Code: trace.QueueDeserved, Queue: "q"})
	b := (&Asking{}).JobAnswer(w)
	want := "queue q is served number 2 of the 3 queues in which jobs wait; 2000 jobs in it come before this one, " +
		"with 2000 pods that ask for cpu 2000; the first is ns/a, with 1 pod that asks for cpu 1"
	if got := step(t, b, stepOrder).Text; got != want {
		t.Errorf("the order is told as\n%s\nwant\n%s", got, want)
	}
	if got := step(t, a, stepOrder); got.Verdict != Refused {
		t.Errorf("of a job that waits for its turn the order is %+v", got)
	}
}

func TestChangesAreShownWhereThereAre(t *testing.T) {
	var text, none strings.Builder
	answer := (&Asking{}).JobAnswer(jobThat(trace.Reason{Code: trace.WaitsForTurn}))
	answer.Changes = []Change{{Kind: "gang", Text: "minMember 3 instead of 4"}}
	if err := answer.Text(&text, Style{}); err != nil {
		t.Fatal(err)
	}
	if err := (&Asking{}).JobAnswer(jobThat(trace.Reason{Code: trace.WaitsForTurn})).Text(&none, Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "WOULD RUN IF\n  - minMember 3 instead of 4\n") {
		t.Errorf("the change is not shown:\n%s", text.String())
	}
	if strings.Contains(none.String(), "WOULD RUN IF") {
		t.Errorf("without changes there is a heading:\n%s", none.String())
	}
}

// No list of the document is null, whatever is asked.
func TestNoListOfAnAnswerIsNull(t *testing.T) {
	asking := Asking{}
	for _, a := range []*Answer{asking.JobAnswer(jobThat(trace.Reason{})), asking.NodeAnswer(&sched.NodeWhy{}),
		asking.QueueAnswer(&sched.Report{}, sched.QueueWhy{}), asking.PodAnswer(&sched.PodWhy{}, nil),
		asking.WrittenJob(&WrittenJob{}, nil), asking.WrittenPod(&WrittenPod{}, nil)} {
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("null")) {
			t.Errorf("the answer has a null: %s", data)
		}
	}
}

func TestSpansHaveTwoUnits(t *testing.T) {
	for span, want := range map[time.Duration]string{0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m1s",
		time.Hour: "1h", 3*time.Hour + 12*time.Minute + 9*time.Second: "3h12m", 49 * time.Hour: "2d1h"} {
		if got := age(int64(span)); got != want {
			t.Errorf("%s is written %s, want %s", span, got, want)
		}
	}
}

func TestWhatObjectsSay(t *testing.T) {
	asking := Asking{Now: int64(100 * time.Second)}
	job := &WrittenJob{Namespace: "ns", Name: "g", Phase: "Inqueue", MinMember: 2, Since: int64(40 * time.Second),
		Codes: "GangIncomplete.QueueCapability", Message: "2/2 tasks in gang unschedulable: queue q is full"}
	a := asking.WrittenJob(job, nil)
	if a.State != WaitsForQueue || a.Summary != job.Message || !strings.Contains(strings.Join(a.Notes, " "), "1m ago") {
		t.Errorf("the job is %s, %q, notes %q", a.State, a.Summary, a.Notes)
	}
	pods := []WrittenPod{
		{Namespace: "ns", Name: "g-0", Job: "g", Node: "n1", Phase: "Running", Started: int64(time.Second)},
		{Namespace: "ns", Name: "g-1", Job: "g", Node: "n1", Phase: "Running", Started: int64(2 * time.Second)}}
	a = asking.WrittenJob(job, pods)
	if want := "it runs: 2 pods on n1 ×2, since 1970-01-01T00:00:01Z (1m39s)"; a.State != Runs || a.Summary != want {
		t.Errorf("the job is %s, %q, want %q", a.State, a.Summary, want)
	}
}

// What a queue deserves is often no round number of bytes.
func TestSharesAreShort(t *testing.T) {
	memory := func(bytes int64) resource.List { return resource.List{{Name: resource.MemoryName, Value: bytes}} }
	w := &sched.JobWhy{Asks: memory(1 << 30)}
	w.Queue.Name, w.Queue.Allocated, w.Queue.Deserved = "q", memory(1<<40), memory(10278470306085)
	if got, want := shareStep(w).Text, "queue q holds memory 1Ti of 9.3Ti deserved"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	q := QueueAnswer{}
	q.Deserved = amounts(memory(10278470306085))
	if got, want := q.shareStep().Details, "memory: holds 0, deserves 9.3Ti, asks for 0"; len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}
