package config

import (
	"strings"
	"testing"

	"ashlar.sh/sched/policy"
)

// Whatever the bytes: no panic, a configuration exactly if nothing is fatal,
// lines inside the file, and Lenient accepts what Strict accepts.
func FuzzParse(f *testing.F) {
	f.Add(DefaultText)
	f.Add(capacityGuide)
	f.Add("a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n")
	f.Add("actions: !!int allocate\ntiers: !!map\n")
	f.Add(strings.Repeat("[", 5000))
	for _, c := range refusals {
		if len(c.text) < 4096 {
			f.Add(c.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		const offset = 1000
		accepted := [2]bool{}
		for mode := range accepted {
			s, problems := Parse(Source{File: "f", LineOffset: offset}, []byte(text), Volcano(), Mode(mode))
			accepted[mode] = s != nil
			if accepted[mode] == anyFatal(problems) {
				t.Fatalf("configuration: %t, problems: %v", accepted[mode], problems)
			}
			for _, p := range problems {
				if p.Line <= offset || p.Line > offset+breaks(text)+1 || strings.ContainsAny(p.Message, "\n\x1b") {
					t.Fatalf("%q of %q", p, text)
				}
			}
			if s != nil {
				everyArgumentIsOfItsKind(t, s)
			}
		}
		if accepted[Strict] && !accepted[Lenient] {
			t.Fatalf("only strict accepts %q", text)
		}
	})
}

// breaks counts what YAML may take for the end of a line.
func breaks(text string) int {
	n := 0
	for _, r := range text {
		if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
			n++
		}
	}
	return n
}

func everyArgumentIsOfItsKind(t *testing.T, s *Scheduler) {
	for _, tier := range s.Tiers {
		for _, p := range tier {
			entry, known := Volcano().Plugin(p.Name)
			if !known || entry.Built != p.Built {
				t.Fatalf("plugin %q", p.Name)
			}
			for _, arg := range p.Arguments {
				if spec := policy.Lookup(entry.Arguments, arg.Key); spec == nil || spec.Check(arg.Text) != nil {
					t.Fatalf("argument %q of %s", arg.Key, p.Name)
				}
			}
		}
	}
}
