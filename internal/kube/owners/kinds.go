package owners

import (
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"ashlar.sh/internal/crash"
)

// lookAround is how long it is taken to stand what the API server does not serve, or did not
// say: it may the next moment.
const lookAround = 3 * time.Second

// kinds has the kinds that the API server serves, of the groups and versions that were asked for. Owners of invented
// kinds cost no requests: at most one is made for each group and version that exists.
type kinds struct {
	api      discovery.DiscoveryInterface
	panicked crash.Handler

	mu       sync.Mutex
	versions map[schema.GroupVersion]*version // those there are; nil: not asked yet
	instead  map[string]string                // by group, the version it prefers
	groups   asking
}

// version is one of a group's, with its kinds.
type version struct {
	asking
	resources map[string]metav1.APIResource // by kind
}

// asking is about one request to the API server.
type asking struct {
	underWay bool
	again    time.Time // not before
	answered bool
	then     []func() // called once the request that is under way has ended
}

// begin says that it is time to ask, and that the caller is to; no request is under way.
func (a *asking) begin() bool {
	if time.Now().Before(a.again) {
		return false
	}
	a.underWay = true
	return true
}

func (a *asking) end(err error) {
	a.underWay = false
	a.again = time.Now().Add(lookAround)
	a.answered = a.answered || err == nil
	for _, f := range a.then {
		f()
	}
	a.then = nil
}

// found is the answer of kinds.
type found uint8

const (
	notServed found = iota
	served
	notNow  // the API server has not said
	awaited // another asks the API server at this moment
)

// resource is where objects of a kind are asked for, and whether they have a namespace. Where
// the answer is awaited, then is called once it is there; it must not call kinds.
func (k *kinds) resource(kind schema.GroupVersionKind, then func()) (schema.GroupVersionResource, bool, found) {
	at := kind.GroupVersion()
	v, answer := k.version(&at, then)
	if v == nil {
		return schema.GroupVersionResource{}, false, answer
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, is := v.resources[kind.Kind]; !is && v.underWay {
		v.then = append(v.then, then)
		return schema.GroupVersionResource{}, false, awaited
	} else if !is && v.begin() {
		var list *metav1.APIResourceList
		err := k.ask(func() (err error) {
			list, err = k.api.ServerResourcesForGroupVersion(at.String())
			return err
		})
		if apierrors.IsNotFound(err) {
			list, err = &metav1.APIResourceList{}, nil
		}
		if v.end(err); err == nil {
			v.resources = byKind(list)
		}
	}
	r, is := v.resources[kind.Kind]
	switch {
	case is:
		return at.WithResource(r.Name), r.Namespaced, served
	case v.answered:
		return schema.GroupVersionResource{}, false, notServed
	default:
		return schema.GroupVersionResource{}, false, notNow
	}
}

// ask asks the API server, without the lock that is held.
func (k *kinds) ask(what func() error) (err error) {
	k.mu.Unlock()
	defer k.mu.Lock()
	if panicked := k.panicked.Recover("asking what the API server serves of owners", func() {
		err = what()
	}); panicked != nil {
		return panicked
	}
	return err
}

// version is that of a group, or the one that the group prefers where there is none such;
// nil with the reason when there is neither.
func (k *kinds) version(at *schema.GroupVersion, then func()) (*version, found) {
	k.mu.Lock()
	defer k.mu.Unlock()
	find := func() *version {
		if v := k.versions[*at]; v != nil {
			return v
		}
		if instead, is := k.instead[at.Group]; is {
			*at = schema.GroupVersion{Group: at.Group, Version: instead}
		}
		return k.versions[*at]
	}
	if v := find(); v != nil {
		return v, served
	}
	if k.groups.underWay {
		k.groups.then = append(k.groups.then, then)
		return nil, awaited
	}
	if k.groups.begin() {
		var list *metav1.APIGroupList
		err := k.ask(func() (err error) {
			list, err = k.api.ServerGroups()
			return err
		})
		if k.groups.end(err); err == nil {
			k.take(list)
		}
	}
	v := find()
	switch {
	case v != nil:
		return v, served
	case k.groups.answered:
		return nil, notServed
	default:
		return nil, notNow
	}
}

// take keeps which groups and versions there are, with what is known of them.
func (k *kinds) take(list *metav1.APIGroupList) {
	before := k.versions
	k.versions, k.instead = map[schema.GroupVersion]*version{}, map[string]string{}
	for _, g := range list.Groups {
		k.instead[g.Name] = g.PreferredVersion.Version
		for _, v := range g.Versions {
			at := schema.GroupVersion{Group: g.Name, Version: v.Version}
			if k.versions[at] = before[at]; before[at] == nil {
				k.versions[at] = &version{}
			}
		}
	}
}

// byKind leaves subresources out.
func byKind(list *metav1.APIResourceList) map[string]metav1.APIResource {
	out := map[string]metav1.APIResource{}
	for _, r := range list.APIResources {
		if !strings.Contains(r.Name, "/") {
			out[r.Kind] = r
		}
	}
	return out
}
