package cli_test

import (
	"strings"
	"testing"
)

// Each of several configurations is judged by itself, at its own file and line; one that is sound has no finding.
func TestSeveralConfigurationsAreJudgedEachByItself(t *testing.T) {
	good := file(t, "volcano-scheduler.conf", quiet)
	wrong := file(t, "volcano-scheduler.conf", "actions: \"enqueue, alocate\"\n")
	odd := file(t, "volcano-scheduler.conf", strings.ReplaceAll(quiet, "proportion", "proportionn"))
	r, got := linted(t, good, wrong, odd)
	if got.code != 1 || len(r.Unchecked) > 0 {
		t.Errorf("exit %d, not looked at: %q", got.code, r.Unchecked)
	}
	in := map[string]string{}
	for _, f := range r.Findings {
		in[f.File] += f.Rule + " " + f.Message + "\n"
	}
	if len(in) != 2 || !strings.HasPrefix(in[wrong], "configuration-refused ") ||
		!strings.Contains(in[wrong], "alocate") ||
		!strings.HasPrefix(in[odd], "configuration-") || !strings.Contains(in[odd], "proportionn") {
		t.Errorf("it finds %+v", r.Findings)
	}
	one, _ := linted(t, wrong)
	for _, f := range one.Findings {
		if !strings.Contains(in[wrong], f.Message) {
			t.Errorf("alone it has %s, too", f.Message)
		}
	}
	if got := run("", "ashlar", "lint", good, good); got.code != 0 {
		t.Errorf("a sound one that is given twice: exit %d\n%s%s", got.code, got.out, got.err)
	}
}

// Of several configurations none is chosen for jobs: they are looked at with Volcano's default, or that of the cluster,
// and which it is is told. One that a flag names holds, and those that are FILEs are judged all the same.
func TestJobsAndSeveralConfigurations(t *testing.T) {
	const queue = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n" +
		"spec: {deserved: {cpu: 1}}\n"
	const byDefault = "looked at with Volcano's default; --scheduler-conf names one"
	capacity := file(t, "volcano-scheduler.conf", strings.ReplaceAll(quiet, "proportion", "capacity"))
	proportion := file(t, "volcano-scheduler.conf", quiet)
	jobs := file(t, "queues.yaml", queue)
	held := file(t, "configmap.yaml", configMap("volcano-scheduler", quiet))
	wrong := file(t, "wrong.yaml", configMap("other", "actions: \"alocate\"\n"))
	for _, c := range []struct {
		args      []string
		noEffect  bool   // of deserved, which capacity reads and proportion does not
		unchecked string // how it ends; "": nothing is told
		refused   bool   // the ConfigMap with a mistake
	}{
		{[]string{jobs, capacity}, false, "", false},
		{[]string{jobs, proportion}, true, "", false},
		{[]string{jobs, capacity, proportion}, true, byDefault, false},
		{[]string{jobs, capacity, proportion, "--scheduler-conf", capacity}, false, "", false},
		{[]string{jobs, capacity, wrong}, false, "", true},
		{[]string{jobs, held, wrong}, true, byDefault, true},
		{[]string{jobs, wrong, "--scheduler-conf", capacity}, false, "", true},
		{[]string{jobs, capacity, proportion, "--on", held}, true, "looked at with " +
			"ConfigMap volcano-system/volcano-scheduler (" + held + ":2); --scheduler-conf names one", false},
		{[]string{jobs, "--on", file(t, "cluster.yaml", configMap("a", quiet)+configMap("b", quiet))}, true,
			byDefault, false},
		{[]string{jobs, capacity, "--on", held}, false, "", false},
	} {
		r, _ := linted(t, c.args...)
		if got := len(foundBy(r, "queue-no-effect")) > 0; got != c.noEffect {
			t.Errorf("%q: that deserved has no effect is told: %t, want %t: %+v", c.args, got, c.noEffect, r.Findings)
		}
		got := strings.Join(r.Unchecked, "\n")
		if (got == "") != (c.unchecked == "") || !strings.HasSuffix(got, c.unchecked) {
			t.Errorf("%q: not looked at is %q, want %q", c.args, got, c.unchecked)
		}
		if got := len(foundBy(r, "configuration-refused")) == 1; got != c.refused {
			t.Errorf("%q: the wrong ConfigMap is told: %t, want %t: %+v", c.args, got, c.refused, r.Findings)
		}
	}
}
