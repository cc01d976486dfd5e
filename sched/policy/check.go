package policy

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// check finds what is wrong with the methods of a plugin and of its parts: an exported method that is no answer at
// any extension point is misspelt or has a wrong signature, and would never be called. The error names the method
// and the point nearest to it. A plugin that answers at no point is an error, too.
func check(plugin any) error {
	t := reflect.TypeOf(plugin)
	if t == nil {
		return errors.New("its constructor returned nil")
	}
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
		for _, m := range p.methods {
			if !slices.Contains(used, m) {
				used = append(used, m)
			}
		}
	}
	for i := 0; len(used) < t.NumMethod() && i < t.NumMethod(); i++ {
		if m := t.Method(i); !slices.Contains(used, m.Name) {
			return misfit(t, m)
		}
	}
	if !answers {
		return errors.New("it implements no extension point; docs/plugins.md lists them")
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

// misfit says what is wrong with an exported method that is no answer.
func misfit(t reflect.Type, m reflect.Method) error {
	has := signature(m.Type, 1)
	var names []string
	for i := range table {
		p := &table[i]
		at := slices.Index(p.methods, m.Name)
		switch {
		case at < 0:
			names = append(names, p.methods...)
			continue
		case signature(p.asks.Method(at).Type, 0) != has:
			asks := m.Name + signature(p.asks.Method(at).Type, 0)
			return fmt.Errorf("method %s%s: extension point %s asks for %s", m.Name, has, p.Name, asks)
		}
		var missing []string
		for i, name := range p.methods {
			asks := signature(p.asks.Method(i).Type, 0)
			if has, there := t.MethodByName(name); !there || signature(has.Type, 1) != asks {
				missing = append(missing, name+asks)
			}
		}
		return fmt.Errorf("method %s: extension point %s asks for %s, too", m.Name, p.Name, strings.Join(missing, ", "))
	}
	if near := Nearest(m.Name, names); near != "" {
		return fmt.Errorf("method %s%s is no answer at any extension point; did you mean %s?", m.Name, has, asking(near))
	}
	for i := range table {
		for at, name := range table[i].methods {
			if f := table[i].asks.Method(at).Type; f.NumIn() > 0 && signature(f, 0) == has {
				return fmt.Errorf("method %s%s is no answer at any extension point; did you mean %s?", m.Name, has, asking(name))
			}
		}
	}
	return fmt.Errorf("method %s%s is no answer at any extension point; a plugin exports nothing else", m.Name, has)
}

// asking is a method with the extension point that asks for it.
func asking(method string) string {
	i := slices.IndexFunc(table, func(p ExtensionPoint) bool { return slices.Contains(p.methods, method) })
	at := slices.Index(table[i].methods, method)
	return fmt.Sprintf("%s%s of %s", method, signature(table[i].asks.Method(at).Type, 0), table[i].Name)
}

// signature is the type of a method without its first parameters.
func signature(f reflect.Type, without int) string {
	var in, out []string
	for i := without; i < f.NumIn(); i++ {
		in = append(in, f.In(i).String())
	}
	for i := range f.NumOut() {
		out = append(out, f.Out(i).String())
	}
	text := "(" + strings.Join(in, ", ") + ")"
	switch len(out) {
	case 0:
		return text
	case 1:
		return text + " " + out[0]
	default:
		return text + " (" + strings.Join(out, ", ") + ")"
	}
}
