package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The media types of the OCI image specification 1.1.
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// file is an entry of the image: a folder when its name ends in a slash, a symbolic link when it
// has a target.
type file struct {
	name string
	mode int64
	data []byte
	link string
}

// descriptor says where something is in a layout, and what it is.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// manifest is a list of what an image consists of; an index is one of images.
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        *descriptor  `json:"config,omitempty"`
	Layers        []descriptor `json:"layers,omitempty"`
	Manifests     []descriptor `json:"manifests,omitempty"`
}

// config is how a container of the image is run.
type config struct {
	platform
	Config struct {
		User       string            `json:"User"`
		Env        []string          `json:"Env"`
		Entrypoint []string          `json:"Entrypoint"`
		WorkingDir string            `json:"WorkingDir"`
		Labels     map[string]string `json:"Labels"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

func configOf(version, revision, architecture string) config {
	c := config{platform: platform{Architecture: architecture, OS: "linux"}}
	c.Config.User = fmt.Sprintf("%[1]d:%[1]d", user)
	c.Config.Env = []string{"PATH=/", "ZONEINFO=/zoneinfo.zip"}
	c.Config.Entrypoint, c.Config.WorkingDir = []string{entryPoint}, "/"
	c.Config.Labels = map[string]string{"org.opencontainers.image.title": "ashlar",
		"org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.version":  version, "org.opencontainers.image.revision": revision}
	return c
}

// layout is a folder as the OCI image layout specification 1.0 describes it.
type layout struct{ dir string }

// image writes an image of one layer, and returns what an index says of it.
func (l layout) image(files []file, c config) (descriptor, error) {
	plain, err := archive(files)
	if err != nil {
		return descriptor{}, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(plain); err != nil {
		return descriptor{}, err
	}
	if err := z.Close(); err != nil {
		return descriptor{}, err
	}
	layer, err := l.blob(layerType, packed.Bytes())
	if err != nil {
		return descriptor{}, err
	}
	c.RootFS.Type, c.RootFS.DiffIDs = "layers", []string{digestOf(plain)}
	said, err := l.document(configType, c)
	if err != nil {
		return descriptor{}, err
	}
	d, err := l.document(manifestType, manifest{SchemaVersion: 2, MediaType: manifestType, Config: &said,
		Layers: []descriptor{layer}})
	d.Platform = &c.platform
	return d, err
}

// index writes what the layout holds, under a name, and returns its digest.
func (l layout) index(images []descriptor, name string) (digest string, err error) {
	for i := range images {
		images[i].Annotations = map[string]string{"org.opencontainers.image.ref.name": name}
	}
	text, err := json.Marshal(manifest{SchemaVersion: 2, MediaType: indexType, Manifests: images})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(l.dir, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`),
		0o644); err != nil {
		return "", err
	}
	return digestOf(text), os.WriteFile(filepath.Join(l.dir, "index.json"), text, 0o644)
}

func (l layout) document(mediaType string, of any) (descriptor, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return descriptor{}, err
	}
	return l.blob(mediaType, text)
}

// blob keeps bytes under their digest.
func (l layout) blob(mediaType string, data []byte) (descriptor, error) {
	digest := digestOf(data)
	path := filepath.Join(l.dir, "blobs", strings.Replace(digest, ":", "/", 1))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return descriptor{}, err
	}
	return descriptor{MediaType: mediaType, Digest: digest, Size: int64(len(data))}, os.WriteFile(path, data, 0o644)
}

func digestOf(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// archive is files as a tar: all root's, and of no time, so that it follows from them alone.
func archive(files []file) ([]byte, error) {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		switch {
		case f.link != "":
			h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.link, 0o777
		case strings.HasSuffix(f.name, "/"):
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
