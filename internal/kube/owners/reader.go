package owners

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/util/flowcontrol"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/kube/translate"
)

// The bounds of what is asked of the API server.
const (
	perSecond   = 300
	atOnce      = 600 // before perSecond holds
	atOneTime   = 8
	longestRead = 10 * time.Second
)

// Options is what reading needs.
type Options struct {
	Discovery discovery.DiscoveryInterface
	Metadata  metadata.Interface
	// Jobs reads Jobs of Volcano and of Kubernetes, which say how long they run, or until when, in their spec; nil: their
	// metadata alone is read.
	Jobs dynamic.Interface
	// Answered is told of an owner of which more is known than before. It is called by any
	// goroutine and must not call the Reader.
	Answered func(*Owner)
	// Panicked is told of panics, which are bugs: an owner of which reading panics says nothing.
	Panicked crash.Handler
}

// Reader reads owners. Its methods but Run may be called from any goroutine.
type Reader struct {
	options Options
	kinds   kinds
	rate    flowcontrol.RateLimiter
	wake    chan struct{}

	mu      sync.Mutex
	owners  map[key]*Owner
	toRead  readQueue
	refused map[missing]*refusal
	most    int // so many owners may be known before those that no pod names are forgotten
	sweep   uint64
}

// New makes a reader that knows nothing and reads nothing before it runs.
func New(o Options) *Reader {
	return &Reader{options: o, kinds: kinds{api: o.Discovery, panicked: o.Panicked},
		rate: flowcontrol.NewTokenBucketRateLimiter(perSecond, atOnce),
		wake: make(chan struct{}, 1), owners: map[key]*Owner{}, refused: map[missing]*refusal{}, most: fewest}
}

// Of is the owner that a pod's reference names, made at first sight; nil when the
// reference can name nothing.
func (r *Reader) Of(namespace string, ref *metav1.OwnerReference) *Owner {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of(namespace, ref)
}

func (r *Reader) of(namespace string, ref *metav1.OwnerReference) *Owner {
	if o := r.owners[key{namespace, ref.UID}]; o != nil {
		return o
	}
	kind, ok := named(ref)
	if !ok {
		return nil
	}
	o := &Owner{key: key{namespace, ref.UID}, kind: kind, name: ref.Name, seen: time.Now()}
	r.owners[o.key] = o
	return o
}

// Ask has an owner read, unless it was or will be; urgently when a pod waits for it.
func (r *Reader) Ask(o *Owner, urgently bool) {
	at := later
	if urgently {
		at = soon
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.knowledge == Unread && o.failed == 0 {
		r.ask(o, at)
	}
}

func (r *Reader) ask(o *Owner, at place) {
	r.toRead.add(o, at)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Said is what is known of what an owner and those above it say.
func (r *Reader) Said(o *Owner) (translate.Said, Knowledge) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return o.said()
}

// Run reads until ctx ends.
func (r *Reader) Run(ctx context.Context) {
	slots := make(chan struct{}, atOneTime)
	for {
		o := r.next(ctx)
		if o == nil {
			return
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		go func() {
			defer func() { <-slots }()
			if r.options.Panicked.Recover("reading an owner", func() { r.read(ctx, o) }) != nil {
				_ = r.options.Panicked.Recover("giving an owner up", func() { r.answer(o, nil, Final) })
			}
		}()
	}
}

// next waits for an owner to be read; nil when ctx has ended.
func (r *Reader) next(ctx context.Context) *Owner {
	for ctx.Err() == nil {
		r.mu.Lock()
		o := r.toRead.next()
		if o != nil {
			o.place, o.waited = reading, o.place
		}
		r.mu.Unlock()
		if o != nil {
			return o
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
		}
	}
	return nil
}
