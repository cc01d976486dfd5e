package traces

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// node makes a node of a row. A resource that no node records is limited nowhere; one that
// only some record would be limited on those alone, which is never intended.
func (r *reader) node(w *row) {
	name := w.unique("name")
	room := []amount{w.amount("cpu_milli", resource.CPUName, cpu, 1),
		w.amount("memory_mib", resource.MemoryName, memory, 1<<20),
		w.amount("gpu_count", GPU, gpus, 1)}
	for i, column := range []string{"cpu_milli", "memory_mib", "gpu_count"} {
		has, known := r.recorded[room[i].name]
		if w.cell(column) == "" && has {
			w.fault("%s: missing, and the nodes before have it: a resource is recorded for all nodes or for none", column)
		} else if w.cell(column) != "" && known && !has {
			w.fault("%s %s: the nodes before have none: a resource is recorded for all nodes or for none", column,
				w.cell(column))
		} else {
			r.recorded[room[i].name] = w.cell(column) != ""
		}
	}
	if w.bad {
		return
	}
	labels := []model.Label{{Key: "kubernetes.io/hostname", Value: name}}
	if m := w.cell("gpu_model"); m != "" {
		labels = append(labels, model.Label{Key: ModelLabel, Value: strings.Clone(m)})
	}
	all := list(room...)
	r.add(w.where, model.KindNode, "", name, 0, &model.Node{Labels: labels, Allocatable: all, Capacity: all})
}

func (r *reader) add(where string, kind model.Kind, namespace, name string, at time.Duration,
	o model.Object) *sim.Item {
	r.trace.Items = append(r.trace.Items, sim.Item{Fact: model.Fact{
		Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, Object: o}, SubmitAt: at, Where: where})
	return &r.trace.Items[len(r.trace.Items)-1]
}

// job notes a row, of which gang makes a PodGroup and its pods once all rows are sound.
func (r *reader) job(w *row) {
	j := Job{Name: w.unique("job"), Queue: w.cell("queue"), User: strings.Clone(w.cell("user"))}
	j.Submit, _ = w.time("submit_s")
	j.Duration, j.HasDuration = w.time("duration_s")
	j.Members, j.MinMembers = w.count("members"), w.count("min_members")
	j.Spec, j.template = r.spec(w)
	priority := w.priority()
	if j.Queue == "" {
		j.Queue = model.DefaultQueue
	}
	if j.Queue == model.RootQueue {
		w.fault("queue root: it is the parent of the others and takes no jobs")
	}
	if j.MinMembers > j.Members && j.Members > 0 {
		w.fault("min_members %d: more than the %d members", j.MinMembers, j.Members)
	}
	if !w.bad && j.Submit < r.last {
		w.fault("submit_s %s: before the row above, %s: rows are in the order of submission",
			seconds9(j.Submit), seconds9(r.last))
	}
	if r.pods += j.Members; r.pods > mostPods && r.pods-j.Members <= mostPods {
		w.fault("members %d: absurd: more than %d pods with those above", j.Members, mostPods)
	}
	if w.bad || r.pods > mostPods {
		return
	}
	if j.Submit == r.last {
		r.ties++
	} else {
		r.last, r.ties = j.Submit, 0
	}
	if !r.queues[j.Queue] {
		j.Queue = strings.Clone(j.Queue)
		r.queues[j.Queue] = true
		r.trace.Queues = append(r.trace.Queues, j.Queue)
	} else {
		i := slices.Index(r.trace.Queues, j.Queue)
		j.Queue = r.trace.Queues[i]
	}
	r.trace.Jobs = append(r.trace.Jobs, j)
	r.gangs = append(r.gangs, gang{created: int64(j.Submit) + r.ties, priority: priority, where: w.where})
}

// gang is what a job's objects need besides the Job. Jobs of one moment are created in the
// order of rows, a nanosecond apart, since the older one goes first.
type gang struct {
	created  int64
	priority int32
	where    string
}

// gang adds a job's objects.
func (r *reader) gang(j *Job, g gang) {
	created, priority, where := g.created, g.priority, g.where
	class := ""
	if priority != 0 {
		class = fmt.Sprintf("trace-priority-%d", priority)
		if !r.priorities[priority] {
			r.priorities[priority] = true
			r.add(where, model.KindPriorityClass, "", class, 0, &model.PriorityClass{Value: priority})
		}
	}
	var labels []model.Label
	if j.User != "" {
		labels = []model.Label{{Key: model.UserLabel, Value: j.User}}
	}
	r.add(where, model.KindPodGroup, Namespace, j.Name, j.Submit, &model.PodGroup{Meta: model.Meta{Created: created},
		Queue: j.Queue, MinMember: int32(j.MinMembers), PriorityClass: class, Labels: labels})
	for i := range j.Members {
		pod := &model.Pod{Meta: model.Meta{Created: created}, Ours: true, Scheduler: "volcano", Group: j.Name, Owner: j.Name,
			Index: int64(i), Priority: priority, HasPriority: priority != 0, PriorityClass: class, Preemptable: true,
			Spec: j.Spec, Template: j.template}
		if j.HasDuration {
			pod.SetRare(model.Times{Lasts: max(1, int64(j.Duration))})
		}
		item := r.add(where, model.KindPod, Namespace, j.Name+"-"+strconv.Itoa(i), j.Submit, pod)
		item.Duration, item.HasDuration, item.Owned = j.Duration, j.HasDuration, true
	}
}

// count reads how many members there are: one at least.
func (w *row) count(column string) int {
	if w.cell(column) == "" {
		w.fault("%s: missing: expected 1 or more", column)
		return 0
	}
	n, ok := w.number(column, members)
	if ok && n == 0 {
		w.fault("%s 0: expected 1 or more", column)
	}
	return int(n)
}

func (w *row) priority() int32 {
	text := w.cell("priority")
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		w.fault("priority %q: not a whole number", text)
	case n < math.MinInt32 || n > 1_000_000_000:
		w.fault("priority %s: absurd: expected -2147483648 to 1000000000", text)
	}
	return int32(n)
}

// spec is what a member asks for. A resource that the nodes do not record is not asked
// for: there is no limit on it.
func (r *reader) spec(w *row) (*model.Spec, uint64) {
	asks := []amount{w.amount("cpu_milli_per_member", resource.CPUName, cpu, 1),
		w.amount("memory_mib_per_member", resource.MemoryName, memory, 1<<20), w.amount("gpu_per_member", GPU, gpus, 1)}
	for i := range asks {
		asks[i].given = asks[i].given && asks[i].value > 0 && r.recorded[asks[i].name]
	}
	models := w.cell("gpu_model")
	key := fmt.Sprint(asks, models)
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	template := max(1, h.Sum64())
	if s, ok := r.specs[key]; ok {
		return s, template
	}
	s := &model.Spec{Requests: list(asks...)}
	if models != "" {
		list := strings.Split(strings.Clone(models), "|")
		if slices.Contains(list, "") {
			w.fault("gpu_model %q: a model without a name: expected names with | between them", models)
		}
		slices.Sort(list)
		s.Affinity = []model.Term{{All: []model.Requirement{{Key: ModelLabel, Op: model.In, Values: slices.Compact(list)}}}}
	}
	r.specs[key] = s
	return s, template
}

// seconds9 is a time as the table has it.
func seconds9(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}
