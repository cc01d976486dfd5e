package observe

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	volcanoinformers "volcano.sh/apis/pkg/client/informers/externalversions"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// discovery finds out which kinds the API server serves, and watches them.
type discovery struct {
	o *Observer

	looks     chan struct{}
	wants     int      // how often what is wanted may have changed
	asked     int      // of them, after how many the API has said what it serves; -1: it never has
	unserved  []string // kinds that are wanted and that the API does not serve
	forbidden []string // kinds that are wanted and done without: they may not be listed
	core      informers.SharedInformerFactory
	volcano   volcanoinformers.SharedInformerFactory
}

// How often the API server is asked what it serves: soon again while it did not answer,
// now and then for kinds that it does not serve, which may be installed any time. For as
// long the watch may be behind what Refresh told, before it is asked what is true.
const (
	askAgain   = time.Second
	lookAround = 30 * time.Second
)

// Look asks the API server anew what it serves: after the engine has come to read other
// kinds. It does not wait; until the answer nothing has synced.
func (w *Observer) Look() {
	w.mu.Lock()
	w.discovery.wants++
	w.mu.Unlock()
	select {
	case w.discovery.looks <- struct{}{}:
	default:
	}
}

// Unserved are the kinds that the engine reads and the API server does not serve, as it
// was last asked. It is as if there were none of their objects.
func (w *Observer) Unserved() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.discovery.unserved)
}

// discover begins to watch what is wanted, as soon as it is served, and asks after what the
// watch does not show, until ctx ends.
func (di *discovery) discover(ctx context.Context) {
	for {
		pause := lookAround
		if err := di.ask(ctx); err != nil {
			klog.ErrorS(err, "Asking the API server what it serves")
			pause = askAgain
		}
		di.o.confirm(time.Now().Add(-lookAround), uidOf(ctx, di.o))
		di.o.queue.awake() // what has synced may have changed, without any object
		again := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			again.Stop()
			return
		case <-again.C:
		case <-di.looks:
			again.Stop()
		}
	}
}

// ask asks for the kinds that are wanted and not watched, and watches those there are.
func (di *discovery) ask(ctx context.Context) error {
	di.o.mu.Lock()
	wants := di.wants
	di.o.mu.Unlock()
	served := map[schema.GroupVersion][]string{}
	var unserved, forbidden []string
	for _, k := range di.wanted() {
		version := k.resource.GroupVersion()
		names, known := served[version]
		if !known {
			list, err := di.o.options.Kube.Discovery().ServerResourcesForGroupVersion(version.String())
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
			for i := 0; err == nil && i < len(list.APIResources); i++ {
				names = append(names, list.APIResources[i].Name)
			}
			served[version] = names
		}
		if !slices.Contains(names, k.resource.Resource) {
			unserved = append(unserved, string(k.name))
			continue
		}
		if may := di.mayList(k.name); may != nil {
			may, err := may(ctx)
			if err != nil {
				return err
			}
			if !may {
				forbidden = append(forbidden, string(k.name))
				continue
			}
		}
		di.o.mu.Lock()
		err := di.o.watch(k)
		di.o.mu.Unlock()
		if err != nil {
			return err
		}
		klog.V(2).InfoS("Watching", "kind", k.name)
	}
	di.core.StartWithContext(ctx) // those that run already run on
	di.volcano.Start(ctx.Done())
	di.o.bookings.start(ctx)
	di.o.mu.Lock()
	defer di.o.mu.Unlock()
	if !slices.Equal(unserved, di.unserved) {
		klog.InfoS("The API server does not serve some kinds: it is as if there were none of their objects", "kinds",
			unserved)
	}
	if !slices.Equal(forbidden, di.forbidden) {
		klog.InfoS("The API server forbids to list some kinds: it is as if there were none of their objects", "kinds",
			forbidden)
	}
	di.unserved, di.forbidden, di.asked = unserved, forbidden, wants
	return nil
}

// mayList asks for one object of a kind that is done without where it may not be listed: false then; nil for all other
// kinds. Volcano's role does not grant Services and bookings, and a watch that waits for the right would keep
// everything from being decided. What Services decide is a preference; that bookings are not heeded is logged.
func (di *discovery) mayList(k model.Kind) func(context.Context) (bool, error) {
	var list func(context.Context, metav1.ListOptions) error
	one := metav1.ListOptions{Limit: 1}
	switch k {
	case model.KindService:
		list = func(ctx context.Context, o metav1.ListOptions) error {
			_, err := di.o.options.Kube.CoreV1().Services("").List(ctx, o)
			return err
		}
	case model.KindBooking:
		list = func(ctx context.Context, o metav1.ListOptions) error {
			_, err := di.o.options.Bookings.List(ctx, o)
			return err
		}
	default:
		return nil
	}
	return func(ctx context.Context) (bool, error) {
		err := list(ctx, one)
		if apierrors.IsForbidden(err) {
			return false, nil
		}
		return err == nil, err
	}
}

// wanted are the kinds that the engine reads and that are not watched yet.
func (di *discovery) wanted() (out []kind) {
	di.o.mu.Lock()
	defer di.o.mu.Unlock()
	for _, k := range kinds() {
		is := func(o watched) bool { return o.kind == k.name }
		reads := di.o.options.Reads != nil && di.o.options.Reads(k.name)
		switch k.name {
		case translate.KindNodeShard:
			reads = di.o.options.Shard.Mode.on()
		case model.KindBooking:
			reads = reads && di.o.options.Bookings != nil
		}
		if !k.always && reads && !slices.ContainsFunc(di.o.watched, is) {
			out = append(out, k)
		}
	}
	return out
}
