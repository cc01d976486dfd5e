package persisted_test

import (
	"testing"

	"ashlar.sh/internal/kube/persisted"
)

// Whatever a user of the namespace writes where a record is kept: it is no record, or one that is written as it was
// read.
func FuzzRecord(f *testing.F) {
	f.Add(sample().Text())
	for _, s := range []string{"", "{}", `{"queue":"q","podGroup":"g"}`,
		`{"queue":"q","name":"web","owner":"ReplicaSet/1"}`,
		`{"uid":"x","tries":2147483648,"next":"2030-01-02T03:04:05Z"}`, `{"uid":"x","UID":"y","tries":1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := persisted.ReadRefusedBinds(text); err == nil {
			again, err := persisted.ReadRefusedBinds(r.Text())
			if err != nil || again.Text() != r.Text() || r.UID == "" || r.Tries < 1 {
				t.Errorf("%q is read as %+v, and written as %q: %v", text, r, r.Text(), err)
			}
		}
		if h := persisted.ReadHad(text); h.Known && (persisted.HadReason(h) != text || h.Job < 0 || h.Role < 0 || h.Sub < 0) {
			t.Errorf("%q is read as %+v, and written as %q", text, h, persisted.HadReason(h))
		}
		if s, ok := persisted.ReadStart(text); ok {
			if again, ok := persisted.ReadStart(s.Text()); !ok || again.Moved(s, 0) {
				t.Errorf("%q is read as %+v, and again as %+v", text, s, again)
			}
		}
		if r, err := persisted.ReadCharge(text); err == nil {
			written, err := persisted.ChargeText(r)
			if err != nil {
				t.Fatalf("%q is read and cannot be written: %v", text, err)
			}
			if again, err := persisted.ReadCharge(written); err != nil || again != r || r.Queue == "" {
				t.Errorf("%q is read as %+v, then as %+v: %v", text, r, again, err)
			}
		}
	})
}
