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

// newRow returns the number of a free row, or of one that it appends.
func newRow[Row any, ID ~int32](rows *[]Row, free *[]ID) ID {
	if n := len(*free); n > 0 {
		id := (*free)[n-1]
		*free = (*free)[:n-1]
		return id
	}
	var none Row
	*rows = append(*rows, none)
	return ID(len(*rows) - 1)
}
