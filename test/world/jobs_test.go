package world

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// jobs play the users, who submit gangs to queues, and the controllers, which make their pods.
type jobs struct {
	w      *World
	pods   *apimodel.Kind
	groups *apimodel.Kind
	sets   *apimodel.Kind
	all    []*job
	byName map[string]*job
	// refused are the names of pods of which the API server refuses all bindings for a while.
	refused map[string]bool
	// kept are the names of pods that may not be deleted by schedulers for a while.
	kept map[string]bool
	tree *tree
}

// job is a gang: so many pods, of which so many must run at once.
type job struct {
	name     string
	pods     int
	least    int
	stay     int // so many of them its budget keeps, if it has one
	cores    int
	lasts    time.Duration
	queue    string
	priority string
	limit    time.Duration // the kubelet ends its pods then; 0: never
	zone     string        // of the nodes that it asks for; "": any
	// tolerates: its pods tolerate nodes that take no others.
	tolerates bool
	endures   time.Duration // for how long its pods stay on a node that expels pods; 0: they do not
	devices   int           // that each pod asks for, by a claim of its name
	shared    bool          // all its pods ask for the same ones, by a claim of the job's name
	template  bool          // the claims of its pods are made from a template
	extended  bool          // its pods ask for devices by an extended resource
	rack      bool          // it asks for nodes of one rack
	volume    bool          // each pod has one, by a claim of its name
	local     bool          // it was there before
	owned     bool          // its pods have a controller that the API server shows
	guess     time.Duration // how long its author says that they run; 0: nothing is said
	done      map[int]bool  // pods that have succeeded
	aborted   bool          // a pod reached its limit
	made      made
	ended     bool
}

const (
	lastsAnnotation = "world.ashlar.sh/lasts"
	groupAnnotation = "scheduling.k8s.io/group-name"
	jobLabel        = "world.ashlar.sh/job"
	mostJobs        = 12 // that wait or run at once
	mostPods        = 6  // of a job
)

func newJobs(w *World) *jobs {
	queues := w.api.Kind("scheduling.volcano.sh", "queues")
	return &jobs{w: w, tree: &tree{w: w, queues: queues}, pods: w.api.Kind("", "pods"),
		groups: w.api.Kind("scheduling.volcano.sh", "podgroups"),
		sets:   w.api.Kind("apps", "statefulsets"), byName: map[string]*job{}, refused: map[string]bool{},
		kept: map[string]bool{}}
}

var priorityNames = []string{"", "low", "high"}

func (j *jobs) begin() {
	w := j.w
	j.tree.begin()
	for i, name := range queueNames {
		w.make("scheduling.volcano.sh", "queues", map[string]any{"apiVersion": "scheduling.volcano.sh/v1beta1",
			"kind":     "Queue",
			"metadata": map[string]any{"name": name}, "spec": w.queueSpec(i)})
	}
	for _, name := range priorityNames[1:] {
		w.class(name)
	}
	w.every(20*time.Second, j.submit)
	w.every(w.Trouble.Remade, j.remake)
	j.refuse()
	j.resize()
	j.protect()
	j.reclass()
	w.every(w.Trouble.Recreated, func() {
		if alive := j.alive(); len(alive) > 0 {
			w.did("something deleted and made again")
			j.recreate(alive[w.random.IntN(len(alive))])
		}
	})
}

func (j *jobs) alive() (out []*job) {
	for _, one := range j.all {
		if !one.ended {
			out = append(out, one)
		}
	}
	return out
}

// submit makes a job, if there are not too many.
func (j *jobs) submit() {
	w := j.w
	if len(j.alive()) >= cmp.Or(w.MostJobs, mostJobs) {
		return
	}
	pods := 1 + w.random.IntN(mostPods)
	one := &job{name: fmt.Sprintf("job-%d", len(j.all)), pods: pods, least: 1 + w.random.IntN(pods),
		cores: 1 + w.random.IntN(4), lasts: min(w.paced(w.between(5*time.Second, 3*time.Minute)), 30*time.Minute),
		queue:    queueNames[w.random.IntN(len(queueNames))],
		priority: priorityNames[w.random.IntN(len(priorityNames))]}
	if w.chance(0.7) {
		one.least = one.pods
	}
	j.timed(one)
	w.labels.asks(one)
	if w.racks.asks(one); !one.rack {
		w.devices.asks(one)
		w.volumes.asks(one)
	}
	one.owned = w.chance(w.Owned)
	w.devices.within(one)
	j.kindOf(one)
	// A gang above what its queue deserves while all others wait, too, would wait for ever: so it is in Volcano.
	if due := w.due(one.queue); one.least*one.cores > due {
		one.cores, one.least = 1, min(one.least, due)
	}
	if j.add(one); w.chance(0.3) {
		w.budgets.make(one)
	}
}

