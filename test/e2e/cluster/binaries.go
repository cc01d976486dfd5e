package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Binaries returns the folder with the control plane's programs. It builds them first, in some
// minutes, if they are not in the cache; test/controlplane/README.md has the details. It works
// inside Ashlar's source tree only, for it runs the builder there.
func Binaries(ctx context.Context) (string, error) { return built(ctx) }

// Volcano returns the folder with Volcano's own programs, vc-controller-manager and vc-scheduler, and the YAML files of
// its CRDs. It builds them as Binaries does.
func Volcano(ctx context.Context) (string, error) { return built(ctx, "volcano") }

// built runs the builder and returns the folder that it prints.
func built(ctx context.Context, set ...string) (string, error) {
	gomod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("ask go for the module: %w", err)
	}
	builder := filepath.Join(filepath.Dir(strings.TrimSpace(string(gomod))), "test", "controlplane")
	if _, err := os.Stat(builder); err != nil {
		return "", fmt.Errorf("the control plane's programs are built from Ashlar's source, and the working directory is " +
			"not in it: go to a checkout of it first")
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", "."}, set...)...)
	cmd.Dir = builder
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+builder)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, io.MultiWriter(&stderr, os.Stderr)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build the control plane in %s: %w\n%s", builder, err, stderr.Bytes())
	}
	for line := range strings.Lines(stdout.String()) {
		if dir, ok := strings.CutPrefix(line, "dir "); ok {
			return strings.TrimSpace(dir), nil
		}
	}
	return "", errors.New("the control plane's builder printed no line that begins with dir")
}
