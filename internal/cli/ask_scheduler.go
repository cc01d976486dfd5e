//go:build !simulator

package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/readapi/client"
)

// asked questions of a live scheduler, one after the other.
type scheduler struct {
	*client.Client
	ctx  context.Context
	wait time.Duration // for one answer
	s    *source
	warn func(string) // what the answers have to do without
}

func (x *scheduler) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(x.ctx, x.wait)
}

func (x *scheduler) get(path string, into any) error {
	ctx, cancel := x.limited()
	defer cancel()
	return x.Get(ctx, path, into)
}

// fromScheduler has the live scheduler asked, where the source says so. false: the objects are to be asked instead,
// because it cannot be asked, which is told where it matters.
func (p liveQuestions) fromScheduler(s *source, ask func(*scheduler) error) (answered bool, err error) {
	if !s.asksScheduler() {
		return false, nil
	}
	ctx, stop := whileReading(context.Background())
	defer stop()
	x := &scheduler{ctx: ctx, wait: briefWait, s: s, warn: func(line string) { p.warnEach([]string{line}) }}
	only := s.from == fromScheduler
	if only {
		x.wait = longWait
	}
	person, namespace, err := p.person(*s)
	if err == nil {
		if s.namespace == "" {
			s.namespace = namespace
		}
		if x.Client, err = p.client(s.readAPI, person, s.lease(), only); err == nil {
			err = ask(x)
		}
	}
	switch {
	case err == nil:
		if s.verbose {
			fmt.Fprintln(p.Err, "note: the scheduler was asked,", x.Found())
		}
		return true, nil
	case ctx.Err() != nil, only, s.address != "", final(err):
		return false, badInput("error: " + err.Error())
	}
	if s.verbose || matters(err) {
		line := "note: the API server's objects are asked, and not the scheduler: " + err.Error()
		fmt.Fprintln(p.Err, explain.Printable(line))
	}
	return false, nil
}

// final says that the objects would tell no more: the person lacks the right, or there is no such queue or node.
func final(err error) bool {
	var refused *client.Refusal
	var none *failure
	return errors.As(err, &none) || errors.As(err, &refused) && refused.Code == http.StatusForbidden
}

// matters says that a scheduler is there which would have told more. Where none is installed, or the person may not
// reach it, that is so each time.
func matters(err error) bool {
	var refused *client.Refusal
	if errors.As(err, &refused) {
		return refused.Code != http.StatusNotFound // by the objects a name may still mean something
	}
	return client.Is(err, client.Untrusted) || client.Is(err, client.Unreached) || client.Is(err, client.Skew)
}

// whyByScheduler is the live scheduler's answer; nil: the objects are to be asked.
func (p liveQuestions) whyByScheduler(a *asked) (*explain.Answer, error) {
	answer := &explain.Answer{}
	answered, err := p.fromScheduler(&a.source, func(x *scheduler) error {
		parts := []string{"/v1/why", a.kind}
		if a.kind == "job" || a.kind == "pod" {
			parts = append(parts, url.PathEscape(a.namespace))
		}
		path := strings.Join(append(parts, url.PathEscape(a.name)), "/")
		err := noOther(a.kind, x.get(path, answer))
		if err == nil && a.wantsChanges(answer) {
			x.changesTried(path, a.search, answer)
		}
		return err
	})
	if !answered {
		return nil, err
	}
	if a.wantsChanges(answer) && answer.Tried == "" {
		p.changesByObjects(a, answer)
	}
	return answer, nil
}

// wantsChanges says that it is to be looked for what would make a job run.
func (a *asked) wantsChanges(of *explain.Answer) bool {
	return a.search > 0 && (a.kind == "job" || a.kind == "pod") && of.Reason != nil
}

// changesTried has the live scheduler try what would make a job run. Where it has no time for it, or is too old to do
// so, the answer stays as it is.
func (x *scheduler) changesTried(path string, within time.Duration, answer *explain.Answer) {
	ctx, cancel := context.WithTimeout(x.ctx, within+time.Second)
	defer cancel()
	tried := &explain.Answer{}
	if x.Get(ctx, path+"?"+url.Values{"wouldRun": {within.String()}}.Encode(), tried) == nil {
		*answer = *tried
	}
}

