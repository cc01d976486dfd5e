//go:build unix && !simulator

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// dumpSignals sends a value for every SIGUSR1 and SIGUSR2, until stop is called.
func dumpSignals() (asked <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1, syscall.SIGUSR2)
	return c, func() { signal.Stop(c) }
}
