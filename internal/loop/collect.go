package loop

import (
	"os"
	"runtime/debug"
)

// unhurried is the GOGC that a scheduler runs with: what it reads and writes for each pod is
// garbage a moment later, and an eighth less CPU is worth half as much memory again. GOMEMLIMIT
// bounds it (deploy/ sets one).
const unhurried = 200

// LowPriority has the garbage collector of this process wait longer, unless GOGC says how long.
func LowPriority() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(unhurried)
	}
}
