package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set when a release is linked:
// -ldflags "-X ashlar.sh/internal/cli.release=v1.2.3". So is revision, the commit, where Go
// does not see it: git is not there, or the build is to be the same in any folder.
var release, revision string

// versions is what `ashlar version -o json` prints.
type versions struct {
	Version    string `json:"version"`
	Revision   string `json:"revision"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
	Kubernetes string `json:"kubernetes"` // of k8s.io/api
	Volcano    string `json:"volcano"`    // of volcano.sh/apis
}

func (p Process) version() *cobra.Command {
	output := ""
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of ashlar, Go and the APIs that it uses",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return ownVersions().print(p.Out, output)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "json, or nothing for text")
	return c
}

// ownVersions are those of this command.
func ownVersions() versions {
	info, _ := debug.ReadBuildInfo()
	return found(info)
}

// found reads the versions from what the linker left.
func found(info *debug.BuildInfo) versions {
	v := versions{Version: release, Revision: revision, Go: runtime.Version(), Platform: runtime.GOOS + "/" +
		runtime.GOARCH,
		Kubernetes: "unknown", Volcano: "unknown"}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	if v.Revision == "" {
		v.Revision = committed(info)
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		switch m.Path {
		case "k8s.io/api":
			v.Kubernetes = m.Version
		case "volcano.sh/apis":
			v.Volcano = m.Version
		}
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	return v
}

// committed is the commit that Go saw, with a mark when the tree was changed since; "" for none.
func committed(info *debug.BuildInfo) (revision string) {
	mark := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			mark = "-dirty"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + mark
}

func (v versions) print(w io.Writer, output string) error {
	switch output {
	case "json":
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return fmt.Errorf("writing the versions as JSON: %w", err)
		}
		_, err = fmt.Fprintf(w, "%s\n", data)
		return err
	case "":
		revision := ""
		if v.Revision != "" {
			revision = " (" + v.Revision + ")"
		}
		_, err := fmt.Fprintf(w, "ashlar      %s%s\ngo          %s %s\nkubernetes  k8s.io/api %s\n"+
			"volcano     volcano.sh/apis %s\n",
			v.Version, revision, v.Go, v.Platform, v.Kubernetes, v.Volcano)
		return err
	default:
		return fmt.Errorf("--output %q: only json is known", output)
	}
}
