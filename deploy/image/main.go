// Command image builds the image of ashlar as an OCI layout, a folder that registries and container
// runtimes understand. It needs Go and nothing else: no Docker, no base image, no network.
//
// The image is what deploy/Dockerfile makes, on an empty base: the static program under its two
// names, a user, a folder for temporary files and the time zones. deploy/Dockerfile is for those
// who build with Docker; a test compares the two.
//
// Invariants: the same source, Go and flags give the same image, byte for byte; what was built for
// other flags is not left in the folder.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// What a container of the image runs, and as which user: what the Deployment says too.
const (
	entryPoint = "/vc-scheduler"
	user       = 65532
)

// options are the flags.
type options struct {
	out       string   // the folder of the layout
	source    string   // the root of the source tree
	version   string   // that the program calls itself
	platforms []string // as linux/amd64
}

func main() {
	o := options{}
	platforms := ""
	flag.StringVar(&o.out, "o", "bin/image", "folder to write the OCI layout to; it is made anew")
	flag.StringVar(&o.version, "version", "dev", "version that the program calls itself")
	flag.StringVar(&platforms, "platforms", "linux/"+runtime.GOARCH, "platforms, with commas between them")
	flag.Parse()
	o.source, o.platforms = ".", strings.Split(platforms, ",")
	digest, err := build(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
	fmt.Printf("%s %s %s\n", o.out, platforms, digest)
}

// build writes the layout and returns the digest of its index.
func build(o options) (digest string, err error) {
	if _, err := os.Stat(filepath.Join(o.source, "cmd", "ashlar", "main.go")); err != nil {
		return "", errors.New("run it at the root of the source tree: go run ./deploy/image")
	}
	if err := forget(o.out); err != nil {
		return "", err
	}
	l := layout{dir: o.out}
	revision := revisionOf(o.source)
	var images []descriptor
	for _, platform := range o.platforms {
		system, architecture, ok := strings.Cut(platform, "/")
		if !ok || system != "linux" {
			return "", fmt.Errorf("-platforms %q: expected linux/ and an architecture, as linux/arm64", platform)
		}
		files, err := content(o, revision, architecture)
		if err != nil {
			return "", err
		}
		image, err := l.image(files, configOf(o.version, revision, architecture))
		if err != nil {
			return "", err
		}
		images = append(images, image)
	}
	return l.index(images, o.version)
}

// forget removes a layout that was written before, and nothing else.
func forget(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "oci-layout")); err != nil {
		return fmt.Errorf("%s is there and is no OCI layout: it is left alone", dir)
	}
	return os.RemoveAll(dir)
}

// content is the files of the image.
func content(o options, revision, architecture string) ([]file, error) {
	program, err := compile(o, revision, architecture)
	if err != nil {
		return nil, err
	}
	goroot, err := output(o.source, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	zones, err := os.ReadFile(filepath.Join(goroot, "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return nil, err
	}
	return []file{
		{name: "ashlar", mode: 0o755, data: program},
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", user)},
		{name: "etc/passwd", mode: 0o644, data: fmt.Appendf(
			nil, "root:x:0:0:root:/:/none\nnonroot:x:%[1]d:%[1]d:nonroot:/tmp:/none\n", user)},
		{name: "tmp/", mode: 0o1777},
		{name: "vc-scheduler", link: "ashlar"},
		{name: "zoneinfo.zip", mode: 0o644, data: zones},
	}, nil
}

// compile builds the program, as the Dockerfile does.
func compile(o options, revision, architecture string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "ashlar-image-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ashlar")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X ashlar.sh/internal/cli.release="+o.version+" -X ashlar.sh/internal/cli.revision="+revision,
		"-o", path, "./cmd/ashlar")
	cmd.Dir, cmd.Env = o.source, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+architecture)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build for %s: %w\n%s", architecture, err, text)
	}
	return os.ReadFile(path)
}

// revisionOf is the commit of the source tree, with a mark when it was changed since; "" where git
// does not know it.
func revisionOf(source string) string {
	commit, err := output(source, "git", "rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	if changed, err := output(source, "git", "status", "--porcelain"); err != nil || changed != "" {
		commit += "-dirty"
	}
	return commit
}

func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
