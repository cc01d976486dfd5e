package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// containMark is the environment in which this test's program is a container runtime: the folder
// that becomes its root.
const containMark = "ASHLAR_TEST_CONTAIN"

func TestMain(m *testing.M) {
	if root := os.Getenv(containMark); root != "" {
		fmt.Fprintln(os.Stderr, "contain:", contain(root)) // it does not return where nothing fails
		os.Exit(125)
	}
	os.Exit(m.Run())
}

const writable = "the root can be written"

// contain makes a folder the root, read-only, becomes the image's user and runs os.Args.
func contain(root string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("part from other mounts: %w", err)
	}
	if err := syscall.Mount(root, root, "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount the root: %w", err)
	}
	if err := syscall.Mount("", root, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("mount the root read-only: %w", err)
	}
	var env []string
	if err := json.Unmarshal([]byte(os.Getenv(containMark+"_ENV")), &env); err != nil {
		return err
	}
	if err := syscall.Chroot(root); err != nil {
		return err
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := os.WriteFile("/tmp/probe", nil, 0o600); err == nil {
		return errors.New(writable)
	}
	for _, become := range []func(int) error{func(id int) error { return syscall.Setgroups([]int{id}) },
		syscall.Setgid, syscall.Setuid} {
		if err := become(user); err != nil {
			return err
		}
	}
	return syscall.Exec(os.Args[1], os.Args[1:], env)
}

// contained runs the image's program with its root, user and environment. Who may not close it in
// runs it where it lies, and says so. The first argument is the program.
func contained(t *testing.T, root string, c config, args ...string) ([]byte, error) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Log("run where it lies: only root may change a program's root and user")
		return outside(root, c, args...)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env, err := json.Marshal(c.Config.Env)
	if err != nil {
		t.Fatal(err)
	}
	for dir := root; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(self, args...)
	cmd.Env = []string{containMark + "=" + root, containMark + "_ENV=" + string(env)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 125 {
		if strings.Contains(string(out), writable) {
			t.Error(writable)
		}
		t.Logf("run where it lies: %v %s", err, out)
		return outside(root, c, args...)
	}
	return out, err
}
