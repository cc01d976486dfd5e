package model

// HostnameKey is the label that gives every node a domain of its own.
const HostnameKey = "kubernetes.io/hostname"

// Neighbours is what a pod asks of the pods around it: affinity and anti-affinity between pods, and topology
// spread constraints. A topology key divides the nodes into domains, the nodes with one value of that label.
// The lists are in a canonical order, whatever their order in the pod.
type Neighbours struct {
	With   []Near // required affinity: in each key's domain is a pod that all the terms match
	Apart  []Near // required anti-affinity: no pod that a term matches is in its domain
	Prefer []Near // preferred, with weights
	Spread []Spread
}

// Near is an affinity term between pods: a PodSelector and a topology key.
type Near struct {
	Key    string
	Pods   PodSelector `json:"Crowd"`
	Weight int32       // of Prefer: 1 to 100, negative for anti-affinity; otherwise 0
}

// Spread is a topology spread constraint.
type Spread struct {
	Key        string
	Pods       PodSelector `json:"Crowd"`
	MaxSkew    int32       // at least 1
	MinDomains int32       // 0: not set, which counts as 1
	Soft       bool        // whenUnsatisfiable: ScheduleAnyway
	Everywhere bool        // nodeAffinityPolicy: Ignore: nodes that the pod's node affinity excludes count too
	Untainted  bool        // nodeTaintsPolicy: Honor: nodes with a taint it does not tolerate do not count
}

// PodSelector selects pods: those of some namespaces that a label selector matches.
type PodSelector struct {
	Namespaces []string      // sorted, by name
	InSuch     []Requirement // with ByLabels: it also selects namespaces that these match
	ByLabels   bool          // a namespaceSelector is set; without requirements it matches every namespace
	Selector   []Requirement // on labels of pods; none: every pod
	// MatchesNothing: no labelSelector is set, and no pod is selected. Saved states keep the former name.
	MatchesNothing bool `json:"Nobody"`
}

// Namespace is a namespace with its labels.
type Namespace struct {
	Meta
	Labels []Label // sorted by key, kubernetes.io/metadata.name included
}

// NamespaceNameLabel is the label that every namespace has: its name.
const NamespaceNameLabel = "kubernetes.io/metadata.name"

// Neighbours writes what a pod asks of the pods around it; nothing without any.
func (f *Form) Neighbours(n *Neighbours) {
	if n == nil {
		return
	}
	for _, list := range [...][]Near{n.With, n.Apart, n.Prefer} {
		f.Part()
		for i := range list {
			f.Number(int64(list[i].Weight))
			f.Text(list[i].Key)
			f.PodSelector(&list[i].Pods)
		}
	}
	f.Part()
	for i := range n.Spread {
		s := &n.Spread[i]
		f.Text(s.Key)
		f.Number(int64(s.MaxSkew))
		f.Number(int64(s.MinDomains))
		f.yes(s.Soft, s.Everywhere, s.Untainted)
		f.PodSelector(&s.Pods)
	}
}

// PodSelector writes a PodSelector.
func (f *Form) PodSelector(c *PodSelector) {
	f.Number(int64(len(c.Namespaces)))
	f.Text(c.Namespaces...)
	f.yes(c.ByLabels, c.MatchesNothing)
	f.Terms([]Term{{All: c.InSuch}, {All: c.Selector}})
}

func (f *Form) yes(flags ...bool) {
	for _, x := range flags {
		if x {
			f.Number(1)
		} else {
			f.Number(0)
		}
	}
}
