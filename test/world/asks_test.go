package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"ashlar.sh/test/world/apimodel"
)

// askers are users of the read API, and ask every scheduler whatever they like. They draw from a source of their own,
// as does what becomes of the questions that a scheduler has of their rights: a world without them goes on alike.
type askers struct {
	w      *World
	random *rand.Rand
	number int
	nevers map[string]never // of jobs, by UID
	truth  truth
}

// askedBy are the users, by token; the last one no API server knows.
var askedBy = []string{"team", "evil", "operator", "nobody", "wrong"}

// estimated is how often schedulers estimate when jobs start: as often as the program does unless it is told otherwise,
// at no time at which something else is due.
const estimated = 30*time.Second + 7

func newAskers(w *World) *askers {
	return &askers{w: w, random: rand.New(rand.NewPCG(w.Seed, 3)), nevers: map[string]never{}, truth: newTruth()}
}

func (a *askers) begin() {
	if a.w.Asks > 0 {
		a.again()
	}
}

func (a *askers) again() {
	a.w.seq.after(time.Duration(a.random.ExpFloat64()*float64(a.w.Asks)), func() {
		a.ask()
		a.again()
	})
}

// question is one that was asked.
type question struct {
	number int
	of     *process
	user   string
	path   string
	at     time.Time
	panics int64 // that the process had met by then
}

// ask asks a scheduler, which may stand by, stand still or be gone before it has answered.
func (a *askers) ask() {
	w := a.w
	p := w.procs[a.random.IntN(len(w.procs))]
	reads := p.reads.Load()
	if reads == nil || p.killed || p.closed {
		return
	}
	a.number++
	q := &question{number: a.number, of: p, user: askedBy[a.random.IntN(len(askedBy))], path: a.path(), at: time.Now(),
		panics: p.bug.shown.Load()}
	w.did("a question asked")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, q.path, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+q.user)
	go func() {
		defer cancel()
		p.still.wait(ctx)
		answer := httptest.NewRecorder()
		if reads := *reads; w.Breaks.reads != nil {
			w.Breaks.reads(reads).ServeHTTP(answer, r)
		} else {
			reads.ServeHTTP(answer, r)
		}
		w.seq.post(q.number, func() { a.check(q, answer) })
	}()
}

// path draws a question.
func (a *askers) path() string {
	pick := func(list ...string) string { return list[a.random.IntN(len(list))] }
	namespace := pick(userNamespace, userNamespace, evilNamespace)
	job := fmt.Sprintf("job-%d", a.random.IntN(1+max(4, len(a.w.jobs.all))))
	if alive := a.w.jobs.alive(); namespace == userNamespace && len(alive) > 0 && a.random.IntN(3) > 0 {
		job = alive[a.random.IntN(len(alive))].name
	}
	switch a.random.IntN(9) {
	case 0:
		return "/v1/jobs" + pick("", "?namespace="+namespace, "?waiting=true", "?limit=3")
	case 1:
		return "/v1/pods" + pick("", "?namespace="+namespace)
	case 2:
		return pick("/v1/queues", "/v1/nodes", "/v1/list/nodes", "/v1/state")
	case 3:
		return "/v1/list/jobs"
	case 4:
		return "/v1/why/queue/" + pick(append([]string{evilQueue}, queueNames...)...)
	case 5:
		return "/v1/why/node/" + nodeName(a.random.IntN(a.w.Nodes))
	case 6:
		return fmt.Sprintf("/v1/why/pod/%s/%s-%d", namespace, job, a.random.IntN(4))
	default:
		return "/v1/why/job/" + namespace + "/" + job + pick("", "?wouldRun=2s")
	}
}

// mayAsk says what the users may: a tenant sees the pods of its namespace and its queues, the operator sees everything.
func mayAsk(user, verb, resource, namespace, name string) bool {
	switch user {
	case "operator":
		return true
	case "team":
		return verb == "list" && resource == "pods" && namespace == userNamespace ||
			verb == "get" && resource == "queues" && name != "" && name != evilQueue
	case "evil":
		return verb == "list" && resource == "pods" && namespace == evilNamespace ||
			verb == "get" && resource == "queues" && name == evilQueue
	}
	return false
}

// isReview says that a scheduler asks about a user.
func isReview(path string) bool {
	return strings.HasSuffix(path, "/tokenreviews") || strings.HasSuffix(path, "/subjectaccessreviews")
}

// review answers what a scheduler asks about a user, some times late or not at all.
func (a *askers) review(n *network, q *arrival) {
	took := fastest + min(time.Duration(a.random.ExpFloat64()*float64(usual)), 10*usual)
	if !a.w.calm && a.random.Float64() < a.w.Trouble.Late {
		took = time.Duration(a.random.Int64N(int64(latest)))
	}
	left := n.cuts[q.request.Client].requests()
	switch {
	case a.w.dead(q.request.Client) || time.Now().Before(n.down):
		n.reply(q, answer{}, took)
	case left > 0:
		n.reply(q, answer{}, min(left, unanswered))
	case !a.w.calm && a.random.Float64() < a.w.Trouble.Internal:
		n.reply(q, refusal(apierrors.NewInternalError(http.ErrServerClosed)), took)
	default:
		n.reply(q, answer{reviewed(q.request), true}, took)
	}
}

// reviewed is the API server's answer.
func reviewed(r *apimodel.Request) apimodel.Response {
	o, _, err := scheme.Codecs.UniversalDeserializer().Decode(r.Body, nil, nil)
	if err != nil {
		return apimodel.Response{Code: http.StatusBadRequest, Body: metav1.Status{Message: err.Error()}}
	}
	switch review := o.(type) {
	case *authenticationv1.TokenReview:
		review.TypeMeta = metav1.TypeMeta{Kind: "TokenReview", APIVersion: "authentication.k8s.io/v1"}
		review.Status.Authenticated = review.Spec.Token != "wrong"
		review.Status.User.Username = review.Spec.Token
	case *authorizationv1.SubjectAccessReview:
		review.TypeMeta = metav1.TypeMeta{Kind: "SubjectAccessReview", APIVersion: "authorization.k8s.io/v1"}
		if of := review.Spec.ResourceAttributes; of != nil {
			review.Status.Allowed = mayAsk(review.Spec.User, of.Verb, of.Resource, of.Namespace, of.Name)
		}
	}
	return apimodel.Response{Code: http.StatusCreated, Body: o}
}
