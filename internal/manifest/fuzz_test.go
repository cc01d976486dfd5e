package manifest

import (
	"strings"
	"testing"
)

// Whatever the bytes: no panic, lines inside the input, messages of one line, and a
// world in order.
func FuzzLoad(f *testing.F) {
	f.Add(everyKind)
	f.Add(vcjob)
	f.Add("a: &a [x,x]\nb: &b [*a,*a]\napiVersion: v1\nkind: Pod\nmetadata: {<<: *b}\n")
	f.Add("apiVersion: v1\nkind: List\nitems: &i\n- {apiVersion: v1, kind: List, items: *i}\n")
	f.Add("%YAML 1.2\n---\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}\n...\n--- !x y\n")
	for _, tt := range badInput {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, errs := fromText(text)
		if s == nil {
			t.Fatal("no set")
		}
		for _, e := range errs {
			if e.Where.Line < 0 || e.Where.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+
				strings.Count(text, "\u2028")+strings.Count(text, "\u2029")+strings.Count(text, "\u0085")+1 ||
				strings.ContainsAny(e.Message, "\n\x1b") || e.Message == "" {
				t.Fatalf("%q of %q", e.Error(), text)
			}
		}
		s.most = 100
		w := s.Expand()
		for i := 1; i < len(w.Items); i++ {
			if a, b := w.Items[i-1].Fact.Ref, w.Items[i].Fact.Ref; a == b {
				t.Fatalf("%s is there twice", a)
			}
		}
	})
}
