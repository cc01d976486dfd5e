//go:build !simulator

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/explain"
)

// printHistory prints a history as table or json.
func printHistory(to io.Writer, output string, h *explain.History) error {
	if output == "json" {
		return json.NewEncoder(to).Encode(h)
	}
	return h.Text(to)
}

// historyNow tells what happened to a job of a live cluster: by the scheduler, which recorded it, else by the events of
// its PodGroup and its pods.
func (p liveQuestions) historyNow(s *source, name string, shown *past) error {
	if namespace, rest, slashed := strings.Cut(name, "/"); slashed {
		s.namespace, name = namespace, rest
	}
	answered, err := p.fromScheduler(s, func(x *scheduler) error {
		again := func() error {
			told := &explain.History{}
			err := x.get("/v1/history/job/"+url.PathEscape(s.namespace)+"/"+url.PathEscape(name), told)
			if err != nil {
				return err
			}
			return shown.print(told)
		}
		if err := again(); err != nil || !shown.watch {
			return err
		}
		return x.follow("job", s.namespace, pastEach, x.warn, again)
	})
	if err != nil || answered {
		return err
	}
	return p.watchEvents(s, name, shown)
}

// pastEach is how often a history is read though no job has changed: a reason is told a moment after it holds.
const pastEach = 10 * time.Second

// past prints a history, and when it is printed again what is new in it.
type past struct {
	to     io.Writer
	output string
	watch  bool
	begun  bool
	seen   map[string]bool // the moments that were printed
	now    string
}

func (p *past) print(h *explain.History) error {
	fresh, seen := *h, map[string]bool{}
	fresh.Moments = []explain.Happens{}
	for _, m := range h.Moments {
		key := fmt.Sprint(m)
		if seen[key] = true; !p.seen[key] {
			fresh.Moments = append(fresh.Moments, m)
		}
	}
	if p.begun {
		fresh.Notes = []string{}
	}
	if h.Now == p.now {
		fresh.Now = ""
	}
	nothing := p.begun && len(fresh.Moments) == 0 && fresh.Now == ""
	p.begun, p.seen, p.now = true, seen, h.Now
	if nothing {
		return nil
	}
	return printHistory(p.to, p.output, &fresh)
}

