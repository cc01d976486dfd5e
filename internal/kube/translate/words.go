package translate

import (
	"hash/maphash"

	"ashlar.sh/sched/model"
)

// words are names that many objects repeat: of nodes, jobs, namespaces, schedulers. Every
// decoded object comes with copies of its own, which would be held for as long as it lives.
// A place holds the word that hashed to it last: pods of a job come together, so little is
// lost, and a cluster in which every name is another fills no more room.
type words struct {
	seed   maphash.Seed
	places []string
}

const placesOfWords = 1 << 14

// LongestWord is how many bytes a word may have to be shared: no name of Kubernetes is longer, but annotations from
// which names are read are as long as tenants write them.
const LongestWord = 256

// one returns a string equal to s, of all that are equal the same copy where it can.
func (w *words) one(s string) string {
	if s == "" || len(s) > LongestWord {
		return s
	}
	if w.places == nil {
		w.seed, w.places = maphash.MakeSeed(), make([]string, placesOfWords)
	}
	at := &w.places[maphash.String(w.seed, s)%placesOfWords]
	if *at != s {
		*at = s
	}
	return *at
}

// share replaces the words of a pod that others repeat by shared copies.
func (t *Specs) share(p *model.Pod) {
	if t == nil {
		return
	}
	for _, s := range [...]*string{&p.Namespace, &p.Scheduler, &p.Group, &p.Owner, &p.OwnerID, &p.Adopt.Queue, &p.Role,
		&p.Node, &p.PriorityClass} {
		*s = t.words.one(*s)
	}
}