// timed draws what is said of how long a job's pods run: limits, most of them kept, and guesses, right or wrong.
func (j *jobs) timed(one *job) {
	w := j.w
	if w.Planned {
		one.queue, one.priority, one.limit = queueNames[0], "", one.lasts.Truncate(time.Second)+2*time.Second
		return
	}
	if w.chance(0.4) {
		one.limit = one.lasts.Truncate(time.Second) + w.between(2*time.Second, 2*time.Minute).Truncate(time.Second)
	}
	if w.chance(0.05) {
		one.limit = w.between(time.Second, one.lasts+time.Second).Truncate(time.Second)
	}
	if w.chance(0.4) {
		one.guess = w.between(one.lasts/3, 3*one.lasts).Truncate(time.Second)
	}
}

// add submits a job.
func (j *jobs) add(one *job) *job {
	one.done = map[int]bool{}
	j.all = append(j.all, one)
	j.byName[one.name] = one
	j.w.did("a job submitted")
	j.w.log("%s is submitted: %d of %d pods of %d cores, queue %s, %s", one.name, one.least, one.pods, one.cores,
		one.queue,
		one.made.kind)
	j.group(one)
	j.tend(one)
	return one
}

func (j *jobs) group(one *job) {
	spec := map[string]any{"minMember": one.least, "queue": one.queue}
	if one.priority != "" {
		spec["priorityClassName"] = one.priority
	}
	j.w.racks.into(spec, one)
	metadata := map[string]any{"name": one.name, "namespace": userNamespace}
	if j.w.Trouble.Versions > 0 { // what is told of its start is one more record
		metadata["annotations"] = map[string]any{"ashlar.sh/tell-start": "true"}
	}
	j.grouped(one, metadata, spec)
	j.w.make("scheduling.volcano.sh", "podgroups", map[string]any{"apiVersion": "scheduling.volcano.sh/v1beta1",
		"kind": "PodGroup", "metadata": metadata, "spec": spec})
}

// tend makes the pods of a job that are missing and ends the job when all have succeeded, as its controller would.
func (j *jobs) tend(one *job) {
	w := j.w
	if one.ended {
		return
	}
	if len(one.done) == one.pods || one.aborted || one.made.retired {
		one.ended = true
		w.did("a job done")
		w.log("%s is done", one.name)
		w.seq.after(w.between(time.Second, 20*time.Second), func() { j.clear(one) })
		return
	}
	if w.api.Get(j.groups, userNamespace, one.name) == nil { // a backup was older
		j.group(one)
	}
	j.own(one)
	j.control(one)
	w.seq.after(w.between(200*time.Millisecond, 4*time.Second), func() { j.tend(one) })
}

// fill makes the pods that are missing, under their names.
func (j *jobs) fill(one *job) {
	for i := range one.pods {
		name := podName(one, i)
		if one.done[i] {
			j.w.volumes.release(one, name)
			continue
		}
		j.claims(one, name)
		if j.w.api.Get(j.pods, userNamespace, name) == nil {
			j.w.make("", "pods", j.podOf(one, name))
		}
	}
}

// restart has members of a gang run again that succeeded and are gone, where the rest can never have the minimum: of a
// gang that is evicted, some may succeed before they are gone, and the others, made again, lack them. No scheduler
// starts these, Volcano's neither; a controller has to begin the job again, as Volcano's does by RestartJob.
func (j *jobs) restart(one *job) {
	there, waits := 0, false
	var gone []int
	for i := range one.pods {
		p := j.w.api.Get(j.pods, userNamespace, podName(one, i))
		if p == nil && one.done[i] {
			gone = append(gone, i)
			continue
		}
		there++
		waits = waits || !one.done[i] && (p == nil || text(p.Object, "spec", "nodeName") == "")
	}
	if !waits || there >= one.least {
		return
	}
	j.w.did("a job begun again")
	j.w.log("%s is begun again: %d of at least %d pods are left", one.name, there, one.least)
	for _, i := range gone {
		delete(one.done, i)
	}
}

