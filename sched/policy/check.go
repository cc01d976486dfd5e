package policy

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// check finds what is wrong with the methods of a plugin and of its parts: an exported method that is no answer at any
// extension point is misspelt or has a wrong signature, and would never be called. The error names the method and the
// point nearest to it. A plugin that answers at no point is an error, too.
func check(plugin any) error {
	t := reflect.TypeOf(plugin)
	if t == nil {
		return errors.New("its constructor returned nil")
	}
	if err := checkMethods(t); err != nil {
		return err
	}
	if group, ok := plugin.(Group); ok {
		for _, part := range group.Parts() {
			if err := check(part); err != nil {
				return fmt.Errorf("its part %T: %w", part, err)
			}
		}
	}
	return nil
}

// checkType is check for the methods of a type of plugins, of which there is none yet; an interface tells nothing.
func checkType[P any]() error {
	if t := reflect.TypeFor[P](); t.Kind() != reflect.Interface {
		return checkMethods(t)
	}
	return nil
}

// checkMethods is check for the methods of a plugin's own type.
func checkMethods(t reflect.Type) error {
	answers := false
	var used []string
	for i := range table {
		p := &table[i]
		if !t.Implements(p.asks) {
			continue
		}
		if p.refines != nil && !slices.ContainsFunc(p.refines, t.Implements) {
			return fmt.Errorf("it is %s, and not %s", p.Name, strings.Join(p.Refines, " or "))
		}
		answers = answers || p.refines == nil
		used = append(used, p.methods...)
	}
	has := map[string]string{} // methods with their signatures
	for i := range t.NumMethod() {
		has[t.Method(i).Name] = signature(reflect.Zero(t).Method(i).Type())
	}
	for i := range t.NumMethod() {
		if name := t.Method(i).Name; !slices.Contains(used, name) {
			return misfit(name, has)
		}
	}
	if !answers {
		return errors.New("it implements no extension point; docs/plugins.md lists them")
	}
	return nil
}

// signature is the type of a method as its declaration has it after the name.
func signature(method reflect.Type) string { return strings.TrimPrefix(method.String(), "func") }

// misfit says what is wrong with an exported method that is no answer, of a plugin that has these methods.
func misfit(name string, has map[string]string) error {
	var names []string
	bySignature, byName := "", map[string]string{} // how methods are asked for
	for i := range table {
		p := &table[i]
		names = append(names, p.methods...)
		var missing []string
		for at, method := range p.methods {
			asks := signature(p.asks.Method(at).Type)
			byName[method] = method + asks + " of " + p.Name
			if asks == has[name] && !strings.HasPrefix(asks, "()") && bySignature == "" {
				bySignature = byName[method]
			}
			if has[method] != asks {
				missing = append(missing, method+asks)
			}
		}
		switch at := slices.Index(p.methods, name); {
		case at < 0:
			continue
		case signature(p.asks.Method(at).Type) != has[name]:
			asks := name + signature(p.asks.Method(at).Type)
			return fmt.Errorf("method %s%s: extension point %s asks for %s", name, has[name], p.Name, asks)
		default:
			return fmt.Errorf("method %s: extension point %s asks for %s, too", name, p.Name, strings.Join(missing, ", "))
		}
	}
	near := bySignature
	if like := Nearest(name, names); like != "" {
		near = byName[like]
	}
	if near == "" {
		return fmt.Errorf("method %s%s is no answer at any extension point; a plugin exports nothing else", name, has[name])
	}
	return fmt.Errorf("method %s%s is no answer at any extension point; did you mean %s?", name, has[name], near)
}
