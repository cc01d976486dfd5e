package apimodel

import (
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Stored is an object in one version. It is not to be changed.
type Stored struct {
	Object  map[string]any
	Version int64
	// incomplete: the real server stores it without what it fills in as it reads it, or with what is empty and left out
	// then, and the next write stores what was read.
	incomplete bool

	name   string // of the key
	json   []byte
	heads  []byte
	binary Protobuf
}

// JSON is the object as it is sent.
func (o *Stored) JSON() json.RawMessage {
	if o.json == nil {
		o.json, _ = json.Marshal(o.Object) // plain data
	}
	return o.json
}

// Meta reads the object's metadata, and anything else of it.
func (o *Stored) Meta() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: o.Object}
}

// Heads is its metadata as that is sent.
func (o *Stored) Heads() json.RawMessage {
	if o.heads == nil {
		o.heads, _ = json.Marshal(map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
			"metadata": o.Object["metadata"]}) // plain data
	}
	return o.heads
}

func (o *Stored) key() string { return o.name }

// stored is an object as it is kept.
func stored(object map[string]any, version int64) *Stored {
	m := &unstructured.Unstructured{Object: object}
	return &Stored{Object: object, Version: version, name: keyOf(m.GetNamespace(), m.GetName())}
}

// keyOf orders objects as the API server's store does.
func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// change is one write in the history of a kind.
type change struct {
	version       int64
	before, after *Stored
	at            *Stored // what a watch shows: after, or the last state with the version of the removal
}

// store is the objects of a kind, and what happened to them.
type store struct {
	objects map[string]*Stored
	ordered []*Stored // the same by key
	history []change  // in order; those before the compaction are dropped
}

func newStore() *store { return &store{objects: map[string]*Stored{}} }

// put stores an object in the place of one of that key.
func (st *store) put(o *Stored) {
	at, has := st.find(o.key())
	if has {
		st.ordered[at] = o
	} else {
		st.ordered = slices.Insert(st.ordered, at, o)
	}
	st.objects[o.key()] = o
}

func (st *store) remove(key string) {
	if at, has := st.find(key); has {
		st.ordered = slices.Delete(st.ordered, at, at+1)
	}
	delete(st.objects, key)
}

func (st *store) find(key string) (int, bool) {
	return slices.BinarySearchFunc(st.ordered, key, func(o *Stored, key string) int {
		return strings.Compare(o.key(), key)
	})
}

func (st *store) get(namespace, name string) *Stored { return st.objects[keyOf(namespace, name)] }

// at is all objects as they were at a version, by key.
func (st *store) at(version int64) []*Stored {
	n := len(st.history)
	if n == 0 || st.history[n-1].version <= version {
		return slices.Clone(st.ordered)
	}
	then := maps.Clone(st.objects)
	for i := n - 1; i >= 0 && st.history[i].version > version; i-- {
		if c := st.history[i]; c.before == nil {
			delete(then, c.after.key())
		} else {
			then[c.before.key()] = c.before
		}
	}
	keys := slices.Sorted(maps.Keys(then))
	out := make([]*Stored, len(keys))
	for i, k := range keys {
		out[i] = then[k]
	}
	return out
}

// since are the changes after a version.
func (st *store) since(version int64) []change {
	i := sort.Search(len(st.history), func(i int) bool { return st.history[i].version > version })
	return st.history[i:]
}

// write stores an object that takes the place of another, either of which may be nil, and tells the watches. For a
// request that is only tried it stores nothing, and returns what it would have stored.
func (s *Server) write(c *call, before *Stored, after map[string]any) (*Stored, error) {
	w := Write{Client: c.Client, Request: c.Request, Kind: c.kind, Before: before}
	s.version++
	version := strconv.FormatInt(s.version, 10)
	at := after
	if after == nil {
		at = copied(before.Object)
	}
	object := &unstructured.Unstructured{Object: at}
	was := object.GetResourceVersion()
	object.SetResourceVersion(version)
	stored := stored(at, s.version)
	if after != nil {
		w.After = stored
		stored.incomplete = c.emptied != nil || before == nil && c.kind.Resource == "persistentvolumeclaims" // by its phase
	}
	var refusal *metav1.Status
	if s.Admit != nil {
		refusal = s.Admit(w)
	}
	if refusal != nil || c.dry {
		s.version--
	}
	switch {
	case refusal != nil:
		return nil, statusError(*refusal)
	case c.dry && before == nil:
		object.SetResourceVersion(was)
		return stored, nil
	case c.dry:
		object.SetResourceVersion(before.Meta().GetResourceVersion())
		return stored, nil
	}
	st := s.stores[c.kind]
	if after == nil {
		st.remove(before.key())
	} else {
		st.put(stored)
	}
	done := change{s.version, before, w.After, stored}
	st.history = append(st.history, done)
	for _, watch := range s.watches {
		if watch.kind == c.kind {
			watch.see(done)
		}
	}
	if s.Wrote != nil {
		s.Wrote(w)
	}
	return stored, nil
}

// Compact forgets what was before a version: lists as of then, and watches that would have to show it, are answered
// with 410.
func (s *Server) Compact(version int64) {
	s.compacted = max(s.compacted, min(version, s.version))
	for _, st := range s.stores {
		st.history = slices.Clone(st.since(s.compacted - 1))
	}
}

// Get is an object as it is now, nil if there is none.
func (s *Server) Get(k *Kind, namespace, name string) *Stored {
	return s.stores[k].get(namespace, name)
}

// List is all objects of a kind as they are now, by key.
func (s *Server) List(k *Kind) []*Stored { return s.stores[k].at(s.version) }

// copied is a copy of plain data.
func copied(o map[string]any) map[string]any {
	return (&unstructured.Unstructured{Object: o}).DeepCopy().Object
}