// noOther makes the answer that there is no such queue or node a final one. By the objects the name of a job may be
// that of the PodGroup's owner.
func noOther(kind string, err error) error {
	var refused *client.Refusal
	if (kind == "queue" || kind == "node") && errors.As(err, &refused) && refused.Code == http.StatusNotFound {
		return &failure{code: 1, lines: []string{refused.Message}}
	}
	return err
}

// changesByObjects adds what would make a job run where the live scheduler has not tried it: by the objects, as far as
// they may be read, and where they say the same of the job.
func (p liveQuestions) changesByObjects(a *asked, answer *explain.Answer) {
	s, err := questions{*p.silent()}.ofCluster(a.source)
	if err != nil || s.written != nil {
		answer.Notes = append(answer.Notes, "what would make it run is not looked for: you may not read all that decides "+
			"it")
		return
	}
	byObjects, err := s.answer(a.kind, a.name)
	if err == nil && byObjects.State == answer.State && byObjects.Reason != nil {
		if err = p.addChanges(*a, s, answer); err == nil && byObjects.Summary != answer.Summary {
			answer.Notes = append(answer.Notes, "what would make it run was tried on the objects, which say: "+
				byObjects.Summary)
		}
	} else if err == nil {
		err = errors.New("otherwise")
	}
	if err != nil {
		answer.Notes = append(answer.Notes, "what would make it run is not looked for: the objects alone do not say why it "+
			"waits")
	}
}

// listOf is the rows of a list of the live scheduler, with the moment of its last page, and what it hides.
func listOf[T any](x *scheduler, path string, query url.Values) (rows []T, last readapi.List, err error) {
	query.Set("limit", "5000")
	for {
		var page struct {
			readapi.List
			Items []T `json:"items"`
		}
		if err := x.get(path+"?"+query.Encode(), &page); err != nil {
			return nil, last, err
		}
		rows, last = append(rows, page.Items...), page.List
		switch page.Continue {
		case "":
			return rows, last, nil
		case query.Get("continue"):
			return nil, last, &client.Fault{Kind: client.Skew, Message: "the scheduler's list does not go on after " +
				explain.Count(len(rows), "row")}
		}
		query.Set("continue", page.Continue)
	}
}

// asking is how a list of the live scheduler was made.
func asking(l readapi.List) *explain.Asking {
	return &explain.Asking{Now: l.At.UnixNano(), Basis: explain.Basis{Source: "scheduler",
		Time: l.At.UTC().Format(time.RFC3339), Configuration: "that of the scheduler"}}
}

// objectsOnly refuses to ask the scheduler alone for what it does not know: the labels of PodGroups and queues.
func (p liveQuestions) objectsOnly(l *listing) error {
	if l.from == fromScheduler {
		return badInput("error: --from scheduler: --selector is answered by the objects only")
	}
	return nil
}

// listByScheduler is a list of a kind as the live scheduler has it; nil: the objects are to be asked.
func (p liveQuestions) listByScheduler(l *listing, kind string) (out listed, err error) {
	if l.selector != "" {
		return nil, p.objectsOnly(l)
	}
	answered, err := p.fromScheduler(&l.source, func(x *scheduler) (err error) {
		out, err = x.list(l, kind)
		return err
	})
	if !answered {
		return nil, err
	}
	return out, nil
}

func (x *scheduler) list(l *listing, kind string) (listed, error) {
	if kind == "job" {
		return x.jobs(l)
	}
	return x.nodes(l)
}

func (x *scheduler) jobs(l *listing) (listed, error) {
	query := url.Values{}
	if !l.all {
		query.Set("namespace", x.s.namespace)
	}
	rows, last, err := listOf[explain.JobRow](x, "/v1/list/jobs", query)
	if err != nil {
		return nil, err
	}
	if h := last.Hidden; h != nil {
		text := notListed(h.Count, "job")
		switch {
		case h.Waiting == 1 && h.Count == 1:
			text += ", and it waits"
		case h.Waiting == 1:
			text += ", of which 1 waits"
		case h.Waiting > 1:
			text += fmt.Sprintf(", of which %d wait", h.Waiting)
		}
		x.warn(text + ": you may not list the pods of other namespaces")
	}
	rows, err = rowsOf(rows, l.names, "job", x.s.namespace, func(r *explain.JobRow) string { return r.Name })
	if err != nil {
		return nil, err
	}
	return asking(last).JobRows(rows), nil
}

