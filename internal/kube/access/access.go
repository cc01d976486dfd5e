package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// Lifetime is for how long an answer of the API server is believed, as in Kubernetes' own components: a right that is
// taken away ends that much later.
const Lifetime = 10 * time.Second

// Bounds of what is remembered and asked.
const (
	mostTokens  = 4096
	mostAnswers = 32768
	patience    = 5 * time.Second // for one answer of the API server
	perSecond   = 50              // questions to it
	atOnce      = 400
	ofUser      = 20  // of them about what one user may
	ofUserOnce  = 300 // a list needs at most 201
	wrong       = 5   // tokens a second of one address may be wrong
	wrongAtOnce = 50
)

// User is the user that sent a request.
type User = authenticationv1.UserInfo

// Errors of User. Unknown: there is no credential, or a wrong one. Unanswered: the API server could not be asked.
var (
	ErrUnknown    = errors.New("neither a bearer token nor a client certificate that the API server knows")
	ErrUnanswered = errors.New("the API server does not answer which user this is and what that may read")
	ErrTooMany    = errors.New("too many requests with unknown credentials")
)

// Reviewer asks the API server, and remembers. Any goroutine may use it.
type Reviewer struct {
	kube        kubernetes.Interface
	tokens      *cache.LRUExpireCache // by hash: User, or a nil of it for a token that is none
	answers     *cache.LRUExpireCache // by user and question: bool
	wrongs      *Limits               // of wrong tokens, by address
	askers      *Limits               // of questions about a user, by share
	limit       *rate.Limiter
	authorities authorities
	complained  *rate.Limiter
}

// New returns a Reviewer that asks with the rights of a client: to create tokenreviews and subjectaccessreviews and,
// for client certificates, to get the ConfigMap.
func New(kube kubernetes.Interface) *Reviewer {
	return &Reviewer{kube: kube, tokens: cache.NewLRUExpireCache(mostTokens),
		answers: cache.NewLRUExpireCache(mostAnswers), wrongs: NewLimits(wrong, wrongAtOnce),
		askers: NewLimits(ofUser, ofUserOnce), limit: rate.NewLimiter(perSecond, atOnce),
		complained: rate.NewLimiter(rate.Every(time.Minute), 1)}
}

// Question is what a user would like to do: with a resource, or with a path that is none.
type Question struct {
	Verb, Group, Resource, Namespace, Name string // Name and Namespace "": all
	Path                                   string
}

// ListPods is the question whether a user may list the pods of a namespace; "": of all.
func ListPods(namespace string) Question {
	return Question{Verb: "list", Resource: "pods", Namespace: namespace}
}

// ListNodes is the question whether a user may list the nodes.
func ListNodes() Question { return Question{Verb: "list", Resource: "nodes"} }

// ListSlices is the question whether a user may list the ResourceSlices, in which drivers name their devices.
func ListSlices() Question {
	return Question{Verb: "list", Group: "resource.k8s.io", Resource: "resourceslices"}
}

// GetQueue is the question whether a user may get a Queue; "": all of them.
func GetQueue(name string) Question {
	return Question{Verb: "get", Group: "scheduling.volcano.sh", Resource: "queues", Name: name}
}

// GetPath is the question whether a user may get a path that is no resource.
func GetPath(path string) Question { return Question{Verb: "get", Path: path} }

// String is the question as an error tells it.
func (q Question) String() string {
	if q.Path != "" {
		return q.Verb + " " + q.Path
	}
	text := q.Verb + " " + q.Resource
	if q.Group != "" {
		text += "." + q.Group
	}
	if q.Name != "" {
		text += " " + q.Name
	}
	if q.Namespace != "" {
		text += " in namespace " + q.Namespace
	} else if q.Resource == "pods" {
		text += " in all namespaces"
	}
	return text
}

// keyOf is the key of an answer, of one length: a user may be in hundreds of groups. No part may run into the next:
// names may hold any character.
func keyOf(u *User, q Question) [sha256.Size]byte {
	var b strings.Builder
	part := func(s string) { fmt.Fprintf(&b, "%d:%s", len(s), s) }
	list := func(l []string) {
		fmt.Fprintf(&b, "%d.", len(l))
		for _, s := range l {
			part(s)
		}
	}
	part(u.Username)
	part(u.UID)
	list(u.Groups)
	for _, k := range slices.Sorted(maps.Keys(u.Extra)) {
		part(k)
		list(u.Extra[k])
	}
	list([]string{q.Verb, q.Group, q.Resource, q.Namespace, q.Name, q.Path})
	return sha256.Sum256([]byte(b.String()))
}

// May reports whether a user may do something. An error wraps ErrUnanswered.
func (r *Reviewer) May(ctx context.Context, u *User, q Question) (bool, error) {
	key := keyOf(u, q)
	if known, ok := r.answers.Get(key); ok {
		return known.(bool), nil
	}
	spec := authorizationv1.SubjectAccessReviewSpec{User: u.Username, UID: u.UID, Groups: u.Groups,
		Extra: map[string]authorizationv1.ExtraValue{}}
	for k, v := range u.Extra {
		spec.Extra[k] = authorizationv1.ExtraValue(v)
	}
	if q.Path != "" {
		spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Path: q.Path, Verb: q.Verb}
	} else {
		spec.ResourceAttributes = &authorizationv1.ResourceAttributes{Namespace: q.Namespace, Verb: q.Verb, Group: q.Group,
			Resource: q.Resource, Name: q.Name}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := r.askers.Of(Share(u)).Wait(ctx); err != nil {
		return false, fmt.Errorf("%w: too many questions about this user wait", ErrUnanswered)
	}
	if err := r.limit.Wait(ctx); err != nil {
		return false, fmt.Errorf("%w: too many questions wait", ErrUnanswered)
	}
	review, err := r.kube.AuthorizationV1().SubjectAccessReviews().Create(ctx,
		&authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
	if err != nil {
		return false, r.unanswered(fmt.Errorf("review whether %s may %s: %w", u.Username, q, err))
	}
	may := review.Status.Allowed && !review.Status.Denied
	r.answers.Add(key, may, Lifetime)
	return may, nil
}

// unanswered is the error of a question that got no answer. The log tells it once in a minute: this scheduler may lack
// the right to ask.
func (r *Reviewer) unanswered(err error) error {
	if r.complained.Allow() {
		klog.ErrorS(err, "The read API cannot find out what its users may")
	}
	return fmt.Errorf("%w: %w", ErrUnanswered, err)
}
