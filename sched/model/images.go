package model

// Image is a container image that a node holds, by one of the names it goes by there. An
// image of several names is there once for each.
type Image struct {
	Name string // with its tag or digest
	Size int64  // bytes, 0 to MaxImage
}

// MaxImage bounds what an image is taken to be large, so that no sum of sizes leaves int64.
const MaxImage = 1 << 42

// Images writes which images a pod's containers run; nothing where none is named.
func (f *Form) Images(names []string) {
	if len(names) == 0 {
		return
	}
	f.Part()
	f.Text("images")
	f.Text(names...)
}
