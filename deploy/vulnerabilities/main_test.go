package main

import (
	"fmt"
	"strings"
	"testing"
)

// Vulnerabilities of modules fail unless one is excepted; those of Go fail where that is asked for; what is only
// required or imported, and not part of the program, fails never; an exception without its vulnerability fails.
func TestWhatFails(t *testing.T) {
	summary := `{"osv":{"id":"GO-1","summary":"Infinite loop"}}`
	inModule := finding("GO-1", "v0.53.0", "m", "v0.49.0", "F")
	unmended := finding("GO-2", "", "m", "v0.49.0", "F")
	inGo := finding("GO-3", "v1.26.9", "stdlib", "v1.26.8", "F")
	laterGo := finding("GO-4", "v1.26.10", "stdlib", "v1.26.8", "F")
	imported := finding("GO-5", "v1.1.0", "m", "v1.0.0", "")
	exceptions := finding("GO-2025-3521", "", "k", "v1.0.0", "F") + finding("GO-2025-3547", "", "k", "v1.0.0", "F")
	for name, c := range map[string]struct {
		said          []string
		withGo        bool
		tells, refuse []string // refuse without words: nothing is wrong
	}{
		"nothing but exceptions": {said: []string{exceptions}, tells: []string{"GO-2025-3521", "GO-2025-3547"}},
		"a module": {said: []string{exceptions, summary, inModule, inModule},
			refuse: []string{"GO-1: Infinite loop: m/p.F of m v0.49.0 has it; v0.53.0 mends it"}},
		"a module without a version that mends it": {said: []string{exceptions, unmended},
			refuse: []string{"GO-2: ", "no version is known to mend it"}},
		"Go": {said: []string{exceptions, laterGo, inGo},
			tells: []string{"2 known vulnerabilities (GO-3, GO-4); release what Go 1.26.10 or newer builds"}},
		"Go, in what is released":    {said: []string{exceptions, inGo}, withGo: true, refuse: []string{"GO-3", "v1.26.9"}},
		"what is not in the program": {said: []string{exceptions, imported}},
		"exceptions for nothing":     {refuse: []string{"GO-2025-3521", "GO-2025-3547", "take its exception out"}},
	} {
		found, err := read([]byte(strings.Join(c.said, "\n")))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var out strings.Builder
		err = judge(found, c.withGo, &out)
		if (err != nil) != (len(c.refuse) > 0) {
			t.Errorf("%s: the error is %v, want one: %v", name, err, len(c.refuse) > 0)
		}
		for _, words := range c.refuse {
			if err != nil && !strings.Contains(err.Error(), words) {
				t.Errorf("%s: the error does not have %q: %v", name, words, err)
			}
		}
		for _, words := range c.tells {
			if !strings.Contains(out.String(), words) {
				t.Errorf("%s: it does not tell %q: %s", name, words, out.String())
			}
		}
		if err != nil && strings.Count(err.Error(), "GO-1:") > 1 {
			t.Errorf("%s: one vulnerability is told twice: %v", name, err)
		}
	}
	if _, err := read([]byte(`{"osv": 3}`)); err == nil {
		t.Error("an answer of another form is taken")
	}
}

// finding is what govulncheck says of a vulnerability in a function of a package of a module; without a function it is
// in the package, which the program imports.
func finding(id, mended, module, version, function string) string {
	return fmt.Sprintf(`{"finding":{"osv":%q,"fixed_version":%q,"trace":[
		{"module":%q,"version":%q,"package":%q,"function":%q}]}}`, id, mended, module, version, module+"/p", function)
}
