package deploy

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"ashlar.sh/internal/config"
)

// installed reads the object of a kind in 20-ashlar.yaml; there is one.
func installed(t *testing.T, kind string, into any) {
	t.Helper()
	text, err := os.ReadFile("20-ashlar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		if strings.Contains("\n"+document, "\nkind: "+kind+"\n") {
			if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("20-ashlar.yaml has no %s", kind)
}

// The configuration that is installed is taken without a word, and asks for nothing that is not built.
func TestTheInstalledConfiguration(t *testing.T) {
	var m corev1.ConfigMap
	installed(t, "ConfigMap", &m)
	const file = "volcano-scheduler.conf"
	chosen, problems := config.Parse(config.Source{File: file}, []byte(m.Data[file]), config.Volcano(), config.Strict)
	if chosen == nil || len(problems) > 0 {
		t.Fatalf("%s: %v", file, problems)
	}
	if got, want := len(chosen.Actions), len(config.Default().Actions); got != want {
		t.Errorf("it has %d actions, the built-in default %d: want the same", got, want)
	}
}

// The image's programs: built by the Dockerfile's own command, they are static, know their
// version, and take the flags of the Deployment and, as vc-scheduler, of Volcano's chart.
func TestTheProgramsOfTheImage(t *testing.T) {
	dir := buildAsTheDockerfile(t)
	file, err := elf.Open(filepath.Join(dir, "ashlar"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program asks for a dynamic linker, and the image has none")
		}
	}
	entryPoints(t, dir)
	var d appsv1.Deployment
	installed(t, "Deployment", &d)
	c := d.Spec.Template.Spec.Containers[0]
	for name, command := range map[string][]string{
		"version":       {"/ashlar", "version"},
		"as installed":  append(append([]string{}, c.Command...), append(c.Args, "--version")...),
		"as in Volcano": append(append([]string{"/vc-scheduler"}, volcanosArgs...), "--version"),
	} {
		out, err := exec.Command(dir+command[0], command[1:]...).CombinedOutput()
		if err != nil || !regexp.MustCompile(`(?m)^ashlar +v9\.9\.9`).Match(out) {
			t.Errorf("%s: %v: %v\n%s", name, command, err, out)
		}
	}
}

// volcanosArgs are those of Volcano's chart, with each of its options and the stray one at its end.
var volcanosArgs = []string{"--logtostderr", "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf",
	"--scheduler-name=volcano", "--enable-healthz=true", "--enable-metrics=true", "--enable-pprof=true",
	"--leader-elect=true",
	"--leader-elect-resource-namespace=volcano-system", "--kube-api-qps=2000", "--kube-api-burst=2000",
	"--schedule-period=1s",
	"--node-worker-threads=20", "--percentage-nodes-to-find=100", "--feature-gates=SchedulingGatesQueueAdmission=true",
	"--ignored-provisioners=local", "--scheduler-sharding-mode=none", "-v=3", "2>&1"}

// buildAsTheDockerfile runs the lines of the Dockerfile that make the programs, for this machine.
func buildAsTheDockerfile(t *testing.T) string {
	t.Helper()
	return buildFor(t, runtime.GOOS, runtime.GOARCH)
}

// buildFor builds as the Dockerfile does for a platform.
func buildFor(t *testing.T, system, architecture string) string {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)\nRUN (CGO_ENABLED=0 .*?)\n\n`).FindSubmatch(text)
	if found == nil {
		t.Fatal("the Dockerfile has no RUN line that builds without cgo")
	}
	dir := t.TempDir()
	script := bytes.ReplaceAll(bytes.ReplaceAll(found[1], []byte("\\\n"), []byte(" ")), []byte("/out/"), []byte(dir+"/"))
	cmd := exec.Command("sh", "-ec", string(script))
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "TARGETOS="+system, "TARGETARCH="+architecture, "VERSION=v9.9.9")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return dir
}

// What the image is made from is pinned, and it runs as nobody, without a shell.
func TestTheDockerfile(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	last := text[bytes.LastIndex(text, []byte("\nFROM ")):]
	for what, pattern := range map[string]string{
		"the last stage has no shell":                   `\nFROM gcr\.io/distroless/static-debian\d+:nonroot\n`,
		"it runs as a number that Kubernetes can check": `\nUSER 65532:65532\n`,
		"it is called as Volcano's chart expects":       `\nENTRYPOINT \["/vc-scheduler"\]\n`,
	} {
		if !regexp.MustCompile(pattern).Match(append(last, '\n')) {
			t.Errorf("not so: %s", what)
		}
	}
	gomod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`\ngo (\d+\.\d+)`).FindSubmatch(gomod)[1]
	if !bytes.Contains(text, []byte("golang:"+string(version)+" ")) {
		t.Errorf("go.mod asks for Go %s, the Dockerfile has another", version)
	}
}
