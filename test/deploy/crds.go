package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// apis are the packages of volcano.sh/apis with the kinds that are installed.
var apis = []string{"scheduling/v1beta1", "topology/v1alpha1", "shard/v1alpha1", "nodeinfo/v1alpha1"}

// generateCRDs makes a CRD of each kind in apis, as files by name: queues.yaml.
func generateCRDs() (map[string]string, error) {
	dir, err := os.MkdirTemp("", "ashlar-crds-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args := []string{"tool", "controller-gen", "crd", "output:crd:dir=" + dir}
	for _, api := range apis {
		args = append(args, "paths=volcano.sh/apis/pkg/apis/"+api)
	}
	if _, err := goCommand(args...); err != nil {
		return nil, err
	}
	version, err := goCommand("list", "-m", "-f", "{{.Version}}", "volcano.sh/apis")
	if err != nil {
		return nil, err
	}
	made, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, path := range made {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		_, kind, _ := strings.Cut(filepath.Base(path), "_") // group_kinds.yaml
		head := "# Made by test/deploy from the types of volcano.sh/apis " + version + ".\n"
		files[kind] = head + strings.TrimPrefix(string(text), "---\n")
	}
	return files, nil
}

// goCommand runs the go command in this module and returns what it printed, trimmed.
func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(stdout.String()), nil
}
