package recording

import (
	"os"
	"path/filepath"
	"testing"
)

// What is saved goes into a folder of this user alone. Where another user of a shared folder was there first, with a
// link or a folder that it may write to, nothing is written.
func TestWhatIsSavedIsThisUsersAlone(t *testing.T) {
	elsewhere := t.TempDir()
	for name, prepare := range map[string]func(dir string) error{
		"a link":                  func(dir string) error { return os.Symlink(elsewhere, dir) },
		"a file":                  func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"a folder open to others": func(dir string) error { return os.Mkdir(dir, 0o700) },
	} {
		dir := filepath.Join(t.TempDir(), "saved")
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		if name == "a folder open to others" {
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if path, err := Save(dir, "dump", State{}); err == nil {
			t.Errorf("%s is there: it was saved to %s", name, path)
		}
	}
	if os.Geteuid() == 0 { // no other user may give a folder away
		dir := filepath.Join(t.TempDir(), "theirs")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, 4711, 4711); err != nil {
			t.Fatal(err)
		}
		if path, err := Save(dir, "dump", State{}); err == nil {
			t.Errorf("a folder of another user is there: it was saved to %s", path)
		}
	}
	left, err := os.ReadDir(elsewhere)
	if err != nil || len(left) > 0 {
		t.Errorf("where the link leads there is %v (%v)", left, err)
	}
	dir := filepath.Join(t.TempDir(), "fresh")
	path, err := Save(dir, "dump", State{})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]os.FileMode{dir: 0o700, path: 0o600} {
		if about, err := os.Stat(at); err != nil || about.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, want %v: %v", at, about.Mode().Perm(), want, err)
		}
	}
}
