// Command ashlar is the one binary: wired here, described in internal/cli.
package main

import (
	"os"

	"ashlar.sh/internal/cli"
)

func main() { os.Exit(cli.OS().Run()) }
