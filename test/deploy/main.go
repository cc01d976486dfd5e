// Command deploy writes what in the folder deploy/ is made from something else: the CRDs from
// the types of volcano.sh/apis, the plain manifests from the Helm chart.
//
// It is a module of its own so that what Helm, controller-gen and Prometheus require stays out
// of Ashlar's go.mod. Its tests check what lies in deploy/: that it is what this command would
// write, that every variant of the chart is made of objects the API knows, that the scheduler's
// pod is as closed as it is said to be, and that alerts and dashboard ask for metrics there are.
//
// Invariants: it writes into deploy/ only; the same input gives the same files, byte for byte.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// folder is where deploy/ lies, seen from this module's own.
const folder = "../../deploy"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "deploy:", err)
		os.Exit(1)
	}
}

func run() error {
	if _, err := os.Stat("go.sum"); err != nil {
		return errors.New("run it in its own folder: go -C test/deploy run .")
	}
	crds, err := generateCRDs()
	if err != nil {
		return err
	}
	if err := write(filepath.Join(folder, chartFolder, "crds"), crds); err != nil {
		return err
	}
	manifests, err := plain(crds)
	if err != nil {
		return err
	}
	return write(folder, manifests)
}

func write(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
