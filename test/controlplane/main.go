// Command controlplane builds the programs of a real Kubernetes control plane (etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler and kwok) from the versions this module
// pins, and prints where they are. With the argument volcano it builds Volcano's controllers and
// scheduler instead, from the versions that the module in volcano/ pins, with Volcano's CRDs beside
// them.
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

// set is what is built from one module.
type set struct {
	module   string   // its folder
	binaries []binary // in the order in which they are printed
	source   string   // the module from which files are copied, "" if none are
	files    []string // patterns of paths in source; a copy has the last element of the path as its name
}

// binary is a program; made is the name that the go command gives to its package's.
type binary struct{ name, made, pkg string }

var kubernetes = set{module: ".", binaries: []binary{
	{"etcd", "server", "go.etcd.io/etcd/server/v3"},
	{"kube-apiserver", "kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
	{"kube-controller-manager", "kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{"kube-scheduler", "kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"},
	{"kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok"},
}}

var volcano = set{module: "volcano", binaries: []binary{
	{"vc-controller-manager", "controller-manager", "volcano.sh/volcano/cmd/controller-manager"},
	{"vc-scheduler", "scheduler", "volcano.sh/volcano/cmd/scheduler"},
}, source: "volcano.sh/volcano", files: []string{"config/crd/volcano/bases/*.yaml", "config/crd/jobflow/bases/*.yaml"}}

func main() {
	built := kubernetes
	if len(os.Args) == 2 && os.Args[1] == volcano.module {
		built = volcano
	} else if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "controlplane: the only argument is", volcano.module)
		os.Exit(2)
	}
	if err := built.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

// run builds what is missing and writes one line `name path` per binary and a last line `dir path`.
func (s set) run(out io.Writer) error {
	if _, err := os.Stat(filepath.Join(s.module, "go.sum")); err != nil {
		return errors.New("run it in its own folder: go -C test/controlplane run .")
	}
	dir, err := s.cacheDir()
	if err != nil {
		return err
	}
	if !s.complete(dir) {
		if err := s.build(dir); err != nil {
			return err
		}
	}
	for _, b := range s.binaries {
		fmt.Fprintln(out, b.name, filepath.Join(dir, b.name))
	}
	fmt.Fprintln(out, "dir", dir)
	return nil
}

// cacheDir is the folder for exactly this module, this builder and this Go.
func (s set) cacheDir() (string, error) {
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
	for _, name := range []string{filepath.Join(s.module, "go.mod"), filepath.Join(s.module, "go.sum"), "main.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
	}
	version, err := s.goCommand("env", "GOVERSION")
	if err != nil {
		return "", err
	}
	fmt.Fprintln(h, version, runtime.GOOS, runtime.GOARCH)
	return filepath.Join(root, "controlplane", fmt.Sprintf("%x", h.Sum(nil)[:8])), nil
}

func (s set) complete(dir string) bool {
	for _, b := range s.binaries {
		if info, err := os.Stat(filepath.Join(dir, b.name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// build makes every binary in a folder of its own, then renames them into dir, one build at a time.
// One go command for all keeps every core busy while the largest is linked.
func (s set) build(dir string) error {
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
	if s.complete(dir) {
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
	ldflags, err := s.ldflags()
	if err != nil {
		return err
	}
	args := []string{"build", "-mod=readonly", "-trimpath", "-ldflags", ldflags, "-o", tmp + string(filepath.Separator)}
	for _, b := range s.binaries {
		args = append(args, b.pkg)
	}
	if _, err := s.goCommand(args...); err != nil {
		return err
	}
	if err := s.copy(dir); err != nil {
		return err
	}
	for _, b := range s.binaries {
		if err := os.Rename(filepath.Join(tmp, b.made), filepath.Join(dir, b.name)); err != nil {
			return err
		}
	}
	return nil
}

// copy copies the files.
func (s set) copy(dir string) error {
	if s.source == "" {
		return nil
	}
	from, err := s.goCommand("list", "-m", "-f", "{{.Dir}}", s.source)
	if err != nil {
		return err
	}
	for _, pattern := range s.files {
		paths, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			return err
		}
		if len(paths) == 0 {
			return fmt.Errorf("%s has no file %s", s.source, pattern)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// ldflags strips the binaries and stamps Kubernetes' version into them: unstamped they say v0.0.0,
// which clients that compare versions read as a very old server.
func (s set) ldflags() (string, error) {
	version, err := s.goCommand("list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
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
func (s set) goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = s.module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(stdout.String()), nil
}
