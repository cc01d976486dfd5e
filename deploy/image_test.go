package deploy

import (
	"bufio"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

// copied are the sources of the Dockerfile's COPY lines, by the stage they come from; "": the
// source tree.
func copied(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, line := range regexp.MustCompile(`(?m)^COPY +(?:--from=(\S+) +)?(.+) +\S+$`).FindAllSubmatch(text, -1) {
		out[string(line[1])] = append(out[string(line[1])], strings.Fields(string(line[2]))...)
	}
	for from := range out {
		if from != "" && !strings.Contains(string(text), " AS "+from+"\n") {
			t.Errorf("it copies from the stage %s, and there is none", from)
		}
	}
	return out
}

// ignored are the folders and files that are not sent to the builder.
func ignored(t *testing.T) (out []string) {
	t.Helper()
	file, err := os.Open("Dockerfile.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if path := strings.TrimSpace(lines.Text()); path != "" && !strings.HasPrefix(path, "#") {
			if strings.ContainsAny(path, "*!?[") {
				t.Fatalf("%s: this test knows only plain paths", path)
			}
			out = append(out, path)
		}
	}
	return out
}

// isIgnored says that a path below the root of the source tree is not sent.
func isIgnored(path string, ignored []string) bool {
	return slices.ContainsFunc(ignored, func(i string) bool { return path == i || strings.HasPrefix(path, i+"/") })
}

// What the Dockerfile copies is there, and whatever the program is made of is sent to the builder.
func TestTheDockerfileCopiesWhatIsThere(t *testing.T) {
	from, without := copied(t), ignored(t)
	if len(from[""]) < 3 || len(from["build"]) != 1 {
		t.Fatalf("it copies %v, want the module's files, the tree, and what was built", from)
	}
	for _, path := range from[""] {
		if _, err := os.Stat(filepath.Join("..", path)); err != nil || isIgnored(path, without) {
			t.Errorf("it copies %s: there %v, left out of what is sent %t", path, err, isIgnored(path, without))
		}
	}
	list := exec.Command("go", "list", "-deps", "-json=Dir,Module,GoFiles,EmbedFiles", "./cmd/ashlar")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for packages := json.NewDecoder(strings.NewReader(string(out))); packages.More(); {
		var p struct {
			Dir                 string
			Module              *struct{ Main bool }
			GoFiles, EmbedFiles []string
		}
		if err := packages.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		for _, name := range append(p.GoFiles, p.EmbedFiles...) {
			path, err := filepath.Rel(root, filepath.Join(p.Dir, name))
			files++
			if err != nil || isIgnored(filepath.ToSlash(path), without) {
				t.Errorf("%s is part of the program and not sent to the builder (%v)", path, err)
			}
		}
	}
	if files < 100 {
		t.Errorf("the program is made of %d files here, which is not all", files)
	}
}

// entryPoints: what the image is entered by is what its stage was given, under a link that leads
// on within it: by its own name as the Deployment calls it, by Volcano's as Volcano's chart does.
func entryPoints(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if from := copied(t)["build"][0]; from != "/out/" {
		t.Errorf("it copies %s, and the programs are in /out/", from)
	}
	entry := regexp.MustCompile(`(?m)^ENTRYPOINT \["([^"]+)"\]$`).FindSubmatch(text)
	var d appsv1.Deployment
	installed(t, "Deployment", &d)
	for from, path := range map[string]string{"the image": string(entry[1]),
		"the Deployment": d.Spec.Template.Spec.Containers[0].Command[0]} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s calls %s, which is no program in the image: %v", from, path, err)
		}
	}
	if to, err := os.Readlink(filepath.Join(dir, "vc-scheduler")); err != nil || filepath.IsAbs(to) ||
		strings.Contains(to, "/") {
		t.Errorf("the link leads to %q (%v), which is elsewhere once it is copied", to, err)
	}
}

// The image's user is the one that the Deployment names, so that a node that checks neither and
// one that checks both run it alike.
func TestTheImagesUserIsTheDeployments(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	user := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindSubmatch(text)
	if user == nil {
		t.Fatal("the Dockerfile names no user and group by number")
	}
	var d appsv1.Deployment
	installed(t, "Deployment", &d)
	s := d.Spec.Template.Spec.SecurityContext
	for what, ids := range map[string][2]string{
		"user":                 {string(user[1]), strconv.FormatInt(*s.RunAsUser, 10)},
		"group":                {string(user[2]), strconv.FormatInt(*s.RunAsGroup, 10)},
		"group of its folders": {string(user[2]), strconv.FormatInt(*s.FSGroup, 10)},
	} {
		if ids[0] != ids[1] || ids[0] == "0" {
			t.Errorf("the image has %s %s, the Deployment %s", what, ids[0], ids[1])
		}
	}
}

// For each platform that the Dockerfile is said to be built for, its command makes a static
// program of it. That compiles everything anew, so it is done where it is asked for.
func TestTheProgramsOfOtherMachines(t *testing.T) {
	if os.Getenv("ASHLAR_BUILD_PLATFORMS") != "1" {
		t.Skip("ASHLAR_BUILD_PLATFORMS=1 builds for every platform of the image, which takes minutes")
	}
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	machines := map[string]elf.Machine{"linux/amd64": elf.EM_X86_64, "linux/arm64": elf.EM_AARCH64}
	named := strings.Split(string(regexp.MustCompile(`--platform (linux/\S+)`).FindSubmatch(text)[1]), ",")
	if len(named) != len(machines) {
		t.Errorf("the Dockerfile names %v, this test knows %d", named, len(machines))
	}
	for _, platform := range named {
		system, architecture, _ := strings.Cut(platform, "/")
		file, err := elf.Open(filepath.Join(buildFor(t, system, architecture), "ashlar"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if file.Machine != machines[platform] || slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool {
			return p.Type == elf.PT_INTERP
		}) {
			t.Errorf("for %s there is a program of %v, or one that asks for a dynamic linker", platform, file.Machine)
		}
	}
}