func (x *scheduler) nodes(l *listing) (listed, error) {
	rows, last, err := listOf[explain.NodeAnswer](x, "/v1/list/nodes", url.Values{})
	if err != nil {
		return nil, err
	}
	if h := last.Hidden; h != nil {
		x.warn(fmt.Sprintf("%s, because you may not list nodes: cpu %s of %s is free", notListed(h.Count, "node"),
			orNone(h.Amounts["idle"]["cpu"]), orNone(h.Amounts["allocatable"]["cpu"])))
	}
	rows, err = rowsOf(rows, l.names, "node", "", func(r *explain.NodeAnswer) string { return r.Name })
	if err != nil {
		return nil, noOther("node", err)
	}
	return asking(last).NodeRows(rows), nil
}

// notListed says how many there are beside those that are listed.
func notListed(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is not listed"
	}
	return fmt.Sprintf("%d %ss are not listed", n, what)
}

func orNone(amount string) string {
	if amount == "" {
		return "0"
	}
	return amount
}

// rowsOf are the rows of the names that are wanted, of none all. A name that the scheduler has not is refused.
func rowsOf[T any](rows []T, wanted []string, kind, namespace string, name func(*T) string) ([]T, error) {
	if len(wanted) == 0 {
		return rows, nil
	}
	var names []string
	var out []T
	for i := range rows {
		names = append(names, name(&rows[i]))
		if slices.Contains(wanted, names[i]) {
			out = append(out, rows[i])
		}
	}
	for _, w := range wanted {
		if !slices.Contains(names, w) {
			return nil, &client.Refusal{Code: http.StatusNotFound, Message: explain.NoSuch(kind, namespace, w, names)}
		}
	}
	return out, nil
}

// queuesByScheduler are the queues as the live scheduler has them, with the arithmetic where it is wanted; nil: the
// objects are to be asked.
func (p liveQuestions) queuesByScheduler(s *sharing) (out *explain.Queues, err error) {
	if s.selector != "" {
		return nil, p.objectsOnly(&s.listing)
	}
	answered, err := p.fromScheduler(&s.source, func(x *scheduler) (err error) {
		out, err = x.queues(s)
		return err
	})
	if !answered {
		return nil, err
	}
	return out, nil
}

func (x *scheduler) queues(s *sharing) (*explain.Queues, error) {
	rows, last, err := listOf[explain.QueueStand](x, "/v1/queues", url.Values{})
	if err != nil {
		return nil, err
	}
	if h := last.Hidden; h != nil {
		x.warn(notListed(h.Count, "queue") + ", because you may not get them")
	}
	out := explain.QueueRows(rows, int(last.Cycle))
	if s.name != "" {
		if names := out.Names(); !slices.Contains(names, s.name) {
			text := explain.NoSuch("queue", "", s.name, names)
			if last.Hidden != nil {
				text += ", or you may not get it"
			}
			return nil, noOther("queue", &client.Refusal{Code: http.StatusNotFound, Message: text})
		}
		out.Only(s.name)
	}
	return out, x.arithmetic(s, out)
}

// arithmetic adds that of the queue that is named, or of all.
func (x *scheduler) arithmetic(s *sharing, shown *explain.Queues) error {
	if !s.why {
		return nil
	}
	names := []string{s.name}
	if s.name == "" {
		names = shown.Names()
	}
	for _, name := range names {
		var answer explain.Answer
		if err := x.get("/v1/why/queue/"+url.PathEscape(name), &answer); err != nil {
			return err
		}
		if answer.Queue != nil && answer.Queue.Why != nil {
			shown.TakeWhy(*answer.Queue.Why)
		}
	}
	return nil
}
