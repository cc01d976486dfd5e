//go:build !simulator

package cli

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

// The least that recordings may take where they are wanted: less holds no cycle of a real cluster.
const leastRecording = 1 << 20

// checkRecording reads how much recordings may take. The flags are ours: what is wrong with them is an error under
// every name.
func (s *scheduling) checkRecording() (err error) {
	if s.Recording.Memory, err = bytesOf("--recording-memory", s.memory); err != nil {
		return err
	}
	if s.Recording.Memory == 0 {
		s.Recording.Memory = -1
	}
	if s.Recording.Disk, err = bytesOf("--recording-disk", s.disk); err != nil {
		return err
	}
	if s.Recording.Dir != "" && (s.Recording.Memory < 0 || s.Recording.Disk == 0) {
		return fmt.Errorf("--recording-dir %s: nothing is written there with --recording-memory or --recording-disk 0",
			s.Recording.Dir)
	}
	return nil
}

func bytesOf(flag, text string) (int64, error) {
	q, err := resource.ParseQuantity(text)
	bytes := q.Value()
	if err != nil || bytes != 0 && bytes < leastRecording {
		return 0, fmt.Errorf("%s %q: expected a quantity such as 64Mi, at least 1Mi, or 0", flag, text)
	}
	return bytes, nil
}
