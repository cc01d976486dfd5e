package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/sched/model"
)

func node(images ...corev1.ContainerImage) *corev1.Node {
	return &corev1.Node{Status: corev1.NodeStatus{Images: images}}
}

func TestImagesOfANode(t *testing.T) {
	llm := corev1.ContainerImage{Names: []string{"reg/llm@sha256:1", "reg:5000/llm"}, SizeBytes: 900}
	sh := corev1.ContainerImage{Names: []string{"sh:1"}, SizeBytes: 5}
	want := []model.Image{{Name: "reg/llm@sha256:1", Size: 900}, {Name: "reg:5000/llm:latest", Size: 900},
		{Name: "sh:1", Size: 5}}
	for _, order := range [][]corev1.ContainerImage{{llm, sh}, {sh, llm}} {
		if got := Node(node(order...)).Images; !slices.Equal(got, want) {
			t.Errorf("images %v, want %v whatever their order", got, want)
		}
	}
	odd := Node(node(corev1.ContainerImage{Names: []string{"<none>@<none>", "", strings.Repeat("x", 600)}, SizeBytes: 1},
		corev1.ContainerImage{Names: []string{"less:1"}, SizeBytes: -5},
		corev1.ContainerImage{Names: []string{"more:1"}, SizeBytes: 1 << 62},
		corev1.ContainerImage{Names: []string{"more:1"}, SizeBytes: 7})).Images
	if want := []model.Image{{Name: "less:1"}, {Name: "more:1", Size: model.MaxImage}}; !slices.Equal(odd, want) {
		t.Errorf("images %v, want %v: names that nothing can be called by left out, sizes within bounds, of two of one "+
			"name the larger", odd, want)
	}
}

func TestANodeThatNamesImagesWithoutNumber(t *testing.T) {
	var list []corev1.ContainerImage
	for i := range 5000 {
		one := corev1.ContainerImage{SizeBytes: int64(i)}
		for k := range 50 {
			one.Names = append(one.Names, fmt.Sprintf("reg/i-%d:%d", i, k))
		}
		list = append(list, one)
	}
	got := Node(node(list...)).Images
	if len(got) != mostImages*mostNames {
		t.Errorf("%d names are kept, want %d", len(got), mostImages*mostNames)
	}
	for _, i := range got {
		if i.Size < 5000-mostImages {
			t.Errorf("%s of %d bytes is kept and larger ones are not", i.Name, i.Size)
		}
	}
}

func TestImagesOfAPod(t *testing.T) {
	of := func(init, main string) []string {
		return imagesOf(&corev1.PodSpec{InitContainers: []corev1.Container{{Image: init}},
			Containers: []corev1.Container{{Image: main}, {Image: "a"}}})
	}
	if got, want := of("z/init:1", "reg:5000/main"), []string{"a:latest", "reg:5000/main:latest",
		"z/init:1"}; !slices.Equal(got, want) {
		t.Errorf("images %q, want %q", got, want)
	}
	if got, want := of("", strings.Repeat("x", 600)), []string{"", "", "a:latest"}; !slices.Equal(got, want) {
		t.Errorf("images %q, want %q: each container counts", got, want)
	}
	if got := imagesOf(&corev1.PodSpec{Containers: []corev1.Container{{}}}); got != nil {
		t.Errorf("images %q of a pod that names none", got)
	}
}
