package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Decimal is a number with at most three decimal places, in thousandths.
func (s *ArgumentSet) Decimal(p *int64, key string, otherwise int64, meaning string) *Argument {
	return s.add(Argument{Key: key, Kind: KindDecimal, Default: decimal(otherwise), Meaning: meaning, value: p,
		read: func(a Arguments) (err error) { *p, err = a.Milli(key, otherwise); return err }})
}

// decimal writes thousandths: 1200 is 1.2.
func decimal(milli int64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%03d", milli/1000, milli%1000), "0"), ".")
}

// Text is any text, "" where it is absent.
func (s *ArgumentSet) Text(p *string, key, meaning string) {
	s.add(Argument{Key: key, Kind: KindText, Meaning: meaning, read: func(a Arguments) error { *p = a[key]; return nil }})
}

// Sequence is a list as JSON, "" where it is absent.
func (s *ArgumentSet) Sequence(p *string, key, meaning string) {
	s.add(Argument{Key: key, Kind: KindSequence, Meaning: meaning, read: func(a Arguments) error { *p = a[key]; return nil }})
}

// Prefixed are all arguments whose keys begin with a prefix: their values by what follows it.
func (s *ArgumentSet) Prefixed(p *map[string]string, prefix, meaning string) {
	s.add(Argument{Key: prefix, Prefix: true, Kind: KindText, Meaning: meaning, read: func(a Arguments) error {
		*p = map[string]string{}
		for key, text := range a { // order-free: a map is made of it
			if name, ok := strings.CutPrefix(key, prefix); ok {
				(*p)[name] = text
			}
		}
		return nil
	}})
}

// Later is an argument of Volcano's that is accepted and not heeded.
func (s *ArgumentSet) Later(kind Kind, key, otherwise, meaning string) *Argument {
	return s.add(Argument{Key: key, Kind: kind, Default: otherwise, Meaning: meaning, Later: true})
}

// ResourceWeight is what a resource weighs; it is not negative.
type ResourceWeight struct {
	Resource string
	Weight   int64
}

// ResourceWeights are the weights of cpu and memory, under their names after prefix, and of those further resources
// that prefix+"resources" lists, under prefix+"resources."+name: 1 where they are absent or, as in Volcano, negative.
// One above most is refused. cpu and memory come first: their own arguments hold even where the list names them
// again.
func (s *ArgumentSet) ResourceWeights(p *[]ResourceWeight, prefix string, most int64) {
	known := []string{"cpu", "memory"}
	for _, name := range known {
		s.add(Argument{Key: prefix + name, Kind: KindInt, Default: "1", Meaning: "weight of " + name, read: nothing}).AtMost(most)
	}
	s.add(Argument{Key: prefix + "resources", Kind: KindList, Meaning: "further resources that count", read: nothing})
	s.add(Argument{Key: prefix + "resources.", Prefix: true, Kind: KindInt, Default: "1",
		Meaning: "weight of the resource named after the prefix", read: func(a Arguments) error {
			*p = nil
			for _, name := range append(slices.Clone(known), a.list(prefix+"resources")...) {
				key := prefix + "resources." + name
				if slices.Contains(known, name) {
					key = prefix + name
				}
				if slices.ContainsFunc(*p, func(w ResourceWeight) bool { return w.Resource == name }) {
					continue
				}
				weight, err := a.Int(key, 1)
				if err != nil {
					return err
				}
				if weight > most {
					return BadArgument(key, "must be at most %d, not %d", most, weight)
				}
				if weight < 0 {
					weight = 1
				}
				*p = append(*p, ResourceWeight{name, weight})
			}
			return nil
		}}).AtMost(most)
}

// nothing is read on behalf of an argument that another one reads.
func nothing(Arguments) error { return nil }
