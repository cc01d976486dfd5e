package config

// Argument is one key of an arguments block.
type Argument struct {
	// Key is the catalogue's spelling, whichever of two the file uses.
	Key  string
	Line int
	// Built is false for an argument of Volcano's that has no effect in this version.
	Built bool
	// Text is the value as policy.Arguments have it. It is of the kind and within the bounds in the catalogue.
	Text string
}

// Arguments are the keys of one arguments block, in the order of the file.
type Arguments []Argument

// Get is the value of a key as text; false where the key is not written.
func (a Arguments) Get(key string) (string, bool) {
	if arg := a.find(key); arg != nil {
		return arg.Text, true
	}
	return "", false
}

func (a Arguments) find(key string) *Argument {
	for i := range a {
		if a[i].Key == key {
			return &a[i]
		}
	}
	return nil
}
