package manifest

import (
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/json"
)

// ConfigKey is the key of a ConfigMap under which the scheduler's configuration lies.
const ConfigKey = "volcano-scheduler.conf"

// Set is what was read, before anything is made of it.
type Set struct {
	objects []object
	configs []ConfigText
	skipped map[string]int      // by kind
	unknown map[string]*unknown // by kind and field

	errs      []Error
	documents int
	file      string
	most      int // how many pods workloads may make

	nodes nodes  // of the document that is read
	buf   []byte // its JSON
	told  *told  // nil: nobody asks
}

// object is one that was read.
type object struct {
	where Position
	kind  *kind
	id    identity
	metav1.Object
}

// unknown is a field that some objects of a kind have and no type knows.
type unknown struct {
	object string // the first of them
	field  string
	count  int
	kind   string
}

// ConfigText is a scheduler's configuration found in a ConfigMap.
type ConfigText struct {
	Where Position // the ConfigMap
	Name  string   // namespace/name of the ConfigMap
	Text  string
	// Line is the line of the file in which the text begins. In Literal texts line n of
	// the text is line Line+n-1 of the file; other texts are quoted and have no lines there.
	Line    int
	Literal bool
}

func newSet(file string) *Set {
	return &Set{skipped: map[string]int{}, unknown: map[string]*unknown{}, most: mostMade, file: file}
}

// Load reads files, folders (*.yaml, *.yml and *.json below them) and, for "-", standard
// input. The Set holds what could be read; the errors are all there are, in the order of
// the input: with any of them the input is bad (decision 34).
func Load(paths []string, stdin io.Reader) (*Set, []Error) {
	return LoadTelling(paths, stdin, nil)
}

// LoadTelling is Load, and tells how far it has come, as Expand of the Set will: often, one
// call at a time, not always from the goroutine that called it. tell may be nil.
func LoadTelling(paths []string, stdin io.Reader, tell func(Progress)) (*Set, []Error) {
	s := newSet("")
	if tell != nil {
		s.told = &told{tell: tell}
	}
	for _, path := range paths {
		s.errs = append(s.errs, s.readPath(path, stdin)...)
	}
	if s.documents == 0 && len(s.errs) == 0 {
		s.errs = append(s.errs, Error{Position{File: strings.Join(paths, ", ")}, "holds no object"})
	}
	return s, inOrder(s.errs)
}

// load reads the documents of a file.
func (s *Set) load(src source) {
	s.file = src.name
	s.told.begin(src.name, len(src.text))
	chunks := split(src.text)
	if len(chunks) == 1 && len(src.text) >= manyBytes && s.inPieces(chunks[0]) {
		return
	}
	s.sideBySide(len(chunks), func(part *Set, i int) bool {
		if err := chunks[i].parse(&part.nodes, part.document); err != nil {
			part.fail(err.Where.Line, err.Message)
		}
		part.told.add(len(chunks[i].text), 1)
		return true
	})
}

// merge adds what was read after what s has.
func (s *Set) merge(part *Set) {
	s.objects = append(s.objects, part.objects...)
	s.configs = append(s.configs, part.configs...)
	s.errs = append(s.errs, part.errs...)
	s.documents += part.documents
	for name, n := range part.skipped {
		s.skipped[name] += n
	}
	for name, u := range part.unknown {
		if first := s.unknown[name]; first != nil {
			first.count += u.count
		} else {
			s.unknown[name] = u
		}
	}
}

// fail adds an error about a line of the present file.
func (s *Set) fail(line int, message string) {
	s.errs = append(s.errs, Error{Position{s.file, line}, message})
}

// document takes one document in; an empty one is nothing.
func (s *Set) document(root *yaml.Node) {
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return
	}
	s.documents++
	s.object(root, "", "", 0)
}

// object takes an object or a list of them in. Items of a typed list need not name
// their kind again.
func (s *Set) object(n *yaml.Node, apiVersion, kindName string, depth int) {
	line := n.Line
	n, ok := resolved(n)
	if !ok || depth > 20 {
		s.fail(line, "lists are nested too deeply")
		return
	}
	if n.Kind != yaml.MappingNode {
		s.fail(n.Line, "expected an object with apiVersion and kind, found "+found(n))
		return
	}
	apiVersion, ok = s.text(n, "apiVersion", apiVersion)
	kindName, named := s.text(n, "kind", kindName)
	if !ok || !named {
		return
	}
	if item, isList := strings.CutSuffix(kindName, "List"); isList {
		s.list(n, apiVersion, item, depth)
		return
	}
	k, complaint := lookUp(apiVersion, kindName)
	switch {
	case complaint != "":
		line := n.Line
		if v := value(n, "kind"); v != nil {
			line = v.Line
		}
		s.fail(line, complaint)
	case k == nil, k.name == "ConfigMap" && value(value(n, "data"), ConfigKey) == nil:
		s.skipped[kindName]++
	default:
		s.decode(n, k)
	}
}

// text reads a field that every object needs.
func (s *Set) text(n *yaml.Node, key, inherited string) (string, bool) {
	v := value(n, key)
	switch {
	case v == nil && inherited != "":
		return inherited, true
	case v == nil || v.Tag == "!!null" || (v.Kind == yaml.ScalarNode && v.Value == ""):
		s.fail(n.Line, "an object without "+key)
		return "", false
	case v.Kind != yaml.ScalarNode:
		s.fail(v.Line, key+": expected a text, found "+found(v))
		return "", false
	}
	return v.Value, true
}

