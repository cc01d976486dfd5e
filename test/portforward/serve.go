// Package portforward answers port-forwards as a kubelet does: for tests, in which no pod is a process. What a port of
// a pod is connected to, the test says.
//
// It is the far end only, with SPDY; what is before it (rights, WebSockets, tunnels) is the API server's.
package portforward

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// protocol is the one that there is.
const protocol = "portforward.k8s.io"

// Serve answers one request until its tunnel ends. dial connects to a port; what it says of an error is told as
// a kubelet tells it.
func Serve(w http.ResponseWriter, r *http.Request, dial func(port string) (net.Conn, error)) {
	if _, err := httpstream.Handshake(r, w, []string{protocol}); err != nil {
		return // the handshake has answered
	}
	t := &tunnel{dial: dial, problems: map[string]httpstream.Stream{}}
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, t.take)
	if conn == nil {
		return // the upgrade has answered
	}
	defer conn.Close()
	select {
	case <-conn.CloseChan():
	case <-r.Context().Done():
	}
}

// tunnel is the connections of one request. Each is two streams of one ID: errors first, then data.
type tunnel struct {
	dial func(port string) (net.Conn, error)

	mu       sync.Mutex
	problems map[string]httpstream.Stream
}

func (t *tunnel) take(s httpstream.Stream, answered <-chan struct{}) error {
	id := s.Headers().Get(corev1.PortForwardRequestIDHeader)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch kind := s.Headers().Get(corev1.StreamType); kind {
	case corev1.StreamTypeError:
		t.problems[id] = s
	case corev1.StreamTypeData:
		problems := t.problems[id]
		if problems == nil {
			return fmt.Errorf("data stream %s has no error stream", id)
		}
		delete(t.problems, id)
		go func() {
			<-answered
			t.copy(s, problems)
		}()
	default:
		return fmt.Errorf("a stream of type %q", kind)
	}
	return nil
}

// copy copies both ways until either ends.
func (t *tunnel) copy(data, problems httpstream.Stream) {
	defer problems.Close()
	defer data.Close()
	conn, err := t.dial(data.Headers().Get(corev1.PortHeader))
	if err != nil {
		_, _ = fmt.Fprintf(problems, "an error occurred: %v", err) // the client may have gone
		return
	}
	defer conn.Close()
	ended := make(chan struct{}, 2)
	go func() {
		_, _ = io.Copy(conn, data) // either side may go
		ended <- struct{}{}
	}()
	go func() {
		_, _ = io.Copy(data, conn)
		ended <- struct{}{}
	}()
	<-ended
}
