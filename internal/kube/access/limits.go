package access

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/util/cache"
)

// Limits bounds how much each client may do in a second, and at once. It remembers a bounded number of clients, for
// longer than a limiter takes to be full again.
type Limits struct {
	each    rate.Limit
	atOnce  int
	mu      sync.Mutex            // of making a limiter
	clients *cache.LRUExpireCache // by name: *rate.Limiter
}

const (
	mostClients = 4096
	rememberFor = 100 * time.Second
)

// NewLimits returns limits of so much in a second, and so much at once, for each client.
func NewLimits(each rate.Limit, atOnce int) *Limits {
	return &Limits{each: each, atOnce: atOnce, clients: cache.NewLRUExpireCache(mostClients)}
}

// Of is the limiter of a client; all requests that come at once share it, also the first ones.
func (l *Limits) Of(client string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.clients.Get(client)
	if !ok {
		known = rate.NewLimiter(l.each, l.atOnce)
	}
	l.clients.Add(client, known, rememberFor)
	return known.(*rate.Limiter)
}
