package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ashlar.sh/internal/cli"
	"ashlar.sh/internal/explain"
)

// The verbs ask the live scheduler that they find, as an administrator, as a tenant of one namespace and as nobody; and
// the objects where they are told to, or the scheduler cannot be asked.
func TestLiveTheVerbsAskTheScheduler(t *testing.T) {
	f := findable(t)
	for name, c := range map[string]struct {
		config string
		args   []string
		code   int
		has    []string // of what is printed
		says   string   // on stderr
		lacks  string
	}{
		"an administrator asks why": {f.admin, []string{"why", "job", "waits", "-n", f.ns, "-o", "json", "-v"}, 0,
			[]string{`"source": "scheduler"`, `"Never"`, "64 asked"}, "the scheduler was asked, pod ashlar-system/" + f.ns, ""},
		"a tenant asks why": {f.tenant, []string{"why", "pod", "waits-0", "--exit-code", "--from", "scheduler"}, 12,
			[]string{"can never run", "64 asked"}, "", "secret"},
		"a tenant asks why of others": {f.tenant, []string{"why", "job", "secret", "-n", f.other, "--from", "scheduler"}, 1,
			nil, "may not list pods in namespace " + f.other, "0/"},
		"a tenant lists its jobs": {f.tenant, []string{"jobs", "-o", "wide"}, 0,
			[]string{"runs", "2/2", f.node + " ×2", "waits", "Never"}, "", "secret"},
		"a tenant lists all jobs": {f.tenant, []string{"jobs", "-A"}, 0,
			[]string{"waits"}, "not listed", "secret"},
		"a tenant lists nodes": {f.tenant, []string{"nodes"}, 0,
			nil, "you may not list nodes: cpu", f.node},
		"a tenant asks for a queue that it may not get": {f.tenant, []string{"queues", f.ns}, 1, nil,
			"or you may not get it", ""},
		"an administrator asks for a queue": {f.admin, []string{"queues", "--why", f.ns, "-v"}, 0,
			[]string{f.ns, "ROUND"}, "the scheduler was asked", ""},
		"an administrator lists nodes": {f.admin, []string{"nodes", f.node, "-o", "json", "--from", "scheduler"}, 0,
			[]string{`"source": "scheduler"`, `"secret-0"`}, "", ""},
		"an administrator names a job that is not there": {f.admin, []string{"jobs", "wait", "-n", f.ns, "--from",
			"scheduler"}, 1, nil, `did you mean "waits"`, ""},
		"a tenant asks for another's history": {f.tenant, []string{"history", "job", f.other + "/secret"}, 1, nil,
			"may not list pods in namespace " + f.other, "secret-0"},
		"an administrator asks for a history": {f.admin, []string{"history", "job", "runs", "-n", f.ns, "-o", "json",
			"-v"}, 0, []string{`"source":"scheduler"`, "bind " + f.ns + "/runs-0 to " + f.node, `"since":"`},
			"the scheduler was asked", ""},
		"a history of no job": {f.admin, []string{"history", "job", "wait", "-n", f.ns, "--from", "scheduler"}, 1, nil,
			`did you mean "waits"`, ""},
		"nobody watches": {f.nobody, []string{"jobs", "-w", "--from", "scheduler"}, 1,
			nil, "you may not get the scheduler's Lease", "waits"},
		"nobody": {f.nobody, []string{"jobs", "--from", "scheduler"}, 1,
			nil, "you may not get the scheduler's Lease", "waits"},
		"the objects, as told": {f.admin, []string{"why", "job", "waits", "-n", f.ns, "-o", "json", "--from", "objects",
			"--scheduler-name", f.ns, "-v"}, 0, []string{`"source": "cluster"`}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(c.config, c.args...)
			if got.code != c.code || !strings.Contains(unwrapped(got.err), c.says) {
				t.Errorf("exit code %d, want %d, and %q on stderr:\n%s%s", got.code, c.code, c.says, got.out, got.err)
			}
			for _, want := range c.has {
				if !strings.Contains(unwrapped(got.out), want) {
					t.Errorf("it lacks %q:\n%s%s", want, got.out, got.err)
				}
			}
			if c.lacks != "" && strings.Contains(got.out, c.lacks) {
				t.Errorf("it tells of %s:\n%s", c.lacks, got.out)
			}
		})
	}
	t.Run("both tell the same", func(t *testing.T) { tellTheSame(t, f) })
	t.Run("watched", func(t *testing.T) { watchTheScheduler(t, f) })
	t.Run("would run if", func(t *testing.T) { triedByTheScheduler(t, f) })
	t.Run("what happened", func(t *testing.T) { pastByTheScheduler(t, f) })
	t.Run("planned", func(t *testing.T) { plannedByTheScheduler(t, f) })
	f.stop()
	began := time.Now()
	got := ask(f.admin, "jobs", "-n", f.ns)
	if got.code != 0 || !strings.Contains(got.out, "waits") ||
		!strings.Contains(got.err, "objects are asked, and not the scheduler: no scheduler holds the Lease") {
		t.Errorf("without a scheduler: exit code %d\n%s%s", got.code, got.out, got.err)
	}
	if took := time.Since(began); took > patience/2 {
		t.Errorf("it took %s to find out that there is none", took)
	}
}

