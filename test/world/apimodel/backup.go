package apimodel

import "maps"

// Backup is all objects as they were at a time.
type Backup struct{ objects map[*Kind]map[string]*Stored }

// Backup is taken of the objects as they are now.
func (s *Server) Backup() Backup {
	b := Backup{objects: map[*Kind]map[string]*Stored{}}
	for k, st := range s.stores {
		b.objects[k] = maps.Clone(st.objects)
	}
	return b
}

// bump is by how much versions are raised by Restore, as etcd's documentation has it for clusters of Kubernetes: what
// clients have seen must not look newer than what comes.
const bump = 1_000_000

// Restore puts all objects back. The versions go on above all that were ever seen, and none of before can be read any
// more. All watches end. Wrote is not told: this is no write.
func (s *Server) Restore(b Backup) {
	s.version += bump
	s.compacted = s.version
	for k, st := range s.stores {
		*st = *newStore()
		for _, o := range b.objects[k] {
			st.put(o)
		}
	}
	s.watches = nil
}
