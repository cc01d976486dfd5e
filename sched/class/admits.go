package class

import "ashlar.sh/sched/ledger"

// Admitted is the static filters' answer for a class by NodeID: which nodes could take its
// tasks whatever happens to the tasks on them. It is good until the next question.
func (x *Index) Admitted(c ledger.ClassID) []bool { return x.fresh(c).admits }
