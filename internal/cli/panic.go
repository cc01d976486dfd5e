package cli

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"ashlar.sh/sched/policy"
)

// recovering runs a command. A panic, which is a bug in ashlar or in a plugin that was compiled in, becomes a failure
// that says where its trace is, and what to do.
func (p Process) recovering(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = p.crashed(cause, string(debug.Stack()))
		}
	}()
	return do()
}

// crashed saves what is known of a panic, and says what to do. Exit code 3.
func (p Process) crashed(cause any, stack string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "ashlar panicked: %v\n\narguments    %q\nplugins      %q (compiled in)\n", cause, p.Args,
		policy.Names(p.Plugins))
	_ = ownVersions().print(&text, "") // a text builder takes all
	text.WriteString("\n" + stack)
	lines := []string{fmt.Sprintf("error: ashlar panicked: %v", cause),
		"This is a bug in ashlar, or in a plugin that was compiled in, and not in your input."}
	path, err := saved(text.String())
	if err != nil {
		return &failure{code: 3, lines: append(lines, "The trace could not be saved: "+err.Error(), text.String())}
	}
	return &failure{code: 3, lines: append(lines, "The trace is in "+path+
		". Please report it, with the files of the command: it panics again on the same files.")}
}

// saved writes a text into a new file of the folder for temporary files.
func saved(text string) (path string, err error) {
	f, err := os.CreateTemp("", "ashlar-panic-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if wrong := f.Close(); err == nil {
		err = wrong
	}
	return f.Name(), err
}
