package ledger

// byKey finds rows by namespace and name. It has a table for each namespace, so that entries need not repeat
// the namespace, a third of their size: there are few namespaces and many names.
type byKey[ID TaskID | JobID] map[string]map[string]ID

func (b byKey[ID]) find(namespace, name string) (ID, bool) {
	id, ok := b[namespace][name]
	return id, ok
}

func (b byKey[ID]) put(namespace, name string, id ID) {
	names := b[namespace]
	if names == nil {
		names = map[string]ID{}
		b[namespace] = names
	}
	names[name] = id
}

func (b byKey[ID]) drop(namespace, name string) {
	names := b[namespace]
	if delete(names, name); len(names) == 0 {
		delete(b, namespace)
	}
}
