package readapi

import (
	"log"
	"net/url"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/access"
)

// What one user may ask in a second, and at once; and how many users are remembered for it.
const (
	perSecond = 50
	atOnce    = 200
	mostUsers = 4096
)

// limits bounds the requests of each user.
type limits struct{ users *cache.LRUExpireCache }

func newLimits() *limits { return &limits{cache.NewLRUExpireCache(mostUsers)} }

// allow counts a request. Two that come at the same time, as the first ones of a user, may count as one.
func (l *limits) allow(u *access.User) bool {
	known, ok := l.users.Get(u.Username)
	if !ok {
		known = rate.NewLimiter(perSecond, atOnce)
	}
	l.users.Add(u.Username, known, keepFor)
	return known.(*rate.Limiter).Allow()
}

// clipped is a client's text as an error repeats it.
func clipped(text string) string {
	if len(text) > 100 {
		text = text[:100] + "..."
	}
	return text
}

func parsed(query string) (url.Values, error) { return url.ParseQuery(query) }

// quiet is a log for what net/http tells of connections: handshakes that failed and the like, which any client can
// cause.
func quiet() *log.Logger { return log.New(lines{}, "", 0) }

type lines struct{}

// Write implements io.Writer.
func (lines) Write(p []byte) (int, error) {
	klog.V(4).InfoS("Read API", "connection", string(p))
	return len(p), nil
}
