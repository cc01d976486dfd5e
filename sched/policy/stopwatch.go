package policy

// Part is a part of a cycle whose time is measured.
type Part string

// The parts. They do not overlap.
const (
	PartPlugin Part = "plugin" // a plugin derives what stays unchanged for the cycle
	PartAction Part = "action" // an action, and making its statements commitments
)

// Stopwatch is called when parts of a cycle begin and end, with their names. The core has no clock, so
// a caller that measures time brings this. It returns nothing, so it changes no decision.
type Stopwatch interface {
	Begin(p Part, name string)
	End()
}

// NoStopwatch measures nothing.
type NoStopwatch struct{}

// Begin implements Stopwatch.
func (NoStopwatch) Begin(Part, string) {}

// End implements Stopwatch.
func (NoStopwatch) End() {}
