package manifest

import "go.yaml.in/yaml/v3"

// nodes are the nodes of one tree at a time, kept in pieces that the next tree takes over:
// a tree is read, decoded and forgotten.
type nodes struct {
	slab    []yaml.Node
	used    int
	content []*yaml.Node // what nodes consist of
	open    []*yaml.Node // of nodes that are being read
}

// forget ends the life of all nodes.
func (a *nodes) forget() {
	a.used, a.content, a.open = 0, a.content[:0], a.open[:0]
}

// add is a new node.
func (a *nodes) add(kind yaml.Kind, tag, value string, line int) *yaml.Node {
	if a.used == len(a.slab) {
		a.slab, a.used = make([]yaml.Node, max(64, 2*len(a.slab))), 0 // those before live on in the tree
	}
	n := &a.slab[a.used]
	a.used++
	*n = yaml.Node{Kind: kind, Tag: tag, Value: value, Line: line}
	return n
}

// push adds to what the innermost open node consists of.
func (a *nodes) push(n *yaml.Node) { a.open = append(a.open, n) }

// mark is where the content of a node that is opened now begins.
func (a *nodes) mark() int { return len(a.open) }

// since closes a node: what was pushed since its mark is its content.
func (a *nodes) since(mark int) []*yaml.Node {
	n := len(a.open) - mark
	if n == 0 {
		return nil
	}
	if cap(a.content)-len(a.content) < n {
		a.content = make([]*yaml.Node, 0, max(64, 2*cap(a.content), n))
	}
	begin := len(a.content)
	a.content = append(a.content, a.open[mark:]...)
	a.open = a.open[:mark]
	return a.content[begin : begin+n : begin+n]
}
