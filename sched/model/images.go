package model

// Image is a container image on a node, by one of its names. An image with several names is listed once for
// each.
type Image struct {
	Name string // with its tag or digest
	Size int64  // bytes, 0 to MaxImage
}

// MaxImage bounds an image's size, so that no sum of sizes leaves int64.
const MaxImage = 1 << 42

// Images writes the images of a pod's containers; nothing where none is named.
func (f *Form) Images(names []string) {
	if len(names) == 0 {
		return
	}
	f.Part()
	f.Text("images")
	f.Text(names...)
}