// triedByTheScheduler: a tenant that may read little is told what would make its job run, without names of others; who
// may read nothing of it is told nothing.
func triedByTheScheduler(t *testing.T, f *found) {
	submit(t, f.ns, f.ns, "large", 3, 3, "1")
	for name, config := range map[string]string{"an administrator": f.admin, "a tenant": f.tenant} {
		var got told
		var answer explain.Answer
		eventually(t, name+" is told what would make the job run", func(context.Context) (bool, error) {
			got = ask(config, "why", "job", "large", "-n", f.ns, "--from", "scheduler", "--would-run", "5s", "-o", "json")
			answer = explain.Answer{}
			return got.code == 0 && json.Unmarshal([]byte(got.out), &answer) == nil && answer.Tried != "" &&
				len(answer.Changes) > 0, nil
		}, func() string { return got.out + got.err })
		if answer.Basis.Source != "scheduler" || !strings.Contains(got.out, "minMember") {
			t.Errorf("%s: by %s, %+v", name, answer.Basis.Source, answer.Changes)
		}
		if config == f.tenant && (strings.Contains(got.out, "secret") || strings.Contains(got.out, f.other)) {
			t.Errorf("a tenant is told of others:\n%s", got.out)
		}
	}
	if got := ask(f.tenant, "why", "job", "secret", "-n", f.other, "--from", "scheduler"); got.code != 1 ||
		strings.Contains(got.out, "RUN IF") {
		t.Errorf("of another's job: exit code %d\n%s", got.code, got.out)
	}
}

