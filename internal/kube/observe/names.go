package observe

import (
	"strings"
	"sync"
)

// names shares names that many objects repeat, for several goroutines.
type names struct {
	mu    sync.Mutex
	known map[string]string
}

// mostNamesKept bounds the names that are shared; beyond it sharing begins anew.
const mostNamesKept = 1 << 15

// imageNames are those of images: every node lists them, and most list the same.
var imageNames names

// one returns the copy of a name that all share, which holds nothing else in memory.
func (n *names) one(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if known, is := n.known[name]; is {
		return known
	}
	if n.known == nil || len(n.known) >= mostNamesKept {
		n.known = map[string]string{}
	}
	name = strings.Clone(name)
	n.known[name] = name
	return name
}
