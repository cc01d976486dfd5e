package cli

import "io"

// output is where answers are written, with the first error of that: an answer that is cut is none.
type output struct {
	io.Writer
	err error
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}
