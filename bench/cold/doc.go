// Package cold measures what the live scheduler takes to start on a cluster that is full: time and processor time until
// it binds the pod that waits for it, its memory then and at most. Then it measures how long a new pod takes to be
// bound while 500 pods a second come and go: from the event of its creation to the request that binds it.
//
//	go test -run '^$' -bench . -benchtime 1x ./bench/cold
//	go test -run '^$' -bench /nodes=50000 -benchtime 1x -timeout 30m ./bench/cold -heavy  # a million pods
//	go test -run '^$' -bench . -benchtime 1x ./bench/cold -churn 0 -profile heap.out
//
// It runs the whole scheduler against a server in the same process that streams objects as an API server does: in
// protobuf, as watches that begin with a list, with all that pods have which no decision reads. So it leaves out TLS
// and the API server's own pace, which bench/e2e has, and what the server takes of processor and memory is inside.
package cold