// watchEvents prints what the events of a job's PodGroup and of its pods say, with --watch until the person ends it.
func (p liveQuestions) watchEvents(s *source, name string, shown *past) error {
	ctx, stop := whileReading(context.Background())
	defer stop()
	c, err := p.clients(s)
	if err != nil {
		return noCluster(err)
	}
	for {
		told, err := p.historyByEvents(ctx, c.Kube, s, name)
		if err == nil {
			err = shown.print(told)
		}
		if err != nil || !shown.watch {
			return untilStopped(ctx, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(calm):
		}
	}
}

// historyByEvents is what the events of a job's PodGroup and of its pods say.
func (p liveQuestions) historyByEvents(ctx context.Context, kube kubernetes.Interface, s *source, name string) (
	*explain.History, error) {
	out := explain.NewHistory(s.namespace, name, explain.Basis{Source: "written",
		Time: p.Now().UTC().Format(time.RFC3339)})
	l := &eventsOfJob{ctx: ctx, kube: kube, namespace: s.namespace, name: name}
	if err := l.read(); err != nil {
		var failed *failure
		if errors.As(err, &failed) {
			return nil, err
		}
		return nil, noCluster(err)
	}
	if len(l.events) == 0 {
		return nil, badInput(fmt.Sprintf("error: there are no events of job %s/%s: is the name right? Events are kept for "+
			"an hour", s.namespace, name))
	}
	out.Moments = l.moments()
	out.Notes = append(out.Notes, "it is told by the events of its PodGroup and its pods, which are kept for an hour and "+
		"leave much out: the scheduler was not asked")
	if l.hidden {
		out.Notes = append(out.Notes, "no right to list pods in namespace "+s.namespace+
			": of pods those are told that are called after the job")
	}
	return out, nil
}

// eventsOfJob are the events of a job's PodGroup, and of pods that name it or are called after it.
type eventsOfJob struct {
	ctx             context.Context
	kube            kubernetes.Interface
	namespace, name string
	events          []corev1.Event
	hidden          bool // pods may not be listed

	pods   map[string]bool // of the job by what they name; false: of another one
	others []string        // jobs with names that go on where this one ends
}

// mostPages bounds how many pages of a namespace's events are read.
const mostPages = 20

// read reads them. An error is one of the connection, or a failure.
func (l *eventsOfJob) read() error {
	l.pods = map[string]bool{}
	list, err := l.kube.CoreV1().Pods(l.namespace).List(l.ctx, metav1.ListOptions{})
	switch {
	case apierrors.IsForbidden(err):
		l.hidden = true
	case err != nil:
		return fmt.Errorf("list pods: %w", err)
	default:
		for i := range list.Items {
			l.pod(&list.Items[i])
		}
	}
	next := ""
	for range mostPages {
		page, err := l.kube.CoreV1().Events(l.namespace).List(l.ctx, metav1.ListOptions{Limit: mostEvents, Continue: next})
		if apierrors.IsForbidden(err) {
			return badInput("error: no right to list events in namespace " + l.namespace)
		}
		if err != nil {
			return fmt.Errorf("list events: %w", err)
		}
		for i := range page.Items {
			o := &page.Items[i].InvolvedObject
			if o.Kind == "PodGroup" && l.is(o.Name) || o.Kind == "Pod" && l.has(o.Name) {
				l.events = append(l.events, page.Items[i])
			}
		}
		if next = page.Continue; next == "" {
			return nil
		}
	}
	return badInput("error: namespace " + l.namespace + " has too many events to look through")
}

// pod notes of which job a pod is.
func (l *eventsOfJob) pod(p *corev1.Pod) {
	group := cmp.Or(p.Annotations[schedulingv1beta1.KubeGroupNameAnnotationKey],
		p.Annotations[schedulingv1beta1.VolcanoGroupNameAnnotationKey])
	switch {
	case l.is(group) || p.Name == l.name:
		l.pods[p.Name] = true
	case group != "":
		l.pods[p.Name] = false
		if strings.HasPrefix(group, l.name+"-") && !slices.Contains(l.others, group) {
			l.others = append(l.others, group)
		}
	}
}

// ofUID is how the PodGroup of a Job of Volcano is called after the Job's name.
var ofUID = regexp.MustCompile(`^-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// is says that a PodGroup is that of the job.
func (l *eventsOfJob) is(group string) bool {
	rest, same := strings.CutPrefix(group, l.name)
	return same && (rest == "" || ofUID.MatchString(rest))
}

// has says that a pod is one of the job: one that has gone by its name alone.
func (l *eventsOfJob) has(pod string) bool {
	if own, there := l.pods[pod]; there {
		return own
	}
	return strings.HasPrefix(pod, l.name+"-") && !slices.ContainsFunc(l.others, func(group string) bool {
		return strings.HasPrefix(pod, group+"-")
	})
}

func (l *eventsOfJob) moments() (out []explain.Happens) {
	at := func(e corev1.Event) time.Time {
		return cmp.Or(e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time)
	}
	slices.SortStableFunc(l.events, func(a, b corev1.Event) int { return at(a).Compare(at(b)) })
	for _, e := range l.events {
		text := fmt.Sprintf("%s %s: %s: %s", strings.ToLower(e.InvolvedObject.Kind), e.InvolvedObject.Name, e.Reason,
			strings.TrimSpace(e.Message))
		if e.Count > 1 {
			text += fmt.Sprintf(" (%d times)", e.Count)
		}
		out = append(out, explain.Happens{Time: explain.Stamp(at(e).UnixNano()), What: []string{text}})
	}
	return out
}
