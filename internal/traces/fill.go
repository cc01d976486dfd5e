package traces

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"ashlar.sh/sched/model"
)

// Fill makes of a trace one that fills its cluster: its times are ignored, its jobs arrive
// in random order, a second apart, and never leave, and there are as many of them as it
// takes for their requests to reach an amount of GPUs, in thousandths. Where the list is
// too short, jobs of it are drawn again, with replacement, and called NAME-again-1 and so
// on; where it is too long, random ones are left out. It is how Weng et al. compare
// packing ("Beware of Fragmentation", USENIX ATC 2023).
//
// Equal seeds give equal traces. An error says why a trace cannot fill anything.
func (t *Trace) Fill(seed uint64, gpus int64) (*Trace, error) {
	list, random := slices.Clone(t.Jobs), rand.New(rand.NewPCG(seed, 0))
	shuffle := func() { random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] }) }
	if gpus <= 0 {
		return nil, errors.New("the nodes have no GPUs: there is nothing to fill")
	}
	if !slices.ContainsFunc(list, func(j Job) bool { return j.gpus() > 0 }) {
		return nil, errors.New("no job asks for a GPU: they fill nothing")
	}
	shuffle()
	sum := int64(0)
	for i := range list {
		if sum >= gpus {
			list = list[:i]
			break
		}
		sum += list[i].gpus()
	}
	for again := 1; sum < gpus; again++ {
		j := t.Jobs[random.IntN(len(t.Jobs))]
		sum += j.gpus()
		j.copied = again
		list = append(list, j)
	}
	shuffle()
	return t.arrive(list)
}

// gpus is what a job asks for, in thousandths.
func (j *Job) gpus() int64 {
	x, _ := j.Spec.Requests.Get(GPU)
	return x * int64(j.Members)
}

// arrive makes a trace of jobs that arrive a second apart and never leave.
func (t *Trace) arrive(list []Job) (*Trace, error) {
	out := &Trace{Queues: t.Queues}
	first := make(map[string]int, len(t.Jobs)) // where a job's objects begin
	for i := range t.Items {
		switch ref := t.Items[i].Fact.Ref; ref.Kind {
		case model.KindPodGroup:
			first[ref.Name] = i
		case model.KindPod:
		default:
			out.Items = append(out.Items, t.Items[i])
		}
	}
	taken := map[string]bool{}
	for i, j := range list {
		from := first[j.Name]
		objects := t.Items[from : from+1+j.Members]
		j.Submit, j.Duration, j.HasDuration = time.Duration(i)*time.Second, 0, false
		if j.copied > 0 {
			j.Name = fmt.Sprintf("%s-again-%d", j.Name, j.copied)
		}
		if taken[j.Name] {
			return nil, fmt.Errorf("job %q: two are called so, once jobs that are drawn again have their names", j.Name)
		}
		taken[j.Name] = true
		out.Jobs = append(out.Jobs, j)
		for k := range objects {
			item := objects[k]
			item.SubmitAt, item.Duration, item.HasDuration = j.Submit, 0, false
			item.Fact.Ref.Name = j.Name
			switch o := item.Fact.Object.(type) {
			case *model.PodGroup:
				group := *o
				group.Created = int64(j.Submit)
				item.Fact.Object = &group
			case *model.Pod:
				pod := *o
				pod.Created, pod.Group, pod.Owner, pod.Times = int64(j.Submit), j.Name, j.Name, nil
				item.Fact.Ref.Name = j.Name + "-" + strconv.FormatInt(pod.Index, 10)
				item.Fact.Object = &pod
			}
			out.Items = append(out.Items, item)
		}
	}
	return out, nil
}
