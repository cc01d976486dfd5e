package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// The scheduler as the Deployment calls it, by its user, where it can write nothing but its
// folder for dumps: it starts, serves what the probes ask for, and schedules.
func TestTheInstalledProgramNeedsNowhereToWrite(t *testing.T) {
	w := sharedWorld(t)
	node(t, w.ns+"-a", "2")
	w.queue()
	d := deployment(t)
	c := d.Spec.Template.Spec.Containers[0]
	root := t.TempDir() // what it is told of it may read
	if err := os.WriteFile(filepath.Join(root, "volcano-scheduler.conf"), []byte(installedConf(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(kubeconfig(t, w.config))
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "kubeconfig"), config, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(root, "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	passable(t, root, filepath.Dir(program(t, thisVersion, "ashlar")))

	health := address(t)
	args := append(append([]string{}, c.Command[1:]...), c.Args...)
	for i, arg := range args {
		args[i] = strings.Replace(arg, "/volcano.scheduler/", root+"/", 1)
	}
	args = append(append(args, w.electing()...), "--kubeconfig="+filepath.Join(root, "kubeconfig"), "--scheduler-name="+
		w.ns,
		"--healthz-address="+health, "--listen-address="+address(t))
	cmd := exec.Command(program(t, thisVersion, filepath.Base(c.Command[0])), args...)
	cmd.Dir, cmd.Env = closed, []string{"HOME=" + closed, "TMPDIR=" + closed}
	if os.Getuid() == 0 { // who may write anywhere is not asked
		s := d.Spec.Template.Spec.SecurityContext
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(*s.RunAsUser),
			Gid: uint32(*s.RunAsGroup)}}
	}
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test failed
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop := func() error { _ = cmd.Process.Signal(syscall.SIGTERM); return <-ended }
	w.gang("train", 2)
	if err := eventuallyServes("http://"+health, c, ended, w); err != nil {
		_ = stop()
		t.Fatalf("%v\n%s", err, &log)
	}
	w.awaitBound(2)
	if err := stop(); err != nil {
		t.Errorf("asked to end, it ended with %v\n%s", err, &log)
	}
}

// eventuallyServes waits until each probe of a container is answered.
func eventuallyServes(at string, c corev1.Container, ended chan error, w world) error {
	for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		var gone error
		w.await("answer "+probe.HTTPGet.Path, func(ctxless) error {
			select {
			case err := <-ended:
				gone = fmt.Errorf("it ended: %w", err)
				ended <- err
				return nil
			default:
			}
			if fetch(at+probe.HTTPGet.Path) == "" {
				return fmt.Errorf("it does not")
			}
			return nil
		})
		if gone != nil {
			return gone
		}
	}
	return nil
}

// installedConf is the configuration that deploy/ installs.
func installedConf(t *testing.T) string {
	t.Helper()
	for _, o := range manifests(t, "20-ashlar.yaml") {
		if o.GetKind() == "ConfigMap" {
			return typed(t, o, &corev1.ConfigMap{}).Data["volcano-scheduler.conf"]
		}
	}
	t.Fatal("there is no ConfigMap in deploy/")
	return ""
}

// passable lets everybody enter folders below the temporary one.
func passable(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
}
