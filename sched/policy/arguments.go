package policy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Arguments are the settings of a plugin or an action, by key, as text. They come to it as fields of a struct (Read).
type Arguments map[string]string

// Kind is the type of value that an argument takes.
type Kind string

// The kinds. A map and a sequence are JSON; a list is names between commas.
const (
	KindInt      Kind = "int"
	KindBool     Kind = "bool"
	KindDecimal  Kind = "float" // at most three decimal places
	KindText     Kind = "string"
	KindDuration Kind = "duration"
	KindList     Kind = "list"
	KindMap      Kind = "map"
	KindSequence Kind = "sequence"
	KindAny      Kind = "any"
)

// Argument describes one argument of a plugin or an action.
type Argument struct {
	Key     string
	Alias   string // a second key for the same argument; "" for none
	Prefix  bool   // Key stands for every key that begins with it
	Later   bool   // it is known, and has no effect in this version
	Kind    Kind
	Unit    string // of a number; "" for none
	Default string // as one would write it; "" for none
	Meaning string
	Words   []string // the only values that it takes; none: any of its kind
	Bounds  string   // which values it takes, such as "at least 0"; "": any of its kind

	least, most *int64
	set         func(name, text string, number int64) // name is what follows a prefix
}

// Check says what is wrong with a value, as text, and which values are allowed; nil where it can be used.
func (a *Argument) Check(text string) error {
	_, err := a.number(text)
	return err
}

// number is the value of an argument that is a number, in thousandths for a decimal and in nanoseconds for a duration.
// true is 1. Of every other kind it is 0. The error says what is wrong with the value.
func (a *Argument) number(text string) (x int64, err error) {
	want := ""
	switch a.Kind {
	case KindInt:
		if x, err = strconv.ParseInt(text, 10, 64); err != nil {
			want = "a whole number"
		}
	case KindBool:
		on, wrong := strconv.ParseBool(text)
		if err = wrong; err != nil {
			want = "true or false"
		} else if on {
			x = 1
		}
	case KindDecimal:
		if x, err = Thousandths(text); err != nil {
			want = "a number with at most three decimal places"
		}
	case KindDuration:
		d, wrong := time.ParseDuration(text)
		if x, err = int64(d), wrong; err != nil {
			want = "a duration such as 90s or 1h30m"
		}
	case KindText:
		switch {
		case a.Words != nil && !slices.Contains(a.Words, text):
			return 0, fmt.Errorf("must be one of %s, not %q", strings.Join(a.Words, ", "), text)
		case text == "" && a.Default != "":
			return 0, fmt.Errorf("must be a name such as %s, not empty", a.Default)
		}
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("must be %s, not %q", want, text)
	case a.least != nil && x < *a.least, a.most != nil && x > *a.most:
		return 0, fmt.Errorf("must be %s, not %s", a.Bounds, text)
	default:
		return x, nil
	}
}

// Thousandths reads a number with at most three decimal places: 1.2 is 1200.
func Thousandths(text string) (int64, error) {
	whole, places, _ := strings.Cut(text, ".")
	if whole+places == "" || len(places) > 3 || strings.ContainsAny(places, "+-") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(whole+places+"000"[len(places):], 10, 64)
}

// AtLeast refuses smaller values.
func (a *Argument) AtLeast(n int64) *Argument { a.least = &n; return a.bounded("at least ", n) }

// Above refuses n and smaller values.
func (a *Argument) Above(n int64) *Argument {
	a.AtLeast(n + 1).Bounds = ""
	return a.bounded("above ", n)
}

// AtMost refuses greater values.
func (a *Argument) AtMost(n int64) *Argument { a.most = &n; return a.bounded("at most ", n) }

func (a *Argument) bounded(by string, n int64) *Argument {
	a.Bounds = strings.TrimPrefix(a.Bounds+" and "+by+a.shown(n), " and ")
	return a
}

// shown is a number as one would write it.
func (a *Argument) shown(n int64) string {
	switch a.Kind {
	case KindDuration:
		return time.Duration(n).String()
	case KindDecimal:
		return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%03d", n/1000, n%1000), "0"), ".")
	default:
		return strconv.FormatInt(n, 10)
	}
}

// Aliased accepts a second key for the argument, as Volcano does.
func (a *Argument) Aliased(key string) *Argument { a.Alias = key; return a }

