// Package bench measures the engine: decisions only, in process, no API server.
//
//	go test -run '^$' -bench . -benchmem ./bench
//
// Names are scenario/parameters/nodes; each reports pods/s or µs/event beside the usual
// figures. Objects are made and loaded outside the clock.
package bench
