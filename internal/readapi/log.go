package readapi

import (
	"log"

	"k8s.io/klog/v2"
)

// quiet is a log for what net/http tells of connections: handshakes that failed and the like, which any client can
// cause.
func quiet() *log.Logger { return log.New(lines{}, "", 0) }

type lines struct{}

// Write implements io.Writer.
func (lines) Write(p []byte) (int, error) {
	klog.V(4).InfoS("Read API", "connection", string(p))
	return len(p), nil
}
