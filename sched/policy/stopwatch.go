package policy

// Part is a part of a cycle whose time is worth knowing.
type Part string

// The parts. They do not overlap.
const (
	PartPlugin Part = "plugin" // a plugin derives what stands still for the cycle
	PartAction Part = "action" // an action, with its statements made commitments
)

// Stopwatch is told when parts of a cycle begin and end, by name. The core has no clock:
// who wants to know how long they take brings this. It is never asked anything, so it
// makes no difference to what is decided.
type Stopwatch interface {
	Begin(p Part, name string)
	End()
}

// NoStopwatch is one that nobody looks at.
type NoStopwatch struct{}

// Begin implements Stopwatch.
func (NoStopwatch) Begin(Part, string) {}

// End implements Stopwatch.
func (NoStopwatch) End() {}
