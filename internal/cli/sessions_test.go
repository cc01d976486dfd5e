package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// session is an indented block of a document that begins with "$ ": commands, and what
// they print. After an empty line another "$ " begins another.
type session struct {
	line           int
	commands, want string
}

// sessions finds them. A command goes on while its lines end in a backslash or, within a
// loop, up to its done.
func sessions(text string) (out []session) {
	var s *session
	more, loop, after := false, false, "" // after: the line before
	for i, line := range strings.Split(text, "\n") {
		parted := after == ""
		after = line
		body, indented := strings.CutPrefix(line, "    ")
		command, asks := strings.CutPrefix(body, "$ ")
		switch {
		case indented && asks && (s == nil || parted):
			out = append(out, session{line: i + 1})
			s = &out[len(out)-1]
			fallthrough
		case indented && (asks || more && s != nil):
			if !asks {
				command = body
			}
			s.commands += command + "\n"
			loop = (loop || strings.HasPrefix(command, "for ")) && strings.TrimSpace(command) != "done"
			more = loop || strings.HasSuffix(command, `\`)
		case indented && s != nil:
			s.want += body + "\n"
		case line == "" && s != nil:
			s.want += "\n" // a table may have an empty line
		default:
			s, more, loop = nil, false, false
		}
	}
	return out
}

// untimed leaves out what differs from run to run, and empty lines at the end.
func untimed(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !strings.Contains(line, " decisions in ") {
			kept = append(kept, strings.TrimRight(line, " "))
		}
	}
	return strings.Join(kept, "\n")
}

// What documents say that their commands print, they print. Sessions with traces that are
// not in examples/ are run where ASHLAR_TRACES names their folder.
func TestTheSessionsOfTheDocumentsAreTrue(t *testing.T) {
	for document, least := range map[string]int{"docs/traces.md": 3, "docs/devices.md": 1, "docs/time.md": 5} {
		t.Run(document, func(t *testing.T) { played(t, document, least) })
	}
}

// played runs the sessions of a document, of which there are so many at least.
func played(t *testing.T, document string, least int) {
	text, err := os.ReadFile("../../" + document)
	if err != nil {
		t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to run the sessions with")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "ashlar")); err != nil {
		t.Fatal(err)
	}
	all := sessions(string(text))
	if len(all) < least {
		t.Fatalf("%d sessions", len(all))
	}
	for _, s := range all {
		if strings.Contains(s.commands, "$ASHLAR_TRACES") && os.Getenv("ASHLAR_TRACES") == "" {
			continue
		}
		began := time.Now()
		c := exec.Command(bash, "-e", "-c", s.commands)
		c.Dir = "../.."
		c.Env = append(os.Environ(), asCommand+"=1", "PATH="+bin+":"+os.Getenv("PATH"))
		got, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s:%d: %v: %s", document, s.line, err, got)
		} else if untimed(string(got)) != untimed(s.want) {
			t.Errorf("%s:%d:\n%s\nprints\n%s\n\nand the document says\n%s", document, s.line, s.commands, got, s.want)
		}
		t.Logf("%s:%d: %v", document, s.line, time.Since(began).Round(time.Millisecond))
	}
}
