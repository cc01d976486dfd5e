package ledger

import "cmp"

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

// Key names a pod or a PodGroup.
type Key struct{ Namespace, Name string }

// String returns namespace/name.
func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Compare is a total order, by namespace, then name: it is negative where k comes first.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Namespace, o.Namespace), cmp.Compare(k.Name, o.Name))
}
