package readapi

import (
	"context"
	"net/http"

	"ashlar.sh/internal/kube/access"
)

// mostChecks bounds how many namespaces and queues the API server is asked about for one request. Those beyond count
// as not to be seen; a user who may see all of them costs one question.
const mostChecks = 200

// Access finds out which user asks and what that user may; it is a *access.Reviewer.
type Access interface {
	User(ctx context.Context, from *http.Request) (*access.User, error)
	May(ctx context.Context, u *access.User, q access.Question) (bool, error)
}

// view is what one user may see, as far as that was asked.
type view struct {
	ctx       context.Context
	access    Access
	user      *access.User
	known     map[access.Question]bool
	asked     int
	unchecked int // questions that were not asked because there were too many
	err       error
}

func newView(ctx context.Context, a Access, u *access.User) *view {
	return &view{ctx: ctx, access: a, user: u, known: map[access.Question]bool{}}
}

// may asks one question, once. After an error nothing is to be seen.
func (v *view) may(q access.Question) bool {
	if may, ok := v.known[q]; ok || v.err != nil {
		return may
	}
	if v.asked >= mostChecks {
		v.unchecked++
		v.known[q] = false
		return false
	}
	v.asked++
	may, err := v.access.May(v.ctx, v.user, q)
	if err != nil {
		v.err = err
		return false
	}
	v.known[q] = may
	return may
}

// namespace says that the names in a namespace may be told.
func (v *view) namespace(name string) bool {
	return v.may(access.ListPods("")) || name != "" && v.may(access.ListPods(name))
}

// queue says that a queue may be named.
func (v *view) queue(name string) bool {
	return v.may(access.GetQueue("")) || v.may(access.GetQueue(name))
}

// nodes says that nodes may be named.
func (v *view) nodes() bool { return v.may(access.ListNodes()) }

// slices says that devices may be named.
func (v *view) slices() bool { return v.may(access.ListSlices()) }

// changed asks everything again, and says that an answer is another now.
func (v *view) changed(ctx context.Context) (bool, error) {
	for q, was := range v.known {
		may, err := v.access.May(ctx, v.user, q)
		if err != nil {
			return false, err
		}
		if may != was {
			return true, nil
		}
	}
	return false, nil
}
