package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file. It takes the place of one of that name once it is whole; one that could not be finished is
// removed, and the old one stays. What is no file, such as a device or a pipe, is written to as it is.
func writeFile(path string, mode os.FileMode, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, cause(err))
		}
	}()
	to := path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		to = target
	}
	if about, err := os.Stat(to); err == nil && !about.Mode().IsRegular() {
		f, err := os.OpenFile(to, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	made := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+"-"+rand.Text())
	f, err := os.OpenFile(made, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Close()); err == nil {
		err = os.Rename(made, to)
	}
	if err != nil {
		_ = os.Remove(made) // an incomplete file is of no use
	}
	return err
}

// private is the mode of files that only this user may read.
const private os.FileMode = 0o600
