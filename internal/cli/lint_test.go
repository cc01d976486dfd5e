package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"ashlar.sh/internal/lint"
)

const lintExample = "../../examples/lint"

func linted(t *testing.T, args ...string) (lint.Report, result) {
	t.Helper()
	got := run("", append([]string{"ashlar", "lint", "-o", "json"}, args...)...)
	var r lint.Report
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatalf("%q: exit %d: %v\n%s%s", args, got.code, err, got.out, got.err)
	}
	return r, got
}

// lonely is a booking of nodes that are not there.
const lonely = "apiVersion: ashlar.sh/v1alpha1\nkind: Booking\nmetadata: {name: b}\nspec: {maintenance: true, nodes: " +
	"{selector: {matchLabels: {rack: x}}}, from: \"2030-01-01T00:00:00Z\", to: \"2030-01-02T00:00:00Z\"}\n"

// oneLimit is a queue that is served in order, and pods with limits in seconds.
func oneLimit(limits ...string) string {
	text := "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\nspec: {dequeueStrategy: fifo}\n"
	for i, limit := range limits {
		text += fmt.Sprintf("---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d}\nspec: {schedulerName: volcano, "+
			"activeDeadlineSeconds: %s, containers: [{name: c}]}\n", i, limit)
	}
	return text
}

// With one limit for all jobs backfill does nothing, which is said; not where limits differ, or few jobs have it.
func TestLintOfOneLimit(t *testing.T) {
	for text, want := range map[string]bool{oneLimit("3600", "3600", "3600"): true, oneLimit("3600", "3600", "60"): false,
		oneLimit("3600", "3600"): false, strings.Replace(oneLimit("9", "9", "9"), "fifo", "traverse", 1): false} {
		r, _ := linted(t, file(t, "l.yaml", text))
		found := false
		for _, f := range r.Findings {
			found = found || f.Rule == "job-one-limit" && strings.Contains(f.Message, "all 3 pods of 3 jobs have the limit 1h")
		}
		if found != want {
			t.Errorf("found %t, want %t:\n%s\n%+v", found, want, text, r.Findings)
		}
	}
}

// A Kubernetes Job is ended by its deadline, whether its pods run or wait: one that does not start before is told.
func TestAJobsDeadlineRunsWhileItWaits(t *testing.T) {
	const head = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, pods: 10}}\n---\n" +
		"apiVersion: v1\nkind: Pod\nmetadata: {name: busy, annotations: {ashlar.sh/duration: 1h}}\nspec: {nodeName: n1, " +
		"containers: [{name: c, resources: {requests: {cpu: 4}}}]}\n---\n"
	job := func(seconds string) string {
		return head + "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec: {activeDeadlineSeconds: " + seconds +
			", template: {spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 4}}}]}}}\n"
	}
	for seconds, want := range map[string]bool{"600": true, "7200": false} {
		files := file(t, "j.yaml", job(seconds))
		r, _ := linted(t, files)
		found := false
		for _, f := range r.Findings {
			found = found || f.Rule == "job-deadline" && strings.Contains(f.Message, "it may wait for 10m0s")
		}
		got := run("", "ashlar", "simulate", "-f", files, "--until", "1m")
		told := strings.Contains(strings.Join(strings.Fields(got.out), " "),
			"its Job ends before that: at 1970-01-01T00:10:00Z, by spec.activeDeadlineSeconds, which runs while it waits")
		if found != want || told != want {
			t.Errorf("with a deadline of %s s lint finds %t and the report says %t, want %t: %+v\n%s%s", seconds, found, told,
				want, r.Findings, got.out, got.err)
		}
	}
}

// A file with a booking and no nodes says nothing of which nodes there are.
func TestLintOfABookingAlone(t *testing.T) {
	if r, _ := linted(t, file(t, "k.yaml", lonely)); len(r.Findings) > 0 {
		t.Errorf("of a booking alone it says %v", r.Findings)
	}
}

