package manifest

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quantities are kept digit by digit: an exponent of many digits would keep a reader of
// them busy, or fill the memory, before it is refused.
var wildExponent = regexp.MustCompile(`^[-+]?[0-9.]+[eE](-[0-9]{4,}|\+?[0-9]{9,})$`)

// looksWild finds numbers with an exponent so large that parsing the quantity would take long.
func looksWild(text string) bool {
	if len(text) < 6 || text[len(text)-1] < '0' || text[len(text)-1] > '9' || !strings.ContainsAny(text, "eE") {
		return false
	}
	return wildExponent.MatchString(strings.TrimSpace(text))
}

// hasWildExponent says that a text, JSON or YAML, has perhaps such a number; or the code of a
// byte that numbers consist of, which ordinary input does not have.
func hasWildExponent(text []byte) bool {
	for i := 1; i+4 < len(text); i++ {
		switch c := text[i]; {
		case c == 'u' && text[i-1] == '\\' && hides(text[i+1:i+5]):
			return true
		case c|0x20 != 'e' || strings.IndexByte("0123456789.", text[i-1]) < 0:
			continue
		}
		exponent, most := text[i+1:], 9
		switch exponent[0] {
		case '-':
			exponent, most = exponent[1:], 4
		case '+':
			exponent = exponent[1:]
		}
		digits := exponent[:min(most, len(exponent))]
		before := bytes.TrimRight(text[:i], "0123456789.")
		if len(digits) == most && len(bytes.Trim(digits, "0123456789")) == 0 &&
			(len(before) == 0 || !letter(before[len(before)-1])) {
			return true
		}
	}
	return false
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// hides says that four digits are the code of a byte that numbers consist of.
func hides(hex []byte) bool {
	code, err := strconv.ParseUint(string(hex), 16, 16)
	return err == nil && code < utf8.RuneSelf && strings.IndexByte("0123456789+-.eE", byte(code)) >= 0
}
