// Command controlplane builds the programs of a real Kubernetes control plane (etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler and kwok) from the versions this module
// pins, and prints where they are.
//
// It is a module of its own so that what Kubernetes itself requires stays out of Ashlar's go.mod.
// It needs the go command and a module proxy: no container, no downloaded binary, no compiler for C.
// It starts nothing; the package ashlar.sh/test/e2e/cluster does.
//
// Invariants: the folder's name is a hash of everything that decides what is built, so a binary
// is never stale; a binary appears there whole or not at all; when all are there nothing is done;
// of two runs at once the second waits for the first.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// binaries are what is built, in the order they are printed. made is the name the go command
// gives to the package's binary.
var binaries = []struct{ name, made, pkg string }{
	{"etcd", "server", "go.etcd.io/etcd/server/v3"},
	{"kube-apiserver", "kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
	{"kube-controller-manager", "kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{"kube-scheduler", "kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"},
	{"kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok"},
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

// run builds what is missing and writes one line `name path` per binary and a last line `dir path`.
func run(out io.Writer) error {
	if _, err := os.Stat("go.sum"); err != nil {
		return errors.New("run it in its own folder: go -C test/controlplane run .")
	}
	dir, err := cacheDir()
	if err != nil {
		return err
	}
	if !complete(dir) {
		if err := build(dir); err != nil {
			return err
		}
	}
	for _, b := range binaries {
		fmt.Fprintln(out, b.name, filepath.Join(dir, b.name))
	}
	fmt.Fprintln(out, "dir", dir)
	return nil
}

// cacheDir is the folder for exactly this module, this builder and this Go.
func cacheDir() (string, error) {
	root := os.Getenv("ASHLAR_CACHE")
	if root == "" {
		xdg := os.Getenv("XDG_CACHE_HOME")
		if xdg == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", fmt.Errorf("no place for the cache, set ASHLAR_CACHE: %w", err)
			}
			xdg = filepath.Join(home, ".cache")
		}
		root = filepath.Join(xdg, "ashlar")
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, name := range []string{"go.mod", "go.sum", "main.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
	}
	version, err := goCommand("env", "GOVERSION")
	if err != nil {
		return "", err
	}
	fmt.Fprintln(h, version, runtime.GOOS, runtime.GOARCH)
	return filepath.Join(root, "controlplane", fmt.Sprintf("%x", h.Sum(nil)[:8])), nil
}

func complete(dir string) bool {
	for _, b := range binaries {
		if info, err := os.Stat(filepath.Join(dir, b.name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// build makes every binary in a folder of its own, then renames them into dir, one build at a time.
// One go command for all keeps every core busy while the largest is linked.
func build(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if complete(dir) {
		return nil
	}
	fmt.Fprintln(os.Stderr, "controlplane: building into", dir, "(some minutes the first time)")
	tmp := filepath.Join(dir, "building")
	if err := os.RemoveAll(tmp); err != nil { // of a build that was killed; the lock says that it is not in use
		return err
	}
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	ldflags, err := ldflags()
	if err != nil {
		return err
	}
	args := []string{"build", "-mod=readonly", "-trimpath", "-ldflags", ldflags, "-o", tmp + string(filepath.Separator)}
	for _, b := range binaries {
		args = append(args, b.pkg)
	}
	if _, err := goCommand(args...); err != nil {
		return err
	}
	for _, b := range binaries {
		if err := os.Rename(filepath.Join(tmp, b.made), filepath.Join(dir, b.name)); err != nil {
			return err
		}
	}
	return nil
}

// ldflags strips the binaries and stamps Kubernetes' version into them: unstamped they say v0.0.0,
// which clients that compare versions read as a very old server.
func ldflags() (string, error) {
	version, err := goCommand("list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return "", err
	}
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) != 3 {
		return "", fmt.Errorf("go.mod asks for k8s.io/kubernetes %q, which is no version", version)
	}
	flags := []string{"-s", "-w"}
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags = append(flags,
			"-X "+pkg+".gitVersion="+version,
			"-X "+pkg+".gitMajor="+parts[0],
			"-X "+pkg+".gitMinor="+parts[1],
			"-X "+pkg+".gitTreeState=archive")
	}
	return strings.Join(flags, " "), nil
}

// goCommand runs the go command here, without cgo, and returns what it printed, trimmed.
func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(stdout.String()), nil
}
