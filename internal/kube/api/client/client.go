// Package client lists and watches Ashlar's own kinds (internal/kube/api), and writes their statuses. It is apart from
// them since what reads files needs no client.
package client

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/kube/api"
)

// Client lists and watches bookings, and writes their statuses.
type Client struct {
	rest       rest.Interface
	parameters runtime.ParameterCodec
}

// NewForConfig is a client for a configuration, which is not changed. Custom resources are read as JSON, whatever the
// configuration says.
func NewForConfig(config *rest.Config) (*Client, error) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(api.Version, &api.Booking{}, &api.BookingList{})
	metav1.AddToGroupVersion(scheme, api.Version)
	c := rest.CopyConfig(config)
	c.APIPath, c.GroupVersion = "/apis", &api.Version
	c.ContentType, c.AcceptContentTypes = "", ""
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("make a client for bookings: %w", err)
	}
	return &Client{client, runtime.NewParameterCodec(scheme)}, nil
}

// List lists bookings.
func (c *Client) List(ctx context.Context, o metav1.ListOptions) (*api.BookingList, error) {
	out := &api.BookingList{}
	err := c.rest.Get().Resource(api.Resource).VersionedParams(&o, c.parameters).Do(ctx).Into(out)
	return out, err
}

// Watch watches them.
func (c *Client) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	o.Watch = true
	return c.rest.Get().Resource(api.Resource).VersionedParams(&o, c.parameters).Watch(ctx)
}

// PatchStatus applies a merge patch to the status of a booking.
func (c *Client) PatchStatus(ctx context.Context, name string, patch []byte) error {
	return c.rest.Patch(types.MergePatchType).Resource(api.Resource).Name(name).SubResource("status").Body(patch).
		Do(ctx).Error()
}

// Informer is an informer of bookings, which is not started.
func (c *Client) Informer() cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return c.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return c.Watch(ctx, o)
		},
	}, c), &api.Booking{}, 0, cache.Indexers{})
}
