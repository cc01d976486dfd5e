package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/loop"
)

// password is what nobody should find in a dump, and told are annotations as users and kubectl leave them.
const password = "hunter2"

func marked() map[string]string {
	return map[string]string{"team/password": password,
		corev1.LastAppliedConfigAnnotation: `{"data":"` + password + `"}`}
}

// secretive makes one object of each kind that may have something secret in it, with it: pods with an environment,
// commands and volumes, a Secret, what drivers of volumes are told; and annotations of everything.
func secretive(t *testing.T, ns string) {
	t.Helper()
	annotated := metav1.ObjectMeta{Namespace: ns, Name: "secretive", Annotations: marked()}
	if _, err := shared.kube.CoreV1().Secrets(ns).Create(t.Context(), &corev1.Secret{ObjectMeta: annotated,
		StringData: map[string]string{"password": password}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: ns, Annotations: marked()},
		Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &wait,
		Parameters: map[string]string{"restuserkey": password}}
	if _, err := shared.kube.StorageV1().StorageClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = shared.kube.StorageV1().StorageClasses().Delete(context.Background(), ns, metav1.DeleteOptions{})
	})
	v := disk(ns, ns)
	v.Annotations, v.Spec.CSI.VolumeAttributes = marked(), map[string]string{"password": password}
	v.Spec.MountOptions = []string{"password=" + password}
	createDisk(t, v)
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: annotated, Spec: corev1.PersistentVolumeClaimSpec{
		StorageClassName: &ns, AccessModes: v.Spec.AccessModes,
		Resources: corev1.VolumeResourceRequirements{Requests: v.Spec.Capacity}}}
	if _, err := shared.kube.CoreV1().PersistentVolumeClaims(ns).Create(t.Context(), claim,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "stored"} {
		p := plainPod(ns, name, ns)
		p.Annotations = marked()
		c := &p.Spec.Containers[0]
		c.Command, c.Args = []string{"login", password}, []string{password}
		c.Env = []corev1.EnvVar{{Name: "PASSWORD", Value: password}}
		c.LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{
			Command: []string{password}}}}
		p.Spec.HostAliases = []corev1.HostAlias{{IP: "10.0.0.1", Hostnames: []string{password}}}
		p.Spec.Volumes = []corev1.Volume{{Name: "s", VolumeSource: corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{
			Driver: "e2e.ashlar.sh", VolumeAttributes: map[string]string{"password": password}}}}}
		if name == "stored" {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "d", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "secretive"}}})
		}
		create(t, p)
	}
	group := object("PodGroup", "secretive", map[string]any{"minMember": int64(1), "queue": ns})
	group.SetAnnotations(marked())
	foreign(t, ns, group)
}

// What a dump has is for this user alone to read, and has no secret: no environment, command or annotation of a pod,
// nothing that drivers of volumes are told, no copy of an object that kubectl left in an annotation.
func TestLiveNoSecretIsDumped(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	secretive(t, ns)
	ask, dir := make(chan os.Signal, 1), t.TempDir()
	live(t, ns, func(o *loop.Options) { o.Dump, o.DumpDir = ask, dir })
	eventually(t, "both pods to be bound", func(ctxless) (bool, error) {
		return bound(list(t, ns, "plain"))+bound(list(t, ns, "stored")) == 2, nil
	}, func() string { return "they are not" })
	ask <- syscall.SIGUSR2
	saved := map[string][]byte{}
	eventually(t, "a dump, a report and a recording", func(ctxless) (_ bool, err error) {
		saved, err = savedIn(dir)
		return len(saved) == 3, err
	}, func() string { return "they are not there" })
	for path, text := range saved {
		if bytes.Contains(text, []byte(password)) {
			at := bytes.Index(text, []byte(password))
			t.Errorf("%s has the password: …%s…", path, text[max(0, at-300):at+20])
		}
		if !bytes.Contains(text, []byte(ns)) {
			t.Errorf("%s does not know the namespace: nothing is proved by it", path)
		}
		if about, err := os.Stat(path); err != nil || about.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", path, about.Mode(), err)
		}
		if about, err := os.Stat(filepath.Dir(path)); err != nil || about.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v, %v", filepath.Dir(path), about.Mode(), err)
		}
	}
}

// savedIn are the files below a folder, decompressed; those that are still being written are left out.
func savedIn(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && filepath.Ext(path) == ".gz" {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
				text, err = io.ReadAll(z)
			}
		}
		out[path] = text
		return err
	})
	return out, err
}
