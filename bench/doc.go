// Package bench measures the engine: decisions only, in process, no API server.
//
//	make bench                                    # everything, as a table beside the recorded one
//	go test -run '^$' -bench Allocate ./bench     # one scenario
//	make bench BENCH=Million HEAVY=1              # a million pods: a minute, gigabytes
//
// Names are scenario/parameters/nodes; each reports pods/s, µs/event or bytes beside the
// usual figures. Objects are made and loaded outside the clock, unless a scenario says
// otherwise. Every benchmark fails when the plan is not what it should be: a fast wrong
// answer is not a result. bench/table makes the table, recorded.txt is the last one.
package bench
