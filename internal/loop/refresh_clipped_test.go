package loop

import (
	"encoding/json"
	"strings"
	"testing"

	"ashlar.sh/internal/kube/execute"
)

// A reason that is longer than a message may be is cut off between two letters, in any script: a scheduler that starts
// knows it again as the API server shows it, and writes nothing.
func TestALongReasonInAnyScriptIsKnownAgain(t *testing.T) {
	for _, padding := range []string{"", "x", "xx", "xxx"} { // the bound is in another byte of a letter each time
		message := padding + strings.Repeat("𐍈", 600)
		written, err := json.Marshal(execute.Clip(message))
		if err != nil {
			t.Fatal(err)
		}
		var shown string
		if err := json.Unmarshal(written, &shown); err != nil {
			t.Fatal(err)
		}
		if !clipped(message, shown) {
			t.Errorf("after %d bytes of ASCII it is shown as %q, which is not known again", len(padding), shown[len(shown)-12:])
		}
	}
}
