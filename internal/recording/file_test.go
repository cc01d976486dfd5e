package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ashlar.sh/sched/model"
)

// file is a file of a test with such a content.
func file(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ashlar-dump-7.json")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// zipped is a text as gzip writes it.
func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// One state, as text.
func stateText(t *testing.T) []byte {
	t.Helper()
	text, err := json.Marshal(State{Format: format, Now: 5, Facts: []model.Fact{{UID: "q", Version: 2,
		Ref:    model.Ref{Kind: model.KindQueue, Name: "default"},
		Object: &model.Queue{Meta: model.Meta{Name: "default", UID: "q"}, Weight: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What is no state is refused with what is wrong and what to do, and is not an empty cluster.
func TestWhatIsNoStateIsRefused(t *testing.T) {
	sound := stateText(t)
	for name, x := range map[string]struct {
		content []byte
		says    []string
	}{
		"nothing":            {nil, []string{"empty", "dump again"}},
		"an empty object":    {[]byte("{}"), []string{"no Facts", "SIGUSR1"}},
		"null":               {[]byte("null"), []string{"no Facts"}},
		"a list":             {[]byte(`[{"Now": 5}]`), []string{"JSON array"}},
		"a number":           {[]byte("7"), []string{"JSON number"}},
		"no time":            {[]byte(`{"Facts": []}`), []string{"no Now"}},
		"a manifest":         {[]byte(`{"kind": "Pod"}`), []string{"object of Kubernetes", "simulate -f"}},
		"YAML":               {[]byte("apiVersion: v1\nkind: Pod\n"), []string{"not JSON"}},
		"a report":           {[]byte(`{"summary": {}, "jobs": []}`), []string{"report", "ashlar-dump"}},
		"one that was cut":   {sound[:len(sound)/2], []string{"cut off", "copy it again"}},
		"two in one file":    {append(append([]byte{}, sound...), sound...), []string{"byte"}},
		"an edited one":      {bytes.Replace(sound, []byte(`"Now":5`), []byte(`"Now":5;`), 1), []string{"byte", "line 1"}},
		"before 1970":        {bytes.Replace(sound, []byte(`"Now":5`), []byte(`"Now":-5`), 1), []string{"Now is -5"}},
		"a period below 0":   {bytes.Replace(sound, []byte(`"Now":5`), []byte(`"Now":5,"Period":-1`), 1), []string{"Period"}},
		"a newer one":        {[]byte(`{"Format": 2, "Version": "v9"}`), []string{"v9", "format 2", "newer"}},
		"cut while zipped":   {zipped(t, sound)[:40], []string{"cut off"}},
		"damaged in the zip": {damage(zipped(t, sound)), []string{"copy it again"}},
	} {
		path := file(t, x.content)
		_, err := ReadState(path)
		if err == nil {
			t.Errorf("%s: it is read, want an error", name)
			continue
		}
		for _, part := range append(x.says, path) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", name, err, part)
			}
		}
	}
	if _, err := ReadState(t.TempDir()); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v, want that it is one", err)
	}
}

// damage changes a byte of what was compressed.
func damage(z []byte) []byte {
	z[len(z)/2] ^= 0xff
	return z
}

// A small file that would fill the memory once it is decompressed is refused before it does.
func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	sparse := filepath.Join(t.TempDir(), "huge.json")
	f, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(Largest + 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadState(sparse); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("%v, want that it is too large", err)
	}
}

// A compressed state is read as any other.
func TestACompressedStateIsRead(t *testing.T) {
	s, err := ReadState(file(t, zipped(t, stateText(t))))
	if err != nil || len(s.Facts) != 1 || s.Now != 5 {
		t.Errorf("%v, %d facts at %d; want one at 5", err, len(s.Facts), s.Now)
	}
}
