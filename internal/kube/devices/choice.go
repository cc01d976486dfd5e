package devices

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/sched/ledger"
)

// Name is the book's, by which its choices travel.
const Name = "devices"

// Writes has what Kubernetes' PreBind writes to the API before a pod is bound. Each of the pod's claims is named once,
// in the order of its spec.
type Writes struct {
	Claims []Write `json:"claims,omitempty"`
	// Left are special claims that were made for the pod before: they are deleted first.
	Left []Claimed `json:"left,omitempty"`
	// Unsaid: the pod's status names a special claim, and it is to have none.
	Unsaid bool `json:"unsaid,omitempty"`
	// Refused says why there is nothing to choose, where no filter was asked: the pod must not be bound.
	Refused string `json:"refused,omitempty"`
}

// Claimed is one life of a claim in the pod's namespace.
type Claimed struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// Write reserves a claim for the pod, and gives it devices where it has none yet.
type Write struct {
	Claim string `json:"claim"` // namespace/name
	UID   string `json:"uid,omitempty"`
	// Had is Digest of what the claim had when this was chosen. What it has when it is written
	// must be that, nothing, or what is to be written.
	Had string `json:"had,omitempty"`
	// Allocation is a resourcev1.AllocationResult for status.allocation; none: the claim
	// has one already.
	Allocation json.RawMessage `json:"allocation,omitempty"`
	// Special: the claim does not exist yet, and has another name once it is made. nil: it does.
	Special *Special `json:"special,omitempty"`
}

// WritesOf reads the choice of a plan item or a commitment; the zero Writes when there is
// nothing to write. An error says that the text is not one of this book's.
func WritesOf(c ledger.Chosen) (Writes, error) {
	var w Writes
	text := c.Of(Name)
	if text == "" {
		return w, nil
	}
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return Writes{}, fmt.Errorf("choice of %s: %w", Name, err)
	}
	return w, nil
}

// Any says that there is something to see to before the pod is bound.
func (w Writes) Any() bool {
	return len(w.Claims) > 0 || len(w.Left) > 0 || w.Unsaid || w.Refused != ""
}

// text is the inverse of WritesOf: "" for nothing.
func (w Writes) text() string {
	if !w.Any() {
		return ""
	}
	out, err := json.Marshal(w)
	if err != nil {
		return ""
	}
	return string(out)
}

// Digest is equal for allocations of the same devices that the same nodes reach; "" for none.
func Digest(a *resourcev1.AllocationResult) string {
	if a == nil {
		return ""
	}
	h := sha256.New()
	for _, r := range a.Devices.Results {
		share := ""
		if r.ShareID != nil {
			share = string(*r.ShareID)
		}
		fmt.Fprintf(h, "%q %q %q %q %q\n", r.Request, r.Driver, r.Pool, r.Device, share)
	}
	reach, err := json.Marshal(a.NodeSelector)
	if err != nil {
		reach = []byte(err.Error())
	}
	h.Write(reach)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Allocated reads the devices of a write; nil where the claim has its own.
func (w Write) Allocated() (*resourcev1.AllocationResult, error) {
	if len(w.Allocation) == 0 {
		return nil, nil
	}
	out := &resourcev1.AllocationResult{}
	if err := json.Unmarshal(w.Allocation, out); err != nil {
		return nil, fmt.Errorf("devices chosen for claim %s: %w", w.Claim, err)
	}
	return out, nil
}
