package model

// Kind is the kind of a fact's object. Facts of kinds that the engine does not know (volumes, claims, storage
// classes) are passed to the PluginStates that read them.
type Kind string

// The kinds the engine itself reads.
const (
	KindNode          Kind = "Node"
	KindPod           Kind = "Pod"
	KindPodGroup      Kind = "PodGroup"
	KindQueue         Kind = "Queue"
	KindPriorityClass Kind = "PriorityClass"
	KindQuota         Kind = "ResourceQuota"
	KindBudget        Kind = "PodDisruptionBudget"
	KindHyperNode     Kind = "HyperNode"
	KindNamespace     Kind = "Namespace"
	KindNUMA          Kind = "Numatopology"
	KindService       Kind = "Service"
	KindBooking       Kind = "Booking"
	KindBackoff       Kind = "Backoff" // no kind of the API: see Backoff
)

// Ref names an object. A name may be used again; a UID identifies one life of it.
type Ref struct {
	Kind      Kind
	Namespace string // "" for objects without a namespace
	Name      string
}

// String returns Kind/namespace/name, or Kind/name without a namespace.
func (r Ref) String() string {
	if r.Namespace == "" {
		return string(r.Kind) + "/" + r.Name
	}
	return string(r.Kind) + "/" + r.Namespace + "/" + r.Name
}

// Fact is one observation. Of two facts about one Ref the one with the higher Version holds; of equal versions
// the later one.
type Fact struct {
	Ref     Ref
	UID     string
	Version uint64
	Object  Object // nil: the object is gone
}

// Object is the content of a fact: one of *Node, *Pod, *PodGroup, *Queue,
// *PriorityClass, *Quota, *Budget, *HyperNode, *Namespace, *NUMA, *Service,
// *Booking, *Backoff, *Opaque.
type Object interface {
	object()
	// Common returns what every object has. It may be read, and set before the object is passed on.
	Common() *Meta
}

// Meta is what every object has.
type Meta struct {
	Namespace, Name, UID string
	Created              int64 // nanoseconds since the epoch
	Faults               []Fault
}

// Common implements Object for all types that embed Meta.
func (m *Meta) Common() *Meta { return m }

// Fault says what is wrong with a field of an object. Fatal: no sensible value can be used instead, and the
// object is set aside. Otherwise Message says which value is used.
type Fault struct {
	Field   string // as in the manifest, e.g. spec.guarantee.resource.cpu
	Message string
	Fatal   bool
}

// SetAside returns the first fatal fault, and false when there is none.
func (m *Meta) SetAside() (Fault, bool) {
	for _, f := range m.Faults {
		if f.Fatal {
			return f, true
		}
	}
	return Fault{}, false
}

// Opaque is an object that only a PluginState understands: a volume, a claim, a storage class. The engine does
// not read Content, which must not change.
type Opaque struct {
	Meta
	Content any
}

func (*Node) object()          {}
func (*Pod) object()           {}
func (*PodGroup) object()      {}
func (*Queue) object()         {}
func (*PriorityClass) object() {}
func (*Quota) object()         {}
func (*Budget) object()        {}
func (*HyperNode) object()     {}
func (*Namespace) object()     {}
func (*NUMA) object()          {}
func (*Service) object()       {}
func (*Booking) object()       {}
func (*Backoff) object()       {}
func (*Opaque) object()        {}
