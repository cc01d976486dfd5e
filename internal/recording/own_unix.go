//go:build unix

package recording

import (
	"io/fs"
	"os"
	"syscall"
)

// own says that a file belongs to this user.
func own(about fs.FileInfo) bool {
	s, ok := about.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
