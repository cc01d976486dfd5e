package web

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ashlar.sh/test/chromium"
)

// root is the repository's.
const root = "../.."

// folder has the simulator, once it is built.
var folder string

// made is where it is.
var made = sync.OnceValues(func() (dir string, err error) {
	folder, err = os.MkdirTemp("", "ashlar-web-")
	return folder, err
})

// built is the simulator, built once for all tests; whole is the command that knows devices, too.
var (
	built = sync.OnceValues(func() (string, error) { return build("simulator") })
	whole = sync.OnceValues(func() (string, error) { return build("whole") })
)

// build builds the command with a tag; one that no file names leaves nothing out.
func build(tag string) (string, error) {
	dir, err := made()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, tag)
	c := exec.Command("go", "build", "-tags", tag, "-o", path, "./cmd/ashlar")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.Stop()
	if folder != "" {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

var printed = regexp.MustCompile(`http://\S+`)

// serve runs `ashlar web` and returns the address that it prints, and what ends it.
func serve(t *testing.T, args ...string) (address string, end func()) {
	t.Helper()
	return serveBy(t, built, args...)
}

// serveBy is serve by the command that is built.
func serveBy(t *testing.T, build func() (string, error), args ...string) (address string, end func()) {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, append([]string{"web"}, args...)...)
	c.Dir = root
	return starts(t, c)
}

// starts runs a command, and those that it runs, and returns the address that it prints, and what ends it.
func starts(t *testing.T, c *exec.Cmd) (address string, end func()) {
	t.Helper()
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var problems strings.Builder
	c.Stderr = &problems
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	end = func() {
		once.Do(func() {
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGINT) // it may have ended
			late := time.AfterFunc(10*time.Second, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
			_ = c.Wait() // it was told to end
			late.Stop()
		})
	}
	t.Cleanup(end)
	for lines := bufio.NewReader(out); address == ""; {
		line, err := lines.ReadString('\n')
		if err != nil {
			end()
			t.Fatalf("%s printed no address: %v\n%s", c, err, problems.String())
		}
		address = printed.FindString(line)
	}
	return address, end
}

// day are the arguments for a day of a made-up cluster of five queues and four racks, standing still.
var day = []string{"test/web/testdata/day", "--paused"}

// demo are the arguments of `make demo`, standing still.
var demo = []string{"examples/demo/cluster.yaml", "--trace-nodes", "examples/demo/nodes.csv", "--trace-jobs",
	"examples/demo/jobs.csv", "--from", "391h20m", "--paused"}
