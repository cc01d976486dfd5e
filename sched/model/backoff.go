package model

// Backoff is a pause before pods of a job are bound again, because the API server refused to bind one of them.
// It is no object of the API: the code that carries out plans makes it.
type Backoff struct {
	Meta    // Namespace and Name are the job's, UID is its PodGroup's, "" for an adopted one
	Adopted bool
	OwnerID string // the owner of an adopted job, as in its pods

	NotBefore int64 // in nanoseconds since the epoch
	// Pods are the UIDs of the pods that are in it, sorted, while the rest of the job goes on; none: the whole job
	// is.
	Pods []string

	Tries  int32  // how often binding was refused, one after the other
	Pod    string // namespace/name of the pod that was refused last
	Answer string // the API server's answer
}

// Ref is the name of the fact. A PodGroup and adopted jobs may have equal ones.
func (b *Backoff) Ref() Ref {
	name := b.Name
	if b.Adopted {
		name = "adopted:" + name
	}
	if b.OwnerID != "" {
		name += "/" + b.OwnerID
	}
	return Ref{Kind: KindBackoff, Namespace: b.Namespace, Name: name}
}
