package model

// Status is the status of a task (seed 004, "TaskStatusIndex").
type Status uint8

// The statuses of a task. Allocated and Pipelined exist within a cycle only.
const (
	Pending   Status = iota // waits to be placed
	Allocated               // has room, its bind is not in the plan yet
	Pipelined               // waits for room that tasks on a node are leaving
	Binding                 // its bind is under way
	Bound                   // bound, not yet running
	Running
	Releasing // terminating; holds its room until it is gone
	Succeeded
	Failed
	Unknown
	NumStatus // the number of statuses
)

var statusNames = [NumStatus]string{"Pending", "Allocated", "Pipelined", "Binding", "Bound", "Running",
	"Releasing", "Succeeded", "Failed", "Unknown"}

// String returns the status as Volcano spells it.
func (s Status) String() string { return statusNames[s] }

// Holds says that a task in this status holds room on a node and counts in its
// queue's allocated.
func (s Status) Holds() bool {
	return s == Allocated || s == Binding || s == Bound || s == Running || s == Unknown
}

// Ready says that a task in this status counts for its gang's minimum. Succeeded
// counts, as in Volcano.
func (s Status) Ready() bool {
	return s == Allocated || s == Binding || s == Bound || s == Running || s == Succeeded
}

// Finished says that a task in this status will never hold room again.
func (s Status) Finished() bool { return s == Succeeded || s == Failed }
