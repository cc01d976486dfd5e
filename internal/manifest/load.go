package manifest

import (
	gojson "encoding/json"
	"io"
	"maps"
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
	opened    map[string]bool // the files, by their absolute paths
	documents int
	file      string
	most      int   // how many pods workloads may make
	mostSpecs int64 // bytes of their templates and names, of each pod anew; 0: any number
	spoilt    []int // chunks of which a piece is malformed

	buf      []byte           // the JSON of the document that is read
	progress *progressReports // nil: no progress is wanted
	others   *others          // nil: all documents have to be objects
}

// object is one that was read.
type object struct {
	where Position
	kind  *kind
	id    identity
	made  bool // of an API server: nothing is made of it
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
	return &Set{skipped: map[string]int{}, unknown: map[string]*unknown{}, opened: map[string]bool{}, most: mostMade,
		file: file}
}

// Load reads files, folders (*.yaml, *.yml and *.json below them) and, for "-", standard
// input. The Set holds what could be read; the errors are all there are, in the order of
// the input: with any of them the input is bad (decision 34).
func Load(paths []string, stdin io.Reader) (*Set, []Error) {
	return LoadWithProgress(paths, stdin, nil)
}

// LoadWithProgress is Load, and tells how far it has come, as Expand of the Set will: often, one
// call at a time, not always from the goroutine that called it. tell may be nil.
func LoadWithProgress(paths []string, stdin io.Reader, tell func(Progress)) (*Set, []Error) {
	s := newSet("")
	if tell != nil {
		s.progress = &progressReports{report: tell}
	}
	for _, path := range paths {
		s.errs = append(s.errs, s.readPath(path, stdin)...)
	}
	if s.documents == 0 && len(s.errs) == 0 {
		s.errs = append(s.errs, Error{Position{File: strings.Join(paths, ", ")}, "holds no object"})
	}
	return s, inOrder(s.errs)
}

