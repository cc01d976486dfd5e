package ledger

import "ashlar.sh/sched/model"

// Priorities holds the PriorityClasses and what they mean for pods.
type Priorities struct {
	l *Ledger

	classes map[string]*model.PriorityClass
	global  *model.PriorityClass
}
