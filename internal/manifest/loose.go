package manifest

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// A key that YAML takes for a number or a truth value becomes a text in JSON: 0 and "0" are one key there, of which the
// library keeps whichever Go's order of maps has last.

// hasLooseKey says that a YAML text has perhaps a key that is no text.
func hasLooseKey(text []byte) bool {
	for i, c := range text {
		last := i+1 == len(text)
		if c == '?' && (last || blank(text[i+1])) {
			return true // a key of which the colon is elsewhere
		}
		if c != ':' || !last && !blank(text[i+1]) && bytes.IndexByte([]byte(`,?[]{}"'`), text[i+1]) < 0 {
			continue
		}
		end := i
		for end > 0 && blank(text[end-1]) {
			end--
		}
		// What may follow the colon ends the next word as well, so no byte is looked at for two colons. A word with a
		// quote in it is a text, whatever its last part looks like.
		begin := end
		for begin > 0 && !blank(text[begin-1]) && bytes.IndexByte([]byte("{}[],?\"'"), text[begin-1]) < 0 {
			begin--
		}
		if word := text[begin:end]; len(word) > 0 && !isText(word) { // none after a quote
			return true
		}
	}
	return false
}

// blank says that a byte may stand between words; all beyond ASCII may.
func blank(c byte) bool { return c <= ' ' || c >= 0x7f }

// keyOf is a scalar key as JSON has it.
func keyOf(k *yaml.Node) string {
	if k.Style&(quoted|yaml.TaggedStyle) != 0 || k.Value == "" || isText([]byte(k.Value)) {
		return k.Value
	}
	var only map[string]int
	j, err := sigsyaml.YAMLToJSON([]byte("? " + k.Value + "\n: 0\n"))
	if err == nil && json.Unmarshal(j, &only) == nil && len(only) == 1 {
		for key := range only {
			return key
		}
	}
	return k.Value
}