// plannedByTheScheduler: a tenant that may read its own namespace alone is told what would become of a job there, with
// the jobs of others in the way; nothing is submitted.
func plannedByTheScheduler(t *testing.T, f *found) {
	for _, c := range []struct {
		config, ns, cores string
		code              int
		says              string
	}{
		{f.tenant, f.ns, "100m", 0, `"Starts"`},
		{f.admin, f.ns, "100m", 0, `"Starts"`},
		{f.tenant, f.ns, "1800m", 0, `"WaitsForQueue"`}, // the queue holds 2.5 of 4 cores, half a core of it for another
		{f.tenant, f.ns, "64", 0, `"Never"`},
		{f.tenant, f.other, "100m", 1, "may not list pods in namespace " + f.other},
		{f.nobody, f.ns, "100m", 1, "you may not get the scheduler's Lease"},
	} {
		path := filepath.Join(t.TempDir(), "job.yaml")
		text := fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: planned, namespace: %s, annotations: "+
			"{scheduling.volcano.sh/queue-name: %s}}\nspec: {schedulerName: %s, containers: [{name: c, image: i, resources: "+
			"{requests: {cpu: %s}}}]}\n", c.ns, f.ns, f.ns, c.cores)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ask(c.config, "plan", "-f", path, "--from", "scheduler", "-o", "json")
		if all := unwrapped(got.out + got.err); got.code != c.code || !strings.Contains(all, c.says) ||
			strings.Contains(all, "secret") || c.code == 0 && !strings.Contains(all, `"source": "scheduler"`) {
			t.Errorf("%s cores in %s: exit code %d, want %d with %s\n%s%s", c.cores, c.ns, got.code, c.code, c.says, got.out,
				got.err)
		}
	}
	if pods := list(t, f.ns, "planned"); len(pods) > 0 {
		t.Errorf("%d pods were made", len(pods))
	}
	path := filepath.Join(t.TempDir(), "group.yaml")
	text := fmt.Sprintf("apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\n"+
		"metadata: {name: runs, namespace: %s}\nspec: {minMember: 1, queue: %s}\n", f.ns, f.ns)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range [][]string{{"--from", "scheduler"}, {"--from", "objects", "--scheduler-name", f.ns}} {
		got := ask(f.admin, append([]string{"plan", "-f", path}, from...)...)
		for _, want := range []string{"If applied now: 1 job, which exists already, 2 of 2 pods running: 1 runs already",
			"By the file: minMember 1, now 2."} {
			if got.code != 0 || !strings.Contains(unwrapped(got.out), want) {
				t.Errorf("a job that exists, %v: exit code %d, want %q\n%s%s", from, got.code, want, got.out, got.err)
			}
		}
	}
}

// pastByTheScheduler: a tenant is told what happened to its job since it came, and why it waits; by the events too,
// which know less.
func pastByTheScheduler(t *testing.T, f *found) {
	submit(t, f.ns, f.ns, "story", 3, 3, "2")
	for from, wants := range map[string][]string{
		"scheduler": {"story: came (queue " + f.ns + ", minMember 3", "phase of " + f.ns + "/story to Inqueue",
			"\nnow ", "  waits: it can never start", "note: the scheduler that acts knows it from"},
		"objects": {"podgroup story: Unschedulable: ", "which are kept for an hour"},
	} {
		var got told
		eventually(t, "the history by the "+from, func(context.Context) (bool, error) {
			got = ask(f.admin, "history", "job", "story", "-n", f.ns, "--from", from)
			has := func(part string) bool { return strings.Contains(got.out, part) }
			return got.code == 0 && !slices.ContainsFunc(wants, func(part string) bool { return !has(part) }) &&
				(from == "objects" || strings.Count(got.out, "waits: it can never start") > 1), nil
		}, func() string { return got.out + got.err })
	}
	for _, from := range []string{"scheduler", "objects"} {
		watchThePast(t, f, from)
	}
	if got := ask(f.tenant, "history", "job", "story", "--from", "scheduler"); got.code != 0 ||
		!strings.Contains(got.out, "story: came") || strings.Contains(got.out, "secret") {
		t.Errorf("a tenant is told, with exit code %d:\n%s%s", got.code, got.out, got.err)
	}
}

// watchThePast: what happens to a job after it was asked about is told, once, until Ctrl-C.
func watchThePast(t *testing.T, f *found, from string) {
	out, errs, ended := watching(f.admin, "history", "job", "story", "-n", f.ns, "-w", "--from", from)
	const waits = "it can never start"
	shown := func(text string, times int) {
		t.Helper()
		eventually(t, "the history by the "+from+" to go on", func(context.Context) (bool, error) {
			return strings.Contains(out.String(), waits) && strings.Count(out.String(), text) == times, nil
		}, func() string { return out.String() + errs.String() })
	}
	more := "story-more-" + from
	shown(more, 0)
	p := member(f.ns, "story", 0, "1")
	p.Name, p.Spec.SchedulerName = more, f.ns
	create(t, p)
	if from == "scheduler" {
		shown(more+": came", 1)
	} else {
		shown("pod "+more+": FailedScheduling", 1)
	}
	interrupt(t, errs, ended)
}

