//go:build !unix && !simulator

package cli

import "os"

// dumpSignals sends nothing: there are no such signals here.
func dumpSignals() (asked <-chan os.Signal, stop func()) { return nil, func() {} }
