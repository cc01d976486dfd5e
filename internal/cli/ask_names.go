package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ashlar.sh/internal/config"
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
			return nil, s.noSuch("queue", name, s.queueNames())
		}
		state := s.engine.Report()
		return s.asking.QueueAnswer(&state, why), nil
	default:
		why, known := s.engine.Questions().Node(name)
		if !known {
			return nil, s.noSuch("node", name, s.nodeNames())
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
	why, job, known := s.engine.Questions().Pod(s.namespace, name)
	if !known {
		return nil, s.unknown("pod", name, s.podNames())
	}
	if job == ledger.NoJob {
		return s.asking.PodAnswer(&why, nil), nil
	}
	whole := s.engine.Questions().Job(job)
	return s.asking.PodAnswer(&why, &whole), nil
}

// ofOwner is what Volcano's controller adds to the name of a Job for its PodGroup.
var ofOwner = regexp.MustCompile(`^-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// find finds the job of a name: a PodGroup, an adopted job, or the PodGroup that was made for a Job of that name. asked
// is the name where it is another than the job's.
func (s *situation) find(name string) (id ledger.JobID, asked string, err error) {
	found := s.engine.Questions().JobsNamed(s.namespace, name)
	if len(found) == 0 {
		asked = name
		for _, group := range s.groups[s.namespace+"/"+name] {
			found = append(found, s.engine.Questions().JobsNamed(s.namespace, group)...)
		}
	}
	led := s.engine.Ledger()
	if len(found) == 0 {
		led.Jobs.Each(func(j ledger.JobID) bool {
			k := &led.Job(j).Key
			rest, is := strings.CutPrefix(k.Name, name)
			if k.Namespace == s.namespace && (led.Jobs.Name(j) == name || is && ofOwner.MatchString(rest)) {
				found = append(found, j)
			}
			return true
		})
	}
	switch len(found) {
	case 0:
		return 0, "", s.unknown("job", name, s.jobNames())
	case 1:
		return found[0], asked, nil
	}
	var names []string
	for _, j := range found {
		names = append(names, fmt.Sprintf("%q", led.Jobs.Name(j)))
	}
	slices.Sort(names)
	return 0, "", fmt.Errorf("%d jobs in namespace %s are called %s: ask for one of %s", len(found), s.namespace, name,
		strings.Join(names, ", "))
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
	text := fmt.Sprintf("there is no %s %q in namespace %s", kind, name, s.namespace)
	if len(elsewhere) > 0 {
		slices.Sort(elsewhere)
		return fmt.Errorf("%s; namespace %s has one: -n %[2]s", text, elsewhere[0])
	}
	return errors.New(text + config.Suggest(name, here))
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

// noSuch is the error for a name that is not there, of a kind without a namespace.
func (s *situation) noSuch(kind, name string, all []string) error {
	return fmt.Errorf("there is no %s %q%s", kind, name, config.Suggest(name, all))
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
