package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/ledger"
)

// answer is that of one job, pod, queue or node.
func (s *situation) answer(kind, name string) (*explain.Answer, error) {
	if s.written != nil {
		return s.writtenAnswer(kind, name)
	}
	switch kind {
	case "job":
		return s.job(name)
	case "pod":
		return s.pod(name)
	case "queue":
		why, known := s.engine.QueueWhy(name)
		if !known {
			return nil, errors.New(explain.NoSuch("queue", "", name, s.queueNames()))
		}
		state := s.engine.Report()
		return s.asking.QueueAnswer(&state, why), nil
	default:
		why, known := s.engine.Questions().NodeWithDevices(name)
		if !known {
			return nil, errors.New(explain.NoSuch("node", "", name, s.nodeNames()))
		}
		return s.asking.NodeAnswer(&why), nil
	}
}

func (s *situation) job(name string) (*explain.Answer, error) {
	id, asked, err := s.find(name)
	if err != nil {
		return nil, err
	}
	why := s.engine.Questions().Job(id)
	out := s.asking.JobAnswer(&why)
	out.Subject.Asked = asked
	return out, nil
}

func (s *situation) pod(name string) (*explain.Answer, error) {
	out := s.podNow(ledger.Key{Namespace: s.namespace, Name: name})
	if out == nil {
		return nil, s.unknown("pod", name, s.podNames())
	}
	return out, nil
}

// podNow is where a pod stands; nil: there is none.
func (s *situation) podNow(pod ledger.Key) *explain.Answer {
	why, job, known := s.engine.Questions().Pod(pod.Namespace, pod.Name)
	if !known {
		return nil
	}
	if job == ledger.NoJob {
		return s.asking.PodAnswer(&why, nil)
	}
	whole := s.engine.Questions().Job(job)
	return s.asking.PodAnswer(&why, &whole)
}

// find finds the job of a name: a PodGroup, an adopted job, or the PodGroup that was made for an object of that name.
// asked is the name where it is another than the job's.
func (s *situation) find(name string) (id ledger.JobID, asked string, err error) {
	led, ask := s.engine.Ledger(), s.engine.Questions()
	found := ask.JobsNamed(s.namespace, name)
	if len(found) == 0 || led.Job(found[0]).Key.Name != name {
		asked = name
		var made []ledger.JobID
		for _, group := range s.groups[s.namespace+"/"+name] {
			made = append(made, ask.JobsNamed(s.namespace, group)...)
		}
		if len(made) > 0 { // the objects say so, which is surer than how names look
			found = made
		}
	}
	switch len(found) {
	case 0:
		return 0, "", s.unknown("job", name, s.jobNames())
	case 1:
		return found[0], asked, nil
	}
	var shown []string
	for _, j := range found {
		shown = append(shown, led.Jobs.Name(j))
	}
	slices.Sort(shown)
	return 0, "", errors.New(explain.SeveralJobs(s.namespace, name, shown))
}

// named is an object that has a namespace.
type named struct{ namespace, name string }

// unknown is the error for a name that is not there: the nearest one, or the namespace that has it.
func (s *situation) unknown(kind, name string, all []named) error {
	var here, elsewhere []string
	for _, n := range all {
		switch {
		case n.namespace == s.namespace:
			here = append(here, n.name)
		case n.name == name:
			elsewhere = append(elsewhere, n.namespace)
		}
	}
	if len(elsewhere) > 0 {
		slices.Sort(elsewhere)
		return fmt.Errorf("%s; namespace %s has one: -n %[2]s", explain.NoSuch(kind, s.namespace, name, nil), elsewhere[0])
	}
	return errors.New(explain.NoSuch(kind, s.namespace, name, here))
}

func (s *situation) jobNames() (out []named) {
	led := s.engine.Ledger()
	led.Jobs.Each(func(j ledger.JobID) bool {
		out = append(out, named{led.Job(j).Key.Namespace, led.Jobs.Name(j)})
		return true
	})
	for key := range s.groups {
		namespace, name, _ := strings.Cut(key, "/")
		out = append(out, named{namespace, name})
	}
	slices.SortFunc(out, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	return out
}

func (s *situation) podNames() (out []named) {
	for _, p := range s.engine.Report().Pods {
		out = append(out, named{p.Namespace, p.Name})
	}
	return out
}

func (s *situation) queueNames() (out []string) {
	for _, q := range s.engine.Queues() {
		out = append(out, q.Name)
	}
	return out
}

func (s *situation) nodeNames() (out []string) {
	for _, n := range s.engine.Report().Nodes {
		out = append(out, n.Name)
	}
	return out
}

// writtenAnswer answers by what objects say.
func (s *situation) writtenAnswer(kind, name string) (*explain.Answer, error) {
	switch kind {
	case "job":
		return s.writtenJob(name)
	case "pod":
		i := slices.IndexFunc(s.written.Pods, func(p explain.WrittenPod) bool {
			return p.Namespace == s.namespace && p.Name == name
		})
		if i < 0 {
			var all []named
			for _, p := range s.written.Pods {
				all = append(all, named{p.Namespace, p.Name})
			}
			return nil, s.unknown("pod", name, all)
		}
		job, err := s.writtenJob(s.written.Pods[i].Job)
		if err != nil {
			job = nil
		}
		return s.asking.WrittenPod(&s.written.Pods[i], job), nil
	}
	return nil, fmt.Errorf("what holds %s %s cannot be found out: %s", kind, name,
		strings.Join(s.asking.Basis.Unknown, "; "))
}

func (s *situation) writtenJob(name string) (*explain.Answer, error) {
	names := append([]string{name}, s.groups[s.namespace+"/"+name]...)
	var all []named
	for i := range s.written.Jobs {
		j := &s.written.Jobs[i]
		if j.Namespace == s.namespace && slices.Contains(names, j.Name) {
			return s.asking.WrittenJob(j, s.written.Pods), nil
		}
		all = append(all, named{j.Namespace, j.Name})
	}
	return nil, s.unknown("job", name, all)
}

// codes are those of a reason, as a PodGroup's condition has them.
func codes(text string) []string { return strings.Split(text, ".") }
