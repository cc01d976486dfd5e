package inspect

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/api/client"
)

// page is how many objects one request asks for.
const page = 500

// Clients are the ways to the API server.
type Clients struct {
	Kube    kubernetes.Interface
	Volcano versioned.Interface
	// Bookings lists bookings; nil: there are none.
	Bookings *client.Client
}

// bookings lists bookings. Where they are not served there are none: most clusters book nothing.
func (c Clients) bookings(ctx context.Context, o metav1.ListOptions) (*api.BookingList, error) {
	if c.Bookings == nil {
		return &api.BookingList{}, nil
	}
	list, err := c.Bookings.List(ctx, o)
	if apierrors.IsNotFound(err) {
		return &api.BookingList{}, nil
	}
	return list, err
}

// Read is what was read of a cluster.
type Read struct {
	Objects []metav1.Object
	Missing []Missing
	// Partial says that pods, PodGroups, queues or nodes may exist that could not be read. No decision can be made
	// anew then: what pods hold, or what queues may have, is not known.
	Partial bool
}

// Missing is a kind, or all of it outside a namespace, that was not read.
type Missing struct {
	Kind, Namespace string // Namespace: the only one in which it was read; "": in none
	Why             string
	Costs           string
}

// String says what could not be read, why, and what that costs.
func (m Missing) String() string {
	where := ""
	if m.Namespace != "" {
		where = " outside namespace " + m.Namespace
	}
	return fmt.Sprintf("%s%s: %s; not known: %s", m.Kind, where, m.Why, m.Costs)
}

// All reads the cluster. Kinds that may not be listed in all namespaces are listed in one. An error is one of the
// connection, or of the API server, and not a right that is missing.
func All(ctx context.Context, c Clients, namespace string) (*Read, error) {
	out := &Read{}
	for _, wave := range c.waves() {
		parts := make([]part, len(wave))
		var wg sync.WaitGroup
		for i, k := range wave {
			wg.Go(func() { parts[i] = k.read(ctx, namespace) })
		}
		wg.Wait()
		for i := range parts {
			if err := parts[i].err; err != nil {
				return nil, fmt.Errorf("list %s: %w", wave[i].name, err)
			}
			out.Objects = append(out.Objects, parts[i].objects...)
			if m := parts[i].missing; m != nil {
				out.Missing = append(out.Missing, *m)
				out.Partial = out.Partial || wave[i].essential && parts[i].refused
			}
		}
	}
	slices.SortStableFunc(out.Objects, func(a, b metav1.Object) int {
		if c := strings.Compare(reflect.TypeOf(a).String(), reflect.TypeOf(b).String()); c != 0 {
			return c
		}
		if c := strings.Compare(a.GetNamespace(), b.GetNamespace()); c != 0 {
			return c
		}
		return strings.Compare(a.GetName(), b.GetName())
	})
	return out, nil
}

// part is what was read of one kind.
type part struct {
	objects []metav1.Object
	missing *Missing
	refused bool // there may be objects that were not read
	err     error
}

func (k kind) read(ctx context.Context, namespace string) (p part) {
	p.objects, p.err = k.pages(ctx, "")
	switch err := p.err; {
	case err == nil:
		return p
	case apierrors.IsNotFound(err) || runtime.IsNotRegisteredError(err):
		return part{missing: &Missing{Kind: k.name, Why: "this API server does not serve it", Costs: k.costs}}
	case !apierrors.IsForbidden(err) && !k.essential && !apierrors.IsUnauthorized(err) && ctx.Err() == nil:
		return part{missing: &Missing{Kind: k.name, Why: err.Error(), Costs: k.costs}}
	case !apierrors.IsForbidden(err):
		return p
	}
	m := &Missing{Kind: k.name, Why: "no right to list it", Costs: k.costs}
	p = part{missing: m, refused: true}
	if !k.namespaced || namespace == "" {
		return p
	}
	objects, err := k.pages(ctx, namespace)
	if err == nil {
		p.objects, m.Namespace = objects, namespace
	} else if !apierrors.IsForbidden(err) {
		p.err = err
	}
	return p
}

// pages reads all pages of a list. When a list is too old to go on with, it is read whole.
func (k kind) pages(ctx context.Context, namespace string) (out []metav1.Object, err error) {
	all := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return k.list(ctx, namespace, o)
	})
	all.PageSize = page
	err = all.EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
		if m, ok := o.(metav1.Object); ok {
			out = append(out, m)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
