// Command krew builds the plugin of kubectl for some platforms, and the manifest by which krew installs it: archives
// kubectl-ashlar-VERSION-OS-ARCH.tar.gz and ashlar.yaml, in one folder. Where the archives will lie is -url.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	semver "k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/yaml"
)

func main() {
	version := flag.String("version", "", "version of the release, such as v0.9.0")
	url := flag.String("url", "", "address of the folder in which the archives will lie")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64",
		"for which to build")
	out := flag.String("out", "dist/krew", "folder to write into")
	flag.Parse()
	license, err := os.ReadFile("LICENSE") // krew's index takes no archive without it
	if err == nil {
		err = run(*version, *url, strings.Split(*platforms, ","), *out, license, build)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// builder builds the command for a platform and returns the program.
type builder func(version, system, arch string) ([]byte, error)

func run(version, url string, platforms []string, out string, license []byte, build builder) error {
	// krew takes no other versions.
	if _, err := semver.ParseSemantic(version); err != nil || !strings.HasPrefix(version, "v") || url == "" {
		return errors.New("give -version (v0.9.0) and -url, the folder in which the archives will lie")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var built []platform
	for _, of := range platforms {
		system, arch, both := strings.Cut(of, "/")
		if !both {
			return fmt.Errorf("-platforms: %q: expected OS/ARCH", of)
		}
		program, err := build(version, system, arch)
		if err != nil {
			return err
		}
		p := platform{System: system, Arch: arch, Bin: binary(system)}
		data, err := archive(file{p.Bin, program, 0o755}, file{"LICENSE", license, 0o644})
		if err != nil {
			return err
		}
		name := fmt.Sprintf("kubectl-ashlar-%s-%s-%s.tar.gz", version, system, arch)
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		p.URI, p.Sum = strings.TrimSuffix(url, "/")+"/"+name, hex.EncodeToString(sum[:])
		built = append(built, p)
	}
	text, err := manifest(version, built)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "ashlar.yaml"), text, 0o644)
}

// build is the builder that asks Go.
func build(version, system, arch string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "ashlar-krew-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is in the system's temporary folder
	path := filepath.Join(dir, "program")
	flags := "-s -w -X ashlar.sh/internal/cli.release=" + version
	c := exec.Command("go", "build", "-trimpath", "-ldflags", flags, "-o", path, "./cmd/ashlar")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	if said, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build for %s/%s: %w\n%s", system, arch, err, said)
	}
	return os.ReadFile(path)
}

// binary is the name by which kubectl finds the plugin.
func binary(system string) string {
	if system == "windows" {
		return "kubectl-ashlar.exe"
	}
	return "kubectl-ashlar"
}

// file is one of an archive.
type file struct {
	name string
	data []byte
	mode int64
}

// archive is a tar.gz of some files. Equal files give equal archives.
func archive(list ...file) ([]byte, error) {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	var err error
	for _, f := range list {
		head := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), Format: tar.FormatUSTAR}
		if err = errors.Join(err, files.WriteHeader(head)); err == nil {
			_, err = files.Write(f.data)
		}
	}
	err = errors.Join(err, files.Close(), zipped.Close()) // before the bytes are read: closing writes the rest
	return out.Bytes(), err
}

// platform is one for which there is an archive.
type platform struct{ System, Arch, Bin, URI, Sum string }

// manifest is what krew reads.
func manifest(version string, platforms []platform) ([]byte, error) {
	var list []any
	for _, p := range platforms {
		list = append(list, map[string]any{"uri": p.URI, "sha256": p.Sum, "bin": p.Bin,
			"selector": map[string]any{"matchLabels": map[string]any{"os": p.System, "arch": p.Arch}}})
	}
	return yaml.Marshal(map[string]any{"apiVersion": "krew.googlecontainertools.github.com/v1alpha2", "kind": "Plugin",
		"metadata": map[string]any{"name": "ashlar"},
		"spec": map[string]any{"version": version, "homepage": "https://ashlar.sh",
			"shortDescription": "Say why batch jobs wait, and what would happen",
			"description": "Answers why a job, a pod or a queue of Ashlar or of Volcano waits, and\n" +
				"what would make it run; lists jobs, queues and nodes; says what would\n" +
				"happen if a job were submitted now. It writes nothing to the cluster, but\n" +
				"for the verbs that are there to: operate, and its aliases of vcctl.\n",
			"platforms": list}})
}