// value is what a mapping has under a key; nil without.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	all, _ := pairs(n, 0)
	for i := 0; i < len(all); i += 2 {
		if all[i].Value == key {
			v, _ := resolved(all[i+1])
			return v
		}
	}
	return nil
}

// list takes the items of a list in.
func (s *Set) list(n *yaml.Node, apiVersion, item string, depth int) {
	var e emitter
	e.duplicates(n)
	for _, err := range e.errs {
		s.fail(err.node.Line, err.node.Value+": "+err.message)
	}
	items := value(n, "items")
	if item == "" {
		apiVersion = ""
	} else if k, complaint := lookUp(apiVersion, item); complaint != "" {
		s.fail(n.Line, complaint)
		return
	} else if k == nil {
		s.skipped[item] += len(elements(items))
		return
	}
	if items != nil && items.Kind != yaml.SequenceNode && items.Tag != "!!null" {
		s.fail(items.Line, "items: expected a list, found "+found(items))
		return
	}
	for _, c := range elements(items) {
		s.object(c, apiVersion, item, depth+1)
	}
}

func elements(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// decode reads an object of a kind that has a part in scheduling.
func (s *Set) decode(n *yaml.Node, k *kind) {
	obj := k.make()
	fields, errs := s.fill(n, obj)
	for _, e := range errs {
		if e.path != "" {
			e.message = e.path + ": " + e.message
		}
		s.fail(e.line, e.message)
	}
	if len(errs) > 0 || !s.name(n, k, obj) {
		return
	}
	if c, ok := obj.(*corev1.ConfigMap); ok {
		s.config(n, c)
		return
	}
	o := object{Position{s.file, n.Line}, k, identity{k.group, k.name, obj.GetNamespace(), obj.GetName()}, obj}
	s.objects = append(s.objects, o)
	for _, f := range fields {
		u := s.unknown[k.name+" "+f]
		if u == nil {
			u = &unknown{object: o.ref(), field: f, kind: k.name}
			s.unknown[k.name+" "+f] = u
		}
		u.count++
	}
}

// fill reads a tree into obj and returns the fields that obj does not know, or what keeps
// the tree from being read.
func (s *Set) fill(n *yaml.Node, obj any) (unknown []string, errs []fieldError) {
	e := emitter{buf: s.buf[:0]}
	e.emit(n, 0)
	s.buf = e.buf
	for _, err := range e.errs {
		errs = append(errs, fieldError{err.node.Line, pathTo(n, err.node, &fieldPath{}), err.message})
	}
	if len(errs) > 0 {
		return nil, errs
	}
	var l locator
	if e.wild {
		if l.compare(n, reflect.TypeOf(obj), &fieldPath{}); len(l.errs) > 0 {
			return nil, l.errs
		}
	}
	// That no key is there twice the emitter has found.
	strict, err := json.UnmarshalStrict(e.buf, obj, json.DisallowUnknownFields)
	if err != nil {
		if l.compare(n, reflect.TypeOf(obj), &fieldPath{}); len(l.errs) == 0 {
			l.errs = []fieldError{{line: n.Line, message: oneLine(err.Error())}}
		}
		return nil, l.errs
	}
	for _, err := range strict {
		unknown = append(unknown, strings.TrimPrefix(err.Error(), "unknown field "))
	}
	return unknown, nil
}

// name checks an object's name and namespace as the API server would, and gives what
// belongs to a namespace and names none the namespace "default".
func (s *Set) name(n *yaml.Node, k *kind, obj metav1.Object) bool {
	line := n.Line
	if m := value(n, "metadata"); m != nil {
		line = m.Line
		if v := value(m, "name"); v != nil {
			line = v.Line
		}
	}
	if obj.GetName() == "" {
		s.fail(line, k.name+" without metadata.name")
		return false
	}
	for _, problem := range validation.NameIsDNSSubdomain(obj.GetName(), false) {
		s.fail(line, "metadata.name: "+shown(obj.GetName())+": "+problem)
		return false
	}
	switch {
	case k.cluster:
		obj.SetNamespace("")
	case obj.GetNamespace() == "":
		obj.SetNamespace(metav1.NamespaceDefault)
	default:
		for _, problem := range validation.ValidateNamespaceName(obj.GetNamespace(), false) {
			s.fail(line, "metadata.namespace: "+shown(obj.GetNamespace())+": "+problem)
			return false
		}
	}
	return true
}

// config keeps a scheduler's configuration and where it stands.
func (s *Set) config(n *yaml.Node, c *corev1.ConfigMap) {
	v := value(value(n, "data"), ConfigKey)
	text := ConfigText{
		Where: Position{s.file, n.Line}, Name: c.Namespace + "/" + c.Name,
		Text: c.Data[ConfigKey], Line: v.Line, Literal: v.Style&yaml.LiteralStyle != 0,
	}
	if text.Literal {
		text.Line++
	}
	s.configs = append(s.configs, text)
}

// ref is the object's kind, namespace and name as Problems quote it.
func (o *object) ref() string {
	return strings.Join(slices.DeleteFunc([]string{o.kind.name, o.GetNamespace(), o.GetName()},
		func(s string) bool { return s == "" }), "/")
}
