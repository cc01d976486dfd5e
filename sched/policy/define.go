package policy

import (
	"errors"
	"fmt"

	"ashlar.sh/sched/ledger"
)

// Definition ties a plugin's name to its constructor, which is called once, when an engine is made for a profile.
// Define makes one.
type Definition struct {
	Name    string
	Meaning string // what the plugin is for, in half a sentence
	// Arguments are those that it takes, and no others; nil: any, as text.
	Arguments []*Argument
	New       func(c Choice, l *ledger.Ledger) (any, error)

	wrong error // what is wrong with the struct of arguments, or with the methods of the plugin's type
}

// Define is the definition of a plugin with typed arguments. A is the struct of arguments. P is the type of the
// plugin: where it is an extension point (JobOrder), or an interface that embeds several, the compiler checks the
// plugin's methods; of any other type Check finds an exported method that is misspelt. build gets the arguments read
// and within their bounds; a further objection of its own is a BadArgument.
func Define[A, P any, PA Struct[A]](name, meaning string, build func(A, *ledger.Ledger) (P, error)) Definition {
	list, wrong := Describe[A, PA]()
	if wrong == nil {
		wrong = checkType[P]()
	}
	return Definition{Name: name, Meaning: meaning, Arguments: append([]*Argument{}, list...), wrong: wrong,
		New: func(c Choice, l *ledger.Ledger) (any, error) {
			a, err := Read[A, PA](c)
			if err != nil {
				return nil, err
			}
			p, err := build(a, l)
			if err != nil {
				return nil, err
			}
			return p, nil
		}}
}

// Check says what is wrong with a definition, whether a profile names it or not: the programmer's errors.
func (d Definition) Check() error {
	switch {
	case d.Name == "":
		return errors.New("a plugin has no name")
	case d.New == nil:
		return fmt.Errorf("plugin %s has no constructor", d.Name)
	case d.wrong != nil:
		return fmt.Errorf("plugin %s: %w", d.Name, d.wrong)
	default:
		return nil
	}
}

// Names are the names of definitions, in their order.
func Names(list []Definition) (out []string) {
	for _, d := range list {
		out = append(out, d.Name)
	}
	return out
}

// BuildError says that a plugin or an action cannot be made with its configuration.
type BuildError struct {
	Of   string // "plugin" or "action"
	Name string
	Err  error // an *ArgumentError where one argument is the cause
}

// Error names the plugin or the action, the argument if one is the cause, and says what is wrong.
func (e *BuildError) Error() string {
	var argument *ArgumentError
	if errors.As(e.Err, &argument) {
		return fmt.Sprintf("argument %q of %s %s: %v", argument.Key, e.Of, e.Name, argument.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Of, e.Name, e.Err)
}

// Unwrap is the error of the plugin or the action.
func (e *BuildError) Unwrap() error { return e.Err }

// ArgumentError says that the value of an argument cannot be used.
type ArgumentError struct {
	Key string
	Err error
}

// BadArgument is the error of an argument's value; format and args say what is wrong with it.
func BadArgument(key, format string, args ...any) error {
	return &ArgumentError{Key: key, Err: fmt.Errorf(format, args...)}
}

// Error names the argument and says what is wrong with its value.
func (e *ArgumentError) Error() string { return fmt.Sprintf("argument %s: %v", e.Key, e.Err) }

// Unwrap is the error of the value.
func (e *ArgumentError) Unwrap() error { return e.Err }
