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
		whole, err := withColumns(kind, string(text))
		if err != nil {
			return nil, err
		}
		head := "# Made by test/deploy from the types of volcano.sh/apis " + version + ".\n"
		files[kind] = head + strings.TrimPrefix(whole, "---\n")
	}
	for _, kind := range own {
		text, err := os.ReadFile(filepath.Join(folder, chartFolder, "crds", kind))
		if err != nil {
			return nil, err
		}
		files[kind] = string(text)
	}
	return files, nil
}

// own are the CRDs of Ashlar's own kinds (internal/kube/api), which are written by hand: their rules are.
var own = []string{"bookings.yaml"}

// columns are what kubectl get shows of a kind beside Volcano's columns; with a priority, only -o wide does.
var columns = map[string]string{
	"queues.yaml": `    - jsonPath: .status.state
      name: STATE
      type: string
    - jsonPath: .spec.weight
      name: WEIGHT
      type: integer
    - jsonPath: .status.allocated.cpu
      name: CPU
      type: string
    - jsonPath: .status.allocated.memory
      name: MEMORY
      type: string
    - jsonPath: .spec.deserved.cpu
      name: DESERVED-CPU
      priority: 1
      type: string
    - jsonPath: .spec.capability.cpu
      name: CAPABILITY-CPU
      priority: 1
      type: string
`,
	"podgroups.yaml": `    - jsonPath: .status.conditions[?(@.type=="Unschedulable")].message
      name: WHY
      priority: 1
      type: string
`,
}

// withColumns adds the columns of a kind to its CRD, after those that it has.
func withColumns(kind, crd string) (string, error) {
	more, some := columns[kind]
	if !some {
		return crd, nil
	}
	const end = "    name: v1beta1\n"
	before, after, found := strings.Cut(crd, end)
	if !found || !strings.Contains(before, "  - additionalPrinterColumns:\n") {
		return "", fmt.Errorf("%s: no columns before the version's name to add ours to", kind)
	}
	return before + more + end + after, nil
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
