package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/sched/ledger"
)

// Definition ties a plugin's name to its constructor, which is called once, when an
// engine is made for a profile. Define makes one.
type Definition struct {
	Name    string
	Meaning string // what the plugin is for, in half a sentence
	// Arguments are those that it takes, and no others; nil: any, as they are written.
	Arguments []Argument
	New       func(c Choice, l *ledger.Ledger) (any, error)
}

// Define is the definition of a plugin with typed arguments. A is a struct: its method AddArguments names each
// field's key, default and meaning. P is the type of the plugin: where it is an extension point (JobOrder), or an
// interface that embeds several, the compiler checks the plugin's methods. build gets the arguments read and
// within their bounds; a further objection of its own is a BadArgument.
func Define[A, P any, PA interface {
	*A
	AddArguments(s *ArgumentSet)
}](name, meaning string, build func(A, *ledger.Ledger) (P, error)) Definition {
	var described ArgumentSet
	PA(new(A)).AddArguments(&described)
	return Definition{Name: name, Meaning: meaning, Arguments: described.arguments(),
		New: func(c Choice, l *ledger.Ledger) (any, error) {
			var a A
			var s ArgumentSet
			if _, copies := any(a).(interface{ AddArguments(*ArgumentSet) }); copies && len(described.list) > 0 {
				return nil, fmt.Errorf("method AddArguments of %T must have a pointer receiver: it sets the fields of a copy", a)
			}
			PA(&a).AddArguments(&s)
			if err := s.sound(); err != nil {
				return nil, err
			}
			if err := s.read(c); err != nil {
				return nil, err
			}
			p, err := build(a, l)
			if err != nil {
				return nil, err
			}
			return p, nil
		}}
}

// NoArguments is the struct of a plugin that takes no arguments.
type NoArguments struct{}

// AddArguments implements the constraint of Define.
func (*NoArguments) AddArguments(*ArgumentSet) {}

// Kind is the type of value that an argument takes.
type Kind string

// The kinds.
const (
	KindInt      Kind = "int"
	KindBool     Kind = "bool"
	KindDecimal  Kind = "float" // at most three decimal places
	KindText     Kind = "string"
	KindDuration Kind = "duration"
	KindList     Kind = "list"
	KindSequence Kind = "sequence" // as JSON
)

// Argument is one argument of a plugin.
type Argument struct {
	Key     string
	Prefix  bool // Key stands for every key that begins with it
	Later   bool // it is known, and not heeded
	Kind    Kind
	Default string // as one would write it; "" for none
	Meaning string
	Words   []string // the only values that it takes; none: any of its kind
	Bounds  string   // what a value may be besides, such as "at least 0"; "" for no bounds

	read  func(a Arguments) error
	value *int64
	text  *string
	least *int64
	most  *int64
}

// ArgumentSet lists the arguments of a plugin, as flag.FlagSet lists the flags of a command: each method names a
// key, and sets a field to its default or to what is configured.
type ArgumentSet struct {
	list []*Argument
	tree []*bool
}

func (s *ArgumentSet) arguments() []Argument {
	out := make([]Argument, 0, len(s.list))
	for _, a := range s.list {
		out = append(out, *a)
	}
	return out
}

// sound says what is wrong with the list itself: a key that is there twice, of which one field would never be set.
func (s *ArgumentSet) sound() error {
	seen := map[string]bool{}
	for _, a := range s.list {
		if seen[a.Key] {
			return fmt.Errorf("AddArguments names %q twice", a.Key)
		}
		seen[a.Key] = true
	}
	return nil
}

func (s *ArgumentSet) read(c Choice) error {
	for _, on := range s.tree {
		*on = c.Hierarchy
	}
	for _, a := range s.list {
		if a.Later {
			continue
		}
		if err := a.read(c.Arguments); err != nil {
			return err
		}
		text, given := c.Arguments[a.Key]
		if a.text != nil {
			*a.text = text
		}
		switch {
		case !given || a.value == nil:
		case a.least != nil && *a.value < *a.least, a.most != nil && *a.value > *a.most:
			return BadArgument(a.Key, "must be %s, not %s", a.Bounds, text)
		}
	}
	return nil
}

func (s *ArgumentSet) add(a Argument) *Argument {
	s.list = append(s.list, &a)
	return &a
}

// Hierarchy sets a field to the plugin's flag enableHierarchy.
func (s *ArgumentSet) Hierarchy(p *bool) { s.tree = append(s.tree, p) }

// Int is a whole number.
func (s *ArgumentSet) Int(p *int64, key string, otherwise int64, meaning string) *Argument {
	return s.add(Argument{Key: key, Kind: KindInt, Default: strconv.FormatInt(otherwise, 10), Meaning: meaning, value: p,
		read: func(a Arguments) (err error) { *p, err = a.Int(key, otherwise); return err }})
}

// Bool is true or false.
func (s *ArgumentSet) Bool(p *bool, key string, otherwise bool, meaning string) *Argument {
	return s.add(Argument{Key: key, Kind: KindBool, Default: strconv.FormatBool(otherwise), Meaning: meaning,
		read: func(a Arguments) (err error) { *p, err = a.Bool(key, otherwise); return err }})
}

// Duration is a length of time, in nanoseconds.
func (s *ArgumentSet) Duration(p *int64, key string, otherwise int64, meaning string) *Argument {
	return s.add(Argument{Key: key, Kind: KindDuration, Default: time.Duration(otherwise).String(), Meaning: meaning, value: p,
		read: func(a Arguments) (err error) { *p, err = a.Duration(key, otherwise); return err }})
}

// Resource is the name of a resource.
func (s *ArgumentSet) Resource(p *string, key, otherwise, meaning string) *Argument {
	return s.add(Argument{Key: key, Kind: KindText, Default: otherwise, Meaning: meaning,
		read: func(a Arguments) (err error) { *p, err = a.Resource(key, otherwise); return err }})
}

// OneOf is one of a few words, the first of them where it is absent.
func (s *ArgumentSet) OneOf(p *string, key string, words []string, meaning string) *Argument {
	words = slices.Clone(words)
	return s.add(Argument{Key: key, Kind: KindText, Default: words[0], Words: words, Meaning: meaning,
		read: func(a Arguments) (err error) { *p, err = a.OneOf(key, words...); return err }})
}

// AtLeast refuses smaller values.
func (a *Argument) AtLeast(n int64) *Argument {
	a.least = &n
	return a.bounded("at least " + a.shown(n))
}

// Above refuses n and smaller values.
func (a *Argument) Above(n int64) *Argument {
	least := n + 1
	a.least = &least
	return a.bounded("above " + a.shown(n))
}

// AtMost refuses greater values.
func (a *Argument) AtMost(n int64) *Argument { a.most = &n; return a.bounded("at most " + a.shown(n)) }

// As sets a field to the value as it is written.
func (a *Argument) As(p *string) *Argument { a.text = p; return a }

// Without says that the argument has no default: the field's value is that of an absent key.
func (a *Argument) Without() *Argument { a.Default = ""; return a }

func (a *Argument) bounded(by string) *Argument {
	a.Bounds = strings.TrimPrefix(a.Bounds+" and "+by, " and ")
	return a
}

func (a *Argument) shown(n int64) string {
	if a.Kind == KindDuration {
		return time.Duration(n).String()
	}
	if a.Kind == KindDecimal {
		return decimal(n)
	}
	return strconv.FormatInt(n, 10)
}
