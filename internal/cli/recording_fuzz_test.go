package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Whatever a recording holds, replay plays it or says what is wrong with it. testdata has one that a scheduler wrote.
func FuzzReplayRecording(f *testing.F) {
	f.Add("{\"Recording\":1,\"Saved\":0}\n{\"Now\":5,\"Facts\":[]}\n{\"Cycle\":{\"Number\":1,\"Now\":5}}\n")
	f.Add("{\"Recording\":1}\n{}\n{\"Facts\":[{\"Ref\":{\"Kind\":\"Pod\"}}],\"Receipts\":[{}],\"Remade\":{}}\n")
	path := filepath.Join(f.TempDir(), "recording.jsonl")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]string{{"-o", "json"}, {"--step"}} {
			got := run("", append([]string{"ashlar", "replay", path}, more...)...)
			ended := got.code == 0 || got.code == 1 && got.err != "" || got.code == 3
			if !ended || more[0] == "-o" && got.code == 0 && !json.Valid([]byte(got.out)) {
				t.Errorf("%v: exit code %d, %q: %q", more, got.code, got.err, got.out)
			}
		}
	})
}
