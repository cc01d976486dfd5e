package translate

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// template is a hash of what a pod runs and asks for: of each container the image without its tag, the command and its
// arguments without digits, and the requests. So runs of one program that differ in a version, a date or a number are
// of one template, and those with another number of GPUs are
// not. Names do not count: many are made up for each run. 0: it has no containers.
func template(p *corev1.Pod) uint64 {
	if len(p.Spec.Containers)+len(p.Spec.InitContainers) == 0 {
		return 0
	}
	h := newHash()
	for _, list := range [...][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		h.end()
		for i := range list {
			c := &list[i]
			h.text(untagged(c.Image))
			for _, words := range [...][]string{c.Command, c.Args} {
				h.end()
				for _, word := range words {
					h.withoutDigits(word)
				}
			}
			h.requests(c.Resources)
		}
	}
	if p.Spec.Resources != nil {
		h.requests(*p.Spec.Resources)
	}
	return max(1, uint64(h))
}

// untagged is the name of an image without its tag and digest.
func untagged(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if at := strings.LastIndexByte(image, ':'); at > strings.LastIndexByte(image, '/') {
		return image[:at]
	}
	return image
}

// hash is FNV-1a, of 64 bits: the same in each process, since what it tells apart is kept over restarts.
type hash uint64

const fnvPrime = 1099511628211

func newHash() hash { return 14695981039346656037 }

func (h *hash) byte(b byte) { *h = (*h ^ hash(b)) * fnvPrime }

func (h *hash) end() { h.byte(0xff) }

func (h *hash) text(s string) {
	for i := range len(s) {
		h.byte(s[i])
	}
	h.end()
}

func (h *hash) withoutDigits(s string) {
	for i := range len(s) {
		if b := s[i]; b < '0' || b > '9' {
			h.byte(b)
		}
	}
	h.end()
}

// requests adds what is asked for, by name; a limit without a request is a request, as for the API server.
func (h *hash) requests(r corev1.ResourceRequirements) {
	type ask struct {
		name  corev1.ResourceName
		milli int64
	}
	var asks []ask
	for name, q := range r.Requests {
		asks = append(asks, ask{name, q.MilliValue()})
	}
	for name, q := range r.Limits {
		if _, asked := r.Requests[name]; !asked {
			asks = append(asks, ask{name, q.MilliValue()})
		}
	}
	slices.SortFunc(asks, func(a, b ask) int { return cmp.Compare(a.name, b.name) })
	for _, a := range asks {
		h.text(string(a.name))
		for v := uint64(a.milli); v != 0; v >>= 8 {
			h.byte(byte(v))
		}
		h.end()
	}
	h.end()
}

// ended is when the last container of a pod that has finished ended, in nanoseconds since the epoch; 0: not known.
func ended(p *corev1.Pod) (at int64) {
	if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
		return 0
	}
	for i := range p.Status.ContainerStatuses {
		if t := p.Status.ContainerStatuses[i].State.Terminated; t != nil && !t.FinishedAt.IsZero() {
			at = max(at, instant(t.FinishedAt.Time))
		}
	}
	return at
}
