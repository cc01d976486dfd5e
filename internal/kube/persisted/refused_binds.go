// Package persisted is what the scheduler keeps on objects for one that starts later: in an annotation of a PodGroup
// the bindings that the API server refused (RefusedBinds), so that the backoffs between tries go on, and so that it is
// known of a gang that it never had its minimum; in a condition of a pod what it is charged to (charge.go); and the
// annotations that ask and tell when a waiting job starts (Start).
//
// The claim that a gang never had its minimum is the only leave there is to take a gang apart, so it is made
// to fail in doubt. It holds for one life of the PodGroup, one minimum, and exactly the pods that it
// was made about: the digest of those that were bound and of those that waited. A pod that
// is bound stays so until it is deleted, so while both digests hold no member has been
// bound since. What cannot be read, or has a field that this version does not know, says
// nothing.
//
// It reads and writes text; what follows from it is decided elsewhere.
package persisted

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// RefusedBindsKey is the annotation.
const RefusedBindsKey = "ashlar.sh/refused-binds"

// longest bounds what is read and what of an answer is kept.
const (
	longest       = 4096
	longestAnswer = 512
)

// RefusedBinds is what is kept of one PodGroup.
type RefusedBinds struct {
	UID        string         `json:"uid"`                  // of the PodGroup: another of its name has not written it
	Controller string         `json:"controller,omitempty"` // UID of the controller of the pod that was refused last
	Tries      int32          `json:"tries"`                // refusals one after the other
	Next       time.Time      `json:"next"`                 // no try before
	Pod        string         `json:"pod"`                  // the name of the one that was refused last
	Answer     string         `json:"answer"`
	Never      *NeverComplete `json:"neverComplete,omitempty"` // nil: nothing is claimed
}

// NeverComplete claims that a gang of which some members are bound has never had its minimum.
type NeverComplete struct {
	MinMember int32  `json:"minMember"`
	Bound     string `json:"bound"`   // Digest of the members that were bound
	Waiting   string `json:"waiting"` // … and of those that were not
	// Unknown says that the phase of that name, which a gang has while some of its members run
	// and others do not, was written by this scheduler, and does not show that it ran.
	Unknown bool `json:"unknown,omitempty"`
}

// Text is the annotation's value.
func (r RefusedBinds) Text() string {
	if len(r.Answer) > longestAnswer {
		r.Answer = r.Answer[:longestAnswer]
	}
	r.Next = r.Next.UTC().Truncate(time.Second)
	text, _ := json.Marshal(r) // plain data
	return string(text)
}

// ReadRefusedBinds reads an annotation's value. An error says that it is no record that this version
// understands: it says nothing then.
func ReadRefusedBinds(text string) (RefusedBinds, error) {
	if len(text) > longest {
		return RefusedBinds{}, fmt.Errorf("it has %d bytes, more than %d", len(text), longest)
	}
	var r RefusedBinds
	d := json.NewDecoder(bytes.NewBufferString(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return RefusedBinds{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return RefusedBinds{}, errors.New("something follows the record")
	}
	if r.UID == "" || r.Tries < 1 || r.Next.IsZero() {
		return RefusedBinds{}, errors.New("it names no PodGroup, no tries or no time")
	}
	return r, nil
}

// Holds says that a claim is about just these members of a gang with that minimum.
func (n *NeverComplete) Holds(minMember int32, bound, waiting []string) bool {
	return n != nil && len(bound) > 0 && n.MinMember == minMember && n.Bound == Digest(bound) &&
		n.Waiting == Digest(waiting)
}

// Digest stands for a set of UIDs.
func Digest(uids []string) string {
	sorted := slices.Clone(uids)
	slices.Sort(sorted)
	h := sha256.New()
	for _, uid := range sorted {
		fmt.Fprintf(h, "%d:%s", len(uid), uid)
	}
	return hex.EncodeToString(h.Sum(nil))
}