// Each rule has a mistake that it finds, at its file and line.
func TestLintFindsAMistakeOfEachRule(t *testing.T) {
	found := map[string]bool{}
	configuration := configMap("c", strings.ReplaceAll(quiet, "proportion", "overcommit\n    arguments:\n"+
		"      overcommit-factor: 0.5"))
	for _, args := range [][]string{
		{lintExample, lintExample + "/volcano-scheduler.conf"},
		{lintExample + "/cluster.yaml", lintExample + "/cluster.yaml", "--scheduler-conf",
			file(t, "x.conf", "actions: \"alocate\"\n")},
		{file(t, "w.yaml", configuration+"---"+oneNode)},
		{file(t, "a.yaml", strings.Replace(oneNode, "requests: {cpu: \"1\", memory: 1Gi}", "requests: {cpu: \"-1\"}", 1))},
		{file(t, "b.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {}\n---\n"+oneNode+"---\napiVersion: v1\nkind: Pod\n"+
			"metadata: {name: q, annotations: {ashlar.sh/duration: soon}}\nspec: {nodeName: nowhere}\n")},
		{file(t, "t.yaml", oneNode+"---\napiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {name: h}\n"+
			"spec: {tier: 1, members: [{type: HyperNode, selector: {exactMatch: {name: h}}}]}\n---\n"+
			"apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: g}\nspec: {minMember: 1, "+
			"networkTopology: {mode: hard, highestTierAllowed: 1}}\n")},
		{file(t, "k.yaml", oneNode+"---\n"+lonely)},
		{file(t, "l.yaml", oneLimit("3600", "3600", "3600"))},
		{file(t, "m.yaml", "kind: [\n")},
	} {
		r, _ := linted(t, args...)
		for _, f := range r.Findings {
			if found[f.Rule] = true; f.File == "" || f.Message == "" || f.Do == "" {
				t.Errorf("%q: a finding without a place or words: %+v", args, f)
			}
		}
	}
	for _, name := range lint.Rules() {
		if !found[name] {
			t.Errorf("no mistake shows rule %s", name)
		}
	}
}

func TestLintSaysWhereAndFails(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{lintExample + "/jobs.yaml", "--on", lintExample + "/cluster.yaml"}, 1,
			lintExample + "/jobs.yaml:2: error: PodGroup/default/giant: it can never start on these nodes: "},
		{[]string{lintExample, "--fail-on", "never"}, 0, "[queue-parent]"},
		{[]string{"../../examples/eviction", "--fail-on", "note"}, 0, ""},
		{[]string{lintExample, "-o", "xml"}, 2, `--output "xml": expected text, json or sarif`},
		{[]string{lintExample, "--fail-on", "bad"}, 2, `--fail-on "bad": expected error, warning, note or never`},
		{[]string{"--on", lintExample}, 2, "--on is the cluster for which files are"},
		{[]string{"a.conf", "b.conf"}, 1, "b.conf: error: no such file or directory [configuration-refused]"},
		{[]string{"nowhere.yaml"}, 1, "nowhere.yaml: error: cannot be read: no such file or directory [file-refused]"},
		{[]string{"nowhere.conf"}, 1, "nowhere.conf: error: no such file or directory [configuration-refused]"},
		{[]string{}, 1, "no cluster to ask"},
	} {
		got := run("", append([]string{"ashlar", "lint"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.out+got.err, c.want) {
			t.Errorf("%q: exit %d, want %d and %q\n%s%s", c.args, got.code, c.code, c.want, got.out, got.err)
		}
	}
	of := run("", "ashlar", "lint", lintExample+"/jobs.yaml", "--on", lintExample+"/cluster.yaml")
	if strings.Contains(of.out, "cluster.yaml") {
		t.Errorf("what is wrong with the cluster is told, too:\n%s", of.out)
	}
	text, err := os.ReadFile(lintExample + "/jobs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if in := run(string(text), "ashlar", "lint", "-"); in.code != 1 || !strings.Contains(in.out, "-:14: error: ") {
		t.Errorf("of standard input exit %d\n%s%s", in.code, in.out, in.err)
	}
}

// What has no mistake has no finding: the examples of the quick start, but for the one that is meant.
func TestLintOfTheExamples(t *testing.T) {
	for folder, want := range map[string]int{"quickstart": 1, "demo": 0, "live": 0, "topology": 0, "devices": 0} {
		r, _ := linted(t, "../../examples/"+folder)
		if len(r.Findings) != want {
			t.Errorf("examples/%s has %d findings, want %d: %+v", folder, len(r.Findings), want, r.Findings)
		}
	}
}
