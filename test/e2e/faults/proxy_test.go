package faults

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// A write that the API server has when its client is killed is carried out: who takes the client's place once the proxy
// is closed must find it. Otherwise a test that does not wait for a lease sees what no cluster with leases shows.
func TestCloseWaitsForWrites(t *testing.T) {
	got, answer := make(chan struct{}), make(chan struct{})
	var done atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(got)
		<-answer
		done.Store(true)
	}))
	defer server.Close()
	p, err := Start(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(p.Config())
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() {
		answer, err := client.Post(p.Config().Host+"/api/v1/namespaces/ns/pods/p/binding", "application/json", http.NoBody)
		if err == nil {
			err = answer.Body.Close()
		}
		asked <- err
	}()
	<-got
	p.server.CloseClientConnections()
	if err := <-asked; err == nil {
		t.Fatal("the client has an answer")
	}
	closed := make(chan struct{})
	go func() {
		p.Close()
		close(closed)
	}()
	select {
	case <-closed:
		t.Error("the proxy was closed before the server had carried the write out")
	case <-time.After(100 * time.Millisecond): // Close without waiting takes one
	}
	close(answer)
	<-closed
	if !done.Load() {
		t.Error("the server did not carry it out")
	}
}

// Watches of a kind may be held twice. Those that either hold stopped go on once both were let go, and not before.
func TestWatchesThatAreHeldTwiceAreLetGo(t *testing.T) {
	for name, order := range map[string][2]int{"the first one first": {0, 1}, "the second one first": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			p := &Proxy{held: map[string][]chan struct{}{}}
			watch := httptest.NewRequest(http.MethodGet, "/apis/scheduling.volcano.sh/v1beta1/podgroups?watch=true", nil)
			letGo := []func(){p.HoldWatches("podgroups")}
			stopped := p.holds(watch)
			letGo = append(letGo, p.HoldWatches("podgroups"))
			letGo[order[0]]()
			if p.holds(watch) == nil {
				t.Error("nothing is held any more, although the other hold was not let go")
			}
			letGo[order[1]]()
			select {
			case <-stopped:
			default:
				t.Error("what the first hold stopped is stopped for ever")
			}
			if p.holds(watch) != nil {
				t.Error("watches are held, although both holds were let go")
			}
		})
	}
}
