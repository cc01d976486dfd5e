package translate

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/sched/model"
)

// Bounds of what a node may say of the images it holds: a kubelet names the 50 largest with
// five names each, unless it is told otherwise.
const (
	mostImages  = 256
	mostNames   = 8
	longestName = 512
)

// LargestImages returns the images of a node that are kept: the largest, by size and name, each with the first of its
// names. Their order in list makes no difference. one returns a shared copy of a name.
func LargestImages(list []corev1.ContainerImage, one func(string) string) []corev1.ContainerImage {
	var out []corev1.ContainerImage
	for _, i := range list {
		var names []string
		for _, name := range i.Names {
			if name != "" && len(name) <= longestName && !strings.HasPrefix(name, "<none>") {
				names = append(names, name)
			}
		}
		if slices.Sort(names); len(names) > 0 {
			out = append(out, corev1.ContainerImage{Names: slices.Clip(names[:min(len(names), mostNames)]),
				SizeBytes: min(max(i.SizeBytes, 0), model.MaxImage)})
		}
	}
	slices.SortFunc(out, func(a, b corev1.ContainerImage) int {
		return cmp.Or(cmp.Compare(b.SizeBytes, a.SizeBytes), slices.Compare(a.Names, b.Names))
	})
	out = slices.Clip(out[:min(len(out), mostImages)])
	var names []string // of all of them, in one piece of memory
	for _, i := range out {
		names = append(names, i.Names...)
	}
	names = slices.Clip(names)
	for k, name := range names {
		names[k] = one(name)
	}
	for i := range out {
		n := len(out[i].Names)
		out[i].Names, names = names[:n:n], names[n:]
	}
	return out
}

// images are those that a node holds, by name. Of two of one name the larger is.
func images(list []corev1.ContainerImage) (out []model.Image) {
	for _, i := range LargestImages(list, func(name string) string { return name }) {
		for _, name := range i.Names {
			out = append(out, model.Image{Name: imageName(name), Size: i.SizeBytes})
		}
	}
	slices.SortStableFunc(out, func(a, b model.Image) int { return cmp.Compare(a.Name, b.Name) })
	return slices.Clip(slices.CompactFunc(out, func(a, b model.Image) bool { return a.Name == b.Name }))
}

// imageName is the name of an image with the tag that stands for none.
func imageName(name string) string {
	if name != "" && strings.LastIndexByte(name, ':') <= strings.LastIndexByte(name, '/') {
		return name + ":latest"
	}
	return name
}

// imagesOf are those of a pod's containers and init containers, sorted; nil where none is
// named.
func imagesOf(p *corev1.PodSpec) (out []string) {
	named := false
	for _, list := range [...][]corev1.Container{p.InitContainers, p.Containers} {
		for i := range list {
			name := list[i].Image
			if len(name) > longestName {
				name = ""
			}
			named = named || name != ""
			out = append(out, imageName(name))
		}
	}
	if !named {
		return nil
	}
	slices.Sort(out)
	return out
}
