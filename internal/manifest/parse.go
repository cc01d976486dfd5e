package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// malformed is a document that cannot be read.
type malformed struct {
	line int // in the chunk, from 1
	text string
}

func (m *malformed) Error() string { return m.text }

// parse reads the documents of a chunk, YAML or JSON, and hands their roots to each.
// Lines of the nodes count within the file. A root is gone once each returns.
func (c chunk) parse(nodes *nodes, each func(root *yaml.Node)) *Error {
	if j, ok := c.json(); ok {
		done := 0
		for {
			nodes.forget()
			root, rest, ok := j.plainJSON(nodes)
			if !ok {
				break
			}
			each(root)
			j = rest
			done++
		}
		more, err := j.parseJSON(each)
		if err == nil {
			return nil
		}
		// A YAML document may begin with a brace too.
		if done+more == 0 && c.parseYAML(each) == nil {
			return nil
		}
		return &Error{Where: Position{Line: j.lines + err.line}, Message: err.text}
	}
	nodes.forget()
	if root, ok := c.plain(nodes); ok {
		each(root)
		return nil
	}
	if err := c.parseYAML(each); err != nil {
		return &Error{Where: Position{Line: c.lines + err.line}, Message: err.text}
	}
	return nil
}

func (c chunk) parseYAML(each func(root *yaml.Node)) *malformed {
	decoder := yaml.NewDecoder(bytes.NewReader(c.text))
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return c.explain(err)
		}
		if len(doc.Content) > 0 {
			shift(doc.Content[0], c.lines)
			each(doc.Content[0])
		}
	}
}

// shift moves a tree down. Aliases point into the same tree.
func shift(n *yaml.Node, lines int) {
	if lines == 0 {
		return
	}
	n.Line += lines
	for _, c := range n.Content {
		shift(c, lines)
	}
}

// mostSearched bounds the text that is read again and again to find a line.
const mostSearched = 64 << 10

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// explain finds the line of a syntax error. The library gives the scanner's lines; for
// the parser's errors it gives where the surrounding block begins, and for some nothing:
// there it is the last line that had to be seen in order to say the very same.
func (c chunk) explain(err error) *malformed {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
	}
	clear := line > 0 && !strings.HasPrefix(text, "did not find expected")
	if !clear && len(c.text) <= mostSearched {
		var ends []int
		for i, b := range c.text {
			if b == '\n' {
				ends = append(ends, i+1)
			}
		}
		line = 1 + sort.Search(len(ends), func(i int) bool {
			part := chunk{text: c.text[:ends[i]]}
			partial := part.syntax()
			return partial != nil && partial.Error() == err.Error()
		})
	}
	return &malformed{max(line, 1), "malformed YAML: " + oneLine(text)}
}

// syntax is the error of the first malformed document, nil when there is none.
func (c chunk) syntax() error {
	decoder := yaml.NewDecoder(bytes.NewReader(c.text))
	for {
		var doc yaml.Node
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// parseJSON reads concatenated JSON documents into the same trees as YAML, and says how
// many of them were read.
func (c chunk) parseJSON(each func(root *yaml.Node)) (int, *malformed) {
	r := jsonReader{decoder: json.NewDecoder(bytes.NewReader(c.text)), text: c.text, line: 1, lines: c.lines}
	r.decoder.UseNumber()
	for done := 0; ; done++ {
		root, err := r.value(0)
		switch {
		case err == nil:
			each(root)
			continue
		case errors.Is(err, io.EOF):
			return done, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			err = errors.New("the document ends too early")
		}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			r.to(min(syntax.Offset, int64(len(c.text))))
		} else {
			r.to(r.decoder.InputOffset())
		}
		return done, &malformed{r.line, "malformed JSON: " + oneLine(err.Error())}
	}
}

// jsonReader makes nodes of a JSON text.
type jsonReader struct {
	decoder *json.Decoder
	text    []byte
	at      int64 // up to where lines were counted
	line    int   // the line of at, from 1
	lines   int   // the lines before the text
}

// to counts lines up to an offset.
func (r *jsonReader) to(offset int64) {
	if offset > r.at {
		r.line += bytes.Count(r.text[r.at:offset], []byte{'\n'})
		r.at = offset
	}
}

// value reads one value; io.EOF when there is none any more at the top.
func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	if depth > mostDeep {
		return nil, fmt.Errorf("nested more than %d levels deep", mostDeep)
	}
	token, err := r.decoder.Token()
	if err != nil {
		if depth > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	r.to(r.decoder.InputOffset())
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.lines + r.line}
	switch v := token.(type) {
	case json.Delim:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if v == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		}
		for r.decoder.More() {
			c, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, c)
		}
		if _, err := r.decoder.Token(); errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		} else if err != nil {
			return nil, err
		}
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!int", v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}