// In says in which unit a number is.
func (a *Argument) In(unit string) *Argument { a.Unit = unit; return a }

// Without says that the argument has no default: the field has the value of an absent key.
func (a *Argument) Without() *Argument { a.Default = ""; return a }

// As also sets a field to the value as text.
func (a *Argument) As(p *string) *Argument {
	set := a.set
	a.set = func(name, text string, x int64) { set(name, text, x); *p = text }
	return a
}

// Lookup finds the argument that a key writes: by its key or its alias, otherwise by the longest prefix that leaves a
// name; nil for none.
func Lookup(list []*Argument, key string) (found *Argument) {
	for _, a := range list {
		switch {
		case !a.Prefix && (a.Key == key || a.Alias == key):
			return a
		case a.Prefix && len(key) > len(a.Key) && strings.HasPrefix(key,
			a.Key) && (found == nil || len(a.Key) > len(found.Key)):
			found = a
		}
	}
	return found
}

// ArgumentSet lists the arguments of a plugin or an action, as flag.FlagSet lists the flags of a command: each method
// names a key, and sets a field to its default or to the configured value.
type ArgumentSet struct {
	list  []*Argument
	tree  []*bool
	after []func()
	wrong error
}

func (s *ArgumentSet) add(a Argument) *Argument {
	s.list = append(s.list, &a)
	return &a
}

func (s *ArgumentSet) number(p *int64, kind Kind, key string, otherwise int64, meaning string) *Argument {
	*p = otherwise
	a := s.add(Argument{Key: key, Kind: kind, Meaning: meaning, set: func(_, _ string, x int64) { *p = x }})
	a.Default = a.shown(otherwise)
	return a
}

// Int is a whole number.
func (s *ArgumentSet) Int(p *int64, key string, otherwise int64, meaning string) *Argument {
	return s.number(p, KindInt, key, otherwise, meaning)
}

// Decimal is a number with at most three decimal places, in thousandths.
func (s *ArgumentSet) Decimal(p *int64, key string, otherwise int64, meaning string) *Argument {
	return s.number(p, KindDecimal, key, otherwise, meaning)
}

// Duration is a length of time, in nanoseconds.
func (s *ArgumentSet) Duration(p *int64, key string, otherwise int64, meaning string) *Argument {
	return s.number(p, KindDuration, key, otherwise, meaning)
}

// Bool is true or false.
func (s *ArgumentSet) Bool(p *bool, key string, otherwise bool, meaning string) *Argument {
	*p = otherwise
	return s.add(Argument{Key: key, Kind: KindBool, Default: strconv.FormatBool(otherwise), Meaning: meaning,
		set: func(_, _ string, x int64) { *p = x == 1 }})
}

// Text is any text. One with a default is not empty.
func (s *ArgumentSet) Text(p *string, key, otherwise, meaning string) *Argument {
	*p = otherwise
	return s.add(Argument{Key: key, Kind: KindText, Default: otherwise, Meaning: meaning,
		set: func(_, text string, _ int64) { *p = text }})
}

// OneOf is one of a few words, the first of them where it is absent.
func (s *ArgumentSet) OneOf(p *string, key string, words []string, meaning string) *Argument {
	a := s.Text(p, key, words[0], meaning)
	a.Words = slices.Clone(words)
	return a
}

// Sequence is a list as JSON, "" where it is absent.
func (s *ArgumentSet) Sequence(p *string, key, meaning string) {
	s.Text(p, key, "", meaning).Kind = KindSequence
}

// Prefixed are all arguments with keys that begin with a prefix: their values by what follows it.
func (s *ArgumentSet) Prefixed(p *map[string]string, prefix, meaning string) {
	*p = map[string]string{}
	s.add(Argument{Key: prefix, Prefix: true, Kind: KindText, Meaning: meaning,
		set: func(name, text string, _ int64) { (*p)[name] = text }})
}

// Later is an argument of Volcano's that is accepted and has no effect.
func (s *ArgumentSet) Later(kind Kind, key, otherwise, meaning string) *Argument {
	return s.add(Argument{Key: key, Kind: kind, Default: otherwise, Meaning: meaning, Later: true})
}

// Hierarchy sets a field to the plugin's flag enableHierarchy.
func (s *ArgumentSet) Hierarchy(p *bool) { s.tree = append(s.tree, p) }

