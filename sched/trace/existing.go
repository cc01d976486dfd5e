package trace

// Existing is what a cluster has of a job that a file names, and what changes when the file is applied.
type Existing struct {
	Kind                 string // of the pods' owner and its group, as Deployment.apps; else PodGroup or Pod
	Pods, Running, Ended int    // before the file is applied
	Come, Go             int    // pods that are made and that are deleted
	Over                 bool   // all its pods have ended, and it is not run again
	Edits                []Edit
	Later                int // pods that stay as they are until their controller replaces them
}

// Refused says that an edit would be refused: then nothing of the job changes.
func (e *Existing) Refused() bool {
	for _, edit := range e.Edits {
		if edit.Refused {
			return true
		}
	}
	return false
}

// Edit is what a file says of a job otherwise than the cluster has it.
type Edit struct {
	Field    EditField
	Name     string // of a resource, a label or a task
	Old, New string // of texts
	Was, Is  int64  // of amounts
	Refused  bool   // objects of this kind cannot be changed so
}

// EditField is what is changed.
type EditField uint8

// What a file may say otherwise.
const (
	EditMinMember EditField = iota
	EditTaskMember
	EditQueue
	EditPriorityClass
	EditTopology
	EditTask
	EditRequest
	EditSelector
	EditToleration
	EditAffinity
	EditNeighbours
	EditClaims
	EditScheduler
)
