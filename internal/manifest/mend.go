package manifest

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// mostWritten bounds the size of a list with its aliases expanded, when its items are read one by one.
const mostWritten = 1 << 20

// bareTag is a tag without a name, which trees do not tell from none.
var bareTag = regexp.MustCompile(`!([][{},\s]|$)`)

// mend makes JSON of a List of which some item has what JSON has not: of each item by
// itself, and null of those that have it; mended finds their errors. It is false when the
// document is no such list, or the list itself is to blame.
func (d *document) mend() bool {
	items := value(d.root, "items")
	if len(elements(items)) == 0 {
		return false
	}
	var parts [][]byte
	for _, n := range items.Content {
		j := []byte("null")
		if item := (document{root: n}); len(item.faults()) == 0 {
			j, _ = written(n)
		}
		parts = append(parts, j)
	}
	head := *d.root
	head.Content = nil
	all, _ := pairs(d.root, 0)
	for i := 0; i < len(all); i += 2 {
		if all[i].Value != "items" {
			head.Content = append(head.Content, all[i], all[i+1])
		}
	}
	j, err := written(&head)
	if err != nil || len(j) == 0 || j[0] != '{' {
		return false
	}
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(j, []byte("}")))
	if len(head.Content) > 0 {
		b.WriteByte(',')
	}
	b.WriteString(`"items":[`)
	b.Write(bytes.Join(parts, []byte(",")))
	b.WriteString("]}")
	d.json = b.Bytes()
	return true
}

// mended gives an item for which mend wrote null its errors.
func (d *document) mended() {
	if d.unusual && string(d.json) == "null" {
		d.errs = d.faults()
	}
}

// faults says what in a part of a tree JSON does not have.
func (d *document) faults() []fieldError {
	_, err := written(d.root)
	if errs := d.locate(nil); len(errs) > 0 || err == nil {
		return errs
	}
	return d.blame(err)
}

// written is a part of a tree as JSON, as kubectl would read it if it stood alone.
func written(n *yaml.Node) ([]byte, error) {
	text, err := yaml.Marshal(withoutAliases(n))
	if err != nil {
		return nil, err
	}
	return sigsyaml.YAMLToJSON(text)
}

// withoutAliases is a copy of a tree with what aliases stand for in their place, but for
// comments. Aliases end: expansion has looked at them.
func withoutAliases(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return withoutAliases(n.Alias)
	}
	out := &yaml.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	if n.Style&quoted != 0 || strings.Contains(n.Value, "\n") { // in this style nothing is folded
		out.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
	}
	if n.Tag == "!!null" && n.Value == "" && n.Style == 0 {
		out.Value = "null"
	}
	for _, c := range n.Content {
		out.Content = append(out.Content, withoutAliases(c))
	}
	return out
}
