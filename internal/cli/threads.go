package cli

import "runtime"

// useThreads gives the Go runtime a third thread where it would use two: starts are estimated by two runs at the same
// time. Beside these, the runtime would let the scheduler's loop wait for a time slice of each, 20 ms in all; the
// kernel lets the loop's own thread begin within 2 ms (docs/design/0077). Nothing changes where the environment
// variable GOMAXPROCS says how many there are.
func useThreads(env func(string) string) {
	if n := runtime.GOMAXPROCS(0); threads(n, env) != n {
		runtime.GOMAXPROCS(threads(n, env))
	}
}

// threads is how many threads are to run Go code at the same time, of a process that has so many processors.
func threads(processors int, env func(string) string) int {
	if processors == 2 && env("GOMAXPROCS") == "" {
		return 3
	}
	return processors
}
