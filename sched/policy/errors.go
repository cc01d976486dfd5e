package policy

import "fmt"

// PluginError says that a plugin cannot be created with its configuration.
type PluginError struct {
	Plugin string
	Err    error // an *ArgumentError where one argument is the cause
}

// Error names the plugin and says what is wrong.
func (e *PluginError) Error() string { return fmt.Sprintf("plugin %s: %v", e.Plugin, e.Err) }

// Unwrap is the error of the plugin.
func (e *PluginError) Unwrap() error { return e.Err }

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
