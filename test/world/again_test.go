package world

import (
	"net/http"
	"strings"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// remake deletes a queue, or the PodGroup of a job, and makes it again at once under its name.
func (j *jobs) remake() {
	w := j.w
	if alive := j.alive(); len(alive) > 0 && w.chance(0.5) {
		one := alive[w.random.IntN(len(alive))]
		w.did("a PodGroup made again")
		w.do(http.MethodDelete, j.groups.Path(userNamespace, one.name), map[string]any{})
		j.group(one)
		w.check.spare(one.name)
		return
	}
	name, queues := queueNames[w.random.IntN(len(queueNames))], w.api.Kind("scheduling.volcano.sh", "queues")
	was := w.api.Get(queues, "", name)
	w.did("a queue made again")
	w.do(http.MethodDelete, queues.Path("", name), map[string]any{})
	w.make("scheduling.volcano.sh", "queues", map[string]any{"apiVersion": "scheduling.volcano.sh/v1beta1",
		"kind": "Queue", "metadata": map[string]any{"name": name}, "spec": was.Object["spec"]})
	if name == owedQueue {
		w.check.remadeAt = time.Now()
	}
}

// recreate deletes a pod, or the whole job, and makes it again at once under its name.
func (j *jobs) recreate(one *job) {
	if i := j.w.random.IntN(2 * one.pods); i < one.pods {
		j.again(one, i)
		return
	}
	j.clear(one)
	clear(one.done)
	one.made.names = nil
	j.group(one)
	j.own(one)
	if one.made.kind != "" {
		return // its controller makes them
	}
	j.fill(one)
}

// around some times deletes a pod that a request is about, and makes it again under its name.
func (j *jobs) around(r *apimodel.Request) {
	parts := strings.Split(r.Path, "/")
	if j.w.calm || r.Method == http.MethodGet || len(parts) < 7 || parts[4] != userNamespace || parts[5] != "pods" ||
		!j.w.chance(j.w.Trouble.AnyStep/2) {
		return
	}
	p := j.w.api.Get(j.pods, userNamespace, parts[6])
	if p == nil {
		return
	}
	if one := j.of(p); one != nil && !one.ended {
		for i := range one.pods {
			if podName(one, i) == parts[6] && !one.done[i] {
				j.w.did("a pod made again around a request")
				j.again(one, i)
			}
		}
	}
}

// again deletes a pod and makes it again at once.
func (j *jobs) again(one *job, i int) {
	if p := j.w.api.Get(j.pods, userNamespace, podName(one, i)); p != nil && !one.done[i] {
		j.w.check.spare(one.name)
		j.w.nodes.remove(p)
		if one.made.kind == "" {
			j.w.make("", "pods", j.podOf(one, podName(one, i)))
		}
	}
}
