package observe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

const (
	refreshPage = 1000             // how many objects are listed at once
	mostAlone   = 50               // how many of them are read one by one; if more are news, the page is listed in full
	atOnce      = 16               // how many are asked for at once then
	mostTries   = 5                // how often a request is sent, if its failure may pass
	pageWithin  = 30 * time.Second // one request is answered; a list of many pages may take longer
)

// Refresh lists the pods that have not finished from the API server itself, past every cache, and the resource claims
// if they are watched. What another scheduler bound and allocated a moment ago is then known, and what is gone is known
// to be gone. Metadata is listed; in full are read only objects of which the watch has told less, or nothing: on a
// cluster at rest these are none. On a large one it takes a while: goOn is asked after each step; its error ends it.
func (w *Observer) Refresh(ctx context.Context, goOn func() error) error {
	for _, k := range allListed(w) {
		r := &refresh{w: w, listed: k, goOn: goOn, there: map[types.UID]bool{},
			page: metav1.ListOptions{FieldSelector: k.selector, Limit: refreshPage}}
		if err := r.run(ctx); err != nil {
			return fmt.Errorf("list the %s past the watch: %w", k.resource.Resource, err)
		}
	}
	return nil
}

// refresh is one list of a kind past its watch.
type refresh struct {
	w *Observer
	listed
	goOn   func() error
	page   metav1.ListOptions // asks for the next page
	buffer bytes.Buffer       // of a page

	began uint64             // the version that the first page is of
	at    uint64             // the version that the last page is of
	there map[types.UID]bool // the lives that were listed
}

func (r *refresh) run(ctx context.Context) error {
	for {
		heads, meta, err := r.listMetadata(ctx)
		if err != nil {
			return err
		}
		if r.at = max(r.at, translate.Version(meta.ResourceVersion)); r.began == 0 {
			r.began = r.at
		}
		if err := r.take(ctx, heads); err != nil {
			return err
		}
		if r.page.Continue = meta.Continue; r.page.Continue == "" {
			return r.missing(ctx)
		}
	}
}

// listMetadata is the next page: metadata, or whole objects of a fake. If the version of the list is
// forgotten by now, the API server tells how to go on with what there is now: a list that takes longer than versions
// are kept would never end if it began anew.
func (r *refresh) listMetadata(ctx context.Context) (heads []metav1.Object, meta metav1.ListMeta, err error) {
	list := func(ctx context.Context) (err error) {
		if r.fake() {
			heads, meta, err = r.list(ctx, r.page)
		} else {
			heads, meta, err = metadataOf(ctx, r.rest, r.resource.Resource, r.page, &r.buffer)
		}
		return err
	}
	err = r.ask(ctx, list)
	var said apierrors.APIStatus
	if apierrors.IsResourceExpired(err) && errors.As(err, &said) && said.Status().Continue != "" {
		r.page.Continue = said.Status().Continue
		err = r.ask(ctx, list)
	}
	return heads, meta, err
}

// fake says that the client is a fake, which has whole objects alone.
func (r *refresh) fake() bool {
	c, is := r.rest.(*rest.RESTClient)
	return is && c == nil
}

// take hands on what is news in a page.
func (r *refresh) take(ctx context.Context, heads []metav1.Object) error {
	var news []model.Fact
	whole := heads
	for _, o := range heads {
		f := r.fact(o)
		r.there[r.lifeOf(f)] = true
		if !r.handedOverOf(f) {
			news = append(news, f)
		}
	}
	switch {
	case r.fake():
	case len(news) <= mostAlone:
		return r.read(ctx, news)
	default:
		whole = nil
		err := r.ask(ctx, func(ctx context.Context) (err error) {
			whole, _, err = r.list(ctx, r.page)
			return err
		})
		if err != nil && !apierrors.IsResourceExpired(err) { // then they are read one by one
			return err
		}
	}
	for _, o := range whole {
		if err := r.handOn(o); err != nil {
			return err
		}
	}
	return r.read(ctx, slices.DeleteFunc(news, r.handedOverOf))
}

