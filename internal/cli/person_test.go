//go:build !simulator

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// The kubeconfig of a person is where kubectl has it: on Windows there is no HOME.
func TestTheKubeconfigOfAPersonOnWindows(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".kube"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".kube", "config"), []byte(`apiVersion: v1
kind: Config
current-context: c
clusters: [{name: k, cluster: {server: "https://k"}}]
contexts: [{name: c, context: {cluster: k}}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := questions{Process{Env: func(name string) string { return map[string]string{"USERPROFILE": home}[name] }}}
	if c, namespace, err := p.person(source{}); err != nil || c.Host != "https://k" || namespace != "default" {
		t.Errorf("the cluster is %v, the namespace %q, %v", c, namespace, err)
	}
}
