// Package cold measures what the live scheduler takes to start on a cluster that is full:
// its processor time until it binds the pod that waits for it, and its memory then and at
// most.
//
//	go test -run '^$' -bench . ./bench/cold
//	go test -run '^$' -bench . -benchtime 1x ./bench/cold -profile heap.out
//
// It runs the whole scheduler against a server in the same process that streams objects as
// an API server does: in protobuf, as watches that begin with a list, with all that pods
// have which no decision reads. So it leaves out TLS and the API server's own pace, which
// bench/e2e has, and runs in seconds.
package cold
