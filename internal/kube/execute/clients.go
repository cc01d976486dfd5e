package execute

import (
	"context"
	"fmt"
	"net"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/kube/api/client"
)

// connections is how many HTTP/2 connections bindings are spread over: a server bounds
// the requests under way on one (to 100 or 250), and each has one lock.
const connections = 4

// The rates of the slow queues: what is said may take its time. Events have one of their own,
// so that thousands of them do not keep an autoscaler waiting for a condition.
const (
	saidPerSecond = 50
	saidAtOnce    = 100

	eventsPerSecond = 100
	eventsAtOnce    = 200
)

// Clients are the clients that an Executor needs.
type Clients struct {
	Fast    []kubernetes.Interface // bindings and the like, over connections of their own, in protobuf
	Groups  versioned.Interface    // PodGroups' statuses
	Slow    kubernetes.Interface   // pods' conditions
	Events  kubernetes.Interface
	Figures versioned.Interface // Queues' figures

	Bookings *client.Client // their statuses; nil: none is written
}

// NewClients makes clients from one configuration, which is not changed. They send nothing once leading
// returns false; what that keeps back counts as not sent.
func NewClients(config *rest.Config, leading func() bool) (Clients, error) {
	var c Clients
	config = rest.CopyConfig(config)
	whileLeading(config, leading)
	for range connections {
		client, err := kubernetes.NewForConfig(fast(config))
		if err != nil {
			return Clients{}, fmt.Errorf("make a client for bindings: %w", err)
		}
		c.Fast = append(c.Fast, client)
	}
	var err error
	json := fast(config)
	json.ContentType, json.AcceptContentTypes = "", "" // custom resources have no protobuf
	if c.Groups, err = versioned.NewForConfig(json); err != nil {
		return Clients{}, fmt.Errorf("make a client for PodGroups: %w", err)
	}
	gentle := fast(config)
	gentle.QPS, gentle.Burst = saidPerSecond, saidAtOnce
	if c.Slow, err = kubernetes.NewForConfig(gentle); err != nil {
		return Clients{}, fmt.Errorf("make a client for conditions: %w", err)
	}
	gentle = fast(config)
	gentle.QPS, gentle.Burst = eventsPerSecond, eventsAtOnce
	if c.Events, err = kubernetes.NewForConfig(gentle); err != nil {
		return Clients{}, fmt.Errorf("make a client for events: %w", err)
	}
	gentle = fast(config)
	gentle.ContentType, gentle.AcceptContentTypes = "", ""
	gentle.QPS, gentle.Burst = saidPerSecond, saidAtOnce
	if c.Figures, err = versioned.NewForConfig(gentle); err != nil {
		return Clients{}, fmt.Errorf("make a client for statuses: %w", err)
	}
	if c.Bookings, err = client.NewForConfig(gentle); err != nil {
		return Clients{}, err
	}
	return c, nil
}

// fast is a configuration without a limit on the rate and with connections of its own:
// client-go shares connections between configurations that have the same function to dial.
func fast(config *rest.Config) *rest.Config {
	c := rest.CopyConfig(config)
	c.QPS, c.RateLimiter = -1, nil
	c.ContentType = "application/vnd.kubernetes.protobuf"
	c.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	dial := c.Dial
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(ctx, network, address)
	}
	return c
}
