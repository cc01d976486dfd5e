package explain

import (
	"regexp"
	"strings"
	"unicode"
)

// ours are the sequences by which paint changes the colour.
var ours = regexp.MustCompile("\x1b\\[(?:0|1|2|31|32|33)m")

// Printable is a text in which what objects and files say of themselves cannot steer a terminal: names of queues and
// PodGroups that pods and PodGroups refer to are checked by no API server. Characters that control a terminal or turn
// the direction of a text are question marks; ends of lines, tabs and our own colours stay.
func Printable(text string) string {
	if strings.IndexFunc(text, steers) < 0 {
		return text
	}
	var b strings.Builder
	from := 0
	for _, colour := range ours.FindAllStringIndex(text, -1) {
		b.WriteString(harmless(text[from:colour[0]]))
		b.WriteString(text[colour[0]:colour[1]])
		from = colour[1]
	}
	b.WriteString(harmless(text[from:]))
	return b.String()
}

// oneLine keeps a name from looking like rows of a list.
var oneLine = strings.NewReplacer("\n", "?", "\t", "?")

func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return '?'
		}
		return r
	}, text)
}

// steers says that a character does something to a terminal besides being shown. U+FFFD is also what a byte that is no
// UTF-8 is read as: alone it may control an old terminal.
func steers(r rune) bool {
	return r != '\n' && r != '\t' &&
		(unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar)
}