func podName(one *job, i int) string {
	if i < len(one.made.names) {
		return one.made.names[i]
	}
	return fmt.Sprintf("%s-%d", one.name, i)
}

// claims makes the claims of a pod.
func (j *jobs) claims(one *job, name string) {
	j.w.devices.claim(one, name)
	j.w.volumes.claim(one, name)
}

func (j *jobs) podOf(one *job, name string) map[string]any {
	spec := map[string]any{"schedulerName": "volcano", "restartPolicy": "Never", "terminationGracePeriodSeconds": 30,
		"containers": []any{map[string]any{"name": "main", "image": "main",
			"resources": map[string]any{"requests": map[string]any{"cpu": fmt.Sprint(one.cores), "memory": "1Gi"}}}}}
	if one.priority != "" {
		spec["priorityClassName"], spec["priority"] = one.priority, priorities[one.priority]
	}
	one.into(spec)
	if one.devices > 0 {
		one.claims(spec, name)
	}
	if one.volume {
		j.w.volumes.into(spec, name)
	}
	if one.limit > 0 {
		spec["activeDeadlineSeconds"] = int64(one.limit / time.Second)
	}
	annotations := map[string]any{groupAnnotation: one.name, lastsAnnotation: one.lasts.String()}
	if one.guess > 0 {
		annotations["ashlar.sh/duration"] = one.guess.String()
	}
	metadata := map[string]any{"name": name, "namespace": userNamespace,
		"labels": map[string]any{jobLabel: one.name}, "annotations": annotations}
	if one.made.gated {
		spec["schedulingGates"] = []any{map[string]any{"name": "example.com/budget"}}
	}
	if one.made.tasks {
		annotations[taskAnnotation] = "work"
		if name == podName(one, 0) {
			annotations[taskAnnotation] = "lead"
		}
	}
	j.ownedBy(one, metadata)
	return map[string]any{"metadata": metadata, "spec": spec}
}

func (j *jobs) clear(one *job) {
	for i := range one.pods {
		j.w.do(http.MethodDelete, j.pods.Path(userNamespace, podName(one, i)), map[string]any{"gracePeriodSeconds": 0})
		j.w.devices.unclaim(one, podName(one, i))
		j.w.volumes.unclaim(one, podName(one, i))
	}
	if one.made.kind != "" {
		for _, p := range j.w.api.List(j.pods) {
			if j.of(p) == one {
				j.w.nodes.remove(p)
			}
		}
	}
	j.w.do(http.MethodDelete, j.groups.Path(userNamespace, one.name), map[string]any{})
	j.disown(one)
	if one.ended {
		j.w.budgets.clear(one)
	}
}

// of is the job of a user's pod; nil: of none.
func (j *jobs) of(p *apimodel.Stored) *job {
	if p.Meta().GetNamespace() != userNamespace {
		return nil
	}
	return j.byName[p.Meta().GetLabels()[jobLabel]]
}

// wrote sees pods that have ended. A job of which a pod reached its limit is over.
func (j *jobs) wrote(write apimodel.Write) {
	if write.Kind != j.pods || write.After == nil {
		return
	}
	name, one := write.After.Meta().GetName(), j.of(write.After)
	if one == nil {
		return
	}
	switch text(write.After.Object, "status", "phase") {
	case "Failed":
		one.aborted = one.aborted || one.made.kind == "" || one.limit > 0
		return
	case "Succeeded":
	default:
		return
	}
	for i := range one.pods {
		if podName(one, i) == name {
			one.done[i] = true
		}
	}
}

// over says that all jobs have ended.
func (j *jobs) over() bool { return len(j.alive()) == 0 }

// testify tells of jobs that have not ended though there was time.
func (j *jobs) testify() {
	for _, one := range j.alive() {
		state := ""
		for i := range one.pods {
			if p := j.w.api.Get(j.pods, userNamespace, podName(one, i)); p != nil {
				state += fmt.Sprintf(" %s %s on %q;", podName(one, i), text(p.Object, "status", "phase"), text(p.Object, "spec",
					"nodeName"))
			}
		}
		if g := j.w.api.Get(j.groups, userNamespace, one.name); g != nil {
			state += fmt.Sprint(" ", g.Object["status"])
		}
		j.w.wrong("job %s of queue %s (%d of %d pods of %d cores) has not ended though nothing hindered it for %s:%s",
			one.name, one.queue, one.least, one.pods, one.cores, j.w.Settles, state)
	}
}
