package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed all:dist
var dist embed.FS

// asset is a file of the page, as it is sent.
type asset struct {
	kind    string
	etag    string
	plain   []byte
	squeeze []byte // by gzip
}

// assets are the files of the page by path, compressed once.
var assets = sync.OnceValues(func() (map[string]*asset, error) {
	out := map[string]*asset{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".sha256" {
			return err
		}
		data, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		var squeezed bytes.Buffer
		z, err := gzip.NewWriterLevel(&squeezed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(data); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		out["/"+strings.TrimPrefix(name, "dist/")] = &asset{kind: typeOf(name),
			etag: `"` + hex.EncodeToString(sum[:16]) + `"`, plain: data, squeeze: squeezed.Bytes()}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	return out, nil
})

// types are the types of the files by their endings. What this machine says of them may be wrong: a browser would run
// no script that is called a text.
var types = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

func typeOf(name string) string { return types[path.Ext(name)] }

// Size is how many bytes a browser gets for the page, compressed.
func Size() (int, error) {
	all, err := assets()
	total := 0
	for _, a := range all {
		total += len(a.squeeze)
	}
	return total, err
}

// policy lets the page load its own files and ask its own server, and nothing else. uPlot and React set styles of
// single elements through the DOM, which no policy has to allow.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page serves the files. Every path that is none of them is the page itself.
func page(w http.ResponseWriter, r *http.Request) {
	all, err := assets()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	name := r.URL.Path
	if name == "/" {
		name = "/index.html"
	}
	a := all[name]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("ETag", a.etag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.squeeze
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the browser may have gone
	}
}
