package loop

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// A level that is set for a while goes back; what cannot be meant changes nothing.
func TestTheLogLevelIsSetThroughASocket(t *testing.T) {
	before := klogLevel()
	t.Cleanup(func() {
		var flag klog.Level
		_ = flag.Set(string(rune('0' + before)))
	})
	folder, err := os.MkdirTemp("", "level") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	path := filepath.Join(folder, levelSocket)
	if err := os.WriteFile(path, nil, 0o600); err != nil { // what an earlier life left
		t.Fatal(err)
	}
	stop, err := serveLevels(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn,
		error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	ask := func(query string) (int, string) {
		response, err := client.Get("http://localhost/" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, strings.TrimSpace(string(body))
	}
	for _, c := range []struct {
		query string
		code  int
		level string
	}{
		{"setlevel?level=4", 200, "4"},
		{"setlevel?level=much", 400, "4"},
		{"setlevel?level=5&duration=soon", 400, "4"},
		{"setlevel?level=5&duration=1h", 200, "5"},
		{"setlevel?level=6&duration=1ms", 200, ""},
	} {
		if code, body := ask(c.query); code != c.code {
			t.Errorf("%s: %d %s, want %d", c.query, code, body, c.code)
		}
		if _, level := ask("getlevel"); c.level != "" && level != c.level {
			t.Errorf("after %s the level is %s, want %s", c.query, level, c.level)
		}
	}
	err = wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 10*time.Second, true,
		func(context.Context) (bool, error) {
			_, level := ask("getlevel")
			return level == "4", nil
		})
	if err != nil {
		t.Error("the level does not go back to the one that was to stay")
	}
}

func TestWithoutAFolderThereIsNoSocket(t *testing.T) {
	stop, err := serveLevels("")
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := serveLevels(filepath.Join(os.Args[0], "no-folder")); err == nil {
		t.Error("a folder that cannot be made is no error")
	}
}