// ResourceWeight is what a resource weighs; it is not negative.
type ResourceWeight struct {
	Resource string
	Weight   int64
}

// ResourceWeights are the weights of cpu and memory, under their names after prefix, and of those further resources
// that prefix+"resources" lists, under prefix+"resources."+name: 1 where they are absent or, as in Volcano, negative.
// One above most is refused. cpu and memory come first: their own arguments hold even where the list names them again.
func (s *ArgumentSet) ResourceWeights(p *[]ResourceWeight, prefix string, most int64) {
	known := []string{"cpu", "memory"}
	weights := map[string]int64{}
	for _, name := range known {
		s.add(Argument{Key: prefix + name, Kind: KindInt, Default: "1", Meaning: "weight of " + name,
			set: func(_, _ string, x int64) { weights[name] = x }}).AtMost(most)
	}
	var listed []string
	s.add(Argument{Key: prefix + "resources", Kind: KindList, Meaning: "further resources that count",
		set: func(_, text string, _ int64) {
			for name := range strings.SplitSeq(text, ",") {
				listed = append(listed, strings.TrimSpace(name))
			}
			slices.Sort(listed)
		}})
	s.add(Argument{Key: prefix + "resources.", Prefix: true, Kind: KindInt, Default: "1",
		Meaning: "weight of the resource named after the prefix", set: func(name, _ string, x int64) {
			if !slices.Contains(known, name) {
				weights[name] = x
			}
		}}).AtMost(most)
	s.after = append(s.after, func() {
		listed = slices.DeleteFunc(listed, func(name string) bool { return name == "" || slices.Contains(known, name) })
		for _, name := range append(known, slices.Compact(listed)...) {
			weight, given := weights[name]
			if !given || weight < 0 {
				weight = 1
			}
			*p = append(*p, ResourceWeight{name, weight})
		}
	})
}

// Struct is a pointer to a struct of arguments: AddArguments names the key, the default and the meaning of each field.
type Struct[A any] interface {
	*A
	AddArguments(s *ArgumentSet)
}

// NoArguments is the struct of what takes no arguments.
type NoArguments struct{}

// AddArguments implements Struct.
func (*NoArguments) AddArguments(*ArgumentSet) {}

// Describe lists the arguments of a struct. The error says what is wrong with its AddArguments.
func Describe[A any, PA Struct[A]]() ([]*Argument, error) {
	var a A
	var s ArgumentSet
	PA(&a).AddArguments(&s)
	seen := map[string]bool{}
	for _, arg := range s.list {
		if seen[arg.Key] || seen[arg.Alias] {
			s.wrong = fmt.Errorf("AddArguments names %q twice", cmp.Or(arg.Alias, arg.Key))
		}
		if seen[arg.Key] = true; arg.Alias != "" {
			seen[arg.Alias] = true
		}
		if arg.Key == "" {
			s.wrong = errors.New("AddArguments names an argument without a key")
		}
	}
	if _, copies := any(a).(interface{ AddArguments(*ArgumentSet) }); copies && len(s.list)+len(s.tree) > 0 {
		s.wrong = fmt.Errorf("method AddArguments of %T must have a pointer receiver: it sets the fields of a copy", a)
	}
	return s.list, s.wrong
}

// Read sets the fields of a struct to the arguments of a choice. An error is an *ArgumentError, or says what is wrong
// with AddArguments.
func Read[A any, PA Struct[A]](c Choice) (a A, err error) {
	if _, err = Describe[A, PA](); err != nil {
		return a, err
	}
	var s ArgumentSet
	PA(&a).AddArguments(&s)
	for _, on := range s.tree {
		*on = c.Hierarchy
	}
	for _, key := range slices.Sorted(maps.Keys(c.Arguments)) {
		arg := Lookup(s.list, key)
		if arg == nil {
			return a, BadArgument(key, "there is no argument of this name")
		}
		x, err := arg.number(c.Arguments[key])
		if err != nil {
			return a, BadArgument(key, "%w", err)
		}
		if arg.set != nil {
			arg.set(strings.TrimPrefix(key, arg.Key), c.Arguments[key], x)
		}
	}
	for _, f := range s.after {
		f()
	}
	return a, nil
}
