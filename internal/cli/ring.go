//go:build !simulator

package cli

import (
	"fmt"
	"strconv"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/observe"
)

// checkRing reads from the environment whether this scheduler is one of several that share
// nodes and jobs by name, and gives it a lease of its own if it is.
func (s *scheduling) checkRing(env func(string) string) error {
	switch on := env(observe.RingEnable); on {
	case "true":
	case "", "false":
		return nil
	default:
		return s.object(fmt.Errorf("%s=%q: expected true or false", observe.RingEnable, on),
			"this scheduler shares with no other")
	}
	size, err := strconv.Atoi(env(observe.RingSize))
	if err != nil || size < 1 {
		err := fmt.Errorf("%s=%q: expected how many schedulers there are, 1 or more", observe.RingSize, env(observe.RingSize))
		if err := s.object(err, "1 is taken: the scheduler with the index 0 has everything"); err != nil {
			return err
		}
		size = 1
	}
	if s.Ring, err = observe.NewRing(env(observe.RingSelf), size); err != nil {
		err = fmt.Errorf("%s: %w", observe.RingSelf, err)
		if err := s.object(err, "this scheduler has no nodes and no jobs"); err != nil {
			return err
		}
	}
	klog.InfoS("Sharing nodes and jobs by name", "pod", s.Ring.Self, "index", s.Ring.Index(), "schedulers", s.Ring.Size)
	if i := s.Ring.Index(); i >= 0 && s.Ring.Shared() && s.Election != nil {
		s.election.Name += "-" + strconv.Itoa(i)
	}
	return nil
}
