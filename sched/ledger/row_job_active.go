package ledger

import "ashlar.sh/sched/model"

// Wants says that something is left to decide for a job: it is one of Active.
func (js *Jobs) Wants(j JobID) bool { return js.places[j] >= 0 }

// wants says that something is left to decide for a job: members to place, or its admission.
func (j *Job) wants() bool {
	return j.By[model.Pending] > 0 || j.By[model.Pipelined] > 0 || j.By[model.Allocated] > 0 ||
		j.Exists() && j.AwaitsAdmission()
}

// activate puts a job on the list of jobs with something left to decide, or takes it off.
func (js *Jobs) activate(j JobID) {
	switch want := js.rows[j].wants(); {
	case want && js.places[j] < 0:
		js.places[j] = int32(len(js.active))
		js.active = append(js.active, j)
	case !want:
		js.deactivate(j)
	}
}

func (js *Jobs) deactivate(j JobID) {
	at := js.places[j]
	if at < 0 {
		return
	}
	last := js.active[len(js.active)-1]
	js.active[at] = last
	js.places[last] = at
	js.active = js.active[:len(js.active)-1]
	js.places[j] = -1
}

// AnyPending says that some job has a pending member without a scheduling gate.
func (js *Jobs) AnyPending() bool {
	for _, j := range js.active { // order-free: any will do
		if js.rows[j].By[model.Pending] > js.rows[j].Gated {
			return true
		}
	}
	return false
}

// Active lists the jobs of all queues with something left to decide: members to place, or their admission. Decisions
// must not depend on the order. The slice is valid until the next change.
func (js *Jobs) Active() []JobID { return js.active }
