// Package heap says for tests what the heap holds: what is remembered of objects that are gone has to be bounded.
package heap

import "runtime"

// InUse is how many bytes of the heap are referred to.
func InUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