// missing asks for what the watch shows and no page did: it was gone when the list was made, or has finished.
func (r *refresh) missing(ctx context.Context) error {
	var asked []model.Fact
	for _, o := range r.store.List() {
		life, at := version(o)
		if !r.there[life] && !r.finished(o) && (r.began == 0 || at <= r.began) { // else it was there later
			asked = append(asked, r.fact(o.(metav1.Object)))
		}
	}
	slices.SortFunc(asked, func(a, b model.Fact) int {
		return cmp.Or(cmp.Compare(a.Ref.Namespace, b.Ref.Namespace), cmp.Compare(a.Ref.Name, b.Ref.Name))
	})
	for some := range slices.Chunk(asked, atOnce) { // meanwhile the watch may show that others are gone
		some = slices.DeleteFunc(some, func(f model.Fact) bool { return r.w.ahead.knows(f) || !r.shows(f) })
		if err := r.read(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

var errUnasked = errors.New("not asked for yet")

// read asks for objects one by one, some at once, and hands on what there is of them.
func (r *refresh) read(ctx context.Context, facts []model.Fact) error {
	for some := range slices.Chunk(facts, atOnce) {
		objects, errs := make([]metav1.Object, len(some)), make([]error, len(some))
		for i := range errs {
			errs[i] = errUnasked
		}
		if err := r.ask(ctx, func(ctx context.Context) error {
			var all sync.WaitGroup
			for i, f := range some {
				if errs[i] != nil && !apierrors.IsNotFound(errs[i]) {
					all.Go(func() { objects[i], errs[i] = r.get(ctx, f.Ref) })
				}
			}
			all.Wait()
			for i, err := range errs {
				if err != nil && !apierrors.IsNotFound(err) {
					return fmt.Errorf("%v: %w", some[i].Ref, err)
				}
			}
			return nil
		}); err != nil {
			return err
		}
		for i, f := range some {
			if errs[i] != nil {
				r.gone(f)
			} else if err := r.handOn(objects[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask sends requests, and again where they failed for a reason that may pass.
func (r *refresh) ask(ctx context.Context, requests func(context.Context) error) error {
	for tries := 1; ; tries++ {
		err := within(ctx, requests)
		if ended := r.goOn(); ended != nil {
			return ended
		}
		if err == nil || tries == mostTries || !passes(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(tries) * time.Second):
		}
	}
}

// passes says that a request may succeed later as it is.
func passes(err error) bool {
	var said apierrors.APIStatus
	if !errors.As(err, &said) {
		return true // there was no answer
	}
	code := said.Status().Code
	return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
}

func within(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, pageWithin)
	defer cancel()
	return ask(ctx)
}

// handedOverOf says that of a name as much was handed on as this, or more. What the informer has, but has not told of
// yet, is handed on now.
func (r *refresh) handedOverOf(f model.Fact) bool {
	if f.Version == 0 {
		return false
	}
	if r.w.ahead.knows(f) {
		return true
	}
	o, has := stored(r.store, f.Ref)
	if !has {
		return false
	}
	if _, at := version(o); at < f.Version {
		return false
	}
	if !r.handedOver(o) {
		r.handOver(o)
	}
	return true
}

// handOn hands on what was read of an object, if it is news.
func (r *refresh) handOn(o metav1.Object) error {
	if r.handedOverOf(r.fact(o)) {
		return nil
	}
	kept, err := r.keep(o)
	if err == nil {
		r.handOver(kept)
	}
	return err
}

// gone hands on that there is nothing of a name. If the watch shows something that is newer than the list, it has shown
// the end, too, or will.
func (r *refresh) gone(of model.Fact) {
	o, has := stored(r.store, of.Ref)
	if !has {
		return
	}
	life, at := version(o)
	if r.at == 0 || at <= r.at {
		r.w.end(model.Fact{Ref: of.Ref, UID: string(life), Version: max(at, r.at)})
	}
}

// shows says that the watch still shows a life.
func (r *refresh) shows(f model.Fact) bool {
	o, has := stored(r.store, f.Ref)
	life, _ := version(o)
	return has && string(life) == f.UID
}

// lifeOf is the UID of a fact, in the memory of the same one that is kept, if there is one.
func (r *refresh) lifeOf(f model.Fact) types.UID {
	if o, has := stored(r.store, f.Ref); has {
		if life, _ := version(o); string(life) == f.UID {
			return life
		}
	}
	return types.UID(f.UID)
}

// fact is what a listed object says: which life of which name it is in which version.
func (r *refresh) fact(o metav1.Object) model.Fact {
	life, at := version(o)
	return model.Fact{Ref: model.Ref{Kind: r.kind, Namespace: o.GetNamespace(), Name: o.GetName()}, UID: string(life),
		Version: at}
}
