package model

// Backoff is a pause before pods of a job are bound again, because the API server refused
// to bind one when it was last asked. No object of the API is one: who carries plans out
// tells of it.
type Backoff struct {
	Meta    // Namespace and Name are the job's, UID is its PodGroup's, "" for an adopted one
	Adopted bool
	OwnerID string // whose an adopted one is, as of its pods

	NotBefore int64 // in nanoseconds since the epoch
	// Pods are the UIDs of those that pause, sorted, while their job goes on; none: the whole
	// job pauses.
	Pods []string

	Tries  int32  // how often binding was refused, one after the other
	Pod    string // namespace/name of the pod that was refused last
	Answer string // what the API server said
}

// Ref is the name of the fact. A PodGroup and adopted jobs may share theirs.
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
