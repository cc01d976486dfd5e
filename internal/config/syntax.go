package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decode reads the first document of data, nil if there is none, and the
// second, nil if there is one only.
func decode(data []byte) (first, second *yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var docs [2]*yaml.Node
	for i := range docs {
		var doc yaml.Node
		switch err := decoder.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return docs[0], nil, nil
		case err != nil:
			return nil, nil, err
		}
		docs[i] = doc.Content[0]
	}
	return docs[0], docs[1], nil
}

// maxSearch bounds the data that is read again and again to find a line.
const maxSearch = 64 << 10

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// syntax tells the line of an error that decode returned for data, and what the
// YAML library says about it. The library gives the line of the scanner's
// errors; for the parser's it gives where the surrounding block begins, and for
// some nothing. There the line is the last one the library had to see in order
// to say the very same; but in data of unusual length, what the library gives.
func syntax(data []byte, err error) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
	}
	if len(data) > maxSearch {
		return max(line, 1), text
	}
	if line > 0 && !strings.HasPrefix(text, "did not find expected") {
		return line, text
	}
	var ends []int
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return 1 + sort.Search(len(ends), func(i int) bool {
		_, _, partial := decode(data[:ends[i]])
		return partial != nil && partial.Error() == err.Error()
	}), text
}