// watchTheScheduler: a tenant that watches its jobs sees one that comes, an administrator those of all, until Ctrl-C.
func watchTheScheduler(t *testing.T, f *found) {
	shows := func(out, errs *page, text string) {
		t.Helper()
		eventually(t, text, func(context.Context) (bool, error) { return out.String() == text, nil },
			func() string { return out.String() + errs.String() })
	}
	jobs := []string{"jobs", "-w", "--from", "scheduler", "-o", "name"}
	mine, said, first := watching(f.tenant, jobs...)
	all, told, second := watching(f.admin, append(jobs, "-A")...)
	shows(mine, said, "job/runs\njob/waits\n")
	eventually(t, "all jobs", func(context.Context) (bool, error) {
		return strings.Contains(all.String(), "job/secret"), nil
	}, told.String)
	submit(t, f.ns, f.ns, "later", 9, 9, "1")
	shows(mine, said, "job/runs\njob/waits\njob/later\n")
	eventually(t, "the new job among all", func(context.Context) (bool, error) {
		return strings.Count(all.String(), "job/later\n") == 1, nil
	}, told.String)
	interrupt(t, told, first, second)
}

// watching runs a verb that goes on until it is interrupted.
func watching(config string, args ...string) (out, errs *page, ended chan int) {
	out, errs, ended = &page{}, &page{}, make(chan int, 1)
	p := cli.Process{Args: append(append([]string{"ashlar"}, args...), "--kubeconfig", config), In: strings.NewReader(""),
		Out: out, Err: errs, Env: func(string) string { return "" }, Now: time.Now}
	go func() { ended <- p.Run() }()
	return out, errs, ended
}

// interrupt ends verbs as Ctrl-C does.
func interrupt(t *testing.T, errs *page, ended ...chan int) {
	t.Helper()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for _, e := range ended {
		select {
		case code := <-e:
			if code != 0 {
				t.Errorf("exit code %d: %s", code, errs)
			}
		case <-time.After(patience):
			t.Error("the watch does not end")
		}
	}
}

// tellTheSame: the rows of jobs and nodes are the same from the scheduler and from an engine on the objects.
func tellTheSame(t *testing.T, f *found) {
	rows := func(into any, args ...string) {
		t.Helper()
		got := ask(f.admin, append(args, "-o", "json")...)
		if err := json.Unmarshal([]byte(got.out), into); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, got.err)
		}
	}
	var jobs, jobsByObjects explain.JobList
	rows(&jobs, "jobs", "-n", f.ns, "--from", "scheduler")
	rows(&jobsByObjects, "jobs", "-n", f.ns, "--from", "objects", "--scheduler-name", f.ns)
	var nodes, nodesByObjects explain.NodeList
	rows(&nodes, "nodes", f.node, "--from", "scheduler")
	rows(&nodesByObjects, "nodes", f.node, "--from", "objects", "--scheduler-name", f.ns)
	for i := range jobs.Items {
		jobs.Items[i].Summary = "" // its times are of two moments
	}
	for i := range jobsByObjects.Items {
		jobsByObjects.Items[i].Summary = ""
	}
	for _, c := range []struct{ live, objects any }{{jobs.Items, jobsByObjects.Items},
		{nodes.Items, nodesByObjects.Items}} {
		live, err := json.Marshal(c.live)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := json.Marshal(c.objects)
		if err != nil {
			t.Fatal(err)
		}
		if string(live) != string(objects) {
			t.Errorf("the scheduler tells\n%s\nand the objects\n%s", live, objects)
		}
	}
}
