package world

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// What the API server denies for long must not have schedulers harm others again and again.

const taskAnnotation = "volcano.sh/task-spec"

// protect has the API server refuse, now and then and for a while, that schedulers delete a pod that runs.
func (j *jobs) protect() {
	w := j.w
	w.every(w.Trouble.Protects, func() {
		var runs []string
		for _, p := range w.api.List(j.pods) {
			if j.of(p) != nil && text(p.Object, "status", "phase") == "Running" {
				runs = append(runs, p.Meta().GetName())
			}
		}
		if len(runs) == 0 {
			return
		}
		pod := runs[w.random.IntN(len(runs))]
		j.kept[pod] = true
		w.seq.after(w.paced(w.between(10*time.Second, 5*time.Minute)), func() { delete(j.kept, pod) })
	})
}

// protects says that a request deletes a pod that may not be deleted.
func (j *jobs) protects(r *apimodel.Request) bool {
	name, is := j.deletes(r)
	return is && !j.w.calm && j.kept[name]
}

// deletes is the name of the pod that a request deletes, if it is one of a user.
func (j *jobs) deletes(r *apimodel.Request) (pod string, is bool) {
	pod, is = strings.CutPrefix(r.Path, j.pods.Path(userNamespace, "")+"/")
	return pod, is && r.Method == http.MethodDelete
}

// denied notes that a scheduler was kept from deleting a member of a gang: it tries that again after a while.
func (c *checker) denied(r *apimodel.Request) {
	name, is := c.w.jobs.deletes(r)
	if !is {
		return
	}
	if p := c.w.api.Get(c.pods, userNamespace, name); p != nil {
		if g := c.gangOf(p); g != nil {
			g.denied = time.Now()
		}
	}
}

// reclass deletes a PriorityClass, and makes it again: so its value is changed. Pods keep their priorities.
func (j *jobs) reclass() {
	w := j.w
	w.every(w.Trouble.Reclassed, func() {
		name, k := priorityNames[1+w.random.IntN(len(priorityNames)-1)], w.api.Kind("scheduling.k8s.io", "priorityclasses")
		if w.do(http.MethodDelete, k.Path("", name), map[string]any{}).Code != http.StatusOK {
			return
		}
		w.did("a priority class made again")
		w.seq.after(w.between(time.Millisecond, 20*time.Second), func() { w.class(name) })
	})
}

// class makes a PriorityClass.
func (w *World) class(name string) {
	w.make("scheduling.k8s.io", "priorityclasses", map[string]any{"metadata": map[string]any{"name": name},
		"value": priorities[name]})
}

// eachTask says that of each task of a pod's gang that has a minimum so many pods are bound.
func (c *checker) eachTask(p *apimodel.Stored, bound map[string]int64) bool {
	g := c.w.api.Get(c.groups, p.Meta().GetNamespace(), p.Meta().GetAnnotations()[groupAnnotation])
	if g == nil {
		return true
	}
	for task, least := range asMap(asMap(g.Object["spec"])["minTaskMember"]) {
		if n, ok := least.(int64); ok && bound[task] < n {
			return false
		}
	}
	return true
}

// paces are how often something was tried lately.
type paces struct {
	minute time.Time
	asked  map[string]int // requests about one pod since then, by method and path
	took   map[string]*took
}

// took is what was evicted for a life of a job that has not started since.
type took struct {
	since time.Time
	pods  int
	whole map[string]time.Time // jobs that went as a whole for it, and when: one counts as a pod
}

func newPaces() paces { return paces{asked: map[string]int{}, took: map[string]*took{}} }

// Bounds.
const (
	mostAsked = 40 // requests of one kind about one pod in a minute
	// So many pods may be evicted for each pod that a job may have, and one more in each time of this length: a job is
	// evicted itself, made again or scaled, and others take its room.
	mostTaken  = 4
	againTaken = 5 * time.Minute
)

// paced bounds how often a scheduler binds, deletes or tells one pod, whatever it is answered.
func (c *checker) paced(r *apimodel.Request) {
	if r.Method == http.MethodGet || !strings.Contains(r.Path, "/pods/") {
		return
	}
	if time.Since(c.paces.minute) > time.Minute {
		c.paces.minute = time.Now()
		clear(c.paces.asked)
	}
	what := r.Method + " " + r.Path
	if c.paces.asked[what]++; c.paces.asked[what] == mostAsked {
		c.w.wrong("%s sent %s %d times in %s", r.Client, what, mostAsked, time.Since(c.paces.minute))
	}
}

// useful bounds how many pods are evicted for a job that does not start for all that.
func (c *checker) useful(write apimodel.Write, p *apimodel.Stored) {
	why := c.why[p.Meta().GetUID()]
	_, after, ok := strings.Cut(why, " of job ")
	if !ok {
		return
	}
	key, _, _ := strings.Cut(after, " ")
	_, name, _ := strings.Cut(key, "/")
	one := c.w.jobs.byName[name]
	if one == nil {
		return
	}
	t := c.paces.took[name]
	if t == nil {
		t = &took{since: time.Now(), whole: map[string]time.Time{}}
		c.paces.took[name] = t
	}
	if g := c.gangOf(p); g != nil && strings.Contains(why, goesAsAWhole) {
		at, again := t.whole[g.name]
		if again && time.Since(at) < halfBound { // others of it, which are told at other times
			return
		}
		t.whole[g.name] = time.Now()
	}
	if t.pods++; t.pods > mostTaken*mostPods+int(time.Since(t.since)/againTaken) {
		c.w.wrong("%d pods were evicted for job %s in %s, the last one %s: %s", t.pods, name, time.Since(t.since),
			write.Key(), why)
	}
}

// The checks see what is tried again and again, and a gang that lacks a role.
func TestWhatIsDoneAgainAndAgainIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.job("first", 3, 2, "")
		wrong := func() string {
			defer func() { b.w.result.Wrong = nil }()
			return strings.Join(b.w.result.Wrong, "; ")
		}
		p := b.stored("first-0")
		b.w.check.why[p.Meta().GetUID()] = "preempt: makes room on node n for team/first-1 of job team/first (queue x)"
		for range mostTaken * mostPods {
			b.w.check.useful(apimodel.Write{Kind: b.w.check.pods, After: p}, p)
		}
		if got := wrong(); got != "" {
			t.Errorf("as many evictions as may be are wrong: %s", got)
		}
		b.w.check.useful(apimodel.Write{Kind: b.w.check.pods, After: p}, p)
		if got := wrong(); !strings.Contains(got, "25 pods were evicted for job first") {
			t.Errorf("of one more eviction is wrong: %q", got)
		}
		binding := &apimodel.Request{Client: benched, Method: http.MethodPost, Path: b.paths["first-1"] + "/binding"}
		for range mostAsked - 1 {
			b.w.check.paced(binding)
		}
		if got := wrong(); got != "" {
			t.Errorf("as many requests as may be are wrong: %s", got)
		}
		if b.w.check.paced(binding); !strings.Contains(wrong(), "binding 40 times in") {
			t.Error("requests without end are not seen")
		}
		roles := map[string]any{"spec": map[string]any{"minTaskMember": map[string]any{"lead": 1, "work": 1}}}
		b.w.do(http.MethodPatch, b.w.jobs.groups.Path(userNamespace, "first"), roles)
		if b.w.check.eachTask(p, map[string]int64{"work": 2}) ||
			!b.w.check.eachTask(p, map[string]int64{"lead": 1, "work": 1}) {
			t.Error("a gang has its roles if, and only if, each has its minimum")
		}
	})
}
