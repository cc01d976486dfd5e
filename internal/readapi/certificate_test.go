package readapi

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// write puts a new certificate and its key into files, and returns its label.
func (f Files) write(t *testing.T) string {
	t.Helper()
	c, err := selfSigned(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{
		f.Certificate: {Type: "CERTIFICATE", Bytes: c.Certificate[0]}, f.Key: {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return LabelOf(c.Certificate[0])
}

// The label is that of the certificate which is served now: one from files may be replaced.
func TestTheLabelFollowsTheFiles(t *testing.T) {
	dir := t.TempDir()
	files := Files{Certificate: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	first := files.write(t)
	s, err := New(Options{Address: "127.0.0.1:0", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Label() != first {
		t.Errorf("the label is %s, want %s", s.Label(), first)
	}
	if second := files.write(t); s.Label() != second {
		t.Errorf("after the files were replaced the label is %s, want %s", s.Label(), second)
	}
	if err := os.Remove(files.Key); err != nil {
		t.Fatal(err)
	}
	if s.Label() != "" {
		t.Errorf("without a key the label is %s, want none", s.Label())
	}
}
