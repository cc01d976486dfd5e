package ledger

// Tasks holds the rows of tasks, by pod.
type Tasks struct {
	l *Ledger

	rows        []Task
	free        []TaskID
	byKey       byKey[TaskID]
	none        *Commitment  // the commitment of every task that has none
	commitments []Commitment // memory for commitments to come; rows point into it
}
