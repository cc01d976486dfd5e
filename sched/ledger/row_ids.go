package ledger

// Row numbers. They are reused when a row is freed.
type (
	NodeID  int32
	TaskID  int32
	JobID   int32
	QueueID int32
	ClassID int32
)

// No row.
const (
	NoNode  NodeID  = -1
	NoTask  TaskID  = -1
	NoJob   JobID   = -1
	NoQueue QueueID = -1
	NoClass ClassID = -1
)
