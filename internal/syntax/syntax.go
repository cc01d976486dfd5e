// Package syntax reads YAML texts as trees of nodes with line numbers, and finds the line in
// which a malformed text goes wrong. It is for messages: values are read elsewhere.
package syntax

import (
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Documents reads the roots of the first documents of a text, most of them at most.
func Documents(text []byte, most int) ([]*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var roots []*yaml.Node
	for len(roots) < most {
		var doc yaml.Node
		switch err := decoder.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, err
		}
		roots = append(roots, doc.Content...)
	}
	return roots, nil
}

// maxSearch bounds the text that is read again and again to find a line.
const maxSearch = 64 << 10

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// Line tells the line, from 1, of an error that Documents returned for a text, and what the
// YAML library says about it. The library gives the line of the scanner's errors; for the
// parser's it gives where the surrounding block begins, and for some nothing. There the
// line is the last one the library had to see in order to say the very same; but in a text
// of unusual length, what the library gives.
func Line(text []byte, err error) (line int, message string) {
	message = strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
	}
	if len(text) > maxSearch || line > 0 && !strings.HasPrefix(message, "did not find expected") {
		return max(line, 1), message
	}
	var ends []int
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return 1 + sort.Search(len(ends), func(i int) bool {
		_, partial := Documents(text[:ends[i]], math.MaxInt)
		return partial != nil && partial.Error() == err.Error()
	}), message
}
