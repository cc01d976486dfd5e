package manifest

import (
	"strings"
	"testing"
	"time"
)

// What a file costs grows with its size, also where it is one word with many colons: a file of a tenant may be linted
// beside those of others.
func TestKeysAreLookedForInOnePass(t *testing.T) {
	for _, part := range []string{`":`, `a:'`, `a:"`, "a:?", "a:,", "a: ", "a :", "a:a"} {
		text := []byte(strings.Repeat(part, 1<<14))
		began := time.Now()
		hasLooseKey(text)
		if took := time.Since(began); took > time.Second { // 1 ms; 5 s if each colon looks back to the beginning
			t.Errorf("%d times %q: it took %s", 1<<14, part, took)
		}
	}
}
