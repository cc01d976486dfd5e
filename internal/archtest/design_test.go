package archtest

import (
	"os"
	"testing"
)

// A design note is cited by its number.
func TestDesignNotesHaveNumbersOfTheirOwn(t *testing.T) {
	entries, err := os.ReadDir("../../docs/design")
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for _, e := range entries {
		number := e.Name()[:4]
		if other := taken[number]; other != "" {
			t.Errorf("docs/design: %s and %s have one number: the one that came later takes the next free one", other, e.Name())
		}
		taken[number] = e.Name()
	}
}