// merge adds what was read after what s has.
func (s *Set) merge(part *Set) {
	s.objects = append(s.objects, part.objects...)
	s.configs = append(s.configs, part.configs...)
	s.errs = append(s.errs, part.errs...)
	s.documents += part.documents
	maps.Copy(s.opened, part.opened)
	if s.others != nil && part.others != nil {
		s.others.files = append(s.others.files, part.others.files...)
		s.others.charts = append(s.others.charts, part.others.charts...)
	}
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

// head is what says how to read an object.
type head struct {
	APIVersion gojson.RawMessage `json:"apiVersion"`
	Kind       gojson.RawMessage `json:"kind"`
	Items      gojson.RawMessage `json:"items"`
}

// object takes an object or a list of them in; false when its JSON is malformed. Items of a
// typed list need not name their kind again.
func (s *Set) object(d *document, apiVersion, kindName string, depth int) bool {
	var h head
	for _, e := range d.errs {
		s.fail(e.line, e.String())
	}
	if len(d.errs) > 0 {
		return true
	}
	if depth > 20 {
		s.fail(d.line, "lists are nested too deeply")
		return true
	}
	if s.foreign(d.json, depth) {
		return true
	}
	if len(d.json) == 0 || d.json[0] != '{' {
		s.fail(d.line, "expected an object with apiVersion and kind, found "+found(d.json, ""))
		return gojson.Valid(d.json)
	}
	if json.UnmarshalCaseSensitivePreserveInts(d.json, &h) != nil {
		return false
	}
	apiVersion, ok := s.said(d, h.APIVersion, "apiVersion", apiVersion)
	kindName, named := s.said(d, h.Kind, "kind", kindName)
	if !ok || !named {
		return true
	}
	if item, isList := strings.CutSuffix(kindName, "List"); isList {
		s.list(d, h.Items, apiVersion, item, depth)
		return true
	}
	k, complaint := lookUp(apiVersion, kindName)
	switch {
	case complaint != "":
		s.fail(d.at("kind"), complaint)
	case k == nil, k.name == "ConfigMap" && !configures(d.json):
		s.skipped[kindName]++
	default:
		s.decode(d, k)
	}
	return true
}

// configures says that a ConfigMap has a scheduler's configuration.
func configures(text []byte) bool {
	var c struct {
		Data map[string]gojson.RawMessage `json:"data"`
	}
	return json.UnmarshalCaseSensitivePreserveInts(text, &c) == nil && c.Data[ConfigKey] != nil
}

// said is a field that every object needs.
func (s *Set) said(d *document, v gojson.RawMessage, key, inherited string) (string, bool) {
	var text string
	switch {
	case v == nil && inherited != "":
		return inherited, true
	case v == nil, string(v) == "null", string(v) == `""`:
		s.fail(d.line, "an object without "+key)
		return "", false
	case v[0] == '{', v[0] == '[':
		s.fail(d.at(key), key+": expected a text, found "+found(v, ""))
		return "", false
	case v[0] != '"' || gojson.Unmarshal(v, &text) != nil:
		text = string(v)
	}
	return text, true
}

// list takes the items of a list in.
func (s *Set) list(d *document, items gojson.RawMessage, apiVersion, item string, depth int) {
	if twice, _ := json.UnmarshalStrict(d.json, &head{}, json.DisallowDuplicateFields); d.unusual || len(twice) > 0 {
		var l locator
		l.duplicates(d.tree(), &fieldPath{})
		for _, err := range l.errs {
			s.fail(err.line, err.String())
		}
	}
	var all []gojson.RawMessage
	if items != nil && gojson.Unmarshal(items, &all) != nil {
		s.fail(d.at("items"), "items: expected a list, found "+found(items, ""))
		return
	}
	if item == "" {
		apiVersion = ""
	} else if k, complaint := lookUp(apiVersion, item); complaint != "" {
		s.fail(d.line, complaint)
		return
	} else if k == nil {
		s.skipped[item] += len(all)
		return
	}
	nodes := elements(value(d.tree(), "items"))
	for i, text := range all {
		part := &document{json: text, line: d.line, unusual: d.unusual}
		if len(nodes) == len(all) {
			if part.root, _ = resolved(nodes[i]); part.root != nil {
				part.line = nodes[i].Line
				part.mended()
			}
		}
		s.object(part, apiVersion, item, depth+1)
	}
}

// decode reads an object of a kind that has a part in scheduling.
func (s *Set) decode(d *document, k *kind) {
	obj := k.make()
	fields, errs := d.fill(obj)
	for _, e := range errs {
		s.fail(e.line, e.String())
	}
	if len(errs) > 0 || !s.name(d, k, obj) {
		return
	}
	if c, ok := obj.(*corev1.ConfigMap); ok {
		s.config(d, c)
		return
	}
	o := object{where: Position{s.file, d.line}, kind: k, Object: obj,
		id: identity{k.group, k.name, obj.GetNamespace(), obj.GetName()}}
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

// name checks an object's name and namespace as the API server would, and gives what
// belongs to a namespace and names none the namespace "default".
func (s *Set) name(d *document, k *kind, obj metav1.Object) bool {
	if obj.GetName() == "" {
		s.fail(d.at("metadata", "name"), k.name+" without metadata.name")
		return false
	}
	for _, problem := range validation.NameIsDNSSubdomain(obj.GetName(), false) {
		s.fail(d.at("metadata", "name"), "metadata.name: "+shown(obj.GetName())+": "+problem)
		return false
	}
	switch {
	case k.cluster:
		obj.SetNamespace("")
	case obj.GetNamespace() == "":
		obj.SetNamespace(metav1.NamespaceDefault)
	default:
		for _, problem := range validation.ValidateNamespaceName(obj.GetNamespace(), false) {
			s.fail(d.at("metadata", "name"), "metadata.namespace: "+shown(obj.GetNamespace())+": "+problem)
			return false
		}
	}
	return true
}

// config keeps a scheduler's configuration and where it stands.
func (s *Set) config(d *document, c *corev1.ConfigMap) {
	text := ConfigText{
		Where: Position{s.file, d.line}, Name: c.Namespace + "/" + c.Name,
		Text: c.Data[ConfigKey], Line: d.at("data", ConfigKey),
	}
	if v := value(value(d.tree(), "data"), ConfigKey); v != nil && v.Style&yaml.LiteralStyle != 0 {
		text.Literal = true
		text.Line++
	}
	s.configs = append(s.configs, text)
}

// ref is the object's kind, namespace and name as Problems quote it.
func (o *object) ref() string {
	return strings.Join(slices.DeleteFunc([]string{o.kind.name, o.GetNamespace(), o.GetName()},
		func(s string) bool { return s == "" }), "/")
}
