package observe

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/translate"
)

// StoreRestored says that an object was seen in an older version than before: the API server's store was put back, as
// from a backup of etcd. Watches and the lists that make up for them never go back otherwise: client-go asks for none
// that is older than what it has. What this process knows may not be true any more, and it would take what the store
// says now for old. Only a process that starts anew knows what is true.
func (w *Observer) StoreRestored() bool { return w.storeRestored.Load() }

// compare notes when what is there under a name goes back in time: in one life, or from a later life to an earlier one
// or back again. An object that is made again is newer than the one that was deleted before.
func (g recoveringHandler) compare(before, after any) {
	_, was := version(before)
	if _, is := version(after); 0 < is && is < was {
		g.w.storeRestored.Store(true)
		g.w.queue.awake()
	}
}

// version is that of an object, and the life that it is of; 0 where it is no number, which says nothing.
func version(object any) (types.UID, uint64) {
	if p, ok := object.(*Pod); ok {
		return types.UID(p.fact.UID), p.fact.Version
	}
	o, ok := object.(metav1.Object)
	if !ok {
		return "", 0
	}
	return o.GetUID(), translate.Version(o.GetResourceVersion())
}
