package persisted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ashlar.sh/sched/model"
)

// ChargeCondition is the type of the condition in a pod's status that has the record of where the pod was let run as
// its message. A status has rights of its own: the right to write pods does not include it.
const ChargeCondition = "ashlar.sh/LetRun"

// longestCharge bounds what is read and written of such a record. A name has 253 bytes at
// most; the UID of an owner, as a pod's author writes it, has no bound.
const longestCharge = 1 << 16

// charge is the message: the queue, and the PodGroup or the name and owner of an adopted job.
type charge struct {
	Queue    string `json:"queue"`
	PodGroup string `json:"podGroup,omitempty"`
	Name     string `json:"name,omitempty"`
	Owner    string `json:"owner,omitempty"`
}

// ChargeText is the condition's message. An error says that it is too long to be kept.
func ChargeText(r model.Charge) (string, error) {
	out := charge{Queue: r.Queue, PodGroup: r.Job}
	if r.Adopted {
		out = charge{Queue: r.Queue, Name: r.Job, Owner: r.Owner}
	}
	text, _ := json.Marshal(out) // plain data
	if len(text) > longestCharge {
		return "", fmt.Errorf("it has %d bytes, more than %d", len(text), longestCharge)
	}
	return string(text), nil
}

// ReadCharge reads such a message. An error says that it is none that this version
// understands: it says nothing then.
func ReadCharge(text string) (model.Charge, error) {
	if len(text) > longestCharge {
		return model.Charge{}, fmt.Errorf("it has %d bytes, more than %d", len(text), longestCharge)
	}
	var r charge
	d := json.NewDecoder(bytes.NewBufferString(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return model.Charge{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return model.Charge{}, errors.New("something follows the record")
	}
	if r.Queue == "" || (r.PodGroup == "") == (r.Name == "") || r.PodGroup != "" && r.Owner != "" {
		return model.Charge{}, errors.New("it names no queue, or not one job")
	}
	if r.PodGroup != "" {
		return model.Charge{Queue: r.Queue, Job: r.PodGroup}, nil
	}
	return model.Charge{Queue: r.Queue, Job: r.Name, Adopted: true, Owner: r.Owner}, nil
}

// withoutHad is the condition's reason where it is not known which minimums the pod's job had.
const withoutHad = "QueueKept"

// HadReason is the condition's reason: the minimums that the pod's job, its role and its sub-group had. They are not in
// the message, which earlier versions do not read with a field that they do not know.
func HadReason(h model.Had) string {
	if !h.Known {
		return withoutHad
	}
	return fmt.Sprintf("MinMember%d.Task%d.SubGroup%d", h.Job, h.Role, h.Sub)
}

// ReadHad reads such a reason. What is none says nothing.
func ReadHad(reason string) model.Had {
	h := model.Had{Known: true}
	_, err := fmt.Sscanf(reason, "MinMember%d.Task%d.SubGroup%d", &h.Job, &h.Role, &h.Sub)
	if err != nil || h.Job < 0 || h.Role < 0 || h.Sub < 0 || HadReason(h) != reason {
		return model.Had{}
	}
	return h
}
